"""A test bed as a diagram: what a byte crosses on its way, what each stage carries, and which one binds."""

from __future__ import annotations

import textwrap
from typing import Any

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from storagelab.analysis import table
from storagelab.figures.figure_result import Drawn
from storagelab.figures.page_format import letters, room
from storagelab.figures.palette import BLUE, VERMILLION
from storagelab.figures.style import FAINT, INK, canvas, style
from storagelab.wording import quantities, words

ROW, GAP, ROOM = 1.3, 0.12, 88
"""Height of a path in inches, gap between boxes as a share of their width, letters of small text across the page."""


def test_bed(stages: xr.Dataset) -> Drawn:
    """Draw the paths of a test bed as rows of boxes, from left to right, the stage that binds in another colour.

    Parameters
    ----------
    stages : Dataset, dimension obs
        From `storagelab.claims.stages`: keys path, stage, made_of; capacity, limit, bound [B/s], bottleneck.

    Returns
    -------
    Drawn
        Its data are the stages.

    Raises
    ------
    AnalysisError
        If a column is missing.
    """
    table.require(stages, "path", "stage", "made_of", "capacity", "link_bytes", "limit", "bottleneck")
    rows = table.frame(stages)
    paths = list(dict.fromkeys(rows["path"]))
    with style():
        figure = canvas(0.2 + ROW * len(paths))
        panels = figure.subplots(len(paths), 1, squeeze=False)[:, 0]
        for axes, path in zip(panels, paths, strict=True):
            _draw_path(axes, rows[rows["path"] == path], path)
    told = [_told(rows[rows["path"] == path], path) for path in paths]
    caption = "What a byte crosses, and what each stage can carry; the stage that binds has an orange frame."
    if "at_least" in rows and rows["at_least"].any():
        caption += " An arrow: at least so much is printed, so that the stage cannot be said to bind."
    caption = f"{caption} {' '.join(told)} Configuration as published, nothing measured."
    return Drawn(figure, caption, words.sentences("A diagram of the test bed.", *told), stages)


test_bed.__test__ = False  # type: ignore[attr-defined]  # pytest takes functions with this name for tests


def _draw_path(axes: Axes, rows: pd.DataFrame, path: str) -> None:
    axes.set_axis_off()
    axes.set_gid("published")
    axes.set_xlim(-0.02, len(rows) + 0.02)
    axes.set_ylim(0, 1)
    axes.set_title(words.capital(path.replace("_", " ")), loc="left")
    letters_across = room(ROOM) // len(rows) - 4
    for place, (_, row) in enumerate(rows.iterrows()):
        binds = row["stage"] == row["bottleneck"]
        corner, size = (place + GAP / 2, 0.02), (1 - GAP, 0.94)
        colour = VERMILLION if binds else BLUE
        box = FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.04", facecolor="white")
        box.set(edgecolor=colour, linewidth=1.8 if binds else 0.9, mutation_aspect=1)
        axes.add_patch(box)
        axes.text(
            place + 0.5,
            0.7,
            textwrap.fill(str(row["stage"]), letters_across),
            ha="center",
            va="center",
            fontsize=letters(7.5),
            color=INK,
        )
        carried = _size(row, letters_across + 4)
        axes.text(place + 0.5, 0.27, carried, ha="center", va="center", fontsize=letters(7), color=INK)
        if place:
            arrow = {"arrowstyle": "-|>", "color": FAINT, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (place + GAP / 2, 0.5), (place - GAP / 2, 0.5), arrowprops=arrow)


def _size(row: pd.Series[Any], most: int) -> str:
    """Say what a stage carries; a line longer than `most` letters goes on in the next."""
    crossings = [f"crossed {row['link_bytes']:.3g} times"] if row["link_bytes"] != 1 else []
    least = "↑ more than " if row.get("at_least", False) else "= "
    size = f"{least}{quantities.say('B/s')(float(row['limit']))}"
    lines = (str(row["made_of"]), *crossings, size)
    return "\n".join(line if len(line) <= most else line.replace(" than ", " than\n") for line in lines)


def _told(rows: pd.DataFrame, path: str) -> str:
    first = rows.iloc[0]
    if not first["bottleneck"]:
        return f"{words.capital(path.replace('_', ' '))}: which stage binds cannot be said."
    limit = quantities.say("B/s")(float(first["bound"]))
    return f"{words.capital(path.replace('_', ' '))}: {first['bottleneck']} ({limit})."
