"""What a parser returns, and the shape a parser module has."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, runtime_checkable

from storagelab import schema
from storagelab.errors import ContractError, UnknownNameError
from storagelab.parsers.declared_checks import NOTHING, Checks
from storagelab.parsers.rows import Blocks, Columns, Row, Rows, Sparse, Value, Words

__all__ = [
    "BinaryParser",
    "Blocks",
    "Columns",
    "Format",
    "Grouped",
    "Note",
    "Parsed",
    "Parser",
    "Row",
    "Rows",
    "Sparse",
    "Streaming",
    "Value",
    "Words",
    "check",
    "check_samples",
    "columns",
    "grouped",
    "missing",
    "stacked",
]


class Note(NamedTuple):
    """Something a reader of the log should know; `line` is 0 where it concerns the whole log."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Format:
    r"""How a format is listed by ``storagelab formats``.

    `names` is for formats whose content does not say what was measured: only files with a name in which this regular
    expression is found are of the format, whatever they hold; "" leaves it to the content.

    `marks` are words (runs of ASCII letters), or several of which all are there, with blanks between them; `shapes` are
    regular expressions for what has no words, such as tables of bare numbers. In all 4 KiB that `sniff` accepts there
    is at least one of them: it is not asked about others. Shapes are looked for in every log of every tool; quick ones
    begin with a literal character that is rare.

    `opens` are literal pieces of lines with which output of the tool begins, or goes on after that of another tool:
    where several tools speak in one log by turns, or one behind a long preamble, these lines are whose they are. Each
    holds a whole word, that is a run of ASCII letters, or no letter, where a tool speaks many languages: such a one is
    looked for in every text. One may stand in several formats, and what follows decides.
    `forms` are for a parser that knows several forms of its tool's output (a table, CSV, JSON) and reads one of them at
    a time: for each, the literals with which only it opens. A log that holds several is shared out among them as among
    tools, and the parser reads each by itself. What opens any of them stands in `opens`.
    `repeats` names formats in which the tool may say the same again (fio prints JSON and its report of one run).
    `holds` names formats whose output is part of this one's (IO500 runs IOR), and `in_paragraphs` says that reports end
    with an empty line, behind which another tool may go on. `in_scripts` says that no line of the tool looks like those
    that a script prints around it (`wrapping/scripts.py`): a log that is not whole is read without these too.

    `reads_returns` says that the tool writes over its own lines (``\r``) and that the parser reads what it wrote over
    too: each state of a bar is a sample. Of other formats only what a terminal shows is read.

    `stamped` says that lines of the tool are messages, which begin with a time, a process or a level themselves: where
    such a log is not whole, no reading without these makes it so.

    `prefixes` names kinds of prefixes (`wrapping/prefixes.py`) that lines of the tool have by themselves, such as the
    times of sar: from a log that is whole with them, none of these is taken away.

    `checks` is what its logs can be held against.
    """

    name: str
    tool: str
    versions: str
    reads: str
    source: str
    names: str = ""
    marks: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    forms: tuple[tuple[str, ...], ...] = ()
    holds: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    in_paragraphs: bool = False
    in_scripts: bool = False
    reads_returns: bool = False
    stamped: bool = False
    prefixes: tuple[str, ...] = ()
    checks: Checks = NOTHING

    @property
    def openings(self) -> tuple[str, ...]:
        """All literals with which output of the tool opens, in any of its forms."""
        return (*self.opens, *itertools.chain.from_iterable(self.forms))


