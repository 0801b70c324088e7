"""Operations against systems: how near each comes to the best, with the winners and the ties framed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from storagelab.analysis import columns, table
from storagelab.figures.figure_result import Drawn
from storagelab.figures.labels import on_cell
from storagelab.figures.page_format import letters
from storagelab.figures.panels import Level, panels, rows_of
from storagelab.figures.style import LIMIT, style
from storagelab.wording import quantities, words
from storagelab.wording.levels import ordered

FLOOR = 0.1
"""Everything slower than this share of the best has the darkest colour."""
SHADES = ListedColormap(colormaps["Blues_r"](np.linspace(0.0, 0.8, 128)))


def winners_map(
    won: xr.Dataset, variable: str, *, among: str = "filesystem", category: str = "operation", facet: str = ""
) -> Drawn:
    """Draw the result of `storagelab.analysis.winners`: a number a cell, coloured by its distance from the best.

    Parameters
    ----------
    won : Dataset, dimension obs
        From `storagelab.analysis.winners`.
    variable : str
        The value compared there.
    among, category, facet : str
        Keys across, down, and of the panels.

    Returns
    -------
    Drawn
        Its data are `won`.

    Raises
    ------
    AnalysisError
        If `won` lacks the columns of winners.
    """
    table.require(won, variable, among, category, *([facet] if facet else []), "rank", "ratio", "winner", "tied")
    rows = table.frame(won)
    rows["share"] = rows["ratio"] if won.attrs["best"] == "highest" else 1 / rows["ratio"]
    across, down = (ordered(key, rows[key].unique().tolist()) for key in (among, category))
    with style():
        laid = panels(rows, facet, height=max(1.1, 0.55 + 0.21 * len(down)))
        for place, (axes, level) in enumerate(zip(laid.axes, laid.levels, strict=True)):
            _cells(axes, rows_of(rows, facet, level), variable, among, category, across, down)
            axes.set_xticks(np.arange(len(across)) + 0.5, [words.level(among, one) for one in across])
            axes.set_yticks(np.arange(len(down)) + 0.5, [words.level(category, one) for one in down])
            axes.tick_params(length=0, labelleft=laid.leftmost(place))
        bar = laid.figure.colorbar(axes.collections[0], ax=laid.axes, shrink=0.6, aspect=25, pad=0.01, extend="min")
        bar.outline.set_visible(False)
        bar.ax.yaxis.set_minor_locator(NullLocator())
        bar.ax.yaxis.set_major_locator(FixedLocator([0.1, 0.2, 0.5, 1]))
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        bar.set_label("share of the best")
    return Drawn(laid.figure, _caption(won, variable, among, category, facet), _alt(rows, among, category, facet), won)


def _cells(
    axes: Axes,
    rows: pd.DataFrame,
    variable: str,
    among: str,
    category: str,
    across: Sequence[Level],
    down: Sequence[Level],
) -> None:
    grid = rows.pivot(index=category, columns=among, values="share").reindex(index=list(down), columns=list(across))
    mesh = axes.pcolormesh(grid.to_numpy(), cmap=SHADES, norm=LogNorm(FLOOR, 1.0), edgecolors="white", linewidth=0.6)
    axes.invert_yaxis()
    axes.grid(False)
    axes.spines[:].set_visible(False)
    for top, left in zip(*np.nonzero(grid.isna().to_numpy()), strict=True):
        axes.text(left + 0.5, top + 0.5, "no run", ha="center", va="center", fontsize=letters(7), color=LIMIT)
    unit = str(columns.field(variable).unit)
    for _, row in rows.iterrows():
        left, top = across.index(row[among]), down.index(row[category])
        best = bool(row["winner"])
        text = axes.text(
            left + 0.5, top + 0.53, quantities.compact(unit, row[variable]), ha="center", va="center",
            fontsize=letters(7), weight="bold" if best else "normal",
        )  # fmt: skip
        on_cell(text, mesh, row["share"])
        if best:
            line = "-" if row["rank"] == 1 else (0, (2, 1.5))
            axes.add_patch(Rectangle(
                (left + 0.04, top + 0.08), 0.92, 0.84, fill=False, edgecolor="#D55E00", linewidth=1.1, linestyle=line
            ))  # fmt: skip


def _caption(won: xr.Dataset, variable: str, among: str, category: str, facet: str) -> str:
    plain = quantities.plain(str(columns.field(variable).unit))
    by = words.listed(words.long_name(key) for key in (category, among, facet) if key)
    return words.sentences(
        f"{words.capital(words.long_name(variable))}{f' in {plain}' if plain else ''} by {by}: geometric means"
        f" ({words.counted(won)} a cell), their 95 % t intervals stand in the data.",
        f"Framed: the best of each {words.long_name(category)}; dashed: not shown to differ from it"
        f" (t of the logs at 5 %, Holm-corrected over all pairs of {_family(won, category)}).",
        words.rests(table.frame(won), table.origin(won), "Cells"),
        words.unit(won),
        words.source(won),
    )


def _family(won: xr.Dataset, category: str) -> str:
    return "the table" if won.attrs["family"] == "table" else f"the candidates of each {words.long_name(category)}"


def _alt(rows: pd.DataFrame, among: str, category: str, facet: str) -> str:
    told = []
    for cell, part in table.cells(rows, [key for key in (facet, category) if key]):
        best = part.sort_values("rank")
        names = [words.level(among, one) for one in best[best["winner"] == 1][among]]
        name = words.cell(cell)
        told.append(f"{name}: {names[0]}" + (f" (not told from {words.listed(names[1:])})" if names[1:] else ""))
    return f"Table of winners. {words.capital('; '.join(told))}."
