"""What a result was computed from, remembered for as long as the result lives: its lineage.

An analysis makes a dataset of another one; a sentence quotes one row of it, or a count of its rows. To show the lines
of the logs behind a number, a paper follows these steps back to rows that stand in a log. Nothing of it is saved.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import xarray as xr

Scalar = TypeVar("Scalar", int, float, str)

_sources: dict[int, tuple[xr.Dataset, ...]] = {}


def remember(result: xr.Dataset, *sources: xr.Dataset) -> xr.Dataset:
    """Remember what a dataset was computed from, and return it."""
    if id(result) not in _sources:
        weakref.finalize(result, _sources.pop, id(result), None).atexit = False
    _sources[id(result)] = sources
    return result


def inherit(result: xr.Dataset, source: xr.Dataset) -> xr.Dataset:
    """Give a dataset that holds rows of another one the lineage of that, and return it."""
    return remember(result, *sources_of(source))


def sources_of(result: xr.Dataset) -> tuple[xr.Dataset, ...]:
    """Return the datasets that one was computed from; none where nobody remembers."""
    return _sources.get(id(result), ())


class Quoted:
    """A number or word that was taken out of a dataset: it knows the rows, and the key whose level it is, if any.

    `column` is that of a number that stands in one, "" of a word or a count. It is not called variable: xarray takes
    an attribute of that name for the value.
    """

    rows: xr.Dataset
    key: str
    column: str


class _Whole(int, Quoted):
    pass


class _Number(float, Quoted):
    pass


class _Words(str, Quoted):
    pass


_KINDS: dict[type, Any] = {int: _Whole, float: _Number, str: _Words}


def quote(value: Scalar, rows: xr.Dataset, key: str = "", variable: str = "") -> Scalar:
    """Return a number or word that equals `value`, is of its kind, and knows the rows that it was taken from."""
    quoted: Any = _KINDS[type(value)](value)
    quoted.rows, quoted.key, quoted.column = rows, key, variable
    found: Scalar = quoted
    return found


def rows_of(value: object) -> xr.Dataset | None:
    """Return the rows that a number or word was taken from, if it knows them."""
    return value.rows if isinstance(value, Quoted) else None


def variable_of(value: object) -> str:
    """Return the column that a number was taken from; "" where it was taken from none."""
    return value.column if isinstance(value, Quoted) else ""


def key_of(value: object) -> str:
    """Return the key whose level a number or word is, or whose levels it counts; "" if it is of none."""
    return value.key if isinstance(value, Quoted) else ""
