"""Which rows were selected of a store, as Arrow asks for it and as people read it."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any


def row_filter(wanted: Mapping[str, Sequence[Any]]) -> Any:
    """Return what rows must fulfil; a column that a chunk lacks is missing in all of its rows."""
    return functools.reduce(operator.and_, (_one_of(name, levels) for name, levels in wanted.items()))


def _one_of(name: str, levels: Sequence[Any]) -> Any:
    import pyarrow.compute as compute

    column = compute.field(name)
    return functools.reduce(operator.or_, (_is(column, level) for level in levels))


def _is(column: Any, level: Any) -> Any:
    """Return what is true where a column has a level; "" and NaN are what is missing."""
    if level == "":
        return column.is_null() | (column == "")
    return column == level if level == level else column.is_null(nan_is_null=True)


def words_of(wanted: Mapping[str, Sequence[Any]]) -> str:
    """Say which levels rows have."""
    return f" with {', '.join(f'{key}={levels}' for key, levels in wanted.items())}" if wanted else ""
