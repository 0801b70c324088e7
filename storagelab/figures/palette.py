"""Which colour and marker a level has: the same file system looks the same in every figure of every paper.

What was measured (file systems, layouts) has the colours of M. Okabe and K. Ito (Color Universal Design, 2008), told
apart by the colour blind; orange and sky blue are darker here, as marks need a contrast of 3 to the page (WCAG 2.2,
1.4.11). Other kinds of keys begin with colours and markers of their own, so that no colour means a
file system here and a protocol there. Numbers are no kinds: their levels are shades from light to dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_hex, to_rgb

from storagelab.wording.levels import fixed_order, ordered

BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#C58800", "#009E73", "#D55E00"
PURPLE, SKY, BLACK, GREY = "#CC79A7", "#4A9AC8", "#000000", "#7F7F7F"
WINE, OLIVE, INDIGO, TAUPE, FOREST = "#882255", "#8A8A24", "#332288", "#94704A", "#1B4D2B"
BROWN, TEAL = "#8C4A2F", "#16899F"
LIGHT, DARK = "#7A95A5", "#1C2830"
CYCLE = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK, GREY)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

EVEN = 0.17913
"""Luminance that black and white are equally far from: the root of 1.05 times 0.05, less 0.05."""

WAYS = ("mount", "protocol", "driver_disk", "driver_net", "client_location", "api", "server_mode", "striping")
"""Keys that say how a client came to the data."""
CUTS = ("case", "aggregate", "phase", "percentile", "file_mode", "directory_mode", "stat_origin", "access_pattern")
"""Keys that say what of a run was counted."""
SYSTEMS = ("filesystem", "layout")
"""Keys that say what was measured."""

OWN: Mapping[str, Sequence[str]] = {
    **dict.fromkeys((*SYSTEMS, "study"), CYCLE),
    "filesystem": (*CYCLE[:6], BROWN, TEAL),
    **dict.fromkeys(WAYS, (WINE, OLIVE, BLACK, SKY, GREY, PURPLE, ORANGE, BLUE)),
    **dict.fromkeys(CUTS, (INDIGO, TAUPE, FOREST, GREY, SKY, WINE, ORANGE, BLACK)),
}
"""Colours of the levels of a key, in order."""
OTHERS = (BLACK, SKY, GREY, INDIGO, TAUPE, WINE, OLIVE, BLUE)
"""Colours of all other keys."""

LIKE: Mapping[str, str] = {"dcache-xfs": "xfs", "dcache-zfs": "zfs"}
"""Levels that look like another where that one is not shown: dCache pools like the file system that they lie on."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a level is drawn; `text` is its colour darkened until it reads well as small text on white."""

    colour: str
    marker: str
    text: str


def looks(key: str, levels: Sequence[str | float]) -> dict[str | float, Look]:
    """Give each level its look: its fixed one if it is known, else the first that no level shown here has."""
    if levels and all(isinstance(level, (int, float)) for level in levels):
        return shades(sorted(set(levels)))
    known = list(fixed_order(key))
    fixed = known if len(known) <= len(CYCLE) else []
    places: dict[str | float, int] = {level: fixed.index(level) for level in levels if level in fixed}
    places |= {
        level: fixed.index(like) for level in levels if (like := LIKE.get(str(level))) in set(fixed) - places.keys()
    }
    free = iter([place for place in range(len(CYCLE)) if place not in places.values()] * (1 + len(levels)))
    for level in ordered(key, levels):
        places.setdefault(level, next(free, 0))
    return {level: look(key, place) for level, place in places.items()}


def look(key: str, place: int) -> Look:
    """Look number so and so of a key; beyond the last they start again."""
    colour = OWN.get(key, OTHERS)[place % len(CYCLE)]
    return Look(colour, MARKERS[place % len(MARKERS)], readable(colour))


def shades(levels: Sequence[str | float]) -> dict[str | float, Look]:
    """Shade numbers in their order from light to dark."""
    ends = np.array([to_rgb(LIGHT), to_rgb(DARK)])
    found: dict[str | float, Look] = {}
    for place, level in enumerate(levels):
        share = place / max(1, len(levels) - 1) if len(levels) > 1 else 1.0
        colour = to_hex(tuple((1 - share) * ends[0] + share * ends[1]))
        found[level] = Look(colour, MARKERS[place % len(MARKERS)], readable(colour))
    return found


def readable(colour: str, least: float = 4.5) -> str:
    """Darken a colour until it has the contrast to white that WCAG 2.2 asks of small text."""
    rgb = to_rgb(colour)
    while 1.05 / (_luminance(rgb) + 0.05) < least:
        rgb = (rgb[0] * 0.95, rgb[1] * 0.95, rgb[2] * 0.95)
    return to_hex(rgb)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, as WCAG 2.2 defines it: 1 to 21."""
    dark, light = sorted(_luminance(to_rgb(colour)) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def upon(ground: tuple[float, float, float]) -> str:
    """Ink that reads on a ground: of black and white one has a contrast of at least 4.58 to any colour."""
    return "white" if round(_luminance(ground), 6) < EVEN else "black"


def _luminance(rgb: tuple[float, float, float]) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def face(origin: str, colour: str, basis: str = "") -> str:
    """Fill of a marker: hollow where the value comes from a reconstruction or a model, filled where it was seen.

    What a row says of itself (`schema` key ``basis``) goes before the origin of all; what was derived from published
    values is filled with a tint.
    """
    if basis == "derived":
        red, green, blue = (0.5 + 0.5 * share for share in to_rgb(colour))
        return to_hex((red, green, blue))
    if basis in ("published", "model"):
        return "white" if basis == "model" else colour
    return "white" if origin == "reconstructed" else colour
