"""Effects as ratios around one, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from storagelab.analysis import columns, table
from storagelab.figures import quantities, words
from storagelab.figures.drawn import Drawn
from storagelab.figures.palette import Look, face, looks, ordered
from storagelab.figures.panels import Level, Panels, legend, name_rows, panels, reach, rows_of, stacked
from storagelab.figures.style import INK, LIMIT, style

ROW = 0.17
ENDS = [columns.low("ratio"), columns.high("ratio")]


def ratios(compared: xr.Dataset, *, category: str = "operation", hue: str = "", facet: str = "") -> Drawn:
    """Draw the result of `storagelab.analysis.compare`: a row a cell, on a log axis around one.

    Parameters
    ----------
    compared : Dataset, dimension obs
        From `storagelab.analysis.compare`; a margin there is drawn as a band.
    category, hue, facet : str
        Keys whose levels are the rows, share a row, and are the panels; a panel for each of several comparisons put
        together has the facet "compared".

    Returns
    -------
    Drawn
        Its data are `compared`.

    Raises
    ------
    AnalysisError
        If `compared` lacks the columns of a comparison.
    """
    table.require(compared, "ratio", "n", "n_base", category, *(key for key in (hue, facet) if key))
    whole, origin = table.frame(compared), table.origin(compared)
    rows = whole.dropna(subset=["ratio"])
    coloured = hue or category
    levels = ordered(coloured, rows[coloured].unique().tolist())
    found: dict[Level, Look] = looks(hue, levels) if hue else dict.fromkeys(levels, Look(INK, "o", INK))
    places = stacked(rows, category, hue)
    with style():
        laid = panels(rows, facet, height=0.45 + ROW * len(places))
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            _band(axes, compared.attrs.get("margin", ""))
            for _, row in rows_of(rows, facet, level).iterrows():
                _effect(axes, row, places[row[category], row[hue] if hue else ""], found[row[coloured]], origin)
            _axis(axes, rows)
            name_rows(axes, places, category, laid.leftmost(place))
            axes.set_xlabel(f"ratio {rows_of(rows, facet, level)['compared'].iloc[0]}" if laid.lowest(place) else "")
        if hue:
            legend(laid.figure, hue, found, origin, line=False)
    keys = [key for key in (facet, category, hue) if key]
    return Drawn(laid.figure, _caption(compared, whole, keys, laid), _alt(whole, keys), compared)


def _band(axes: Axes, margin: str) -> None:
    axes.set_xscale("log")
    axes.axvline(1, color=LIMIT, linewidth=1.0, zorder=1)
    if margin:
        axes.axvspan(1 - float(margin), 1 + float(margin), color="#e9e9e9", zorder=0.5, linewidth=0)


def _effect(axes: Axes, row: pd.Series[float], y: float, look: Look, origin: str) -> None:
    axes.hlines(y, row[columns.low("ratio")], row[columns.high("ratio")], color=look.colour, linewidth=1.3, zorder=2)
    fill = face(origin, look.colour)
    axes.plot(row["ratio"], y, look.marker, color=look.colour, markerfacecolor=fill, markersize=4.5, zorder=3)


def _axis(axes: Axes, rows: pd.DataFrame) -> None:
    low, high = reach([*rows["ratio"], 0.9, 1.1], rows[ENDS], log=True)
    axes.set_xlim(low / 1.08, high * 1.08)
    quantities.set_log_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _caption(compared: xr.Dataset, whole: pd.DataFrame, keys: Sequence[str], laid: Panels) -> str:
    rows = whole.dropna(subset=["ratio"])
    by = words.listed(words.long_name(key) for key in keys if key != "compared")
    known = compared.isel(obs=np.flatnonzero(np.isfinite(compared["ratio"].to_numpy())))
    alone = bool((rows[["n", "n_base"]] == 1).any(axis=None))
    margin = compared.attrs.get("margin", "")
    what = words.long_name(compared.attrs["compared_variable"])
    return words.sentences(
        f"Ratio of {what}, {words.listed(rows['compared'].unique())}, by {by}, on a log axis.",
        f"Points are ratios of geometric means, bars the 95 % {_kind(compared)} t interval of the log"
        f" ({words.counted(known, 'n', 'n_base')} a side{'; no bar where n = 1' if alone else ''}).",
        f"Grey: within {100 * float(margin):g} % of one." if margin else "",
        "Bars that leave the panel are cut." if _cut(rows, laid) else "",
        _absent(whole, keys),
        words.unit(compared),
        words.source(compared),
    )


def _cut(rows: pd.DataFrame, laid: Panels) -> bool:
    low, high = laid.axes[0].get_xlim()
    return bool((rows[ENDS[0]] < low).any() or (rows[ENDS[1]] > high).any())


def _kind(compared: xr.Dataset) -> str:
    return "paired" if "paired" in compared.attrs["method"] else "Welch"


def _absent(whole: pd.DataFrame, keys: Sequence[str]) -> str:
    """Name what cannot be compared, by one key where all of a level is missing, else by cell."""
    missing = whole[whole["ratio"].isna()]
    if missing.empty:
        return ""
    shown = whole.dropna(subset=["ratio"])
    whole_levels = {key: set(missing[key]) - set(shown[key]) for key in keys}
    key = next((key for key in keys if missing[key].isin(whole_levels[key]).all()), "")
    names = [words.full(key, level) for level in ordered(key, list(whole_levels[key]))] if key else [
        words.cell({key: row[key] for key in keys}) for _, row in missing.iterrows()
    ]  # fmt: skip
    return f"Not shown, as one side has no run: {words.listed(names)}."


def _alt(whole: pd.DataFrame, keys: Sequence[str]) -> str:
    rows = whole.dropna(subset=["ratio"])
    told = [f"{words.cell({key: row[key] for key in keys})} {_effect_in_words(row)}" for _, row in rows.iterrows()]
    return words.sentences(
        f"Ratios of {words.listed(whole['compared'].unique())}. {words.capital('; '.join(told))}.", _absent(whole, keys)
    )


def _effect_in_words(row: pd.Series[float]) -> str:
    low, high = row[columns.low("ratio")], row[columns.high("ratio")]
    return f"{row['ratio']:.3g}" + (f" ({low:.3g} to {high:.3g})" if np.isfinite(low) else "")
