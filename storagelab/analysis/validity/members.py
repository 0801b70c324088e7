"""A client that is slower, or faster, than the others wherever it takes part.

Logs of rates are a level of each run and measurement, and an effect of each client: the two are fitted in turn by
medians, which a few odd runs do not move. A client whose effect has one sign in most settings is told. Effects
of a placement (which server has a client's files) belong to single layouts, and show as that.

Sources: J. W. Tukey, "Exploratory data analysis" (1977), median polish of a two-way table; F. Wilcoxon, "Individual
comparisons by ranking methods" (1945) for the signed ranks.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import special

from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.spreads import Logged, logged
from storagelab.errors import AnalysisError

LEAST = 1.2
"""Factor from which a client is told to be apart."""

APART = 1.1
"""Factor from which it is apart in one setting."""

MOSTLY = 0.6
"""Share of the settings in which it must be apart to the same side: a placement may hide it in some."""

SURE = 0.002
"""Corrected p of the signed ranks of all settings."""

ROUNDS = 20


def members(study: Study) -> Looked:
    """Look for clients that are slower or faster than the others in all they take part in."""
    tables = [part for part in logged(study, "clients") if part.frame["run_id"].nunique() > 1]
    shared = [(part, rows) for part in tables if len(rows := _shared(part.frame)) > 3]
    if not shared:
        raise AnalysisError("no two clients took part in one run")
    found = [finding for part, rows in shared for finding in _of_table(part, rows)]
    return Looked(sum(len(rows) for _, rows in shared), "rates of clients", found)


def _shared(rows: pd.DataFrame) -> pd.DataFrame:
    """Measurements in which several clients took part."""
    rows = rows.assign(one=rows.groupby(["run_id", "what"], sort=True).ngroup())
    return rows[rows.groupby("one")["client"].transform("nunique") > 1].reset_index(drop=True)


def _of_table(part: Logged, rows: pd.DataFrame) -> list[Finding]:
    effects, rest = _polished(rows)
    settings = _settings(rows, part)
    found = []
    for client, effect in effects.items():
        own = rest[rows["client"] == client] + effect
        by_setting = own.groupby(settings[rows["client"] == client]).median()
        n, same = len(by_setting), int((np.sign(effect) * by_setting > log(APART)).sum())
        p = _p_of_signs(by_setting.to_numpy()) * len(effects)
        if abs(effect) > log(LEAST) and same >= MOSTLY * n and p < SURE:
            said = f"{part.variable} is {brief(exp(effect))} times that of the other clients, in {same} of {n} settings"
            found.append(Finding(f"client={client}", said, abs(float(effect)), client=str(client)))
    furthest = max((one.size for one in found), default=0.0)
    return [one for one in found if one.size > furthest / 2]


def _p_of_signs(effects: Floats) -> float:
    """P of effects around zero by their signed ranks (Wilcoxon), in the approximation by a normal distribution."""
    n = effects.size
    ranks = pd.Series(np.abs(effects)).rank().to_numpy()
    total = float((np.sign(effects) * ranks).sum())
    return float(2 * special.ndtr(-abs(total) / np.sqrt(n * (n + 1) * (2 * n + 1) / 6)))


def _settings(rows: pd.DataFrame, part: Logged) -> pd.Series:
    """Number of what is the same in a run for all its clients, over all operations."""
    keys = [key for key in part.keys if key not in ("client", "host") and key in rows]
    return rows.groupby([*keys, "what"] if keys else ["what"], sort=True, dropna=False).ngroup()


def _polished(rows: pd.DataFrame) -> tuple[dict[str, float], pd.Series]:
    """Effects of the clients, and what is left of each row beside them and its measurement."""
    of_one, of_client = rows["one"], rows["client"]
    left = rows["x"] - rows["x"].groupby(of_one).transform("median")
    effects = pd.Series(0.0, sorted(of_client.unique()))
    for _ in range(ROUNDS):
        more = left.groupby(of_client).median()
        effects = effects.add(more)
        left = left - of_client.map(more)
        left = left - left.groupby(of_one).transform("median")
        if float(more.abs().max()) < 1e-9:
            break
    middle = float(effects.median())
    return {str(client): float(effect) - middle for client, effect in effects.items()}, left
