"""Which phase of a job the difference of two configurations lies in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import dependence_of_pairs
from storagelab.analysis.comparison.sides import independence_caveat, sides_of_cells
from storagelab.analysis.inference import dependence
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import paired, welch
from storagelab.analysis.inference.quotients import ratio_of_sums
from storagelab.analysis.inference.resampling import by_factors
from storagelab.analysis.run_times import earliest
from storagelab.analysis.runs import UNIT, Runs, values_of_runs
from storagelab.errors import AnalysisError

Level = str | float
SHARE, GAP = "phase_share", "time_difference"


def phase_shares(
    ds: xr.Dataset,
    base: Level,
    other: Level,
    by: Sequence[str] = (),
    *,
    factor: str = "protocol",
    pair: Sequence[str] = (),
    over: Sequence[str] = ("client",),
) -> xr.Dataset:
    """Split the difference other - base of the time of a job by its phases.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A row a job and phase, with elapsed [s], such as the result of `storagelab.analysis.phases`; the phases add up
        to the whole. The jobs of a run are averaged first.
    base, other : str or float
        Two levels of the factor.
    by : sequence of str
        Keys that make the cells.
    factor : str
        Key in which the two sides differ.
    pair : sequence of str
        Keys that pair the runs of both sides, such as repeat.
    over : sequence of str
        Keys that may differ inside a run.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and phase: keys `by`, ``compared`` (text, "other - base"), phase; ``time_difference`` [s] with
        Welch's (or the paired) 95 % t interval; ``phase_share`` [1] of the difference of the whole (they add up to one;
        negative where a phase is shorter) with the 95 % interval of Fieller; ``n``, ``n_base`` (runs, or pairs);
        ``caveat``: no interval of the share where the whole times are not told apart; also where runs depend on the
        ones before, which these intervals take for independent.

    Raises
    ------
    AnalysisError
        If no cell has both sides, a run lacks a phase, or as `run_values`.
    """
    table.require(ds, *pair)
    sides = table.sides(ds, factor, base, other)
    runs = values_of_runs(sides, "elapsed", [*by, factor, "phase"], over=over)
    both = [
        (cell, phases, x, y)
        for cell, part in runs.rows.cells(by)
        for a, b in [[_wide(part.where(factor, level), cell) for level in (other, base)]]
        if len(a.times) and len(b.times)
        for phases, x, y in [_matched(a, b, pair)]
        if len(x)
    ]
    if not both:
        raise AnalysisError(f"no cell has phases of both {factor}={base} and {factor}={other}")
    if pair:
        gaps = [(x - y).sum(axis=1) for _, _, x, y in both]
        shared = dependence_of_pairs(gaps, pair)
        doubts = [dependence.doubt_if_independent(gap.size, shared) for gap in gaps]
    else:
        whole = sides_of_cells(_whole_times(runs, by, factor), "elapsed", by, factor, (other, base), logs=False)
        doubts = [independence_caveat(a, b) for _, (a, b) in whole if a.size and b.size]
    cells = [
        {**cell, "phase": phase, **_phase(x, y, place, bool(pair), doubt)}
        for (cell, phases, x, y), doubt in zip(both, doubts, strict=True)
        for place, phase in enumerate(phases)
    ]
    result = Rows.of_cells(cells).assign(compared=f"{table.format_level(other)} - {table.format_level(base)}")
    kind = "paired" if pair else "Welch"
    method = f"difference by phase, 95 % {kind} t interval; its share of the whole difference, 95 % Fieller interval"
    return table.dataset(result, ds, [*by, "compared", "phase"], statistic="single", method=method, unit="run")


@dataclass(frozen=True, slots=True)
class _Side:
    """Times of the phases, a row a run or pair, and the keys of the runs."""

    phases: list[str]
    times: Floats
    runs: Rows


def _wide(part: Rows, cell: table.Cell) -> _Side:
    """Phases as columns, a row a run."""
    runs = part.cells(list(UNIT))
    named, phases = part.assign(run=runs.of_row), part.levels("phase")
    times = named.grid("elapsed", "run", "phase")[2]
    for place in np.flatnonzero(np.isnan(times).any(axis=0))[:1]:
        where = table.name_cell(cell) or "the selection"
        raise AnalysisError(f"a run of {where} lacks the phase {phases[place]!r}")
    return _Side(phases, times, runs.results())


def _whole_times(runs: Runs, by: Sequence[str], factor: str) -> Runs:
    """Time of all phases of each run."""
    cells = runs.rows.cells(list(dict.fromkeys([*by, factor, *UNIT])))
    return replace(runs, rows=cells.results(elapsed=cells.sum("elapsed"), **earliest(cells)))


def _matched(a: _Side, b: _Side, pair: Sequence[str]) -> tuple[list[str], Floats, Floats]:
    """Phases of both sides, and their times: of all runs, or of the pairs."""
    if a.phases != b.phases:
        raise AnalysisError(f"the two sides have different phases: {', '.join({*a.phases} ^ {*b.phases})}")
    return a.phases, *(_paired(a, b, pair) if pair else (a.times, b.times))


def _paired(a: _Side, b: _Side, pair: Sequence[str]) -> tuple[Floats, Floats]:
    """Means of both sides of each pair that has both."""
    for side in (a, b):
        table.require_known(side.runs, pair, "what is a pair cannot be told")
    cells = [side.runs.cells(pair) for side in (a, b)]
    (x, of_x), (y, of_y) = (
        (np.column_stack([each.mean_of(times[each.order]) for times in side.times.T]), each.results())
        for side, each in zip((a, b), cells, strict=True)
    )
    return x[of_x.matching(of_y, pair)], y[of_y.matching(of_x, pair)]


def _phase(a: Floats, b: Floats, phase: int, in_pairs: bool, doubt: str) -> dict[str, float | str]:
    x, y = (np.c_[side[:, phase], side.sum(axis=1)] for side in (a, b))
    value, (low, high) = share_of_difference(x, y, in_pairs)
    gap = (paired if in_pairs else welch)(x[:, 0], y[:, 0])
    ends = gap.interval()
    return {
        GAP: gap.value,
        columns.low(GAP): ends[0],
        columns.high(GAP): ends[1],
        SHARE: value,
        columns.low(SHARE): low,
        columns.high(SHARE): high,
        "n": float(len(x)),
        "n_base": float(len(y)),
        "caveat": _caveat(min(len(x), len(y)), low) or by_factors(x[:, 1], y[:, 1]) or doubt,
    }


def _caveat(fewest: int, low: float) -> str:
    if np.isfinite(low):
        return ""
    return "one run a side: no interval" if fewest < 2 else "the whole times are not told apart: no interval of a share"


def share_of_difference(a: Floats, b: Floats, in_pairs: bool) -> tuple[float, tuple[float, float]]:
    """Share of a part in the difference of two means of the whole, with its interval.

    Parameters
    ----------
    a, b : array, shape (n, 2)
        Runs of both sides: the part, and the whole.
    in_pairs : bool
        Whether the rows of both belong together.
    """
    return ratio_of_sums([a - b] if in_pairs else [a, -b])
