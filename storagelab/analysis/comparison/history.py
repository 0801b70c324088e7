"""Many releases in their order: where a level of the plan changed, with an error rate for all levels together.

Of each level (see `campaigns`) the runs of all releases are taken, each cell around its own mean. Where no release
changed anything, runs of a cell might as well have been of any release: the test permutes them. It asks whether one
more change explains more than it does in 95 % of the orders, first of none, then of those found (J. Bai, P. Perron,
"Estimating and testing linear models with multiple structural changes", Econometrica 1998, the test of l + 1 changes
against l). Places are those of binary segmentation by least squares (A. J. Scott, M. Knott, "A cluster analysis method
for grouping means in the analysis of variance", Biometrics 1974). Levels share the error rate (Sidak).

What a day does to all of its runs is no change of a release. So where the days of the runs are known, and are enough to
tell, days are exchanged and not their runs: each is the mean over the cells of its level. Of fewer days nobody could
tell. There rounds are exchanged, since the runs of a round share what the machine did then, or, of fewer rounds, runs;
and a release that was measured on a bad day has changed, as far as its rounds tell. Runs that are seen to depend on the
ones before in their cell cannot be exchanged at all: there the means of each cell in each release are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
import xarray as xr

from storagelab import schema
from storagelab.analysis import table
from storagelab.analysis.comparison.campaigns import CANNOT_TELL, FASTER, FINE, MARGIN, SCALE, SLOWER
from storagelab.analysis.comparison.day_means import day_means
from storagelab.analysis.inference.correction import ALPHA, sidak
from storagelab.analysis.inference.dependence import dependence
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.mean_differences import Difference
from storagelab.analysis.inference.processor_independent import exp, log, log1p
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.run_order import ordered
from storagelab.analysis.runs import Best, chosen_rows, differing_keys, direction_of, rounds_of, values_of_runs
from storagelab.errors import AnalysisError

DRAWS = 999
"""Orders that are drawn for one level; of many levels as many more, so that the smallest p is below their share."""

DAYS = 12
"""Days of all releases, or rounds, from which on they are the unit: of fewer than three of 12 no order would show a
change."""

ALIKE = 0.1
"""Lag-1 correlation that runs must be shown to exceed so as not to be exchanged: means of few releases show little."""

Cell = tuple[str | float, ...]
Unit = Literal["day", "round", "run", "mean"]


@dataclass(frozen=True, slots=True)
class Release:
    """A level in one release: its mean against that of all releases, with a 95 % interval, and its runs or days."""

    name: str
    ratio: float
    low: float
    high: float
    runs: int


@dataclass(frozen=True, slots=True)
class Change:
    """A change: the first release with it, its ratio to what was before, with a 95 % interval, and p of none."""

    release: str
    ratio: float
    low: float
    high: float
    p: float
    verdict: str


@dataclass(frozen=True, slots=True)
class LevelHistory:
    """A level through all releases.

    Attributes
    ----------
    keys : mapping
        What the level is.
    releases : sequence of Release
    changes : sequence of Change
        In their order.
    verdict : str
        Of the last change: "slower" or "faster"; without one "fine", or "cannot tell" where the last release may be
        slower than those before by more than the margin.
    """

    keys: Mapping[str, str | float]
    releases: Sequence[Release]
    changes: Sequence[Change]
    verdict: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A cell that is not followed, and the releases that lack it."""

    keys: Mapping[str, str | float]
    lacking: Sequence[str]


@dataclass(frozen=True, slots=True)
class History:
    """All levels, and the answer: "slower" where the last change of any is for the worse.

    `unit` is what was exchanged: "day", "round", "run", or "mean" (of the runs of a cell in a release).
    """

    levels: Sequence[LevelHistory]
    variable: str
    margin: float
    best: Best
    left_out: Sequence[LeftOut]
    unit: Unit = "run"

    @property
    def answer(self) -> str:
        """Of the whole: "slower" if any level is, else "cannot tell" if any is open, else "fine"."""
        verdicts = {level.verdict for level in self.levels}
        return SLOWER if SLOWER in verdicts else CANNOT_TELL if CANNOT_TELL in verdicts else FINE


