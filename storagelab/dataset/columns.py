"""Rows of contract names as full columns, in the memory that they need."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np

from storagelab import schema
from storagelab.errors import ContractError

Row = Mapping[str, Any]


class Coded(Protocol):
    """A column of text in which few words stand often: the words, and for each row the place of its word."""

    words: Sequence[str]
    codes: np.ndarray[Any, Any]


class Table:
    """Rows on their way to a dataset: a compact column a name, so that memory grows with the dataset and no more."""

    def __init__(self) -> None:
        self._length = 0
        self._numbers: dict[str, array[float]] = {}
        self._codes: dict[str, array[int]] = {}
        self._words: dict[str, dict[str, int]] = {}

    def __len__(self) -> int:
        return self._length

    def append(self, row: Row) -> None:
        """Add a row of contract names; what it lacks is missing.

        Parameters
        ----------
        row : mapping
            Values by their names, in SI.
        """
        for name, value in row.items():
            if isinstance(value, str):
                self._append_text(name, value)
            else:
                self._append_number(name, value)
        self._length += 1

    def extend(self, rows: Iterable[Row]) -> None:
        """Add many rows.

        Parameters
        ----------
        rows : iterable of mapping
            As for `append`.
        """
        for row in rows:
            self.append(row)

    def extend_columns(self, columns: Mapping[str, Sequence[Any]], shared: Row) -> None:
        """Add rows given as columns of one length, with what holds for all of them; where both say it, the columns do.

        Numbers are taken over as a block, text that is `Coded` by its codes: ten million rows cost seconds.

        Parameters
        ----------
        columns : mapping of str to sequence
            Values by their names, in SI.
        shared : mapping
            What every row has.
        """
        count = max(map(len, columns.values()), default=0)
        constant = {name: [value] for name, value in shared.items() if name not in columns}
        for name, column in {**constant, **columns}.items() if count else ():
            if schema.is_text(name):
                self._extend_text(name, column, count)
            else:
                self._extend_numbers(name, column, count)
        self._length += count

    def _extend_text(self, name: str, column: Sequence[str], count: int) -> None:
        codes, words = self._codes_of(name), self._words[name]
        if isinstance(column, list):
            if not all(isinstance(word, str) for word in {*column}):
                raise ContractError(f"{name} must be text in every row")
            codes.extend(_as_long([words.setdefault(word, len(words)) for word in column], count))
        else:
            known, places = (column.words, column.codes) if _is_coded(column) else _coded(name, column)
            own = np.array([words.setdefault(word, len(words)) for word in known], dtype=np.int32)
            codes.frombytes(np.broadcast_to(own[places], count).tobytes())

    def _extend_numbers(self, name: str, column: Sequence[float], count: int) -> None:
        numbers = self._numbers_of(name)
        if isinstance(column, list) and _PLAIN.issuperset(map(type, column)):
            numbers.extend(_as_long(column, count))
            return
        try:
            numbers.frombytes(np.broadcast_to(np.asarray(column, dtype=np.float64), count).tobytes())
        except ValueError as error:
            raise ContractError(f"{name} must be a number in every row: {error}") from None

    def _append_text(self, name: str, value: str) -> None:
        codes, words = self._codes_of(name), self._words[name]
        codes.append(words.setdefault(value, len(words)))

    def _append_number(self, name: str, value: float) -> None:
        self._numbers_of(name).append(value)

    def _codes_of(self, name: str) -> array[int]:
        """Codes of a column of text, as many as there are rows: those that lack it have that of no text."""
        if name not in self._codes:
            self._codes[name], self._words[name] = array("i"), {"": 0}
        codes = self._codes[name]
        if len(codes) < self._length:
            codes.extend([0] * (self._length - len(codes)))
        return codes

    def _numbers_of(self, name: str) -> array[float]:
        """Numbers of a column, as many as there are rows: NaN for those that lack it."""
        numbers = self._numbers.setdefault(name, array("d"))
        if len(numbers) < self._length:
            numbers.extend([np.nan] * (self._length - len(numbers)))
        return numbers

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """Full columns, in the order of the schema.

        Returns
        -------
        dict of str to ndarray
            One column a name, as long as the table.

        Raises
        ------
        ContractError
            If a name holds text where the contract wants numbers, or the other way round.
        """
        for name in (*self._codes, *self._numbers):
            if schema.is_text(name) != (name in self._codes) or (name in self._codes and name in self._numbers):
                wanted = "text" if schema.is_text(name) else "a number"
                raise ContractError(f"{name} must be {wanted} in every row")
        found = {**self._codes, **self._numbers}
        return {name: self._column(name) for name in schema.FIELDS if name in found}

    def codes(self, name: str) -> tuple[list[str], np.ndarray[Any, Any]]:
        """Return a column of text as its words and, for each row, the place of its word; "" where it is missing.

        Parameters
        ----------
        name : str
            A name whose values are text.

        Returns
        -------
        tuple of list of str and ndarray
            Words, and the place of each row's word among them.
        """
        codes = np.zeros(self._length, dtype=np.int32)
        found = self._codes.get(name, array("i"))
        codes[: len(found)] = found
        return list(self._words.get(name, [""])), codes

    def numbers(self, name: str) -> np.ndarray[Any, Any]:
        """Return a column of numbers; NaN where one is missing.

        Parameters
        ----------
        name : str
            A name whose values are numbers.

        Returns
        -------
        ndarray
            Float64, in SI.
        """
        numbers = np.full(self._length, np.nan)
        found = self._numbers.get(name, array("d"))
        numbers[: len(found)] = found
        return numbers

    def _column(self, name: str) -> np.ndarray[Any, Any]:
        if name not in self._codes:
            return self.numbers(name)
        known, codes = self.codes(name)
        words = _texts(known, codes)
        if self._length and (codes == codes[0]).all():
            return np.broadcast_to(words[codes[0]], self._length)
        spread: np.ndarray[Any, Any] = words[codes]
        return spread


WIDE = 2**13
"""Characters of a text from which on its column has no fixed width: each row would take the space of the longest."""


WIDE_IN_MANY = 2**8


MANY = 2**22
"""Characters of a column of a fixed width from which on it matters that few texts need more than `WIDE_IN_MANY`."""


EMPTY = 8
"""How many times the characters of its texts a column of a fixed width may have."""


def _texts(words: Sequence[str], codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return words as an array: of a fixed width, or as objects where one long text would make all rows long."""
    lengths = np.array([*map(len, words), 0])
    width, whole = int(lengths.max()), int(lengths.max()) * codes.size
    is_mostly_empty = whole > MANY and whole > EMPTY * int(lengths[codes].sum())
    is_wide = width > WIDE or (width > WIDE_IN_MANY and is_mostly_empty)
    return np.array(words, dtype=object if is_wide else str)


def _is_coded(column: Sequence[str]) -> TypeGuard[Coded]:
    """Whether a column has codes; a protocol that is looked at when a program runs costs more than the column."""
    return hasattr(column, "codes")


def _coded(name: str, column: Sequence[str]) -> tuple[list[str], np.ndarray[Any, Any]]:
    words: dict[str, int] = {}
    places = np.array([words.setdefault(word, len(words)) for word in column], dtype=np.int32)
    if not all(isinstance(word, str) for word in words):
        raise ContractError(f"{name} must be text in every row")
    return list(words), places


_PLAIN = frozenset({int, float})
"""Types of numbers that an array takes as they are."""


def _as_long(column: list[Any], count: int) -> list[Any]:
    """Return a column of so many rows, or the one value of a column in as many."""
    if len(column) not in (1, count):
        raise ValueError(f"expected a column of {count} rows, found {len(column)}")
    return column if len(column) == count else column * count
