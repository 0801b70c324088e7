"""Rows of a log: one by one, or as columns that become rows where somebody asks for them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Value = str | float | int
Row = dict[str, Value]


class Words(Sequence[str]):
    """A column of text in which few words stand often: the words, and for each row the place of its word."""

    __slots__ = ("codes", "words")

    def __init__(self, words: Sequence[str], codes: npt.NDArray[np.integer[Any]]) -> None:
        self.words = words
        self.codes = codes

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str]:
        return map(self.words.__getitem__, self.codes.tolist())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Words: ...
    def __getitem__(self, index: int | slice) -> str | Words:
        return Words(self.words, self.codes[index]) if isinstance(index, slice) else self.words[self.codes[index]]


Columns = dict[str, Sequence[Value]]


class Sparse(dict[str, Any]):
    """Columns of which those of numbers hold None where a row has no such value; no row lacks text or its line."""

    def filled(self) -> Columns:
        """Return the columns with NaN where a row has no value."""
        return {name: _filled(column) if None in column else column for name, column in self.items()}


def _filled(column: Iterable[Value | None]) -> list[Value]:
    return [math.nan if value is None else value for value in column]


Blocks = Callable[[], Iterator[Columns]]
"""Goes through the samples of a log from its beginning, some hundred thousand at once, each time it is called."""


class Rows(Sequence[Row]):
    """Rows, of which those of large tables are kept as columns and become rows where somebody asks for them.

    Attributes
    ----------
    parts : list of list of Row, or of Columns
        The rows in their order: lists of them, and tables with a sequence a name, all of one length.
    """

    __slots__ = ("parts",)

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.parts: list[list[Row] | Columns] = []
        if rows:
            self.extend(rows)

    def append(self, row: Row) -> None:
        """Add a row."""
        self.extend((row,))

    def extend(self, rows: Iterable[Row]) -> None:
        """Add rows."""
        if isinstance(rows, Rows):
            self.parts += [part if isinstance(part, dict) else list(part) for part in rows.parts]
        elif self.parts and isinstance(self.parts[-1], list):
            self.parts[-1] += rows
        else:
            self.parts.append(list(rows))

    def add_columns(self, columns: Columns) -> None:
        """Add a table: as many rows as each of its columns is long."""
        self.parts.append(columns)

    def shared(self, values: Row) -> Rows:
        """Return the rows with values that all of them have, unless a row says otherwise."""
        shared = Rows()
        for part in self.parts:
            if isinstance(part, dict):
                columns = {name: [value] * len(part["line"]) for name, value in values.items()} | part
                shared.add_columns(Sparse(columns) if isinstance(part, Sparse) else columns)
            else:
                shared.extend([values | row for row in part])
        return shared

    def column(self, name: str, missing: Value = "") -> list[Value]:
        """Return what each row has under a name."""
        found: list[Value] = []
        for part in self.parts:
            if isinstance(part, dict):
                column = part.get(name) or [missing] * len(part["line"])
                found += (
                    [missing if value is None else value for value in column] if isinstance(part, Sparse) else column
                )
            else:
                found += [row.get(name, missing) for row in part]
        return found

    def distinct(self, name: str) -> set[Value]:
        """Return every value that rows have under a name."""
        found: set[Value] = set()
        for part in self.parts:
            found.update(part.get(name, ()) if isinstance(part, dict) else (row[name] for row in part if name in row))
        found.discard(None)
        return found

    def __len__(self) -> int:
        return sum(len(part["line"]) if isinstance(part, dict) else len(part) for part in self.parts)

    def __iter__(self) -> Iterator[Row]:
        for part in self.parts:
            if isinstance(part, Sparse):
                for row in zip(*part.values(), strict=True):
                    yield {name: value for name, value in zip(part, row, strict=True) if value is not None}
            elif isinstance(part, dict):
                yield from map(dict, map(zip, itertools.repeat(tuple(part)), zip(*part.values(), strict=True)))
            else:
                yield from part

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        return list(self)[index]

    def __add__(self, rows: Iterable[Row]) -> list[Row]:
        return [*self, *rows]

    def __iadd__(self, rows: Iterable[Row]) -> Rows:
        self.extend(rows)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows | list) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"Rows({list(self)!r})"
