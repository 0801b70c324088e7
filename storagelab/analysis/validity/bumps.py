"""A time within the campaign in which values were higher or lower than before and after: a bump, or a step.

The log of each run less the mean of its cell, over all operations of the run, is followed in the order of the starts.
Its cumulative sum moves away and comes back where values are changed for a time; the range of that sum is the
statistic. Under no change all orders of the runs of one cell are equally likely, which gives p by permutation.

Sources: E. S. Page, "Continuous inspection schemes" (Biometrika 1954) for cumulative sums; B. Levin, J. Kline, "The
cusum test of homogeneity with an application in spontaneous abortion epidemiology" (Statistics in Medicine 1985) for
their range against a change that comes and goes.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from storagelab.analysis.inference.distance_from_middle import NORMAL
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import exp
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.spreads import Logged, begins, logged
from storagelab.errors import AnalysisError

DRAWS = 999
ALPHA = 0.005
SMALL = 0.03
"""Change below which it is a note."""

FEWEST = 12
"""Runs of cells with several."""

FAR = 3.0
"""Robust standard deviations to which a run is drawn in, so that one of them is no bump."""


def bumps(study: Study) -> Looked:
    """Look for a time in which the values of a tool were changed."""
    began = begins(study)
    parts = [
        (part, str(tool), rows)
        for part in logged(study, "runs")
        for tool, rows in _with_starts(part, began).groupby("of_tool", sort=True)
        if rows["run_id"].nunique() >= FEWEST
    ]
    if not parts:
        raise AnalysisError(f"no {FEWEST} runs of cells with several are known by their starts")
    rng = generator(str(study.about.get("study", "")), "bumps")
    found = [one for part, tool, rows in parts if (one := _of_tool(part, tool, rows, rng, len(parts))) is not None]
    return Looked(sum(rows["run_id"].nunique() for _, _, rows in parts), "runs", found)


def _with_starts(part: Logged, began: pd.Series) -> pd.DataFrame:
    rows = part.frame.assign(began=part.frame["run_id"].map(began))
    rows = rows.assign(of_tool=rows.get("tool", ""))
    return rows.dropna(subset=["began"])


def _of_tool(part: Logged, tool: str, rows: pd.DataFrame, rng: np.random.Generator, tests: int) -> Finding | None:
    runs = _residuals(rows)
    if runs is None:
        return None
    drawn = _orders(runs["stratum"].to_numpy(), rng)
    sums = np.cumsum(runs["left"].to_numpy()[drawn], axis=1)
    ranges = np.maximum(sums.max(axis=1), 0.0) - np.minimum(sums.min(axis=1), 0.0)
    p = float((ranges >= ranges[0] * (1 - 1e-9)).mean())
    if p * tests > ALPHA:
        return None
    first, last = _ends(sums[0])
    inside = np.zeros(len(runs), dtype=bool)
    inside[first:last] = True
    change = float(runs["raw"].to_numpy()[inside].mean() - runs["raw"].to_numpy()[~inside].mean())
    rank = "note" if abs(exp(change) - 1) < SMALL else "doubtful"
    begin, end = (_clock(runs["began"].iloc[place]) for place in (first, last - 1))
    said = f"{part.variable} is {brief(exp(change))} times that of the other runs, between {begin} and {end}"
    said += f" ({last - first} of {len(runs)} runs; p {brief(p)})"
    where = f"tool={tool}" if tool else "all runs"
    return Finding(where, said, abs(change), run_id=str(runs["run_id"].iloc[first]), rank=rank)


def _clock(seconds: float) -> str:
    return f"{pd.Timestamp(seconds, unit='s'):%Y-%m-%d %H:%M:%S}"


def _residuals(rows: pd.DataFrame) -> pd.DataFrame | None:
    """One row a run in the order of the starts: what is left of it beside its cells, in robust units and as it is."""
    left = rows["x"] - rows.groupby("cell")["x"].transform("mean")
    spread = left.abs().groupby(rows["what"]).transform("median") / NORMAL
    if not (spread > 0).any():
        return None
    scaled = (left / spread.where(spread > 0)).clip(-FAR, FAR).fillna(0.0)
    runs = (
        rows.assign(left=scaled, raw=left)
        .groupby("run_id", sort=True)
        .agg(left=("left", "mean"), raw=("raw", "mean"), began=("began", "first"), stratum=("cell", "min"))
    )
    runs = runs.sort_values("began", kind="stable").reset_index()
    centred = runs["left"] - runs.groupby("stratum")["left"].transform("mean")
    return runs.assign(left=centred)


def _orders(strata: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw orders of the runs inside each cell; the first is the order there is."""
    places = np.arange(strata.size)
    by_stratum = np.lexsort([places, strata])
    keys = rng.random((DRAWS, strata.size))
    shuffled = np.lexsort([keys, np.broadcast_to(strata, keys.shape)], axis=1)
    orders = np.empty((DRAWS + 1, strata.size), dtype=np.intp)
    orders[0] = places
    orders[1:, by_stratum] = shuffled
    return orders


def _ends(sums: Floats) -> tuple[int, int]:
    """First place of the changed time, and the one after its last: between the extremes of the sum."""
    with_start = np.r_[0.0, sums]
    low, high = int(np.argmin(with_start)), int(np.argmax(with_start))
    first, last = sorted((low, high))
    return first, max(last, first + 1)
