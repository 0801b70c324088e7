"""A series of rates as the step function it means: each sample holds over the interval that ends with it.

Monitors print a sample at the end of each interval. Where nothing was done in an interval, fio (stat.c, __add_samples)
prints nothing at all: a hole in its log is time in which no byte moved, and the sample behind the hole covers one
interval and not the hole. To hold rates over holes makes a series move more bytes than its tool did. Only where a
sample came late does it cover the hole before it; `storagelab.analysis.volume_check` shows how much that may be.
A sample without a value is something else: nobody knows what moved, and no analysis here guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import weighted_sum
from storagelab.errors import AnalysisError

HOLE = 1.5
"""Times the usual interval: what is longer between two samples is a hole."""

USUAL = 0.25
"""Quantile of the times between samples that is the usual interval: up to three in four may be longer, by holes."""

Array = np.ndarray[Any, np.dtype[np.float64]]
UNIT = ("run_id", "client")
ONE_SERIES = ("log_id", "interface", "device", "host", "cpu", "metric", "job", "process")


@dataclass(frozen=True, slots=True)
class Steps:
    """A rate over time: `rate` [B/s] from `start` to `end` [s], in order; steps that fill a `hole` have rate zero."""

    start: Array
    end: Array
    rate: Array
    hole: np.ndarray[Any, np.dtype[np.bool_]]

    @classmethod
    def of(cls, times: Sequence[float] | Array, rates: Sequence[float] | Array) -> Steps:
        """Make steps of samples in order of time.

        Raises
        ------
        AnalysisError
            If there are fewer than two samples: one does not say how long it holds. If a time or a rate is no finite
            number, or a sample does not come after the one before it.
        """
        end, rate = np.asarray(times, dtype=float), np.asarray(rates, dtype=float)
        _check(end, rate)
        between = np.diff(end, prepend=np.nan)
        usual = float(np.quantile(between[1:], USUAL, method="lower"))
        hole = between > HOLE * usual
        start = end - np.where(hole | np.isnan(between), usual, between)
        holes = np.flatnonzero(hole)
        starts = np.concatenate([start, end[holes - 1]])
        order = np.argsort(starts, kind="stable")
        return cls(
            starts[order],
            np.concatenate([end, start[holes]])[order],
            np.concatenate([rate, np.zeros(len(holes))])[order],
            np.concatenate([np.zeros(len(end), bool), np.ones(len(holes), bool)])[order],
        )

    @property
    def holes(self) -> Array:
        """Seconds of each hole."""
        lengths: Array = (self.end - self.start)[self.hole]
        return lengths

    def overlap(self, begin: float, until: float) -> Array:
        """Seconds of each step between two times."""
        shared: Array = np.clip(np.minimum(self.end, until) - np.maximum(self.start, begin), 0.0, None)
        return shared

    def integral(self, begin: float = -np.inf, until: float = np.inf) -> float:
        """Bytes moved between two times."""
        return float(weighted_sum(self.rate, self.overlap(begin, until)))

    def held(self) -> float:
        """Bytes more if each hole were filled with the rate of the sample behind it."""
        return float(weighted_sum(self.rate[np.flatnonzero(self.hole) + 1], self.holes))

    def mean(self, begin: float, until: float) -> float:
        """Mean rate between two times; beyond the samples nothing moved."""
        return self.integral(begin, until) / (until - begin)

    def within(self, begin: float, until: float) -> Array:
        """Rates of the steps that lie wholly between two times."""
        rates: Array = self.rate[(self.start >= begin - 1e-9) & (self.end <= until + 1e-9)]
        return rates

    def below(self, level: float, begin: float, until: float) -> list[tuple[float, float]]:
        """Stretches between two times in which the rate is below a level; beyond the samples it is zero."""
        found: list[tuple[float, float]] = []
        for low, high, rate in self._filled(begin, until):
            if rate >= level:
                continue
            if found and low - found[-1][1] < 1e-9:
                found[-1] = found[-1][0], high
            else:
                found.append((low, high))
        return found

    def _filled(self, begin: float, until: float) -> Iterator[tuple[float, float, float]]:
        at = begin
        for low, high, rate in zip(self.start, self.end, self.rate, strict=True):
            low, high = max(float(low), at), min(float(high), until)
            if high <= low:
                continue
            if low > at:
                yield at, low, 0.0
            yield low, high, float(rate)
            at = high
        if at < until:
            yield at, until, 0.0

    def lowest(self, begin: float, until: float, window: float) -> float:
        """Lowest mean rate over any window between two times."""
        return min((self.mean(at, at + window) for at in self.windows(begin, until, window)), default=np.nan)

    def windows(self, begin: float, until: float, window: float) -> Iterator[float]:
        """Yield, in order, where windows between two times begin that begin or end with a step, or with the two.

        Among them is any with an extreme mean, as the mean of a step function changes its slope nowhere else.
        """
        edges = np.concatenate([self.start, self.end])
        for at in np.unique(np.concatenate([[begin, until - window], edges, edges - window])):
            if begin <= at <= until - window:
                yield float(at)


def series_of(
    ds: xr.Dataset, by: Sequence[str] = UNIT, variable: str = "throughput"
) -> Iterator[tuple[table.Cell, Steps]]:
    """Split a node ``series`` into one series a cell of keys.

    Raises
    ------
    AnalysisError
        If no sample has a time and a value, a cell holds more than one series (of two interfaces, for instance), a
        sample among others of its log has no value, or as `Steps.of`.
    """
    table.require(ds, "time", *by)
    table.unit(ds, variable)
    rows = table.rows(ds)
    timed = rows.take(~np.isnan(rows["time"]))
    timed = timed.where("statistic", _sampled(timed)) if "statistic" in timed else timed
    if np.isnan(timed[variable]).all():
        raise AnalysisError(f"no sample has a time and a {variable}")
    for cell, part in timed.cells(by):
        unknown = np.isnan(part[variable])
        if unknown.all():
            continue
        known = part.take(~unknown)
        _one_series(cell, known)
        _all_known(cell, part.take(unknown), known, variable)
        known = known.sorted("time")
        yield cell, _steps(cell, known["time"], known[variable])


def _sampled(timed: Rows) -> str:
    """The statistic that is a step: a sample, or the mean over its interval where only means were selected."""
    return "mean" if timed.levels("statistic") == ["mean"] else "single"


def _steps(cell: table.Cell, times: Array, rates: Array) -> Steps:
    try:
        return Steps.of(times, rates)
    except AnalysisError as error:
        raise AnalysisError(f"{table.name_cell(cell)}: {error}") from None


def _check(end: Array, rate: Array) -> None:
    if len(end) < 2:
        raise AnalysisError(f"a series of {len(end)} samples does not say how long each holds")
    if not (np.isfinite(end).all() and np.isfinite(rate).all()):
        raise AnalysisError("a time or a rate is not a finite number")
    if (early := np.flatnonzero(np.diff(end) <= 0)).size:
        raise AnalysisError(f"the sample at {end[early[0] + 1]:g} s does not come after that at {end[early[0]]:g} s")


def _all_known(cell: table.Cell, unknown: Rows, known: Rows, variable: str) -> None:
    """Refuse a series with samples without a value: taken out, they would pass for time in which nothing moved."""
    same = [key for key in (*ONE_SERIES, "operation") if key in known]
    if not len(unknown) or not same:
        return
    times = unknown["time"][unknown.matching(known, same)]
    for at in times[(times >= known["time"].min()) & (times <= known["time"].max())]:
        raise AnalysisError(f"{table.name_cell(cell)} has no {variable} at {at:g} s: what is unknown is not zero")


def _one_series(cell: table.Cell, part: Rows) -> None:
    for key in (key for key in (*ONE_SERIES, "operation") if key in part):
        if part.varies(key):
            levels = ", ".join(map(table.format_level, part.levels(key)[:4]))
            raise AnalysisError(f"{table.name_cell(cell)} has several series: {key} is {levels}; select one")
