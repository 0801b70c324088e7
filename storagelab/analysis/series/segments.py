"""A series cut where its level changes, without a threshold: the parts of a test, and the idle time around them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.inference.changes import long_noise, segments
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.series.plateaus import on_stretch
from storagelab.analysis.series.sample_intervals import UNIT, Steps, series_of

ALIKE = 0.2
"""Correlation of neighbouring samples from which changes may be slow noise."""


def change_segments(series: xr.Dataset, by: Sequence[str] = UNIT, *, penalty: float = 1.0) -> xr.Dataset:
    """Cut each series where its level changes, and say what moved between two changes.

    The changes are those of least squares with Schwarz's penalty, whose noise is measured in the series itself. A
    series is one run: its samples follow each other, so that no p and no interval of a change is claimed; its place is
    known to a sample. `storagelab.analysis.plateaus` does the same by a threshold.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: rates of one operation.
    by : sequence of str
        Keys that make a series.
    penalty : float
        Times the penalty of a change: above 1 finds fewer.

    Returns
    -------
    Dataset, dimension obs
        One row a segment: keys `by` and part (from 1, in order of time); the columns of `plateaus`; ``changes`` [1], of
        the series; ``caveat``.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.volume_check` for what is no series.
    """
    rows = [{**cell, **row} for cell, steps in series_of(series, by) for row in _segments(steps, penalty)]
    method = "least squares with Schwarz's penalty, noise from the differences of neighbours"
    return table.dataset(rows, series, [*by, "part"], statistic="single", method=method)


def _segments(steps: Steps, penalty: float) -> list[table.Cell]:
    edges, rates = evenly(steps)
    places = [0, *segments(rates, penalty), len(rates)]
    alike = long_noise(rates)[1] if len(rates) > 3 else 0.0
    caveat = f"neighbouring samples are alike (r = {alike:.1f}): changes may be slow noise" if alike > ALIKE else ""
    stretches = zip(edges[places[:-1]], edges[places[1:]], strict=True)
    return [
        {"part": float(part), **on_stretch(steps, float(low), float(high)), "changes": len(places) - 2.0,
         "caveat": caveat}
        for part, (low, high) in enumerate(stretches, start=1)
    ]  # fmt: skip


def evenly(steps: Steps) -> tuple[Floats, Floats]:
    """Mean rates of a step function over intervals of one length, its usual step: edges (n + 1) and rates (n)."""
    begin, end = float(steps.start[0]), float(steps.end[-1])
    usual = float(np.median((steps.end - steps.start)[~steps.hole]))
    edges = np.linspace(begin, end, max(2, round((end - begin) / usual) + 1))
    moved = np.concatenate([[0.0], np.cumsum(steps.rate * (steps.end - steps.start))])
    at = np.concatenate([[begin], steps.end])
    rates: Floats = np.diff(np.interp(edges, at, moved)) / np.diff(edges)
    return edges, rates
