"""How many disks it takes to saturate what they stand behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.comparison.sides import RunSide, first_doubt, first_refusal, sides_of_cells
from storagelab.analysis.inference.distributions import t_above
from storagelab.analysis.inference.intervals import CONFIDENCE, NO_INTERVAL, Floats
from storagelab.analysis.inference.mean_differences import Side, welch
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Runs, values_of_runs
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
        tiers); ``caveat``. Runs need not be independent where their order is known: see `storagelab.analysis.compare`.

    Raises
    ------
    AnalysisError
        If the share is not between 0 and 1, the variable is no rate in B/s, a cell has one number of tiers, or as
        `run_values`.
    """
    runs = _rates(ds, variable, by, share, over=over, statistic=statistic)
    cells = [{**cell, **_needed(of_tiers, variable, share)} for cell, of_tiers in _scans(runs, variable, by)]
    method = f"fewest tiers with {share:g} of the rate of all, one-sided Welch tests of the logs at 97.5 %"
    return table.dataset(cells, ds, list(by), statistic=statistic, method=method, unit="run")


def _rates(ds: xr.Dataset, variable: str, by: Sequence[str], share: float, **how: object) -> Runs:
    if not 0 < share < 1:
        raise AnalysisError(f"a share of the rate of all tiers lies between 0 and 1, not at {share:g}")
    if (unit := table.unit(ds, variable)) != "B/s":
        raise AnalysisError(f"tiers saturate a rate in B/s, {variable} is in {unit}")
    runs = values_of_runs(ds, variable, [*by, "raid_tiers"], **how)  # type: ignore[arg-type]
    check_scale(runs.rows[variable], variable)
    return runs


def _scans(runs: Runs, variable: str, by: Sequence[str]) -> list[tuple[table.Cell, dict[float, RunSide]]]:
    """Logs of the runs of each cell, at each number of tiers, numbers rising."""
    logs = replace(runs, rows=runs.rows.assign(**{variable: log(runs.rows[variable])}))
    numbers = sorted(set(runs.rows["raid_tiers"].tolist()))
    scans = []
    for cell, sides in sides_of_cells(logs, variable, by, "raid_tiers", numbers):
        of_tiers = {number: side for number, side in zip(numbers, sides, strict=True) if side.size}
        if len(of_tiers) < 2:
            raise AnalysisError(
                f"{table.name_cell(cell) or 'the selection'} has one number of tiers: nothing saturates"
            )
        scans.append((cell, of_tiers))
    return scans


def _needed(of_tiers: dict[float, RunSide], variable: str, share: float) -> dict[str, float | str]:
    value, *ends = saturation({tiers: runs.side for tiers, runs in of_tiers.items()}, share)
    *fewer, all_tiers = of_tiers.values()
    against_all = [(runs, all_tiers) for runs in fewer]
    refusal = first_refusal(against_all)
    low, high = NO_INTERVAL if refusal else ends
    none = "" if np.isfinite(ends[0]) else "a number of tiers has one run, or no spread: no interval"
    whole = float(exp(all_tiers.side.values.mean()))
    return {
        NEEDED: value,
        columns.low(NEEDED): low,
        columns.high(NEEDED): high,
        variable: whole,
        "tiers_per_rate": value / whole,
        "n": float(min(runs.size for runs in of_tiers.values())),
        "caveat": refusal or none or first_doubt(against_all),
    }


def saturation(
    logs: Mapping[float, Floats | Side], share: float, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
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
