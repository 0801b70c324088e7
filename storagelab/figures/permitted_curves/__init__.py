"""What a text permits of a curve that it does not print: a band with the printed numbers on it, and no line in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError
from storagelab.figures.band_panels import HIGH, LOW, Marks, covered, marks_of_each, one_key, panel_groups, with_panels
from storagelab.figures.figure_result import Drawn
from storagelab.figures.palette import BLUE, GREEN, readable
from storagelab.figures.panels import Level, looks_of
from storagelab.figures.permitted_curves.bands import bands
from storagelab.figures.permitted_curves.captions import alternative_text, caption
from storagelab.figures.permitted_curves.plot import BEYOND, ERROR, PRINTED, REACHED, Plot
from storagelab.figures.permitted_curves.ranges import ranges
from storagelab.figures.runs_of_cells import cells
from storagelab.figures.style import style

NAMED = {"green": GREEN, "blue": BLUE}
"""Colours that a source names, as they are told apart by everybody."""


def permitted(
    ds: xr.Dataset,
    *,
    hue: str = "",
    facet: str = "",
    model: xr.Dataset | None = None,
    over: Sequence[str] = (),
    mechanism: str = "",
    lines: Mapping[float, str] | None = None,
    marks: Marks | None = None,
    log: bool = True,
    axis: str = "",
    what: str = "",
    colours: Mapping[Level, str] | None = None,
) -> Drawn:
    """Draw the envelope of all curves that a text permits, with the numbers that it prints.

    Where the axis has names instead of numbers, each has a row with the range that is permitted. Bands that would lie
    on each other have a panel each, on one scale.

    Parameters
    ----------
    ds : Dataset, dimension obs
        From `storagelab.claims.permitted`.
    hue, facet : str
        Keys whose levels have the colours, and are the panels.
    model : Dataset, optional
        Rows of a model that has a mechanism for the curve: drawn as one dashed line, without markers.
    over : sequence of str
        Keys over which the model's rows are taken together.
    mechanism : str
        What makes the model's curve, in words; required with `model`.
    lines, marks : mapping of float to str, optional
        Values across the panels, and places on the axis, with what they are; `marks` may have a mapping for each panel.
    log : bool
        Whether an axis of numbers is one of powers of two.
    axis : str
        Name of the axis, where the key's own would not do. An axis of ``time`` has no numbers: nobody printed them.
    what : str
        Name of the values, where the variable's own would not do: of what over what a ratio is.
    colours : mapping of level to str, optional
        "green" or "blue" for levels of `hue` of which the source itself says the colour.

    Returns
    -------
    Drawn
        Its data are `ds`.

    Raises
    ------
    AnalysisError
        If a column is missing, no number gives the axis a height, or a model is drawn whose mechanism nobody names.
    """
    variable, x = str(ds.attrs.get("variable", "")), str(ds.attrs.get("x", ""))
    if lacking := [
        name for name in (LOW, HIGH, PRINTED, ERROR, REACHED, BEYOND, x, hue, facet) if name and name not in ds
    ]:
        raise AnalysisError(f"the dataset has no {lacking[0]!r}: take it from storagelab.claims.permitted")
    if (model is None) != (not mechanism):
        raise AnalysisError("a line of a model needs the mechanism that makes it, in words, and the other way round")
    rows = table.frame(ds)
    keys = [key for key in (facet, hue, x) if key]
    panels_of = [facet] if facet else []
    if pd.api.types.is_numeric_dtype(rows[x]) and hue not in ("", facet) and covered(rows, panels_of, hue, x):
        panels_of.append(hue)
    known = None if model is None else with_panels(cells(model, variable, keys, over, "single").rows, panels_of)
    rows, facet, groups = with_panels(rows, panels_of), one_key(panels_of), panel_groups(rows, panels_of)
    looks = looks_of(rows, hue)
    for level, colour in (colours or {}).items():
        looks[level] = replace(looks[level], colour=NAMED[colour], text=readable(NAMED[colour]))
    plot = Plot(
        rows, known, variable, x, hue, facet, looks, lines or {}, marks_of_each(marks or {}, groups), log, axis, what,
        groups,
    )  # fmt: skip
    with style():
        laid = ranges(plot) if plot.named else bands(plot)
        for axes in laid.axes:
            axes.set_gid("published" if known is None else "reconstructed")
    return Drawn(laid.figure, caption(ds, plot, mechanism, panels_of), alternative_text(plot, laid), ds)
