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

from storagelab.analysis.cells import Cells, Rows
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import exp, log
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
    named = [part for part in logged(study, "clients") if "client" in part.rows]
    tables = [part for part in named if len(part.rows.levels("run_id")) > 1]
    shared = [(part, rows) for part in tables if len(rows := _shared(part.rows)) > 3]
    if not shared:
        raise AnalysisError("no two clients took part in one run")
    found = [finding for part, rows in shared for finding in _of_table(part, rows)]
    return Looked(sum(len(rows) for _, rows in shared), "rates of clients", found)


def _shared(rows: Rows) -> Rows:
    """Measurements in which several clients took part."""
    measured = rows.cells(["run_id", "what"])
    return rows.take(measured.broadcast(measured.distinct("client")) > 1)


def _of_table(part: Logged, rows: Rows) -> list[Finding]:
    found = []
    clients, effects, rest = _polished(rows)
    for client, effect, of_settings in zip(clients, effects, _by_setting(part, rows, rest), strict=True):
        n, same = len(of_settings), int((np.sign(effect) * of_settings > log(APART)).sum())
        if abs(effect) > log(LEAST) and same >= MOSTLY * n and _p_of_signs(of_settings) * len(clients) < SURE:
            said = f"{part.variable} is {brief(exp(effect))} times that of the other clients, in {same} of {n} settings"
            found.append(Finding(f"client={client}", said, abs(effect), client=client))
    furthest = max((one.size for one in found), default=0.0)
    return [one for one in found if one.size > furthest / 2]


def _p_of_signs(effects: Floats) -> float:
    """P of effects around zero by their signed ranks (Wilcoxon), in the approximation by a normal distribution."""
    n = effects.size
    ranks = pd.Series(np.abs(effects)).rank().to_numpy()
    total = float((np.sign(effects) * ranks).sum())
    return float(2 * special.ndtr(-abs(total) / np.sqrt(n * (n + 1) * (2 * n + 1) / 6)))


def _by_setting(part: Logged, rows: Rows, rest: Floats) -> list[Floats]:
    """For each client the median of what is left of it in each setting: what is the same for all clients of a run."""
    keys = [key for key in part.keys if key not in ("client", "host") and key in rows]
    settings = rows.cells(["client", *keys, "what"])
    return settings.results(rest=settings.median_of(rest[settings.order])).cells(["client"]).slices("rest")


def _polished(rows: Rows) -> tuple[list[str], list[float], Floats]:
    """Clients, their effects, and each row beside its measurement."""
    measured, clients = rows.cells(["run_id", "what"]), rows.cells(["client"])

    def middle(cells: Cells, values: Floats) -> Floats:
        return cells.median_of(values[cells.order])

    left = rows["x"] - measured.broadcast(middle(measured, rows["x"]))
    effects = np.zeros(len(clients))
    for _ in range(ROUNDS):
        more = middle(clients, left)
        effects = effects + more
        left = left - clients.broadcast(more)
        left = left - measured.broadcast(middle(measured, left))
        if np.abs(more).max() < 1e-9:
            break
    effects = effects - np.median(effects)
    return rows.levels("client"), effects.tolist(), left + clients.broadcast(effects)
