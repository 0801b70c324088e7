"""Parsers, one module an output format: raw log text in, rows of the data contract out.

A folder a family of tools. Adding a format costs one module, its name in the `PARSERS` of its family, and one real log
with its golden table in ``tests/logs/``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from storagelab.errors import UnknownNameError
from storagelab.parsers import (
    benchmarks,
    cmssw,
    darshan,
    darshan_text,
    fio,
    ganglia,
    lustre,
    messages,
    monitors,
    root,
    transfers,
)
from storagelab.parsers.consistency import no_lost_stretch
from storagelab.parsers.harmless_text import pass_table, pass_through
from storagelab.parsers.installed_formats import installed
from storagelab.parsers.model import (
    BinaryParser,
    Columns,
    Format,
    Note,
    Parsed,
    Parser,
    Row,
    Streaming,
    Value,
    Words,
    check,
    check_samples,
)
from storagelab.parsers.reading import refused
from storagelab.parsers.recognition import HEAD, WINDOWS
from storagelab.parsers.text import decode
from storagelab.parsers.wrapping.unwrapping import Reader

OURS: tuple[Parser, ...] = (
    *benchmarks.PARSERS,
    *fio.PARSERS,
    *root.PARSERS,
    *cmssw.PARSERS,
    darshan_text,
    *transfers.PARSERS,
    *monitors.PARSERS,
    *ganglia.PARSERS,
    *lustre.PARSERS,
    *messages.PARSERS,
)
PARSERS = (*OURS, *installed(OURS))
BINARY: tuple[BinaryParser, ...] = (darshan,)
_BY_NAME = {parser.FORMAT.name: parser for parser in PARSERS}
_READER = Reader(PARSERS)

__all__ = [
    "BINARY",
    "PARSERS",
    "Columns",
    "Format",
    "Note",
    "Parsed",
    "Parser",
    "Row",
    "Value",
    "Words",
    "by_name",
    "parse",
    "read",
    "read_binary",
    "recognise",
    "stream",
]


def by_name(name: str) -> Parser:
    """Return the parser of a format, by the name that ``storagelab formats`` prints.

    Parameters
    ----------
    name : str
        Name of a format.

    Returns
    -------
    Parser
        The module that reads it.

    Raises
    ------
    UnknownNameError
        If no format has the name; says the nearest.

    Examples
    --------
    >>> by_name("ior").FORMAT.name
    'ior'
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise UnknownNameError("format", name, _BY_NAME) from None


def recognise(text: str, name: str = "") -> Parser:
    """Find the one parser that claims a log, by the log's content; where that is not enough, by its file name too.

    The first 4 KiB decide. Where nobody claims them (MPI noise, a mail around the log), the next windows are asked.

    Parameters
    ----------
    text : str
        The log.
    name : str, optional
        Its file name.

    Returns
    -------
    Parser
        The module that reads it.

    Raises
    ------
    ParseError
        If no parser claims the log, or more than one does; the message lists what was tried.
    """
    return _READER.recognise(text, name)


def parse(text: str, format: str = "", name: str = "") -> Parsed:
    """Read a log, recognising its format unless it is named, and hold the result against the contract.

    Parameters
    ----------
    text : str
        The log.
    format : str, optional
        Name of its format, as ``storagelab formats`` prints it.
    name : str, optional
        Its file name: some formats (see `Format`) say only there what was measured.

    Returns
    -------
    Parsed
        Header, rows with their lines, notes, and whether the log is whole.

    Raises
    ------
    ParseError
        If no parser or several claim the log, or the log is not what it claims to be.
    """
    return read(text, format, name)[1]


def read(text: str, format: str = "", name: str = "") -> tuple[Format, Parsed]:
    """Read a log as `parse` does, and say of which format it was; of several tools, of which formats.

    Parameters
    ----------
    text : str
        The log.
    format : str, optional
        As for `parse`.
    name : str, optional
        As for `parse`.

    Returns
    -------
    tuple of Format and Parsed
        The format, and what the log says.

    Raises
    ------
    ParseError
        As for `parse`.
    """
    found, parsed = _READER.read(text, name, by_name(format) if format else None)
    no_lost_stretch(parsed, text)
    return found, pass_through(parsed)


def read_binary(path: Path, head: bytes) -> tuple[Format, Parsed] | None:
    """Read a log that is no text, or return None where its first bytes are those of none that is known.

    Parameters
    ----------
    path : Path
        The log.
    head : bytes
        Its first bytes.

    Returns
    -------
    tuple of Format and Parsed, or None
        The format, and what the log says.

    Raises
    ------
    ParseError
        If the log is not what it claims to be, or the package that reads it is not installed.
    """
    parser = next((parser for parser in BINARY if parser.claims(head)), None)
    if not parser:
        return None
    with refused(parser.FORMAT):
        return parser.FORMAT, pass_through(check(parser.parse(path)))


def stream(opened: Callable[[], BinaryIO], format: str = "", name: str = "") -> tuple[Format, Parsed] | None:
    """Read a log too large to be held, or return None where the parser of its format can only read it whole.

    Parameters
    ----------
    opened : callable
        Opens the log at its beginning; called again for each pass through its samples.
    format, name : str, optional
        As for `parse`.

    Returns
    -------
    tuple of Format and Parsed, or None
        The format, and what the log says.

    Raises
    ------
    ParseError
        As for `parse`.
    """
    with opened() as file:
        head = decode(file.read(HEAD * WINDOWS))[0]
    parser = by_name(format) if format else recognise(head, name)
    if not isinstance(parser, Streaming):
        return None
    with refused(parser.FORMAT):
        parsed = pass_through(check(parser.stream(opened)))
    if parsed.blocks:
        blocks = parsed.blocks
        parsed.blocks = lambda: map(pass_table, map(check_samples, blocks()))
    return parser.FORMAT, parsed
