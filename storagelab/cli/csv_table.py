"""One table of CSV of many logs, written in bounded memory: logs are read once, put aside, and written when all are.

A column that is empty in every row is left out, and so is the SHA-256 of the log, which is longer than most rows
without it; ``--wide`` keeps both.
"""

from __future__ import annotations

import csv
import math
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from typing import Any, BinaryIO, TextIO

import numpy as np

from storagelab import schema, writing
from storagelab.escaping import cells
from storagelab.ingest import Log
from storagelab.ingest.rows_as_read import Rowwise, count, names, tables
from storagelab.parsers import Row, Value

OF_A_LOG = "log_sha256"


@dataclass(slots=True)
class Seen:
    """What columns say, as far as rows were seen.

    Attributes
    ----------
    rows : int
    same : dict of str to Value
        Names that said the same in every row that was seen.
    differ : set of str
        Names that did not.
    """

    rows: int = 0
    same: dict[str, Value] = field(default_factory=dict)
    differ: set[str] = field(default_factory=set)

    def add(self, rows: Rowwise, said: Row) -> None:
        """Look at rows, and at what holds for all of them that do not say it themselves."""
        present = names(rows)
        for name in {*present, *said, *self.same} - self.differ:
            self._look(name, said.get(name, ""), rows if name in present else None)
        self.rows += count(rows)

    def _look(self, name: str, otherwise: Value, rows: Rowwise | None) -> None:
        found = {_missing(otherwise)} if rows is None else levels(rows, name, otherwise)
        if self.rows:
            found = {*found, self.same.get(name, "")}
        if len(found) > 1:
            self.differ.add(name)
            self.same.pop(name, None)
        else:
            self.same[name] = found.pop()

    def columns(self, *, wide: bool) -> list[str]:
        """Return the columns to write, in the order of the contract."""
        says = {name for name, value in self.same.items() if value != ""}
        there = {OF_A_LOG, *self.same} if wide else says
        return [name for name in schema.FIELDS if name in {"log", *self.differ, *there}]


def _missing(value: Value) -> Value:
    return "" if value != value else value


def levels(rows: Rowwise, name: str, otherwise: Value) -> set[Value]:
    """Levels of a column, two of them at most; what is missing is ""."""
    if not isinstance(rows, dict):
        return {_missing(row.get(name, otherwise)) for row in rows}
    column = rows[name]
    if isinstance(column, np.ndarray):
        ends = {column.min(), column.max()} if len(column) else set()
        return {_missing(value.item()) for value in ends}
    first = column[0] if len(column) else otherwise
    return {_missing(first)} if all(value == first for value in column) else {_missing(first), *column}


class Aside:
    """Logs put aside on disk, to be gone through again; one too large to be held is read again instead."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._large: list[Log] = []

    def put(self, log: Log) -> None:
        """Put a log behind the others."""
        is_large = log.parsed.blocks is not None
        if is_large:
            self._large.append(log)
        pickle.dump(None if is_large else log, self._file, pickle.HIGHEST_PROTOCOL)

    def __iter__(self) -> Iterator[Log]:
        large = iter(self._large)
        self._file.seek(0)
        while True:
            try:
                log: Log | None = pickle.load(self._file)
            except EOFError:
                return
            yield log or next(large)


def write(logs: Iterable[Log], file: TextIO, nodes: Sequence[str], *, wide: bool) -> None:
    """Write all rows as one table.

    Parameters
    ----------
    logs : iterable of Log
    file : text file
    nodes : sequence of str
    wide : bool
        Whether columns stay that are empty in every row, and the SHA-256 of the log.

    Notes
    -----
    Text that a spreadsheet would take for a formula has an apostrophe in front (`storagelab.escaping.cells`).
    """
    seen = Seen()
    with writing.scratch_file() as aside:
        kept = Aside(aside)
        for log in logs:
            kept.put(log)
            for node in nodes:
                for rows in tables(log, node):
                    if count(rows):
                        seen.add(rows, _said(log, node))
        columns = seen.columns(wide=wide)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["node", *columns])
        for log in kept:
            for node in nodes:
                for rows in tables(log, node):
                    writer.writerows(_written(rows, columns, node, log))


def _said(log: Log, node: str) -> Row:
    return {} if node == "logs" else log.header()


def _written(rows: Rowwise, columns: Sequence[str], node: str, log: Log) -> Iterator[tuple[Any, ...]]:
    about: Row = {**_said(log, node), "log": log.name, OF_A_LOG: log.sha256}
    if isinstance(rows, dict):
        height, said = count(rows), {name: cell(value) for name, value in about.items()}
        cells_of = (_column(rows[name]) if name in rows else repeat(said.get(name, ""), height) for name in columns)
        return zip(repeat(node), *cells_of, strict=False)
    whole = ({**about, **row} for row in rows)
    return ((node, *(cell(row.get(name, "")) for name in columns)) for row in whole)


def _column(column: Sequence[Value]) -> Iterable[Value]:
    return map(cell, column.tolist() if isinstance(column, np.ndarray) else column)


def cell(value: Value) -> Value:
    """Write a value: a whole number without a point, text so that no spreadsheet computes it, nothing for NaN."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else "" if math.isnan(value) else value
    return value


_EXACT = 2.0**53
_text = lru_cache(2**12)(cells.text)
