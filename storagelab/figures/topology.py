"""A test bed as machines: who stands where, how many there are, what runs on them, and what joins them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch, Rectangle

from storagelab.analysis import table
from storagelab.errors import AnalysisError
from storagelab.figures.figure_result import Drawn
from storagelab.figures.labels import BACKGROUND
from storagelab.figures.page_format import letters
from storagelab.figures.palette import BLUE, GREEN, ORANGE, PURPLE, SKY
from storagelab.figures.style import FAINT, INK, canvas, style
from storagelab.wording import quantities, words

TIER = 1.18
"""Height of a row of machines with its network, in inches."""
MOST_BOXES = 8
"""Machines of a tier that are drawn one by one; of more, the first ones and the last."""
TINTS = (SKY, ORANGE, GREEN, PURPLE)
"""Colours of what runs on machines, by kind."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """One machine as it is drawn: its name, "" for the gap of those left out, and what runs on it."""

    name: str
    holds: Sequence[tuple[str, int]]


def topology(machines: xr.Dataset) -> Drawn:
    """Draw the machines of a test bed in rows, from the clients down to the disks, one drawing below the other.

    Parameters
    ----------
    machines : Dataset, dimension obs
        From `storagelab.claims.topology`.

    Returns
    -------
    Drawn
        Its data are the machines.

    Raises
    ------
    AnalysisError
        If a column is missing.
    """
    wanted = "drawing", "tier", "row", "box", "count", "most", "inside", "inside_count", "link", "network"
    if lacking := [name for name in wanted if name not in machines]:
        raise AnalysisError(f"the dataset has no {lacking[0]!r}: take it from storagelab.claims.topology")
    rows = table.frame(machines)
    drawings = list(dict.fromkeys(rows["drawing"]))
    kinds = list(dict.fromkeys(name for name in rows["inside"] if name))
    depths = [int(rows.loc[rows["drawing"] == name, "row"].max()) + 1 for name in drawings]
    with style():
        figure = canvas(TIER * sum(depths) + 0.3 * len(drawings))
        panels = figure.subplots(len(drawings), 1, squeeze=False, height_ratios=depths)[:, 0]
        for axes, name, depth in zip(panels, drawings, depths, strict=True):
            _draw(axes, rows[rows["drawing"] == name], name if len(drawings) > 1 else "", kinds, depth)
        _legend(figure, kinds)
    told = [_told(rows[rows["drawing"] == name], name if len(drawings) > 1 else "") for name in drawings]
    caption = f"Machines, what runs on them, and what joins them. {' '.join(told)}"
    return Drawn(
        figure,
        f"{caption} Configuration as published, nothing measured.",
        words.sentences("A diagram of machines.", *told),
        machines,
    )


def _draw(axes: Axes, rows: pd.DataFrame, name: str, kinds: Sequence[str], depth: int) -> None:
    axes.set_axis_off()
    axes.set_gid("published")
    axes.set(xlim=(0, 1), ylim=(-depth + 0.1, 0.02))
    axes.set_title(words.capital(name), loc="left")
    levels = sorted(rows["row"].unique())
    for level in levels:
        own = rows[rows["row"] == level]
        _tier(axes, own, -float(level), kinds, last=level == levels[-1])
        if own["network"].iloc[0] and level != levels[-1]:
            _network(axes, own.iloc[0], -float(level) - 0.86)


def _tier(axes: Axes, rows: pd.DataFrame, top: float, kinds: Sequence[str], *, last: bool) -> None:
    machines = list(_machines(rows))
    axes.text(
        0,
        top - 0.02,
        _heading(rows),
        fontsize=letters(7.5),
        fontweight="bold",
        color=INK,
        va="top",
        zorder=3,
        bbox=BACKGROUND,
    ).set_in_layout(False)
    width = 1 / len(machines)
    for place, machine in enumerate(machines):
        middle = (place + 0.5) * width
        if not machine.name:
            axes.text(middle, top - 0.47, "…", ha="center", va="center", fontsize=letters(11), color=INK)
            continue
        _box(axes, machine, middle, width, top, kinds)
        if not last:
            axes.plot([middle, middle], [top - 0.72, top - 0.86], color=FAINT, linewidth=0.8, zorder=1)
        if top < 0:
            axes.plot([middle, middle], [top + 0.14, top - 0.2], color=FAINT, linewidth=0.8, zorder=0.5)


def _heading(rows: pd.DataFrame) -> str:
    return f"{words.capital(str(rows['tier'].iloc[0]))}: {words.listed(_counts(rows, inside=False))}"


def _counts(rows: pd.DataFrame, *, inside: bool = True) -> Iterator[str]:
    """Say how many machines there are of each kind, and what each holds: ``7 × ITB host with 3 × client VM``."""
    for name, own in rows.groupby("box", sort=False):
        low, high = float(own["count"].iloc[0]), float(own["most"].iloc[0])
        number = f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
        holds = [f"{row['inside_count']:g} × {row['inside']}" for _, row in own.iterrows() if row["inside"]]
        many = str(name) if number == "1" else f"{number} × {name}"
        yield many + (f" with {words.listed(holds)}" if holds and inside else "")


def _machines(rows: pd.DataFrame) -> Iterator[_Machine]:
    """Go through the machines that are drawn: of many the first ones, a gap, and the last."""
    groups = [own for _, own in rows.groupby("box", sort=False)]
    room = max(2, MOST_BOXES // len(groups))
    for own in groups:
        holds = [(str(row["inside"]), int(row["inside_count"])) for _, row in own.iterrows() if row["inside"]]
        machine, count = _Machine(str(own["box"].iloc[0]), holds), int(own["most"].iloc[0])
        if count <= room:
            yield from [machine] * count
        else:
            yield from [*[machine] * (room - 2), _Machine("", []), machine]


def _box(axes: Axes, machine: _Machine, middle: float, width: float, top: float, kinds: Sequence[str]) -> None:
    wide = min(0.9 * width, 0.3)
    box = FancyBboxPatch(
        (middle - wide / 2, top - 0.72), wide, 0.52, boxstyle="round,pad=0,rounding_size=0.012", facecolor="white",
        edgecolor=BLUE, linewidth=0.9, mutation_aspect=4, zorder=2,
    )  # fmt: skip
    axes.add_patch(box)
    room = max(5, int(wide * _letters(axes)))
    height = -0.3 if machine.holds else -0.46
    name = textwrap.fill(machine.name, room)
    axes.text(
        middle, top + height, name, ha="center", va="center", fontsize=letters(6), color=INK, zorder=3, linespacing=1.1
    )
    _guests(axes, machine, middle, wide, top - 0.68, kinds)


def _legend(figure: Figure, kinds: Sequence[str]) -> None:
    """Name what runs on machines by its colour."""
    if kinds:
        tints = [TINTS[place % len(TINTS)] for place in range(len(kinds))]
        samples = [
            Patch(facecolor=tint, edgecolor=INK, linewidth=0.5, label=kind)
            for tint, kind in zip(tints, kinds, strict=True)
        ]
        figure.legend(handles=samples, loc="outside upper right", ncols=len(kinds), handlelength=0.8, handleheight=0.9)


def _letters(axes: Axes) -> float:
    """How many small letters stand side by side across a panel."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return 17 * 6 / letters(6) * float(figure.get_size_inches()[0])


