"""Formats that other packages bring: the entry points ``storagelab.parsers`` of what is installed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from importlib.metadata import EntryPoint
from typing import Any

from storagelab import entry_points
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
    return tuple(_others(found))


def _others(taken: dict[str, Parser]) -> Iterator[Parser]:
    for entry, loaded in entry_points.loaded_all(GROUP):
        parser = _parser(entry, loaded)
        name = parser.FORMAT.name
        if name in taken:
            raise StoragelabError(
                f"{entry_points.described(entry)}: the format {name!r} is there already: expected a name of its own"
            )
        taken[name] = parser
        yield parser


def _parser(entry: EntryPoint, loaded: Any) -> Parser:
    lacking = [name for name in NEEDED if not callable(getattr(loaded, name, None))]
    if lacking or not isinstance(getattr(loaded, "FORMAT", None), Format):
        raise StoragelabError(
            f"{entry_points.described(entry)}: expected a module with FORMAT, sniff and parse, found {loaded!r}"
        )
    parser: Parser = loaded
    return parser
