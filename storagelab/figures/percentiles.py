"""Latency against the share of operations that are faster, stretched towards the slow tail."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from storagelab.analysis import columns, summarise, table
from storagelab.analysis import percentiles as percentiles_of
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.labels import Label, end_labels
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level, fits_beside, legend, looks_of, panels, rows_of
from storagelab.figures.runs_of_cells import marked_line
from storagelab.figures.style import style
from storagelab.wording import quantities, words

TICKS = (0.5, 0.9, 0.99, 0.999, 0.9999)
VARIABLE = "latency_at"


def percentiles(
    ds: xr.Dataset,
    *,
    hue: str = "filesystem",
    facet: str = "operation",
    over: Sequence[str] = (),
    statistic: str = "single",
) -> Drawn:
    """Draw the percentiles of latency on log axes: each run thin, the geometric mean of the runs thick.

    The horizontal axis counts nines: 0.9, 0.99 and 0.999 are as far apart as the tail they leave shrinks.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with percentiles of latency.
    hue, facet : str
        Keys whose levels are the lines, and the panels.
    over, statistic
        See `storagelab.analysis.run_values`.

    Returns
    -------
    Drawn
        Its data are the geometric means with the 95 % t interval of the log.

    Raises
    ------
    AnalysisError
        If no row has a percentile.
    """
    keys = [key for key in (facet, hue) if key]
    runs = percentiles_of(ds, keys, over=over, statistic=statistic)
    means = summarise(runs, VARIABLE, [*keys, "percentile"], scale="log")
    rows, middle = table.frame(runs), table.frame(means)
    found = looks_of(middle, hue)
    with style():
        laid = panels(middle, facet)
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            _lines(axes, rows_of(rows, facet, level), rows_of(middle, facet, level), hue, found, table.origin(ds))
            axes.set_xlabel(words.long_name("percentile") if laid.lowest(place) else "")
            axes.set_ylabel("latency" if laid.leftmost(place) else "")
        _same_axes(laid.axes, rows)
        if not fits_beside([words.level(hue, name) for name in found], len(laid.axes)):
            legend(laid.figure, hue, found, table.origin(ds))
        else:
            end_labels(laid.axes, [_labels(rows_of(middle, facet, level), hue, found) for level in laid.levels])
    return Drawn(laid.figure, _caption(means, hue, facet, over), _alt(middle, hue, facet), means, runs)


def nines(share: ArrayLike) -> NDArray[np.float64]:
    """Place of a percentile on the axis: 0.9 is at 1, 0.99 at 2."""
    return np.asarray(-np.log10(1 - np.asarray(share, dtype=np.float64)))


def _lines(
    axes: Axes, rows: pd.DataFrame, means: pd.DataFrame, hue: str, found: dict[Level, Look], origin: str
) -> None:
    for name, look in found.items():
        for _, run in rows[rows[hue] == name].groupby(["run_id", "repeat", "block"], dropna=False):
            own = run.sort_values("percentile")
            axes.plot(nines(own["percentile"]), own[VARIABLE], color=look.colour, linewidth=0.6, alpha=0.45)
        own = means[means[hue] == name].sort_values("percentile")
        marked_line(axes, own, nines(own["percentile"]), own[VARIABLE], origin, look, linewidth=1.8)


def _same_axes(axes: Sequence[Axes], rows: pd.DataFrame) -> None:
    shares = [tick for tick in TICKS if tick <= rows["percentile"].max() + 1e-9]
    low, high = rows[VARIABLE].min(), rows[VARIABLE].max()
    for one in axes:
        one.set_yscale("log")
        one.set_ylim(low / 1.2, high * 1.2)
        ticks.set_log_ticks(one.yaxis)
        one.yaxis.set_major_formatter(lambda value, _: quantities.say("s")(value))
        ticks.set_level_axis(one.xaxis, nines(shares).tolist(), [f"{tick * 100:g} %" for tick in shares])


def _labels(means: pd.DataFrame, hue: str, found: dict[Level, Look]) -> list[Label]:
    ends = means.sort_values("percentile").groupby(hue)[VARIABLE].last()
    return [Label(float(ends[name]), words.level(hue, name), look.text) for name, look in found.items() if name in ends]


def _caption(means: xr.Dataset, hue: str, facet: str, over: Sequence[str]) -> str:
    where = f", a panel for each {words.long_name(facet)}" if facet else ""
    return words.sentences(
        f"Latency that a share of the operations stays below, for each {words.long_name(hue)}{where}; both axes are"
        " logarithmic, the horizontal one in the share that is slower.",
        f"Thin lines are runs, thick ones their geometric mean ({words.counted(means)} a line); the 95 % t intervals of"
        " the log stand in the data.",
        words.pooled(over),
        words.bases(table.frame(means), table.origin(means)),
        words.unit(means),
        words.source(means),
    )


def _alt(means: pd.DataFrame, hue: str, facet: str) -> str:
    say = quantities.say(str(columns.field(VARIABLE).unit))
    told = []
    for cell, part in table.cells(means, [key for key in (facet, hue) if key]):
        name = words.cell(cell)
        known = part.sort_values("percentile")
        picked = [known.iloc[(known["percentile"] - share).abs().argmin()] for share in (0.5, 0.99)]
        ends = [f"{say(row[VARIABLE])} at {row['percentile'] * 100:g} %" for row in [*picked, known.iloc[-1]]]
        told.append(f"{name}: {words.listed(dict.fromkeys(ends))}")
    return f"Latency percentiles. {words.capital('; '.join(told))}."
