"""Which colour and marker a level has: the same file system looks the same in every figure of every paper.

Colours are those of M. Okabe and K. Ito (Color Universal Design, 2008), told apart by the colour blind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.colors import to_hex, to_rgb

from storagelab import schema
from storagelab.analysis.aggregation.aggregates import AGGREGATES
from storagelab.analysis.efficiency.jobs import PHASES

BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK, GREY = "#CC79A7", "#56B4E9", "#000000", "#7F7F7F"
CYCLE = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK, GREY)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

KNOWN: Mapping[str, Sequence[str]] = {
    "filesystem": ("ext3", "ext4", "xfs", "btrfs", "zfs", "glusterfs", "lustre", "gpfs"),
    "layout": ("distribute", "distribute+shard", "replicate", "disperse", "single", "raidz", "none"),
    "mount": ("kernel", "fuse", "nfs"),
    "driver_disk": ("loop-direct", "loop-buffered", "virtio", "ide"),
    "aggregate": tuple(AGGREGATES.values()),
    "phase": tuple(PHASES.values()),
    "case": ("all", "50 % of entries", "50 % of branches"),
    **schema.VALUES,
}
"""Levels whose place, and so whose colour and order, is fixed for good; others follow in alphabetical order."""

SYSTEMS = ("filesystem", "layout")
"""Keys that say what was measured; the levels of all others begin with the colours that these use last."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a level is drawn; `text` is its colour darkened until it reads well as small text on white."""

    colour: str
    marker: str
    text: str


def ordered(key: str, levels: Sequence[str | float]) -> list[str | float]:
    """Sort the levels of a key as all figures show them: known ones first, numbers by size, the rest by name."""
    known = list(KNOWN.get(key, ()))
    return sorted(set(levels), key=lambda level: (known.index(str(level)) if level in known else len(known), level))


def looks(key: str, levels: Sequence[str | float]) -> dict[str | float, Look]:
    """Give each level its look: its fixed one if it is known, else the first that no level shown here has."""
    known = list(KNOWN.get(key, ()))
    fixed = known if len(known) <= len(CYCLE) else []
    places: dict[str | float, int] = {level: fixed.index(str(level)) for level in levels if level in fixed}
    free = iter([place for place in range(len(CYCLE)) if place not in places.values()] * (1 + len(levels)))
    for level in ordered(key, levels):
        places.setdefault(level, next(free, 0))
    skip = 0 if key in SYSTEMS else len(CYCLE) // 2
    return {level: look(place, skip) for level, place in places.items()}


def look(place: int, skip: int = 0) -> Look:
    """Look number so and so, `skip` colours further on; beyond the last they start again."""
    colour = CYCLE[(place + skip) % len(CYCLE)]
    return Look(colour, MARKERS[place % len(MARKERS)], readable(colour))


def readable(colour: str, contrast: float = 4.5) -> str:
    """Darken a colour until it has the contrast to white that WCAG 2.2 asks of small text."""
    rgb = to_rgb(colour)
    while 1.05 / (_luminance(rgb) + 0.05) < contrast:
        rgb = (rgb[0] * 0.95, rgb[1] * 0.95, rgb[2] * 0.95)
    return to_hex(rgb)


def _luminance(rgb: tuple[float, float, float]) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def face(origin: str, colour: str) -> str:
    """Fill of a marker: filled where the logs are measured or published, hollow where they are reconstructed."""
    return "white" if origin == "reconstructed" else colour
