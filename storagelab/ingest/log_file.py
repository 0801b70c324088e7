"""Reading one log from disk: bytes, checksum, text, rows. The only place where a parser meets a path.

A log of some size whose parser can stream is never held: its samples come block by block, anew for each who asks.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from storagelab import parsers, schema, writing
from storagelab.errors import ParseError, naming
from storagelab.escaping.characters import harmless
from storagelab.ingest import checksums
from storagelab.ingest.cost_bounds import bounded
from storagelab.parsers import Columns, Format, Note, Parsed, Row, Value
from storagelab.parsers.wrapping import compression, encodings
from storagelab.parsers.wrapping.several_tools import OF_A_SAMPLE


@dataclass(frozen=True, slots=True)
class Log:
    """One log, read: its name as messages and datasets show it, the SHA-256 of its bytes, its format and content."""

    name: str
    sha256: str
    format: str
    parsed: Parsed

    def rows(self, node: str) -> Iterator[Row]:
        """Rows of a node with what the header says of all of them; a series comes a row a sample.

        Parameters
        ----------
        node : str
            A node of the study.

        Yields
        ------
        mapping
            A row, by the names of the contract, in SI.
        """
        header = self.header()
        if node == "series":
            for columns in self.parsed.tables():
                yield from _rows(header, columns)
        else:
            for row in getattr(self.parsed, node):
                yield header | row

    def header(self) -> Row:
        """Return what the header says of every row.

        Returns
        -------
        mapping
            Values by their names.
        """
        return {name: value for name, value in self.parsed.header.items() if name not in LOG_ONLY}

    def columns(self) -> list[str]:
        """Names of the columns of its samples.

        Returns
        -------
        list of str
            Names of the contract; none where the log has no samples.
        """
        return list(next(self.parsed.tables(), {}))

    def of_a_sample(self) -> Row:
        """Return what the header says of each sample and event.

        Returns
        -------
        mapping
            Values by their names.
        """
        return {name: value for name, value in self.parsed.header.items() if name in OF_A_SAMPLE}

    def iter_events(self) -> Iterator[Row]:
        """Events, with what the header says of each of them.

        Yields
        ------
        mapping
            An event, by the names of the contract.
        """
        return (self.of_a_sample() | row for row in self.parsed.events)

    def record(self) -> Row:
        """Return the log's row in the node ``logs``.

        Returns
        -------
        mapping
            Path, SHA-256, tool, command, dates, and whether the log is whole.
        """
        header = {name: value for name, value in self.parsed.header.items() if name != "statistic"}
        told: Row = {"options": header["command"]} if "command" in header else {}
        return (
            told
            | header
            | {
                "log": self.name,
                "log_sha256": self.sha256,
                "format": self.format,
                "complete": float(self.parsed.complete),
                "notes": self.notes(),
            }
        )

    def notes(self) -> str:
        """What the parser has to say about the log, in one line.

        Returns
        -------
        str
            Notes, with their lines; empty where there are none.
        """
        return "; ".join(_written(note) for note in self.parsed.notes)


LOG_ONLY = frozenset(
    {"tool_version", "command", "options", "started", "ended", "exit_status", "wrapping"}
    | {"machine", "ran_on", "tested_path", "filesystem_size", "filesystem_used"}
)


LARGE = 2**26
"""Bytes of a file from which on it is read block by block, if its parser can do so."""


def _rows(header: Row, columns: Columns) -> Iterator[Row]:
    """Return samples as rows; numpy's numbers become Python's, some thousand at once."""
    for start in range(0, len(columns["line"]), ROWS):
        part = [_listed(column[start : start + ROWS]) for column in columns.values()]
        for values in zip(*part, strict=True):
            yield header | dict(zip(columns, values, strict=True))


ROWS = 2**14


def _listed(column: Sequence[Value]) -> Sequence[Value]:
    return column.tolist() if isinstance(column, np.ndarray) else column


_RECONSTRUCTED = re.compile(r"\b[Rr]econstructed\b(?:(?!\b[Rr]econstructed\b).)*\b(?:published|not measured)\b")


def _says_reconstructed(text: str) -> int:
    """Return the line on which a log says that it was made from published numbers; 0 where none does."""
    found = _RECONSTRUCTED.search(text) if "econstructed" in text else None
    return 1 + text.count("\n", 0, found.start()) if found else 0


def _written(note: Note) -> str:
    return f"line {note.line}: {note.text}" if note.line else note.text


def _readable(name: str) -> str:
    r"""Return a file name as text, bytes that are not UTF-8 as ``\xff``, and what nobody can see as escapes."""
    return harmless(name if name.isascii() else _NO_UTF_8.sub(_escaped, name))


def _escaped(byte: re.Match[str]) -> str:
    return f"\\x{ord(byte[0]) - 0xDC00:02x}"


_NO_UTF_8 = re.compile("[\udc80-\udcff]")
"""How Python writes bytes of file names that are not UTF-8 (PEP 383)."""


def read_log(path: Path | str, *, name: str = "", format: str = "") -> Log:
    """Read one log.

    Parameters
    ----------
    path : Path or str
        The log.
    name : str, optional
        What to call it; its path otherwise.
    format : str, optional
        Name of its format; recognised by content otherwise, and by the file's name where the content is not enough.

    Returns
    -------
    Log
        What the log says: header, rows, samples, events, and whether it is whole.

    Raises
    ------
    ParseError
        If it is of no known format, is not what it claims to be, or costs more than `bounds` allow; names the file and
        the line.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> log = storagelab.read_log("results/ior.log")  # doctest: +SKIP
    >>> log.format, log.header()["command"]  # doctest: +SKIP
    """
    path = path if isinstance(path, Path) else Path(path)
    given = name or str(path)
    name = _readable(given)
    try:
        with bounded(), naming(path):
            log = _read(path, name, format)
    except ParseError as error:
        raise ParseError(error.expected, error.found, error.line, name) from None
    if name != given:
        log.parsed.note("the name of the file holds bytes or characters that are written as escapes, or is cut")
    return log


ENDLESS = {stat.S_IFCHR: 2**26, stat.S_IFIFO: 2**30}
"""Bytes after which a device or a pipe, which may never end, is given up."""


class Ending:
    """A file that is read to its end, unless it is a device or a pipe that has none.

    Raises
    ------
    ParseError
        When more is read of such a one than `ENDLESS` has for it.
    """

    def __init__(self, file: io.FileIO | io.BufferedReader) -> None:
        status = os.fstat(file.fileno())
        self._file = file
        kind = stat.S_IFMT(status.st_mode)
        self._limit = ENDLESS.get(kind)
        self._size = 0
        self.size = status.st_size
        self.is_regular = kind == stat.S_IFREG
        self._whole = status.st_size if self.is_regular else 0

    @property
    def short(self) -> str:
        """Say how much of a file was read, once its end was; "" where that is all that the file system promised."""
        return f"the file has {self._whole} bytes, and ended after {self._size}" if self._size < self._whole else ""

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all."""
        data = self._file.read(self._limit + 1 if size < 0 and self._limit is not None else size)
        self._size += len(data)
        if self._limit is not None and self._size > self._limit:
            raise ParseError(f"a device or a pipe that ends within {self._limit // 2**20} MiB", "one that goes on")
        return data