def change_points(
    releases: Mapping[str, xr.Dataset],
    variable: str,
    by: Sequence[str] | None = None,
    *,
    scale: Sequence[str] = SCALE,
    over: Sequence[str] = (),
    statistic: str = "single",
    margin: float = MARGIN,
    best: Best | None = None,
) -> History:
    """Say where the levels of a plan changed from release to release.

    Parameters
    ----------
    releases : mapping of str to Dataset
        Node ``runs`` of each release, in their order; two or more.
    variable, over, statistic
        See `storagelab.analysis.run_values`.
    by : sequence of str, optional
        Keys that make the cells; all in which runs differ and that all releases have, otherwise.
    scale : sequence of str
        Keys over which a level goes.
    margin : float
        Smallest change that matters, for "cannot tell".
    best : {"highest", "lowest"}, optional
        Which end of the variable is the good one.

    Returns
    -------
    History
        Claims that of histories without a change at most 5 % have one named, in any of their levels, where what is
        exchanged (`History.unit`) is as much alike in several releases as in one.

    Raises
    ------
    AnalysisError
        For fewer than two releases, a margin that is none, or releases without a common cell.
    """
    if len(releases) < 2:
        raise AnalysisError(f"a history has two releases or more, found {len(releases)}")
    if not 0 < margin < 1:
        raise AnalysisError(f"a margin lies between 0 and 1, not at {margin:g}: 0.05 is 5 %")
    keys = list(by) if by is not None else _keys(list(releases.values()), variable, over, statistic)
    cells = [_cells(ds, variable, keys, over, statistic) for ds in releases.values()]
    shared = [cell for cell in cells[0] if all(cell in other for other in cells)]
    if not shared:
        raise AnalysisError(f"the releases have no cell of {', '.join(keys) or variable} in common")
    first = next(iter(releases.values()))
    better = best or direction_of(table.unit(first, variable), variable)
    fixed = [place for place, key in enumerate(keys) if key not in scale]
    grouped: dict[Cell, list[list[_Runs]]] = {}
    for cell in shared:
        grouped.setdefault(tuple(cell[place] for place in fixed), []).append([other[cell] for other in cells])
    share = _Criteria(float(sidak(len(grouped))), margin, better)
    names = [keys[place] for place in fixed]
    unit = _unit([[other[cell] for cell in shared] for other in cells])
    found = [
        _level(dict(zip(names, level, strict=True)), list(releases), OF_UNITS[unit](own), share)
        for level, own in grouped.items()
    ]
    left_out = list(_left_out(keys, dict(zip(releases, cells, strict=True))))
    return History(found, variable, margin, better, left_out, unit)


def _keys(releases: Sequence[xr.Dataset], variable: str, over: Sequence[str], statistic: str) -> list[str]:
    rows = [chosen_rows(ds, variable, statistic) for ds in releases]
    differ = {key for part in rows for key in differing_keys(part, over)}
    return [key for key in schema.FIELDS if key in differ and all(key in part for part in rows)]


def _cells(
    ds: xr.Dataset, variable: str, keys: Sequence[str], over: Sequence[str], statistic: str
) -> dict[Cell, _Runs]:
    """Runs of each cell."""
    runs = values_of_runs(ds, variable, keys, over=over, statistic=statistic, across="geometric")
    check_scale(runs.rows[variable], variable)
    rows = runs.rows.assign(of_round=rounds_of(runs.rows, keys))
    cells = ordered(replace(runs, rows=rows), keys, log(rows[variable]), logs=True).cells
    return {
        tuple(cell.values()): _Runs(*(part[name] for name in ("scaled", "day", "of_round", "place")))
        for cell, part in cells
    }


@dataclass(frozen=True, slots=True)
class _Runs:
    """Runs of a cell in a release, in their order.

    Attributes
    ----------
    values, days, rounds, places : ndarray, shape (n,)
        Logs; day and round of the release, and place among the others, NaN where they are not known.
    """

    values: Floats
    days: Floats
    rounds: Floats
    places: Floats


def _unit(releases: Sequence[Sequence[_Runs]]) -> Unit:
    """Say what is exchanged."""
    if _enough([[runs.days for runs in cells] for cells in releases]):
        return "day"
    placed = [runs.values for cells in releases for runs in cells if not np.isnan(runs.places).any()]
    if dependence(placed).least > ALIKE:
        return "mean"
    return "round" if _enough([[runs.rounds for runs in cells] for cells in releases]) else "run"


