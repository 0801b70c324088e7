"""Two campaigns of the same plan, such as a release and the one before: which levels differ, and which of their cells.

A level is a cell without its scale: all numbers of clients or nodes of one operation and file system. A change that
holds at every scale shows in the mean over them long before it shows in a single cell. So levels are tested first, each
over its scales (stratified, so that no scale weighs more for having more runs), and cells only inside a level that
differs. A level differs where its mean does, or where one of its cells does on its own: half of its error rate goes to
each. Over both steps together no level or cell without a difference is named in more than one of twenty comparisons.

Source of the order of tests: N. Meinshausen, "Hierarchical testing of variable importance" (Biometrika, 2008); each
level is given an equal share, which its cells inherit and use up one after the other (S. Holm, 1979).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from storagelab import schema
from storagelab.analysis import columns, table
from storagelab.analysis.arguments import check_confidence
from storagelab.analysis.comparison.comparison import effect, no_interval, p_equivalent
from storagelab.analysis.comparison.day_means import day_means
from storagelab.analysis.comparison.sides import RunSide, runs_by_cell
from storagelab.analysis.inference.correction import sidak
from storagelab.analysis.inference.dependence import LESS_THAN_ONE
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats
from storagelab.analysis.inference.mean_differences import Difference, Side, welch
from storagelab.analysis.inference.power import smallest_detectable
from storagelab.analysis.inference.processor_independent import exp, log, log1p
from storagelab.analysis.inference.variance_components import InCommon, in_common
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Best, Runs, chosen_rows, differing_keys, direction_of, values_of_runs
from storagelab.errors import AnalysisError

SCALE = ("clients", "nodes", "processes", "processes_per_node", "jobs", "threads", "queue_depth")
"""Keys by which a campaign goes up in size: what changes in software mostly changes at all of their levels."""

MARGIN = 0.05
MOST_RUNS = 10_000
"""More runs than these are no advice."""

DAYS, FEWEST_DAYS = 12, 3
"""Days of both campaigns, and of either, from which on they are the unit of a level whose cells share them."""

SAME_DAYS = "cells of the same days count as independent: what a day does to all of them may look like a change"

FINE = "fine"
SLOWER, FASTER, IN_PART, NOT_SLOWER, EQUAL, CANNOT_TELL = (
    "slower", "faster", "differs in part", "not slower", "equal", "cannot tell",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CampaignComparison:
    """What `compare_campaigns` found.

    Attributes
    ----------
    levels : Dataset, dimension obs
        One row a level.
    cells : Dataset, dimension obs
        One row a cell.
    variable : str
    margin : float
    best : {"highest", "lowest"}
        Which end of the variable is the good one.
    only_before, only_after : int
        Cells that one campaign has and the other lacks.
    """

    levels: xr.Dataset
    cells: xr.Dataset
    variable: str
    margin: float
    best: Best
    only_before: int
    only_after: int

    @property
    def answer(self) -> str:
        """Of the whole: "slower" where a level or a cell is, else "cannot tell" where that is open, else "fine"."""
        levels, cells = (set(map(str, part["verdict"].to_numpy())) for part in (self.levels, self.cells))
        if SLOWER in levels | cells:
            return SLOWER
        return CANNOT_TELL if CANNOT_TELL in levels else FINE


def keys_of_plan(
    before: xr.Dataset, after: xr.Dataset, variable: str, over: Sequence[str], statistic: str
) -> list[str]:
    """Keys that make the cells of both campaigns: those in which the runs of either differ, and which both have."""
    rows = [chosen_rows(ds, variable, statistic) for ds in (before, after)]
    differ = {key for part in rows for key in differing_keys(part, over)}
    return [key for key in schema.FIELDS if key in differ and all(key in part for part in rows)]


def compare_campaigns(
    before: xr.Dataset,
    after: xr.Dataset,
    variable: str,
    by: Sequence[str] | None = None,
    *,
    scale: Sequence[str] = SCALE,
    over: Sequence[str] = (),
    statistic: str = "single",
    margin: float = MARGIN,
    best: Best | None = None,
    confidence: float = CONFIDENCE,
) -> CampaignComparison:
    """Say which levels of a campaign became slower or faster, and which of their cells.

    Ratios are after / before, of geometric means. Other days are between the campaigns whatever they measured: a
    difference says that the campaigns differ, and not why.

    Parameters
    ----------
    before, after : Dataset, dimension obs
        The node ``runs`` of each campaign.
    variable, over, statistic
        See `run_values`.
    by : sequence of str, optional
        Keys that make the cells; all in which the runs of either campaign differ, where left out.
    scale : sequence of str
        Keys over which a level goes.
    margin : float
        Smallest change that matters: a level is "not slower" or "equal" where its interval lies within.
    best : {"highest", "lowest"}, optional
        Which end of the variable is the good one: rates when high, times when low.
    confidence : float
        One less the chance that anything is named that does not differ, over both steps together.

    Returns
    -------
    CampaignComparison
        Tables ``levels`` and ``cells``: their keys; ``ratio`` with ``ratio_low``, ``ratio_high`` at the level of its
        own test, so that it excludes 1 where a difference is named, and only there (not all at once: cells are tested
        one after the other); ``n``, ``n_base`` (runs, or what ``attrs["unit"]`` says); ``p``; ``verdict``: slower,
        faster, differs in part (some of its cells do, its mean is not shown to), not slower, equal, or cannot tell;
        ``detectable`` and ``more_runs`` (runs a cell and side that would settle a level within the margin) where it is
        open; ``caveat``.

    Raises
    ------
    AnalysisError
        If the campaigns have no cell in common, or as `run_values`.
    """
    if not 0 < margin < 1:
        raise AnalysisError(f"a margin lies between 0 and 1, not at {margin:g}: 0.05 is 5 %")
    check_confidence(confidence)
    keys = list(by) if by is not None else keys_of_plan(before, after, variable, over, statistic)
    runs = [
        values_of_runs(ds, variable, keys, over=over, statistic=statistic, across="geometric") for ds in (before, after)
    ]
    sides = [_sides(of_campaign, variable, keys) for of_campaign in runs]
    shared = [cell for cell in sides[0] if cell in sides[1]]
    if not shared:
        raise AnalysisError(
            f"the campaigns have no cell of {', '.join(keys) or variable} in common: nothing to compare"
        )
    tested = _levels(keys, scale, {cell: (sides[1][cell], sides[0][cell]) for cell in shared})
    common = in_common([table for level in tested for table in level.tables()])
    share = float(sidak(len(tested), round(1 - confidence, 12)))
    better = best or direction_of(table.unit(before, variable), variable)
    found = [level.judged(share, margin, better, common) for level in tested]
    units = {unit for of_campaign in runs for unit in _units(of_campaign, keys)}
    unit = units.pop() if len(units) == 1 else "value"
    method = METHOD.format(100 * confidence)
    attrs = {"compared_variable": variable, "margin": f"{margin:g}", "method": method, "unit": unit}
    return CampaignComparison(
        table.dataset([row for row, _ in found], before, [key for key in keys if key not in scale], **attrs),
        table.dataset([cell for _, cells in found for cell in cells], before, keys, **attrs),
        variable, margin, better, len(sides[0]) - len(shared), len(sides[1]) - len(shared),
    )  # fmt: skip


def _units(runs: Runs, keys: Sequence[str]) -> set[str]:
    """What the cells count: runs too, where runs of others were averaged by day and some do not say theirs."""
    if runs.unit != "day":
        return {runs.unit}
    days = runs.rows.cells(keys).slices("day")
    return {"run" if np.isnan(own).any() or np.unique(own).size < own.size else "day" for own in days}


METHOD = (
    "ratio of geometric means, levels stratified over scales (allowing for what cells of one round have in common),"
    " then cells; {:g} % over both steps"
)
Cell = tuple[str | float, ...]


def _sides(runs: Runs, variable: str, keys: Sequence[str]) -> dict[Cell, RunSide]:
    check_scale(runs.rows[variable], variable)
    logs = replace(runs, rows=runs.rows.assign(**{variable: log(runs.rows[variable])}))
    return {tuple(cell.values()): side for cell, side in runs_by_cell(logs, variable, keys)}


def _levels(keys: Sequence[str], scale: Sequence[str], cells: Mapping[Cell, tuple[RunSide, RunSide]]) -> list[_Level]:
    """Put cells that differ in their scale only together, in the order of their first."""
    fixed = [place for place, key in enumerate(keys) if key not in scale]
    grouped: dict[Cell, dict[Cell, tuple[RunSide, RunSide]]] = {}
    for cell, sides in cells.items():
        grouped.setdefault(tuple(cell[place] for place in fixed), {})[cell] = sides
    names = [keys[place] for place in fixed]
    return [_Level(dict(zip(names, level, strict=True)), list(keys), own) for level, own in grouped.items()]


@dataclass(frozen=True, slots=True)
class _Level:
    """A level: its keys, and the two sides of each of its cells."""

    name: Mapping[str, str | float]
    keys: Sequence[str]
    sides: Mapping[Cell, tuple[RunSide, RunSide]]

    def tables(self) -> Iterator[tuple[list[tuple[int, float]], Floats]]:
        """Lay out each campaign as cells by rounds, those that all cells have."""
        for campaign, cells in enumerate(zip(*self.sides.values(), strict=True)):
            known = [cell for cell in cells if cell.size > 1]
            named = [{*cell.rounds[~np.isnan(cell.rounds)].tolist()} for cell in known]
            shared = sorted(set.intersection(*named)) if named else []
            means = [[cell.side.values[cell.rounds == name].mean() for name in shared] for cell in known]
            yield (
                [(campaign, name) for name in shared],
                np.array(means, dtype=np.float64).reshape(len(known), len(shared)),
            )

    def judged(self, share: float, margin: float, best: Best, common: InCommon) -> tuple[table.Cell, list[table.Cell]]:
        """Test the level with its share of the error rate, and its cells where it differs."""
        gaps = {cell: _gap(*sides) for cell, sides in self.sides.items()}
        told = [sides for cell, sides in self.sides.items() if gaps[cell].known]
        by_day = bool(told) and self._days_are_the_unit()
        whole = _gap_of_days(told) if by_day else _gap_of_cells(list(gaps.values()), common)
        half = float(sidak(2, share))
        by_mean = whole.known and whole.p() <= half
        levels = step_down([gap.p() for gap in gaps.values()], share if by_mean else half)
        named = {cell: gap.known and gap.p() <= alpha for (cell, gap), alpha in zip(gaps.items(), levels, strict=True)}
        cells = [
            self._cell(cell, gap, alpha, named[cell], margin, best)
            for (cell, gap), alpha in zip(gaps.items(), levels, strict=True)
        ]
        change = _change(whole, half, by_mean, margin, best)
        if change not in (SLOWER, FASTER) and any(named.values()):
            change = IN_PART
        row = {**self.name, **_columns(whole, half, margin), "cells": float(len(gaps)), "verdict": change}
        row |= {"n": sum(cell["n"] for cell in cells), "n_base": sum(cell["n_base"] for cell in cells)}
        found = {**row, **_open(whole, half, margin, change, cells)}
        said = [str(found["caveat"]), SAME_DAYS if self._shares_days() and not by_day else ""]
        return {**found, "caveat": "; ".join(filter(None, said))}, cells

    def _days_are_the_unit(self) -> bool:
        """Whether the day of each run is known, cells share days, and these are enough to be the unit of the level."""
        days = [np.concatenate([side.days for side in sides]) for sides in zip(*self.sides.values(), strict=True)]
        known = not any(np.isnan(of_campaign).any() for of_campaign in days)
        count = [len(np.unique(of_campaign)) for of_campaign in days]
        return known and self._shares_days() and sum(count) >= DAYS and min(count) >= FEWEST_DAYS

    def _shares_days(self) -> bool:
        """Whether cells of a side were measured on the same days, several of them."""
        for of_campaign in zip(*self.sides.values(), strict=True):
            days = [day for side in of_campaign for day in np.unique(side.days[~np.isnan(side.days)]).tolist()]
            if len(of_campaign) > 1 and 1 < len(set(days)) < len(days):
                return True
        return False

    def _cell(self, cell: Cell, gap: Difference, alpha: float, named: bool, margin: float, best: Best) -> table.Cell:
        after, before = self.sides[cell]
        found = {**dict(zip(self.keys, cell, strict=True)), **_columns(gap, alpha, margin)}
        found |= {"n": float(after.size), "n_base": float(before.size)}
        doubt = after.doubt or before.doubt
        return {
            **found,
            "verdict": _change(gap, alpha, named, margin, best),
            "caveat": no_interval(gap, after.size, before.size) or doubt,
        }


def _gap_of_days(cells: Sequence[tuple[RunSide, RunSide]]) -> Difference:
    """Difference of the means of days; they depend on those before no less than in the cell in which they do most."""
    means = day_means([[(side.side.values, side.days) for side in sides] for sides in cells])
    return welch(*(_side_of_days(days, own) for days, own in zip(means, zip(*cells, strict=True), strict=True)))


def _side_of_days(days: Floats, cells: Sequence[RunSide]) -> Side:
    widening = max(cell.side.widening for cell in cells)
    return Side(days, widening, min(days.size - 1.0, max(cell.side.degrees for cell in cells)))


def _gap_of_cells(gaps: Sequence[Difference], common: InCommon) -> Difference:
    """Mean of the differences of cells, of what is known of them; what those of a round have in common widens it."""
    known = [gap for gap in gaps if gap.known]
    if not known:
        return Difference(float(np.mean([gap.value for gap in gaps])), np.nan, np.nan)
    found = stratified(known)
    if len(known) < 2:
        return found
    error = found.error * float(np.sqrt(common.widening(len(known))))
    return Difference(found.value, error, 1 / (1 / found.freedom + 1 / common.freedom))


def step_down(p: Sequence[float], alpha: float) -> list[float]:
    """Levels at which tests that are made together are refused one after the other, the surest first (Holm).

    Each test is held against the level of its step; those behind the first that is not refused against the level of
    that one. So what is refused is at most its level, and what is not is above it. NaN is a test that was not made.

    Examples
    --------
    >>> [round(level, 4) for level in step_down([0.04, 0.001, 0.5], 0.05)]
    [0.0253, 0.017, 0.0253]
    """
    made = sorted((value, place) for place, value in enumerate(p) if value == value)
    found = dict.fromkeys(range(len(p)), float(sidak(max(1, len(made)), alpha)))
    refused = True
    level = alpha
    for step, (value, place) in enumerate(made):
        level = float(sidak(len(made) - step, alpha)) if refused else level
        refused = refused and value <= level
        found[place] = level
    return [found[place] for place in range(len(p))]


def stratified(gaps: Sequence[Difference]) -> Difference:
    """Mean of independent differences, each of the same weight, with Satterthwaite's degrees of freedom.

    Examples
    --------
    >>> found = stratified([Difference(0.1, 0.02, 8.0), Difference(0.3, 0.02, 8.0)])
    >>> round(found.value, 3), round(found.error, 5), round(found.freedom, 3)
    (0.2, 0.01414, 16.0)
    """
    errors = np.array([gap.error**2 for gap in gaps])
    freedom = errors.sum() ** 2 / (errors**2 / np.array([gap.freedom for gap in gaps])).sum()
    value = float(np.mean([gap.value for gap in gaps]))
    return Difference(value, float(np.sqrt(errors.sum())) / len(gaps), float(freedom))


def _gap(after: RunSide, before: RunSide) -> Difference:
    found = welch(after.side, before.side)
    return Difference(found.value, np.nan, np.nan) if LESS_THAN_ONE in (after.doubt, before.doubt) else found


def _columns(gap: Difference, alpha: float, margin: float) -> table.Cell:
    found = effect(gap)
    ends = gap.interval(1 - alpha)
    ratio = {columns.low("ratio"): float(exp(ends[0])), columns.high("ratio"): float(exp(ends[1]))}
    return {**found, **ratio, "p_equivalent": p_equivalent(gap, margin)}


def _change(gap: Difference, alpha: float, differs: bool, margin: float, best: Best) -> str:
    """Say which way a difference goes where it is shown, else whether it is shown to be too small to matter."""
    sign = 1 if best == "highest" else -1
    if differs:
        return FASTER if sign * gap.value > 0 else SLOWER
    if not gap.known:
        return CANNOT_TELL
    low, high = sorted(sign * end for end in gap.interval(1 - 2 * alpha))
    bounds = sorted(sign * float(end) for end in (log1p(-margin), log1p(margin)))
    if low <= bounds[0]:
        return CANNOT_TELL
    return EQUAL if high < bounds[1] else NOT_SLOWER


def _open(gap: Difference, alpha: float, margin: float, change: str, cells: Sequence[table.Cell]) -> table.Cell:
    """Say of an open level what it could have shown, and how many more runs a cell and side would settle it."""
    unknown = sum(1 for cell in cells if cell["caveat"])
    caveat = f"{unknown} of {len(cells)} cells: {next(c['caveat'] for c in cells if c['caveat'])}" if unknown else ""
    if change != CANNOT_TELL or not gap.known:
        return {"detectable": np.nan, "more_runs": np.nan, "caveat": caveat}
    shown = float(smallest_detectable(gap.error, gap.freedom, alpha=alpha))
    runs = min(min(cell["n"], cell["n_base"]) for cell in cells)
    needed = runs * min(float(log(shown) / log1p(margin)), MOST_RUNS) ** 2
    more = float(np.ceil(max(1.0, needed - runs)))
    return {"detectable": shown, "more_runs": more if more < MOST_RUNS else np.inf, "caveat": caveat}