def _read(path: Path, name: str, format: str) -> Log:
    """Read a log by the library of its format, block by block, or whole, whichever it takes; it is opened once."""
    plain_name = compression.plain_name(path.name)
    with path.open("rb", buffering=0) as raw:
        ending = Ending(raw)
        if data := _plain(raw, ending):
            content, sha256, short = compression.Content(data, (), ""), hashlib.sha256(data).hexdigest(), ending.short
        else:
            ending = Ending(io.BufferedReader(raw))
            hashed = checksums.Hashed(cast(BinaryIO, ending))
            opened = compression.Opened(cast(BinaryIO, hashed))
            binary = None if format else _by_its_library(path, opened)
            if found := binary or _in_blocks(path, ending.size, opened, format, plain_name):
                return Log(name, checksums.sha256(path), found[0].name, _told(found[1], opened.layers))
            content, sha256, short = opened.content(), hashed.hexdigest(), ending.short
    text, encoding, damaged = encodings.decoded(content.data)
    found_format, parsed = parsers.read(text, format, plain_name)
    if content.layers or encoding:
        _told(parsed, (*content.layers, *filter(None, [encoding])))
    if content.broken:
        parsed.incomplete(f"its {content.layers[-1]} breaks off: {content.broken}")
    if short:
        parsed.incomplete(short)
    if damaged:
        parsed.note(f"{damaged} bytes are not UTF-8")
    if said := _says_reconstructed(text):
        parsed.note(schema.SAYS_RECONSTRUCTED, said)
    return Log(name, sha256, found_format.name, parsed)


def _plain(raw: io.FileIO, ending: Ending) -> bytes | None:
    """Read a file that is neither large nor compressed nor one of a library; None, at its beginning, where it is.

    What gives as many bytes as it has is at its end, without being asked again: calls of the system are most of it.
    """
    if not ending.is_regular or ending.size * _GROWTH >= LARGE:
        return None
    data = ending.read(ending.size + 1)
    if len(data) != ending.size:
        data += ending.read()
    if compression.is_none(data) and not _is_of_a_library(data):
        return data
    raw.seek(0)
    return None


def _is_of_a_library(head: bytes) -> bool:
    return any(parser.claims(head) for parser in parsers.BINARY)


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file as rows number them: of what is in it, if it is compressed."""
    with naming(path), path.open("rb") as raw:
        text = encodings.decoded(compression.Opened(raw).content().data).text
    return text.split("\n" if "\n" in text else "\r")


def _by_its_library(path: Path, opened: compression.Opened) -> tuple[Format, Parsed] | None:
    """Read a log that is no text, from a copy where it was compressed; None where it is none that is known."""
    if not opened.layers or not _is_of_a_library(opened.head):
        return parsers.read_binary(path, opened.head)
    with writing.scratch() as folder:
        copy = folder / compression.plain_name(path.name)
        writing.write_bytes(copy, opened.content().data)
        return parsers.read_binary(copy, opened.head)


def _in_blocks(
    path: Path, size: int, opened: compression.Opened, format: str, name: str
) -> tuple[Format, Parsed] | None:
    """Read a large log block by block; None where it is not large, or its parser can only read it whole."""
    expected = size * (_GROWTH if opened.layers else 1)
    if expected < LARGE or encodings.decoded(opened.head).encoding:
        return None
    return parsers.stream(lambda: compression.Opened(path.open("rb")).stream(), format, name)


_GROWTH = 8
"""How many times as large logs are as they were compressed, about."""


def _told(parsed: Parsed, layers: Sequence[str]) -> Parsed:
    """Say in the header what was around the log."""
    inner = [str(parsed.header["wrapping"])] if "wrapping" in parsed.header else []
    if layers:
        parsed.header["wrapping"] = ", ".join((*layers, *inner))
    return parsed