@dataclass(slots=True)
class Parsed:
    """One log, read.

    Attributes
    ----------
    header : Row
        What holds for the whole log: tool, tool_version, command, started, ended (ISO 8601, UTC where the log gives
        an offset) and keys that every row shares. A row's own value beats the header's.
    runs : list of Row, or Rows
        One row a measured operation: contract names, SI values, `operation` and `line` (1-based) always.
    clients : list of Row
        The same for the share of one client, process or rank: also `share` and `client` or `process`.
    series : Columns
        Samples of time series or counters, a sequence a name, all of one length, `line` always; `operation` is ""
        where a sample has no direction.
    events : list of Row
        What happened: `event`, `line`, and `time`, seconds since the header's `started`.
    notes : list of Note
        What was skipped, repaired or missing.
    complete : bool
        False where the log ends before its tool was done, or lost something on the way.
    blocks : Blocks, optional
        The samples of a log that is too large to be held, in place of `series`; columns may be numpy arrays.
    harmless : bool
        Whether the texts of header, runs and clients were looked at, and none needs an escape; no parser says so.
    """

    header: Row
    runs: list[Row] | Rows = field(default_factory=list)
    clients: list[Row] = field(default_factory=list)
    series: Columns = field(default_factory=dict)
    events: list[Row] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    complete: bool = True
    blocks: Blocks | None = None
    harmless: bool = field(default=False, repr=False, compare=False)

    def tables(self) -> Iterator[Columns]:
        """Return the samples, block by block where there are too many to be held; all blocks have the same names.

        Returns
        -------
        iterator of Columns
            Blocks of samples.
        """
        if self.series:
            yield self.series
        if self.blocks:
            yield from self.blocks()

    def is_empty(self) -> bool:
        """Whether the log held nothing that was measured.

        Returns
        -------
        bool
            True where it has neither rows nor samples nor events.
        """
        return not (self.runs or self.clients or self.series or self.events or self.blocks)

    def incomplete(self, text: str, line: int = 0) -> None:
        """Mark the log as cut and say why.

        Parameters
        ----------
        text : str
            A sentence.
        line : int, optional
            The line it is about; 0 where it is the whole log.
        """
        self.complete = False
        self.notes.append(Note(line, text))

    def cut_line(self, rest: str, line: int) -> None:
        """Mark the log as cut in its last line, if anything stands there behind the last line end.

        Parameters
        ----------
        rest : str
            What stands behind the last line end.
        line : int
            The number of that line.
        """
        if rest.strip():
            self.incomplete("the last line has no end and is not trusted", line)

    def note(self, text: str, line: int = 0) -> None:
        """Say something about the log that does not make it incomplete.

        Parameters
        ----------
        text : str
            A sentence.
        line : int, optional
            The line it is about; 0 where it is the whole log.
        """
        self.notes.append(Note(line, text))


class Parser(Protocol):
    """A parser is a module with a `FORMAT` and these two functions; it knows neither paths nor xarray nor sidecars."""

    FORMAT: Format

    def sniff(self, head: str) -> bool:
        """Whether the first 4 KiB of a log are of this format.

        Parameters
        ----------
        head : str
            The beginning of the log.

        Returns
        -------
        bool
            True where the parser claims it.
        """

    def parse(self, text: str) -> Parsed:
        """Read the whole log.

        Parameters
        ----------
        text : str
            The log.

        Returns
        -------
        Parsed
            What it says.
        """


@runtime_checkable
class Streaming(Parser, Protocol):
    """A parser of logs that may be too large to be held: it can also read one through a function that opens it."""

    def stream(self, opened: Callable[[], BinaryIO]) -> Parsed:
        """Read the log once, and return what holds for all of it, its samples as `blocks`."""


class BinaryParser(Protocol):
    """A parser of logs that are no text: the library that reads them wants the path of a file."""

    FORMAT: Format

    def claims(self, head: bytes) -> bool:
        """Whether a file that begins so is of this format."""

    def parse(self, path: Path) -> Parsed:
        """Read the whole log."""


class Grouped(NamedTuple):
    """Rows as they are held, and as checks look at them: column by column, those with the same names at once."""

    rows: list[Row] | Columns
    tables: list[Columns]


def grouped(parsed: Parsed) -> list[Grouped]:
    """Return the rows of runs and clients for checks that hold what all rows with some names have in common."""
    held = (
        part for rows in (parsed.runs, parsed.clients) for part in (rows.parts if isinstance(rows, Rows) else [rows])
    )
    return [Grouped(part, [part] if isinstance(part, dict) else _alike(part)) for part in held if part]


