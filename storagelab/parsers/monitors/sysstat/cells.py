"""Numbers as sysstat prints them: decimal points or commas, and with ``--human`` a unit behind the number."""

from __future__ import annotations

import re

from storagelab.parsers.fast_path import is_made_of
from storagelab.parsers.text import floats, number, plain_numbers
from storagelab.units import KIB, powers

_CELL = re.compile(r"([+-]?[0-9]+(?:[.,][0-9]+)?)([BkKMGTP%]?)")
_WITH_COMMAS = re.compile(
    r"[0-9]{1,300}+(?:\.[0-9]++|,[0-9]{1,2}+|(?!))?+(?: [0-9]{1,300}+(?:\.[0-9]++|,[0-9]{1,2}+|(?!))?+|(?!))*+"
)
"""Finite numbers, and no comma that may stand between thousands."""
_BYTES = powers(KIB, "KMGTP") | {"B": 1.0, "k": KIB}


def hold_number(words: list[str]) -> bool:
    """Whether any word is a number: the last one is that in most lines of most tables."""
    return is_number(words[-1]) or any(map(is_number, words))


def is_number(word: str) -> bool:
    """Whether a word is a number of a table, rather than the name of a column or a device."""
    return _CELL.fullmatch(word) is not None or word.lower().lstrip("+-") in ("nan", "inf")


def numbers(words: list[str], natives: tuple[float, ...]) -> list[float]:
    """Read the numbers of a line in the units of their columns.

    Parameters
    ----------
    words : list of str
        The cells.
    natives : tuple of float
        Bytes in the unit of each column: ``22,9M`` under kB is 23449.6; 0 where a column does not count bytes.

    Raises
    ------
    ValueError
        If a cell is not a number.
    """
    plain = plain_numbers(words) or _with_commas(words)
    return plain or [_number(word, native) for word, native in zip(words, natives, strict=True)]


def plain_cells(words: list[str]) -> list[float]:
    """Read cells of several lines at once; [] where any is something else than digits with a point or a comma."""
    printed = "".join(words)
    if not (printed.isascii() and is_made_of(printed, b"0123456789.,")):
        return []
    return plain_numbers(words) or _with_commas(words)


def _with_commas(words: list[str]) -> list[float]:
    """Read at once the cells of a line whose commas can only be decimal; [] where any cell is something else."""
    printed = " ".join(words)
    if not _WITH_COMMAS.fullmatch(printed) or printed.count(" ") >= len(words):
        return []
    return floats(printed.replace(",", ".").split(" "))


def _number(word: str, native: float) -> float:
    match = _CELL.fullmatch(word)
    if not match or not match[2]:
        return number(word)
    value = number(match[1])
    if match[2] == "%":
        return value
    if not native:
        raise ValueError(f"{word} counts bytes, its column does not")
    return value * _BYTES[match[2]] / native
