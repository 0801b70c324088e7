"""Tools in a log that do not say where their output begins, beside others that do."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence

from storagelab import schema
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Parser, Row
from storagelab.parsers.reading import read_by
from storagelab.parsers.wrapping.joined import Part
from storagelab.parsers.wrapping.regions import is_lead
from storagelab.parsers.wrapping.search import score_of

UNRECOGNISED = ": not recognised"
"""How a note ends that names lines which nobody reads."""


def with_left_out(parts: list[Part], claimants: Sequence[Parser], text: str) -> list[Part]:
    """Add what those that claim a text and open no line of it read from it, beside what others read there.

    One that reads a line of them is not the tool of it.
    """
    known = [part.format for part in parts]
    taken = {int(row["line"]) for part in parts for row in measured(part.parsed)}
    added: list[Part] = []
    for parser in claimants if parts else ():
        if parser.FORMAT in known or any(parser.FORMAT.name in format.holds for format in known):
            continue
        with contextlib.suppress(ParseError):
            parsed = read_by(parser, text)
            lines = {int(row["line"]) for row in measured(parsed)}
            if (lines or not parsed.complete) and taken.isdisjoint(lines):
                if not parsed.complete:
                    parsed = _without_those_of_others(parser, parsed, text, parts)
                added.append(Part(parser.FORMAT, parsed))
                taken |= lines
    for part in parts if added else ():
        part.parsed.notes = [note for note in part.parsed.notes if not note.text.endswith(UNRECOGNISED)]
    return parts + added


def _without_those_of_others(parser: Parser, parsed: Parsed, text: str, parts: Sequence[Part]) -> Parsed:
    """Read a text without the lines on which other tools say their numbers, if that finds as much."""
    stated = ("line", *schema.VALUE_AT)
    taken = {int(row[name]) for part in parts for row in measured(part.parsed) for name in stated if name in row}
    lines = text.split("\n")
    leads = {at - 1 for at in taken if at > 1 and is_lead(lines[at - 2])}
    alone = "\n".join("" if at in taken | leads else line for at, line in enumerate(lines, 1))
    with contextlib.suppress(ParseError):
        found = read_by(parser, alone)
        if score_of(found) >= score_of(parsed):
            return found
    return parsed


def measured(parsed: Parsed) -> Iterator[Row]:
    """Every row and sample, by its line."""
    yield from itertools.chain(parsed.runs, parsed.clients, parsed.events)
    for columns in parsed.tables():
        yield from ({"line": line} for line in columns.get("line", ()))
