"""How the machines of a test bed hang together, in rows from the clients down to the disks: for a drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

import pydantic

from storagelab.study.validation import Strict

Expression = Annotated[str, pydantic.BeforeValidator(str)]


class Inside(Strict):
    """What runs on a machine: so many of a kind."""

    name: str
    count: Expression = "1"


class Box(Strict):
    """A kind of machine: so many of it, each with what runs on it.

    Attributes
    ----------
    name : str
    count : str
        How many, as an expression over the parts; the fewest where `most` is given.
    most : str
        The most, where the paper gives a range.
    holds : sequence of Inside
    """

    name: str
    count: Expression = "1"
    most: Expression = ""
    holds: tuple[Inside, ...] = ()


class Tier(Strict):
    """Machines side by side, and the links that lead from each of them down to the next tier.

    Attributes
    ----------
    tier : str
    boxes : sequence of Box
    link : str
        Rate of each link, as an expression; "" where the paper gives none.
    network : str
        What joins this tier to the next; "" for the last.
    """

    tier: str
    boxes: tuple[Box, ...]
    link: Expression = ""
    network: str = ""


Drawing = tuple[Tier, ...]


def rows(name: str, drawing: Drawing, number: Callable[[str], float]) -> Iterator[dict[str, str | float]]:
    """Go through a drawing: a row for each kind of thing inside each kind of machine.

    Parameters
    ----------
    name : str
        Of the drawing.
    drawing : sequence of Tier
    number : callable
        Works an expression out in SI.
    """
    for level, tier in enumerate(drawing):
        for box in tier.boxes:
            for inside in box.holds or (Inside(name="", count="0"),):
                yield {
                    "drawing": name, "row": level, "tier": tier.tier, "network": tier.network,
                    "link": number(tier.link) if tier.link else float("nan"),
                    "box": box.name, "count": number(box.count), "most": number(box.most or box.count),
                    "inside": inside.name, "inside_count": number(inside.count),
                }  # fmt: skip