def _guests(axes: Axes, machine: _Machine, middle: float, wide: float, bottom: float, kinds: Sequence[str]) -> None:
    """Draw what runs on a machine as small squares, each kind in its colour, at most four in a row."""
    guests = [kind for kind, count in machine.holds for _ in range(count)]
    side, across = min(0.2 * wide, 0.018), min(4, max(1, len(guests)))
    for place, kind in enumerate(guests):
        x = middle + (place % across - (across - 1) / 2) * side * 1.35 - side / 2
        y = bottom + (place // across) * 0.15
        tint = TINTS[kinds.index(kind) % len(TINTS)]
        axes.add_patch(Rectangle((x, y), side, 0.11, facecolor=tint, edgecolor=INK, linewidth=0.5, zorder=3))


def _network(axes: Axes, row: pd.Series, y: float) -> None:
    """Draw what joins a tier to the next, with the rate of each link."""
    rate = f", links of {quantities.say('B/s')(float(row['link']))}" if np.isfinite(row["link"]) else ""
    axes.plot([0, 1], [y, y], color=FAINT, linewidth=1.6, zorder=1)
    axes.text(
        0.5, y, f"{row['network']}{rate}", ha="center", va="center", fontsize=letters(6.5), color=INK, zorder=3,
        bbox={**BACKGROUND, "pad": 6},
    ).set_in_layout(False)  # fmt: skip


def _told(rows: pd.DataFrame, name: str) -> str:
    tiers = [f"{own['tier'].iloc[0]!s} ({words.listed(_counts(own))})" for _, own in rows.groupby("row")]
    return f"{words.capital(name + ': ' if name else '')}{words.capital(', '.join(tiers))}."