def _enough(names: Sequence[Sequence[Floats]]) -> bool:
    """Whether the day, or round, of each run is known, and they are many enough to be the unit."""
    of_releases = [np.concatenate(cells) for cells in names]
    known = all(np.isfinite(own).all() for own in of_releases)
    return known and sum(len(np.unique(own)) for own in of_releases) >= DAYS


def _of_runs(cells: Sequence[Sequence[_Runs]]) -> list[list[Floats]]:
    """Logs of the runs of each cell of a level, release by release."""
    return [[runs.values for runs in releases] for releases in cells]


def _of_days(cells: Sequence[Sequence[_Runs]]) -> list[list[Floats]]:
    """Means of the days of a level, release by release."""
    return [day_means([[(runs.values, runs.days) for runs in releases] for releases in cells])]


def _of_rounds(cells: Sequence[Sequence[_Runs]]) -> list[list[Floats]]:
    """Means of the rounds of a level, release by release."""
    return [day_means([[(runs.values, runs.rounds) for runs in releases] for releases in cells])]


def _of_means(cells: Sequence[Sequence[_Runs]]) -> list[list[Floats]]:
    """Mean of the runs of each cell of a level, release by release."""
    return [[np.array([runs.values.mean()]) for runs in releases] for releases in cells]


OF_UNITS = {"day": _of_days, "round": _of_rounds, "run": _of_runs, "mean": _of_means}


def _left_out(keys: Sequence[str], cells: Mapping[str, Mapping[Cell, _Runs]]) -> Iterator[LeftOut]:
    for cell in dict.fromkeys(cell for of_release in cells.values() for cell in of_release):
        if lacking := [name for name, of_release in cells.items() if cell not in of_release]:
            yield LeftOut(dict(zip(keys, cell, strict=True)), lacking)


@dataclass(frozen=True, slots=True)
class _Criteria:
    """What holds for all levels: the error rate of each, the margin, and which end is the good one."""

    alpha: float
    margin: float
    best: Best

    @property
    def sign(self) -> int:
        return 1 if self.best == "highest" else -1


def _level(
    keys: Mapping[str, str | float], names: Sequence[str], cells: Sequence[Sequence[Floats]], criteria: _Criteria
) -> LevelHistory:
    sample, sign = _Sample.of(cells), criteria.sign
    draws = max(DRAWS, round(20 / criteria.alpha))
    places, p = sample.changes(criteria.alpha, draws, generator("history", *map(str, keys.values())))
    edges = [0, *places, len(names)]
    changes = []
    for before, at, after in zip(edges, edges[1:], edges[2:], strict=False):
        gap = sample.gap((before, at), (at, after), edges)
        low, high = gap.interval()
        verdict = FASTER if sign * gap.value > 0 else SLOWER
        changes.append(Change(names[at], _ratio(gap.value), _ratio(low), _ratio(high), p[at], verdict))
    releases = [_release(name, sample, place, edges) for place, name in enumerate(names)]
    verdict = changes[-1].verdict if changes else _open(sample, edges, criteria.margin, sign)
    return LevelHistory(keys, releases, changes, verdict)


def _open(sample: _Sample, edges: Sequence[int], margin: float, sign: int) -> str:
    """Say whether the last release is shown to be within the margin of those before."""
    last = sample.size - 1
    gap = sample.gap((0, last), (last, sample.size), edges)
    if not gap.known:
        return CANNOT_TELL
    low = min(sign * end for end in gap.interval(1 - 2 * ALPHA))
    bound = min(sign * float(end) for end in (log1p(-margin), log1p(margin)))
    return FINE if low > bound else CANNOT_TELL


def _release(name: str, sample: _Sample, place: int, edges: Sequence[int]) -> Release:
    gap = sample.gap(None, (place, place + 1), edges)
    low, high = gap.interval() if gap.known else (np.nan, np.nan)
    return Release(name, _ratio(gap.value), _ratio(low), _ratio(high), int(sample.counts[place]))


def _ratio(value: float) -> float:
    return float(exp(value))


