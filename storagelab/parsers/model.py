"""What a parser returns, and the shape a parser module has."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from storagelab import schema
from storagelab.errors import ContractError, UnknownNameError

Value = str | float | int
Row = dict[str, Value]
Columns = dict[str, Sequence[Value]]


class Note(NamedTuple):
    """Something a reader of the log should know; `line` is 0 where it concerns the whole log."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Format:
    """How a format is listed by ``storagelab formats``."""

    name: str
    tool: str
    versions: str
    reads: str
    source: str


@dataclass(slots=True)
class Parsed:
    """One log, read.

    Attributes
    ----------
    header : Row
        What holds for the whole log: tool, tool_version, command, started, ended (ISO 8601, UTC where the log gives
        an offset) and keys that every row shares. A row's own value beats the header's.
    runs : list of Row
        One row a measured operation: contract names, SI values, `operation` and `line` (1-based) always.
    clients : list of Row
        The same for the share of one client, process or rank: also `share` and `client` or `process`.
    series : Columns
        Samples of time series or counters, a sequence a name, all of one length, `line` always.
    notes : list of Note
        What was skipped, repaired or missing.
    complete : bool
        False where the log ends before its tool was done, or lost something on the way.
    """

    header: Row
    runs: list[Row] = field(default_factory=list)
    clients: list[Row] = field(default_factory=list)
    series: Columns = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    complete: bool = True

    def is_empty(self) -> bool:
        """Whether the log held nothing that was measured."""
        return not (self.runs or self.clients or self.series)

    def incomplete(self, text: str, line: int = 0) -> None:
        """Mark the log as cut and say why."""
        self.complete = False
        self.notes.append(Note(line, text))

    def note(self, text: str, line: int = 0) -> None:
        """Say something about the log that does not make it incomplete."""
        self.notes.append(Note(line, text))


class Parser(Protocol):
    """A parser is a module with a `FORMAT` and these two functions; it knows neither paths nor xarray nor sidecars."""

    FORMAT: Format

    def sniff(self, head: str) -> bool:
        """Whether the first 4 KiB of a log are of this format."""

    def parse(self, text: str) -> Parsed:
        """Read the whole log."""


def check(parsed: Parsed) -> Parsed:
    """Hold what a parser returned against the contract, cheaply: once for each set of names and each operation.

    Raises
    ------
    UnknownNameError
        If a name or an operation is not the contract's.
    ContractError
        If a row lacks its line, or the columns of `series` differ in length.
    """
    _check_names([tuple(parsed.header)])
    for rows in (parsed.runs, parsed.clients):
        shapes = set(map(tuple, rows))
        _check_names(shapes)
        _check_lines(shapes)
        _check_operations({row.get("operation") for row in rows})
    _check_series(parsed.series)
    return parsed


def _check_names(shapes: Iterable[tuple[str, ...]]) -> None:
    for shape in shapes:
        _check_shape(shape)


@functools.lru_cache(maxsize=4096)
def _check_shape(shape: tuple[str, ...]) -> None:
    """Look each name up; logs of one kind repeat few sets of names, so a set that passed is remembered."""
    for name in shape:
        schema.field(name)


def _check_operations(operations: Iterable[Value | None]) -> None:
    unknown = set(operations) - _OPERATIONS
    if unknown:
        raise UnknownNameError("operation", str(unknown.pop()), schema.OPERATIONS)


def _check_lines(shapes: Iterable[tuple[str, ...]]) -> None:
    for shape in shapes:
        if "line" not in shape:
            raise ContractError(f"a row has no line, only {', '.join(shape)}")


def _check_series(series: Columns) -> None:
    if not series:
        return
    _check_names([tuple(series)])
    lengths = {name: len(column) for name, column in series.items()}
    if "line" not in lengths or len(set(lengths.values())) > 1:
        raise ContractError(f"the columns of a series must have one length and a line: {lengths}")
    _check_operations(set(series.get("operation", ())))


_OPERATIONS = frozenset(schema.OPERATIONS)
