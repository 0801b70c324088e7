"""What a tool can print: values that it could not have had are refused before they reach a log.

All functions return the value that they were given, so that they can stand where it is used.
"""

from __future__ import annotations

import math

from storagelab.errors import ReconstructError


def amount(name: str, value: float) -> float:
    """Return a number that is finite and not negative.

    Raises
    ------
    ReconstructError
        If it is not; names the value.
    """
    if not (math.isfinite(value) and value >= 0):
        raise ReconstructError(f"{name}: expected a finite number that is not negative, found {value!r}")
    return value


def positive(name: str, value: float) -> float:
    """Return a number that is finite and more than 0.

    Raises
    ------
    ReconstructError
        If it is not; names the value.
    """
    if not (math.isfinite(value) and value > 0):
        raise ReconstructError(f"{name}: expected a finite number above 0, found {value!r}")
    return value


def whole(name: str, value: float, most: float = 2.0**64 - 1) -> int:
    """Return a count, such as one of bytes, as an integer.

    Raises
    ------
    ReconstructError
        If it is negative, not whole, or more than `most`; names the value.
    """
    if not (math.isfinite(value) and 0 <= value <= most and value == int(value)):
        raise ReconstructError(f"{name}: expected a whole number from 0 to {int(most)}, found {value!r}")
    return int(value)


def line(name: str, value: str) -> str:
    """Return text that stands on one line and is not empty.

    Raises
    ------
    ReconstructError
        If it is empty, or holds a line end or another character that no terminal shows; names the value.
    """
    if not value.strip() or not value.isprintable():
        raise ReconstructError(f"{name}: expected text on one line, found {value!r}")
    return value


def word(name: str, value: str) -> str:
    """Return text without white space, such as a path or a host.

    Raises
    ------
    ReconstructError
        If it is empty, or holds white space or a character that no terminal shows; names the value.
    """
    if len(value.split()) != 1 or value != value.strip() or not value.isprintable():
        raise ReconstructError(f"{name}: expected text without white space, found {value!r}")
    return value
