"""Repeats that are closer to each other than any others of the campaign: invented, copied, or the best for all.

Noise differs from cell to cell, but not without a gap: the spreads of the settings in which an operation was measured
are put in order, and where some lie below a gap of a factor of ten, less than chi-square makes of the least spread
above the gap, they are told. Runs that repeat each other to the last digit have no spread at all.

Source: U. Simonsohn (2013), see `same_numbers`, for standard deviations that are too similar; here it is the variance
over the repeats.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import special

from storagelab.analysis.inference.elementary import expm1
from storagelab.analysis.inference.intervals import ROUNDING
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.spreads import Logged, logged, where
from storagelab.errors import AnalysisError

GAP = 10.0
"""Factor by which a standard deviation must be smaller than all those above it."""

MOST = 0.003
"""Standard deviation of logs above which repeats are no closer than a steady machine may be."""

ABOVE = 0.6
"""Share of the settings that lie above the gap."""

FEWEST = 6
"""Settings in which an operation was repeated, for the campaign to say what is usual."""

STEPS = 3.0
"""Times the smallest difference of two repeats that the least spread above the gap must be: a clock with coarse steps
leaves runs equal by chance."""

SURE = 1e-3
"""P of so small a variance, times the number of settings."""


def alike(study: Study) -> Looked:
    """Look for settings whose repeats agree better than those of all others."""
    node = "clients" if study.has("clients") and "client" in study.rows("clients") else "runs"
    try:
        tables = logged(study, node)
    except AnalysisError:
        tables = logged(study, "runs")
    checked, found = 0, list[Finding]()
    for part in tables:
        for _, rows in part.frame.groupby("what", sort=True):
            spreads = _spreads(rows)
            if len(spreads) >= FEWEST:
                checked += len(spreads)
                found += list(_below_a_gap(part, rows, spreads))
    if not checked:
        raise AnalysisError(f"no operation was repeated in {FEWEST} settings")
    return Looked(checked, "settings", found)


def _spreads(rows: pd.DataFrame) -> pd.DataFrame:
    """Pooled variance of the cells of each setting, over its clients, with its degrees of freedom."""
    settings = _without_client(rows)
    dev = rows["x"] - rows.groupby("cell")["x"].transform("mean")
    cells = rows.groupby("cell")["cell"].transform("size")
    kept = cells > 1
    grouped = pd.DataFrame({"setting": settings, "squares": dev**2, "freedom": 1 - 1 / cells})[kept].groupby("setting")
    sums = grouped.sum()
    return sums.assign(variance=sums["squares"] / sums["freedom"]).sort_values("variance", kind="stable")


def _without_client(rows: pd.DataFrame) -> pd.Series:
    cells = rows["cell"]
    if "client" not in rows:
        return cells
    keys = [name for name in rows.columns if name not in NOT_A_SETTING]
    return rows.groupby(keys, sort=True, dropna=False).ngroup() if keys else pd.Series(0, rows.index)


NOT_A_SETTING = frozenset(
    {"client", "host", "x", "cell", "setting", "what", "run_id", "repeat", "block", "throughput", "elapsed", "basis"}
    | {"operation_rate", "file", "client_link", "file_on_failed_server", "log_id", "line", "order", "day", "round"}
)


def _below_a_gap(part: Logged, rows: pd.DataFrame, spreads: pd.DataFrame) -> Iterator[Finding]:
    variance = spreads["variance"].to_numpy()
    n = variance.size
    usable = [k for k in range(1, int(n * (1 - ABOVE)) + 1) if variance[k] > GAP**2 * variance[k - 1]]
    if not usable:
        return
    least = float(variance[usable[-1]])
    if np.sqrt(least) < STEPS * _step(rows, spreads.index[usable[-1] :]):
        return
    settings = _without_client(rows)
    for setting, one in spreads.iloc[: usable[-1]].iterrows():
        if one["variance"] > MOST**2:
            continue
        if _p(float(one["squares"]), float(one["freedom"]), least) * n > SURE:
            continue
        own = rows[settings == setting]
        sd = float(np.sqrt(max(one["variance"], 0.0)))
        own_percent, least_percent = (brief(100 * float(expm1(one))) for one in (sd, np.sqrt(least)))
        said = f"{part.variable} differs by {own_percent} % between repeats, in no other setting by less than"
        said += f" {least_percent} %"
        keys = [key for key in part.keys if key not in ("client", "host")]
        runs = sorted(own["run_id"].unique())
        yield Finding(where(own, keys), said, float(np.sqrt(least) / max(sd, 1e-12)), run_id=str(runs[-1]))


def _step(rows: pd.DataFrame, settings: pd.Index) -> float:
    """Smallest difference of two values of a cell in some settings: a clock may count no finer."""
    kept = rows[_without_client(rows).isin(settings)].sort_values(["cell", "x"], kind="stable")
    rise = kept["x"].diff()[kept["cell"] == kept["cell"].shift()]
    found = rise[rise > ROUNDING]
    return float(found.min()) if len(found) else np.inf


def _p(squares: float, freedom: float, variance: float) -> float:
    """Chance of a sum of squares as small, by chi-square."""
    return float(special.gammainc(freedom / 2, squares / variance / 2))
