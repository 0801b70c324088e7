"""How many disks it takes to saturate what they stand behind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.differences import welch
from storagelab.analysis.inference.distributions import t_above
from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError

NEEDED = "tiers_needed"
NAMED = [NEEDED, columns.low(NEEDED), columns.high(NEEDED), "n", "caveat"]
Level = str | float


def tiers_needed(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    share: float = 0.95,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Find the fewest tiers, of those measured, from which on the rate is at least a share of that with all tiers.

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`; rows with raid_tiers.
    by : sequence of str
        Keys that make the cells.
    share : float
        What still counts as saturated.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: keys `by`; ``tiers_needed`` (from the geometric means) with ``_low`` and ``_high``: fewer tiers
        than low are shown to be below the share, and those from high on are shown to be above it, by one-sided Welch
        tests on the logs (97.5 % each, no other numbers of tiers than those measured); ``throughput`` [B/s], the
        geometric mean with all tiers; ``tiers_per_rate`` [s/B], tiers needed over it; ``n`` (fewest runs of a number of
        tiers); ``caveat``.

    Raises
    ------
    AnalysisError
        If the share is not between 0 and 1, the variable is no rate in B/s, a cell has one number of tiers, or as
        `run_values`.
    """
    rows = _rates(ds, variable, by, share, over=over, statistic=statistic)
    cells = [{**cell, **_needed(part, variable, share)} for cell, part in _scans(rows, by)]
    method = f"fewest tiers with {share:g} of the rate of all, one-sided Welch tests of the logs at 97.5 %"
    return table.dataset(cells, ds, list(by), statistic=statistic, method=method, unit="run")


def _rates(ds: xr.Dataset, variable: str, by: Sequence[str], share: float, **how: object) -> Rows:
    if not 0 < share < 1:
        raise AnalysisError(f"a share of the rate of all tiers lies between 0 and 1, not at {share:g}")
    if (unit := table.unit(ds, variable)) != "B/s":
        raise AnalysisError(f"tiers saturate a rate in B/s, {variable} is in {unit}")
    rows = values_of_runs(ds, variable, [*by, "raid_tiers"], **how).rows  # type: ignore[arg-type]
    check_scale(rows[variable], variable)
    return rows


def _scans(rows: Rows, by: Sequence[str]) -> list[tuple[table.Cell, Rows]]:
    scans = list(rows.cells(by))
    for cell, part in scans:
        if not part.varies("raid_tiers"):
            raise AnalysisError(
                f"{table.name_cell(cell) or 'the selection'} has one number of tiers: nothing saturates"
            )
    return scans


def _needed(part: Rows, variable: str, share: float, confidence: float = CONFIDENCE) -> dict[str, float | str]:
    cells = part.assign(log=log(part[variable])).cells(["raid_tiers"])
    logs = dict(zip(cells.first("raid_tiers").tolist(), cells.slices("log"), strict=True))
    value, low, high = saturation(logs, share, confidence)
    whole = float(exp(logs[max(logs)].mean()))
    fewest = min(len(runs) for runs in logs.values())
    return {
        NEEDED: value,
        columns.low(NEEDED): low,
        columns.high(NEEDED): high,
        variable: whole,
        "tiers_per_rate": value / whole,
        "n": float(fewest),
        "caveat": "" if np.isfinite(low) else "a number of tiers has one run, or no spread: no interval",
    }


def saturation(logs: dict[float, Floats], share: float, confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """Fewest of the numbers from which on the mean is at least a share of the last, with the ends of its interval."""
    *fewer, whole = logs
    gaps = {tiers: welch(logs[tiers], logs[whole]) for tiers in fewer}
    floor = float(log(share))
    value = next(t for t in logs if all(gaps[u].value >= floor for u in fewer if u >= t))
    if not all(gap.known for gap in gaps.values()):
        return value, np.nan, np.nan
    alpha = (1 - confidence) / 2
    scores = {t: float(t_above((floor - gap.value) / gap.error, gap.freedom)) for t, gap in gaps.items()}
    low = next((t for t in fewer if scores[t] > alpha), whole)
    high = next((t for t in fewer if all(scores[u] >= 1 - alpha for u in fewer if u >= t)), whole)
    return value, low, high
