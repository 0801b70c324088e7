"""Reading one log from disk: bytes, checksum, text, rows. The only place where a parser meets a path."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import Columns, Note, Parsed, Row
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
        header = {name: value for name, value in self.parsed.header.items() if name not in LOG_ONLY}
        if node == "series":
            columns = self.parsed.series
            for values in zip(*columns.values(), strict=True):
                yield header | dict(zip(columns, values, strict=True))
        else:
            for row in getattr(self.parsed, node):
                yield header | row

    def samples(self) -> tuple[Columns, Row]:
        """Columns of the series, and what the header says of each of its samples."""
        header = {name: value for name, value in self.parsed.header.items() if name in OF_A_SAMPLE}
        columns = self.parsed.series
        return columns, {name: value for name, value in header.items() if name not in columns}

    def happened(self) -> Iterator[Row]:
        """Events, with what the header says of each of them."""
        header = {name: value for name, value in self.parsed.header.items() if name in OF_A_SAMPLE}
        return (header | row for row in self.parsed.events)

    def record(self) -> Row:
        """Return the log's row in the node ``logs``."""
        header = {name: value for name, value in self.parsed.header.items() if name != "statistic"}
        return header | {
            "log": self.name,
            "log_sha256": self.sha256,
            "format": self.format,
            "complete": float(self.parsed.complete),
            "notes": self.notes(),
        }

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

LOG_ONLY = frozenset({"tool_version", "command", "started", "ended", "exit_status"})


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
        If it is of no known format, or is not what it claims to be; names the file and the line.
    OSError
        If it cannot be read.
    """
    data = Path(path).read_bytes()
    text, damaged = decode(data)
    name = _readable(name or str(path))
    try:
        found, parsed = parsers.read(text, format, Path(path).name)
    except ParseError as error:
        raise ParseError(error.expected, error.found, error.line, name) from None
    if damaged:
        parsed.note(f"{damaged} bytes are not UTF-8")
    return Log(name, hashlib.sha256(data).hexdigest(), found.name, parsed)
