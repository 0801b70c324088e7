"""Tolerances that many claims share, each with where it comes from and why it is as wide as it is.

A claim names one (``tolerance: about``) or states its own, with a ``source`` and a ``reason``. Where a text prints a
number, its own digits decide; where it only has a word, a convention of ours says what the word allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from storagelab.errors import UnknownNameError

CONVENTION = "a convention of this project, for all studies alike"
ROUNDING = "the digits that are printed"


def _alike(words: str, share: float, why: str) -> dict[str, Any]:
    return {"relative": share, "source": CONVENTION, "reason": f"{words}: {why}"}


def _ordered(words: str, share: float, why: str) -> dict[str, Any]:
    return {"gap": share, "source": CONVENTION, "reason": f"{words}: {why}"}


CONVENTIONS: Mapping[str, Mapping[str, Any]] = {
    "exact": {
        "exact": True,
        "source": "the text",
        "reason": "a count, a setting, a version or a bound is printed whole, so that nothing is rounded",
    },
    "border": {
        "exact": True,
        "source": "the words of the sentence",
        "reason": "it says which of two is larger and not by how much, so that equality is the border",
    },
    "printed-digits": {
        "digits": True,
        "source": ROUNDING,
        "reason": "a number stands for all that round to it, half a unit of its last digit to either side",
    },
    "about": {
        "about": True,
        "source": ROUNDING,
        "reason": "a number said to be about is rounded to its last digit that is not zero: about 270 is 265 to 275",
    },
    "two-errors": {
        "z": 2,
        "source": "the standard errors that are printed",
        "reason": "two standard errors, within which physicists call two numbers compatible",
    },
    "full": _alike("full, saturated or busy", 0.1, "headers take 5 to 6 % of a link, and a mean lies below its peaks"),
    "alike-3": _alike("alike, of shares near one", 0.03, "a third of the tenth from which these texts speak of a loss"),
    "alike-5": _alike("very similar or equal", 0.05, "half of the tenth from which these texts speak of a loss"),
    "alike-10": _alike("similar, the same or level", 0.1, "from about a tenth on these texts speak of a loss"),
    "alike-15": _alike("equal, of plots that are lost", 0.15, "a plot adds some 5 % to the tenth of alike-10"),
    "alike-20": _alike("comparable", 0.2, "a weaker word than similar, so twice its tenth"),
    "alike-30": _alike("looks alike", 0.3, "a shape that is read off a plot, with no number beside it"),
    "neighbouring-steps": _alike("a step of a scan that doubles", 0.5, "half of the step down, half of the step up"),
    "order-5": _ordered("ahead, all else being the same", 0.05, "closer values are alike-5, and no order"),
    "order-10": _ordered("faster or less", 0.1, "closer values are alike-10, and no order"),
    "order-20": _ordered("much closer, stunning, falls", 0.2, "twice what order-10 asks for, for the stronger word"),
    "order-30": _ordered("clearly, poor, abysmal, a part of", 0.3, "three times what order-10 asks for"),
    "order-50": _ordered("leaves far behind", 0.5, "far is at least half as much again"),
}  # fmt: skip
"""By name, the tolerance as claims.yaml would state it."""


def convention(name: str) -> Mapping[str, Any]:
    """Return a tolerance by its name.

    Raises
    ------
    UnknownNameError
        If no tolerance has the name; says the nearest.
    """
    if name not in CONVENTIONS:
        raise UnknownNameError("tolerance", name, CONVENTIONS)
    return CONVENTIONS[name]
