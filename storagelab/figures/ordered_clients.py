"""The clients of each run in the order of their rates, or of the times that they took: how a run was shared."""

from __future__ import annotations

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes

from storagelab.analysis import client_values, columns, table
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.labels import Label, end_labels
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level, fits_beside, legend, looks_of, name_values, panels, rows_of
from storagelab.figures.runs_of_cells import marked_line
from storagelab.figures.style import style
from storagelab.wording import quantities, words


def ordered_clients(
    ds: xr.Dataset, variable: str = "throughput", *, hue: str = "layout", facet: str = "clients"
) -> Drawn:
    """Draw the value of each client against its place in its run, a line a run.

    Rates stand from the slowest to the fastest client, times (``elapsed``) from the first to finish to the last.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``.
    variable : str
        What the clients shared.
    hue, facet : str
        Keys whose levels have the colours, and are the panels.

    Returns
    -------
    Drawn
        Its data are the values of the clients with their place.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.client_values`.
    """
    keys, who = [key for key in (facet, hue) if key], facet if facet in words.COUNTED else "clients"
    table.require(ds, hue)
    values = client_values(ds, variable, keys)
    rows, shown = table.frame(values), quantities.scale(table.unit(ds, variable), values[variable])
    found = looks_of(rows, hue)
    with style():
        laid = panels(rows, facet)
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            _runs(axes, rows_of(rows, facet, level), variable, hue, found, table.origin(ds))
            axes.set_ylim(0, 1.05 * rows[variable].max())
            ticks.set_value_axis(axes.yaxis, shown)
            axes.set_xlabel(f"{words.COUNTED[who][0]}, {_order(variable)}" if laid.lowest(place) else "")
            if laid.leftmost(place):
                name_values(axes, words.long_name(variable), shown)
        beside = fits_beside([words.level(hue, name) for name in found], len(laid.axes))
        if not beside or not _end_together(rows, facet, hue):
            legend(laid.figure, hue, found, table.origin(ds))
        else:
            end_labels(laid.axes, [_labels(rows_of(rows, facet, level), variable, hue, found) for level in laid.levels])
    return Drawn(laid.figure, _caption(values, rows, variable, keys), _alt(rows, variable, keys), values)


def _end_together(rows: pd.DataFrame, facet: str, hue: str) -> bool:
    """Whether the lines of each panel have as many clients, so that a label beside the panel stands at their ends."""
    last = rows.groupby([facet, hue] if facet else [hue])["place"].max()
    return bool((last.groupby(level=0).nunique() == 1).all()) if facet else last.nunique() == 1


def _timed(variable: str) -> bool:
    """Whether what is ordered grows for slower clients."""
    return columns.field(variable).unit == "s" or variable.startswith("completion")


def _order(variable: str) -> str:
    return "from first to last to finish" if _timed(variable) else "from slowest to fastest"


def _runs(axes: Axes, rows: pd.DataFrame, variable: str, hue: str, found: dict[Level, Look], origin: str) -> None:
    for name, look in found.items():
        for _, run in rows[rows[hue] == name].groupby(["run_id", "repeat", "block"], dropna=False):
            own = run.sort_values("place")
            marked_line(axes, own, own["place"], own[variable], origin, look, linewidth=0.8, alpha=0.8)
    places = [float(place) for place in range(1, int(rows["place"].max()) + 1)]
    ticks.set_level_axis(axes.xaxis, places, [f"{place:g}" for place in places])


def _labels(rows: pd.DataFrame, variable: str, hue: str, found: dict[Level, Look]) -> list[Label]:
    last = rows[rows["place"] == rows["place"].max()].groupby(hue)[variable].mean()
    return [Label(float(last[name]), words.level(hue, name), look.text) for name, look in found.items() if name in last]


def _caption(values: xr.Dataset, rows: pd.DataFrame, variable: str, keys: list[str]) -> str:
    runs = rows.groupby(keys)["run_id"].nunique()
    by = words.listed(words.long_name(key) for key in reversed(keys))
    return words.sentences(
        f"{words.capital(words.long_name(variable))} of each client, in each run {_order(variable)}, by {by}.",
        f"A line is a run ({words.numbered(runs, 'run')} a colour and panel); its clients are no repetitions of each"
        " other, so there are no intervals.",
        words.bases(rows, table.origin(values)),
        words.source(values),
    )


def _alt(rows: pd.DataFrame, variable: str, keys: list[str]) -> str:
    say = quantities.say(str(columns.field(variable).unit))
    ends = ("first", "last") if _timed(variable) else ("slowest", "fastest")
    told = []
    for cell, part in table.cells(rows, keys):
        runs = part.groupby("run_id")[variable]
        low, high = say(runs.min().mean()), say(runs.max().mean())
        told.append(f"{words.cell(cell)}: {ends[0]} {low}, {ends[1]} {high} on average")
    return f"Clients of each run {_order(variable)}. {words.capital('; '.join(told))}."
