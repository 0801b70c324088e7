"""A series of rates as the step function it means: each sample holds over the interval that ends with it.

Monitors print a sample at the end of each interval. Where nothing was done in an interval, fio (stat.c, __add_samples)
prints nothing at all: a hole in its log is time in which no byte moved, and the sample behind the hole covers one
interval and not the hole. To hold rates over holes makes a series move more bytes than its tool did. Only where a
sample came late does it cover the hole before it; `storagelab.analysis.volume_check` shows how much that may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError

HOLE = 1.5
"""Times the usual interval: what is longer between two samples is a hole."""

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
            If there are fewer than two samples: one does not say how long it holds.
        """
        end, rate = np.asarray(times, dtype=float), np.asarray(rates, dtype=float)
        if len(end) < 2:
            raise AnalysisError(f"a series of {len(end)} samples does not say how long each holds")
        between = np.diff(end, prepend=np.nan)
        usual = float(np.nanmedian(between))
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
        return float(self.rate @ self.overlap(begin, until))

    def held(self) -> float:
        """Bytes more if each hole were filled with the rate of the sample behind it."""
        return float(self.rate[np.flatnonzero(self.hole) + 1] @ self.holes)

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
        """Yield where windows that lie between two times may begin: at `begin`, and with each step."""
        for at in (begin, *self.start[self.start > begin]):
            if at + window <= until + 1e-9:
                yield float(at)


def series_of(
    ds: xr.Dataset, by: Sequence[str] = UNIT, variable: str = "throughput"
) -> Iterator[tuple[table.Cell, Steps]]:
    """Split a node ``series`` into one series a cell of keys.

    Raises
    ------
    AnalysisError
        If no sample has a time and a value, or a cell holds more than one series (of two interfaces, for instance).
    """
    table.require(ds, "time", *by)
    table.unit(ds, variable)
    rows = table.frame(ds).dropna(subset=["time", variable])
    rows = rows[rows["statistic"] == "single"] if "statistic" in rows else rows
    if rows.empty:
        raise AnalysisError(f"no sample has a time and a {variable}")
    for cell, part in table.cells(rows, by):
        _one_series(cell, part)
        part = part.sort_values("time", kind="stable")
        yield cell, Steps.of(part["time"].to_numpy(), part[variable].to_numpy())


def _one_series(cell: table.Cell, part: pd.DataFrame) -> None:
    for key in (key for key in (*ONE_SERIES, "operation") if key in part):
        if part[key].nunique(dropna=False) > 1:
            levels = ", ".join(map(table.spelled, sorted(part[key].unique())[:4]))
            raise AnalysisError(f"{table.name_cell(cell)} has several series: {key} is {levels}; select one")
