"""The numbers of a line of a table, read at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from storagelab.parsers.text import number


def plain_numbers(words: Sequence[str]) -> list[float]:
    """Read numbers that Python and `text.number` read alike; [] where any word is something else."""
    try:
        values = list(map(float, words))
    except ValueError:
        return []
    printed = "".join(words)
    odd = "_" in printed or not printed.isascii() or math.inf in values or -math.inf in values
    return [] if odd else values


def numbers(words: Sequence[str]) -> list[float]:
    """Read each of some words as `text.number` does.

    Raises
    ------
    NumberError
        If one is no number, or none that can be read in one way.
    """
    return plain_numbers(words) or list(map(number, words))
