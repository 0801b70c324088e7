"""Caption and alternative text of a figure of permitted curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.figures.band_panels import HIGH, LOW
from storagelab.figures.panels import Panels, rows_of
from storagelab.figures.permitted_curves.plot import (
    BEYOND,
    PRINTED,
    REACHED,
    Plot,
    any_range,
    has_unbounded_band,
    name_of_axis,
    name_of_place,
    worked_out,
)
from storagelab.wording import words


def caption(ds: xr.Dataset, plot: Plot, mechanism: str, panels_of: Sequence[str]) -> str:
    """Say what is shown, what bands, arrows and points are, and that no log is behind it."""
    by = f", a panel for each {words.listed(map(words.long_name, panels_of))}" if panels_of else ""
    curves = [own.iloc[0] for _, own in table.cells(plot.rows, [key for key in (plot.facet, plot.hue) if key])]
    reached = [bool(one[BEYOND]) for one in curves if np.isfinite(one[REACHED])]
    printed = int(plot.rows[PRINTED].notna().sum()) + reached.count(False)
    worked = int(worked_out(plot.rows).sum())
    shape, what = ("Bars", "value") if plot.named else ("Bands", "curve")
    marked = (text for level in plot.grouped for text in plot.marks.get(level, {}).values())
    dotted = list(dict.fromkeys([*plot.lines.values(), *marked]))
    study = f" ({ds.attrs['study']})" if ds.attrs.get("study") else ""
    return words.sentences(
        f"{words.capital(plot.name)} against {plot.axis or name_of_axis(plot.x)}{by}: what the text permits.",
        f"{shape}: a {what} that fits all that the text says lies inside, and the text does not say where."
        if any_range(plot.rows)
        else "",
        "An arrow: the text gives a lower bound and no upper one." if plot.arrows() else "",
        "Without an upper edge: the text gives no bound." if has_unbounded_band(plot) else "",
        f"Filled: {printed} {'number' if printed == 1 else 'numbers'} as printed." if printed else "",
        f"Tinted: {worked} computed from what is printed." if worked else "",
        "" if printed or worked else "No printed number belongs to a single place.",
        "At the right edge: what is reached somewhere; the text does not say where." if reached else "",
        f"Dashed: a model, {mechanism}." if plot.model is not None else "",
        f"Dotted: {words.listed(dotted)}." if dotted else "",
        f"No log: worked out from the printed text{study}.",
    )


def alternative_text(plot: Plot, laid: Panels) -> str:
    """Tell the ends of each curve in words and numbers."""
    told = []
    for level in laid.levels:
        own, parts = rows_of(plot.rows, plot.facet, level), []
        for cell, rows in table.cells(own, [plot.hue] if plot.hue and plot.hue != plot.x else []):
            name = f"{words.cell(cell)}: " if cell else ""
            numbers = pd.api.types.is_numeric_dtype(rows[plot.x])
            spots = rows.sort_values(plot.x).iloc[[0, -1]] if numbers else rows
            parts.append(name + ", ".join(_spot(row, plot) for _, row in spots.drop_duplicates(plot.x).iterrows()))
        prefix = f"{words.capital(words.full(plot.facet, level))}: " if plot.facet else ""
        told.append(f"{prefix}{'; '.join(parts)}.")
    return words.sentences(f"What a text permits of {plot.name}.", *told)


def _spot(row: pd.Series, plot: Plot) -> str:
    """Tell one place of a curve."""
    where, low, high = name_of_place(plot.x, row[plot.x]), float(row[LOW]), float(row[HIGH])
    if np.isfinite(row[PRINTED]):
        return f"{where} {plot.say(float(row[PRINTED]))} as printed"
    if np.isinf(high):
        return f"{where} more than {plot.say(low)}" if low > 0 else f"{where} anything"
    return f"{where} {plot.say(low)} to {plot.say(high)}"
