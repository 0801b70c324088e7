"""Formats that other packages bring: the entry points ``storagelab.parsers`` of what is installed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from storagelab.errors import StoragelabError
from storagelab.parsers.model import Format, Parser

GROUP = "storagelab.parsers"
NEEDED = ("sniff", "parse")


def installed(known: Collection[Parser]) -> tuple[Parser, ...]:
    """Return the parsers of other packages, by their names.

    Parameters
    ----------
    known : collection of Parser
        Formats that are there already, whose names are taken.

    Raises
    ------
    StoragelabError
        If an entry point cannot be loaded, is no parser, or its format has a name that is taken; names the package.
    """
    found = {parser.FORMAT.name: parser for parser in known}
    others = dict(_others(sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)), found))
    return tuple(others.values())


def _others(entries: Collection[EntryPoint], taken: dict[str, Parser]) -> Iterator[tuple[str, Parser]]:
    for entry in entries:
        parser = _loaded(entry)
        name = parser.FORMAT.name
        if name in taken:
            raise StoragelabError(f"{_named(entry)}: the format {name!r} is there already: expected a name of its own")
        taken[name] = parser
        yield name, parser


def _loaded(entry: EntryPoint) -> Parser:
    try:
        loaded: Any = entry.load()
    except Exception as error:  # whatever another package raises when it is imported
        raise StoragelabError(f"{_named(entry)}: cannot be imported: {type(error).__name__}: {error}") from error
    lacking = [name for name in NEEDED if not callable(getattr(loaded, name, None))]
    if lacking or not isinstance(getattr(loaded, "FORMAT", None), Format):
        raise StoragelabError(f"{_named(entry)}: expected a module with FORMAT, sniff and parse, found {loaded!r}")
    parser: Parser = loaded
    return parser


def _named(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist else "a package"
    return f"{package}, entry point {entry.name} = {entry.value} of {GROUP}"
