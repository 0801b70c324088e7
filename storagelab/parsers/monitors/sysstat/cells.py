"""Numbers as sysstat prints them: decimal points or commas, and with ``--human`` a unit behind the number."""

from __future__ import annotations

import re

from storagelab.parsers.text import number
from storagelab.units import GIB, KIB, MIB, TIB

_CELL = re.compile(r"([+-]?[0-9]+(?:[.,][0-9]+)?)([BkKMGTP%]?)")
_PLAIN = re.compile(r"[0-9]{1,300}+(?:\.[0-9]++|,[0-9]{1,2}+)?+(?: [0-9]{1,300}+(?:\.[0-9]++|,[0-9]{1,2}+)?+)*+")
"""Finite numbers, and no comma that may stand between thousands."""
_BYTES = {"B": 1.0, "k": KIB, "K": KIB, "M": MIB, "G": GIB, "T": TIB, "P": 1024 * TIB}


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
    return _plain(words, len(natives)) or [_number(word, native) for word, native in zip(words, natives, strict=True)]


def _plain(words: list[str], count: int) -> list[float]:
    """Read at once the cells of a line whose commas can only be decimal; [] where any cell is something else."""
    printed = " ".join(words)
    if len(words) != count or not _PLAIN.fullmatch(printed):
        return []
    return list(map(float, printed.replace(",", ".").split(" ")))


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
