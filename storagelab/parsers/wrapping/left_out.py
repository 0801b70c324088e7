"""Tools in a log that do not say where their output begins, beside others that do."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence

from storagelab import schema
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Parser, Row
from storagelab.parsers.reading import read_by
from storagelab.parsers.wrapping.best_reading import score_of
from storagelab.parsers.wrapping.regions import is_lead
from storagelab.parsers.wrapping.several_tools import Part

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
        parsed = _read(parser, text, parts)
        lines = {int(row["line"]) for row in measured(parsed)} if parsed else set()
        if parsed and (lines or not parsed.complete) and taken.isdisjoint(lines):
            added.append(Part(parser.FORMAT, parsed))
            taken |= lines
    for part in parts if added else ():
        part.parsed.notes = [note for note in part.parsed.notes if not note.text.endswith(UNRECOGNISED)]
    return parts + added


def _read(parser: Parser, text: str, parts: Sequence[Part]) -> Parsed | None:
    """Read a text whole, or without the lines on which others say their numbers, if that is better or is needed."""
    found: Parsed | None = None
    for said in (text, _without_lines_of(parts, text)):
        with contextlib.suppress(ParseError):
            parsed = read_by(parser, said)
            if not found or score_of(parsed) >= score_of(found):
                found = parsed
        if found and found.complete:
            break
    return found


def _without_lines_of(parts: Sequence[Part], text: str) -> str:
    """Leave the lines empty on which tools say their numbers, and those that belong to them."""
    stated = ("line", *schema.VALUE_AT)
    taken = {int(row[name]) for part in parts for row in measured(part.parsed) for name in stated if name in row}
    lines = text.split("\n")
    leads = {at - 1 for at in taken if at > 1 and is_lead(lines[at - 2])}
    return "\n".join("" if at in taken | leads else line for at, line in enumerate(lines, 1))


def measured(parsed: Parsed) -> Iterator[Row]:
    """Every row and sample, by its line."""
    yield from itertools.chain(parsed.runs, parsed.clients, parsed.events)
    for columns in parsed.tables():
        yield from ({"line": line} for line in columns.get("line", ()))