@dataclass(frozen=True, slots=True)
class _Sample:
    """Runs of a level: value around the mean of its cell, number of its cell, number of its release.

    Attributes
    ----------
    values, cells, releases : ndarray, shape (runs,)
    size : int
        Releases.
    """

    values: Floats
    cells: np.ndarray
    releases: np.ndarray
    size: int

    @classmethod
    def of(cls, cells: Sequence[Sequence[Floats]]) -> _Sample:
        parts = [(np.concatenate(own), [len(runs) for runs in own]) for own in cells]
        values = np.concatenate([runs - runs.mean() for runs, _ in parts])
        number = np.concatenate([np.full(runs.size, place) for place, (runs, _) in enumerate(parts)])
        release = np.concatenate([np.repeat(np.arange(len(sizes)), sizes) for _, sizes in parts])
        return cls(values, number, release, len(cells[0]))

    @property
    def counts(self) -> np.ndarray:
        """Runs of each release."""
        return np.bincount(self.releases, minlength=self.size)

    def changes(self, alpha: float, draws: int, rng: np.random.Generator) -> tuple[list[int], dict[int, float]]:
        """First release of each new level, and the p with which each was found."""
        places: list[int] = []
        p: dict[int, float] = {}
        while len(places) < self.size - 1:
            edges = [0, *places, self.size]
            gains = self._gains(self._drawn(edges, draws, rng), edges)
            best = gains.max(axis=1)
            found = float((best >= best[0] - 1e-9 * abs(best[0])).mean())
            if found > alpha or best[0] <= 0:
                break
            place = 1 + int(gains[0].argmax())
            places, p[place] = sorted([*places, place]), found
        return places, p

    def _drawn(self, edges: Sequence[int], draws: int, rng: np.random.Generator) -> Floats:
        """Values around the mean of their cell and segment; below them the same with its runs in drawn orders."""
        segment = np.searchsorted(edges, self.releases, side="right")
        group = self.cells * (len(edges) + 1) + segment
        drawn = np.tile(self.values, (1 + draws, 1))
        for own in (np.flatnonzero(group == number) for number in np.unique(group)):
            drawn[:, own] -= drawn[0, own].mean()
            drawn[1:, own] = rng.permuted(drawn[1:, own], axis=1)
        return drawn

    def _gains(self, drawn: Floats, edges: Sequence[int]) -> Floats:
        """Squares that a change before each release but the first would explain, inside the segments."""
        counts = self.counts
        sums = np.stack([drawn[:, self.releases == place].sum(axis=1) for place in range(self.size)], axis=1)
        gains = np.zeros((len(drawn), self.size - 1))
        for begin, end in pairwise(edges):
            left, total = np.cumsum(sums[:, begin:end], axis=1)[:, :-1], counts[begin:end].sum()
            n = np.cumsum(counts[begin:end])[:-1]
            expected = sums[:, begin:end].sum(axis=1, keepdims=True) * n / total
            gains[:, begin : end - 1] = (left - expected) ** 2 * total / (n * (total - n))
        return gains

    def gap(self, before: tuple[int, int] | None, after: tuple[int, int], edges: Sequence[int]) -> Difference:
        """Mean log ratio of two stretches of releases (of all releases, where there is none), cells of equal weight."""
        freedom = float(self.values.size - len(np.unique(self.cells)) * (len(edges) - 1))
        spread = self._spread(edges, freedom)
        gaps, errors = [], []
        for cell in np.unique(self.cells):
            own = self.cells == cell
            late = self.values[own & self._within(after)]
            early = self.values[own] if before is None else self.values[own & self._within(before)]
            gaps.append(late.mean() - early.mean())
            errors.append(1 / late.size + (0.0 if before is None else 1 / early.size))
        error = float(np.sqrt(spread * np.sum(errors))) / len(gaps) if freedom > 0 else np.nan
        return Difference(float(np.mean(gaps)), error, freedom if freedom > 0 else np.nan)

    def _within(self, stretch: tuple[int, int]) -> np.ndarray:
        return np.asarray((self.releases >= stretch[0]) & (self.releases < stretch[1]))

    def _spread(self, edges: Sequence[int], freedom: float) -> float:
        """Variance of runs around the mean of their cell and segment."""
        centred = self._drawn(edges, 0, generator("none"))[0]
        return float(np.sum(centred**2)) / freedom if freedom > 0 else np.nan