def _alike(rows: Sequence[Row]) -> list[Columns]:
    if len(rows) == 1:
        return [dict(zip(rows[0], zip(rows[0].values(), strict=True), strict=True))]
    found: dict[tuple[str, ...], list[Row]] = {}
    for names, alike in itertools.groupby(rows, tuple):
        found.setdefault(names, []).extend(alike)
    return [dict(zip(names, zip(*map(dict.values, alike), strict=True), strict=True)) for names, alike in found.items()]


def check(parsed: Parsed, rows: Sequence[Grouped] | None = None) -> Parsed:
    """Hold what a parser returned against the contract, cheaply: once for each set of names and each operation.

    Parameters
    ----------
    parsed : Parsed
        What it returned.
    rows : sequence of Grouped, optional
        Its rows as `grouped` returns them, where they are there already.

    Raises
    ------
    UnknownNameError
        If a name or an operation is not the contract's.
    ContractError
        If a row lacks its line, or the columns of `series` differ in length.
    """
    _check_names(parsed.header)
    for part in grouped(parsed) if rows is None else rows:
        for table in part.tables:
            if table is part.rows:
                _check_columns(table)
            else:
                _check_rows(table)
    if parsed.series:
        check_samples(parsed.series)
    if parsed.events:
        _check_names(set().union(*parsed.events))
        _check_lines(parsed.events)
    return parsed


def check_samples(series: Columns) -> Columns:
    """Hold the columns of `series`, or of one of its blocks, against the contract, as `check` does."""
    _check_columns(series, also=_NO_DIRECTION)
    return series


def columns(samples: Sequence[Row]) -> Columns:
    """Turn rows into columns; what a row lacks is missing."""
    lacking = {name: missing(name) for name in dict.fromkeys(itertools.chain.from_iterable(samples))}
    return {name: [sample.get(name, value) for sample in samples] for name, value in lacking.items()}


def stacked(tables: Iterable[Columns]) -> Columns:
    """Put tables below each other; what one of them lacks is missing in its rows."""
    parts = [table for table in tables if table]
    height = sum(len(part["line"]) for part in parts)
    found: dict[str, list[Value]] = {}
    start = 0
    for part in parts:
        end = start + len(part["line"])
        for name, column in part.items():
            if name not in found:
                found[name] = [missing(name)] * height
            found[name][start:end] = column
        start = end
    return dict(found)


def missing(name: str) -> Value:
    """Return what stands in a column where a row has no such value: "" in one of text, NaN in one of numbers."""
    return "" if schema.is_text(name) else math.nan


def _check_rows(rows: Columns) -> None:
    _check_names(rows)
    _check_lines((rows,))
    _check_operations(set(rows.get("operation", (None,))))


def _check_lines(rows: Collection[Row] | Collection[Columns]) -> None:
    if not all(map(operator.contains, rows, itertools.repeat("line"))):
        raise ContractError(f"a row has no line, only {', '.join(next(row for row in rows if 'line' not in row))}")


def _check_columns(columns: Columns, also: frozenset[str] = frozenset()) -> None:
    _check_names(columns)
    if "line" not in columns or len(set(map(len, columns.values()))) > 1:
        lengths = {name: len(column) for name, column in columns.items()}
        raise ContractError(f"columns must have one length and a line: {lengths}")
    operations = columns.get("operation", ())
    _check_operations(set(operations.words if isinstance(operations, Words) else operations) - also)


def _check_names(names: Iterable[str]) -> None:
    if not _NAMES.issuperset(names):
        for name in names:
            schema.field(name)


def _check_operations(operations: set[Any]) -> None:
    unknown = operations - _OPERATIONS
    if unknown:
        raise UnknownNameError("operation", str(unknown.pop()), schema.OPERATIONS)


_NO_DIRECTION = frozenset({""})
_NAMES = frozenset(schema.FIELDS)
_OPERATIONS = frozenset(schema.OPERATIONS)
