"""Effects as ratios around one, with their intervals: comparisons, effects of factors, the largest of a scan."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from storagelab.analysis import columns, table
from storagelab.analysis.basis import KEY as BASIS
from storagelab.figures import ticks
from storagelab.figures.figure_result import Drawn
from storagelab.figures.page_format import letters
from storagelab.figures.palette import Look, face, looks
from storagelab.figures.panels import Level, Panels, axis_limits, legend, name_rows, panels, rows_of, stacked
from storagelab.figures.style import INK, LIMIT, style
from storagelab.wording import words
from storagelab.wording.levels import ordered

ROW = 0.19
"""Height of a row in inches: a line of text."""
ENDS = [columns.low("ratio"), columns.high("ratio")]
INNER = ["ratio_low_equivalence", "ratio_high_equivalence"]
"""Ends of the interval that lies inside the margin where two one-sided tests find equivalence."""


def ratios(compared: xr.Dataset, *, category: str = "operation", hue: str = "", facet: str = "") -> Drawn:
    """Draw a result with ratios and their intervals: a row a cell, on a log axis around one.

    Parameters
    ----------
    compared : Dataset, dimension obs
        From `storagelab.analysis.compare` or any other analysis with the columns ``ratio``, ``ratio_low`` and
        ``ratio_high``. A margin in ``attrs["margin"]`` is drawn as a band, and the interval that answers whether
        a ratio lies inside it (``ratio_low_equivalence``, ``ratio_high_equivalence``) as a thick bar.
    category, hue, facet : str
        Keys whose levels are the rows, share a row, and are the panels; a panel for each of several comparisons put
        together has the facet "compared".

    Returns
    -------
    Drawn
        Its data are `compared`. In a single panel each row says its numbers.

    Raises
    ------
    AnalysisError
        If `compared` lacks the columns of a ratio.
    """
    table.require(compared, "ratio", *ENDS, category, *(key for key in (hue, facet) if key))
    whole, origin = table.frame(compared), table.origin(compared)
    rows = whole.dropna(subset=["ratio"])
    coloured = hue or category
    levels = ordered(coloured, rows[coloured].unique().tolist())
    found: dict[Level, Look] = looks(hue, levels) if hue else dict.fromkeys(levels, Look(INK, "o", INK))
    places = stacked(rows, category, hue)
    keys = [key for key in (facet, category, hue) if key]
    chosen = _chosen(compared, keys)
    with style():
        laid = panels(rows, facet, height=0.45 + ROW * len(places))
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            ratio_axis(axes, compared)
            own = rows_of(rows, facet, level)
            for _, row in own.iterrows():
                y = places[row[category], row[hue] if hue else ""]
                _effect(axes, row, y, found[row[coloured]], origin)
                if len(laid.axes) == 1:
                    _say(axes, y, _effect_in_words(row, chosen), found[row[coloured]])
            _axis(axes, rows)
            name_rows(axes, places, category, laid.leftmost(place))
            axes.set_xlabel(_label(own, keys) if laid.lowest(place) else "")
        if hue:
            legend(laid.figure, hue, found, origin, line=False)
    return Drawn(laid.figure, _caption(compared, whole, keys, laid), _alt(whole, keys, chosen), compared)


def _chosen(compared: xr.Dataset, keys: Sequence[str]) -> list[str]:
    """Keys that say where the ratio of a row was found, if it was chosen among several."""
    if "scanned" not in compared:
        return []
    return [str(key) for key in compared.coords if key not in (*keys, "compared", BASIS)]


def _compared(rows: pd.DataFrame) -> list[str]:
    """What is compared, if it is not too much to name."""
    found = rows["compared"].unique().tolist() if "compared" in rows else []
    return found if len(found) <= 3 else []


def _label(rows: pd.DataFrame, keys: Sequence[str]) -> str:
    """Name what is compared, where rows or legend do not."""
    names = _compared(rows)
    return "ratio" if len(names) > 1 and "compared" in keys else f"ratio {' and '.join(names)}".strip()


def ratio_axis(axes: Axes, compared: xr.Dataset) -> None:
    """Prepare a log axis of ratios, with a line at one and in grey the margin within which sides are equivalent."""
    axes.set_xscale("log")
    axes.axvline(1, color=LIMIT, linewidth=1.0, zorder=1)
    if margin := compared.attrs.get("margin", ""):
        axes.axvspan(1 - float(margin), 1 + float(margin), color="#e9e9e9", zorder=0.5, linewidth=0)


def _effect(axes: Axes, row: pd.Series[float], y: float, look: Look, origin: str) -> None:
    axes.hlines(y, *row[ENDS], color=look.colour, linewidth=1.1, zorder=2)
    if INNER[0] in row:
        axes.hlines(y, *row[INNER], color=look.colour, linewidth=3.0, alpha=0.45, zorder=2)
    fill = face(origin, look.colour, str(row.get(BASIS, "")))
    axes.plot(row["ratio"], y, look.marker, color=look.colour, markerfacecolor=fill, markersize=4.5, zorder=3)


def _say(axes: Axes, y: float, text: str, look: Look) -> None:
    axes.annotate(
        text, (1, y), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points", va="center",
        fontsize=letters(7.5), color=look.text, annotation_clip=False,
    )  # fmt: skip


def _axis(axes: Axes, rows: pd.DataFrame) -> None:
    low, high = axis_limits([*rows["ratio"], 0.9, 1.1], rows[ENDS], log=True)
    axes.set_xlim(low / 1.08, high * 1.08)
    ticks.set_log_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _caption(compared: xr.Dataset, whole: pd.DataFrame, keys: Sequence[str], laid: Panels) -> str:
    rows = whole.dropna(subset=["ratio"])
    by = words.listed(words.long_name(key) for key in keys if key != "compared")
    variable = compared.attrs.get("compared_variable", "")
    of = f" of {words.long_name(variable)}" if variable else ""
    sides = f", {words.listed(_compared(rows))}" if _compared(rows) else ""
    return words.sentences(
        f"Ratio{of}{sides}, by {by}, on a log axis.",
        f"Points are {_method(compared)} ({_counted(compared)}).",
        equivalence(compared),
        "Bars that leave the panel are cut." if _cut(rows, laid) else "",
        _absent(whole, keys),
        words.bases(rows, table.origin(compared)),
        words.unit(compared),
        words.source(compared),
    )


def equivalence(compared: xr.Dataset) -> str:
    """Say what band and thick bar are, if equivalence was asked."""
    margin = compared.attrs.get("margin", "")
    return words.sentences(
        f"Grey: within {100 * float(margin):g} % of one." if margin else "",
        "Thick: the interval of the test of equivalence, inside the grey where the sides are equivalent."
        if INNER[0] in compared
        else "",
    )


def _counted(compared: xr.Dataset) -> str:
    """How many runs stand on each side."""
    known = compared.isel(obs=np.flatnonzero(np.isfinite(compared["ratio"].to_numpy())))
    sides = [name for name in ("n", "n_base") if name in known]
    if not sides:
        return "n is not known"
    return f"{words.counted(known, *sides)} a side{words.without_interval(known.to_dataframe(), 'bar', sides)}"


def _method(compared: xr.Dataset) -> str:
    """How ratios and bars were made."""
    said = str(compared.attrs.get("method", ""))
    interval = r"((?:(?! of the log,).)* t interval) of the log"
    found = re.fullmatch(
        rf"ratio of geometric means, {interval}, simultaneous over (the table|each of \d+ tables).*", said
    )
    if found:
        rows = (
            found[2]
            .replace("the table", "all rows")
            .replace("each", "all rows of each")
            .replace("tables", "comparisons")
        )
        return f"ratios of geometric means, bars the {found[1]}s of the log, which hold for {rows} together"
    return f"ratios, bars their 95 % interval{f': {said}' if said else ''}"


def _cut(rows: pd.DataFrame, laid: Panels) -> bool:
    low, high = laid.axes[0].get_xlim()
    return bool((rows[ENDS[0]] < low).any() or (rows[ENDS[1]] > high).any())


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


def _alt(whole: pd.DataFrame, keys: Sequence[str], chosen: Sequence[str]) -> str:
    rows = whole.dropna(subset=["ratio"])
    told = [
        f"{words.cell({key: row[key] for key in keys})} {_effect_in_words(row, chosen)}" for _, row in rows.iterrows()
    ]
    of = f" of {words.listed(_compared(whole))}" if _compared(whole) else ""
    return words.sentences(f"Ratios{of}. {words.capital('; '.join(told))}.", _absent(whole, keys))


def _effect_in_words(row: pd.Series[float], chosen: Sequence[str]) -> str:
    low, high = row[ENDS]
    at = f" at {words.cell({key: row[key] for key in chosen})}" if chosen else ""
    return f"{row['ratio']:.3g}" + (f" ({low:.3g} to {high:.3g})" if np.isfinite(low) else "") + at
