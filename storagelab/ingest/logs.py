"""Reading one log from disk: bytes, checksum, text, rows. The only place where a parser meets a path.

A log of some size whose parser can stream is never held: its samples come block by block, anew for each who asks.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.ingest import checksums
from storagelab.ingest.bounds import bounded
from storagelab.parsers import Columns, Note, Parsed, Row, Value
from storagelab.parsers.text import decode


@dataclass(frozen=True, slots=True)
class Log:
    """One log, read: its name as messages and datasets show it, the SHA-256 of its bytes, its format and content."""

    name: str
    sha256: str
    format: str
    parsed: Parsed

    def rows(self, node: str) -> Iterator[Row]:
        """Rows of a node with what the header says of all of them; a series comes a row a sample."""
        header = self.header()
        if node == "series":
            for columns in self.parsed.tables():
                yield from _rows(header, columns)
        else:
            for row in getattr(self.parsed, node):
                yield header | row

    def header(self) -> Row:
        """Return what the header says of every row."""
        return {name: value for name, value in self.parsed.header.items() if name not in LOG_ONLY}

    def columns(self) -> list[str]:
        """Names of the columns of its samples."""
        return list(next(self.parsed.tables(), {}))

    def of_a_sample(self) -> Row:
        """Return what the header says of each sample and event."""
        return {name: value for name, value in self.parsed.header.items() if name in OF_A_SAMPLE}

    def happened(self) -> Iterator[Row]:
        """Events, with what the header says of each of them."""
        return (self.of_a_sample() | row for row in self.parsed.events)

    def record(self) -> Row:
        """Return the log's row in the node ``logs``."""
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
        """What the parser has to say about the log, in one line."""
        return "; ".join(_written(note) for note in self.parsed.notes)


OF_A_SAMPLE = frozenset(
    {
        *("client", "process", "host", "server", "interface", "device", "target", "cpu", "job", "phase", "file"),
        *("operation", "statistic", "metric", "unit", "label", "part"),
    }
)
"""Of a header, what goes to each sample and event, of which there may be many; the rest stands in ``logs``."""

LOG_ONLY = frozenset({"tool_version", "command", "options", "started", "ended", "exit_status"})


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


_RECONSTRUCTED = re.compile(r"\b[Rr]econstructed\b.*\b(?:published|not measured)\b")


def _says_reconstructed(text: str) -> int:
    """Return the line on which a log says that it was made from published numbers; 0 where none does."""
    found = _RECONSTRUCTED.search(text) if "econstructed" in text else None
    return 1 + text.count("\n", 0, found.start()) if found else 0


def _written(note: Note) -> str:
    return f"line {note.line}: {note.text}" if note.line else note.text


def _readable(name: str) -> str:
    r"""Return a file name as text, bytes that are not UTF-8 as ``\xff``."""
    return os.fsencode(name).decode("utf-8", errors="backslashreplace")


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

    Raises
    ------
    ParseError
        If it is of no known format, is not what it claims to be, or costs more than `bounds` allow; names the file and
        the line.
    OSError
        If it cannot be read.
    """
    path = Path(path)
    name = _readable(name or str(path))
    try:
        with bounded():
            return _read(path, name, format)
    except ParseError as error:
        raise ParseError(error.expected, error.found, error.line, name) from None


ENDLESS = {stat.S_ISCHR: 2**26, stat.S_ISFIFO: 2**30}
"""Bytes after which a device or a pipe, which may never end, is given up."""


def _whole(file: BinaryIO) -> bytes:
    """Read a file to its end.

    Raises
    ------
    ParseError
        If it is a device or a pipe and has none.
    """
    mode = os.fstat(file.fileno()).st_mode
    limit = next((limit for is_one, limit in ENDLESS.items() if is_one(mode)), None)
    if limit is None:
        return file.read()
    data = file.read(limit + 1)
    if len(data) > limit:
        raise ParseError(f"a device or a pipe that ends within {limit // 2**20} MiB", "one that goes on")
    return data


def _read(path: Path, name: str, format: str) -> Log:
    """Read a log by the library of its format, block by block, or whole, whichever it takes; it is opened once."""
    with path.open("rb") as file:
        if not format and (binary := parsers.read_binary(path, file.peek(64))):
            return Log(name, checksums.sha256(path), binary[0].name, binary[1])
        is_large = os.fstat(file.fileno()).st_size >= LARGE
        if is_large and (streamed := parsers.stream(lambda: path.open("rb"), format, path.name)):
            return Log(name, checksums.sha256(path), streamed[0].name, streamed[1])
        data = _whole(file)
    text, damaged = decode(data)
    found, parsed = parsers.read(text, format, path.name)
    if damaged:
        parsed.note(f"{damaged} bytes are not UTF-8")
    if said := _says_reconstructed(text):
        parsed.note(schema.SAYS_RECONSTRUCTED, said)
    return Log(name, hashlib.sha256(data).hexdigest(), found.name, parsed)
