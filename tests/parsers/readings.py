"""What tests of parsers ask of every log: which numbers were read, and that damage does not invent others."""

from __future__ import annotations

import math
from collections.abc import Iterator

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.parsers import Parsed

LABELS = ("190: ", "host1: ", "[1,0]<stdout>:", "    ", "> ")
MEASURED = {field.name for field in schema.VARIABLES} - {"data_size", "files", "samples"}


def readings(parsed: Parsed) -> set[tuple[object, ...]]:
    """Every number that was measured, with what it is of."""
    found = set()
    for node in ("runs", "clients"):
        for row in getattr(parsed, node):
            whole = {**parsed.header, **row}
            of = tuple(whole.get(key) for key in ("operation", "statistic", "iteration", "process"))
            found |= {(node, *of, name, value) for name, value in row.items() if name in MEASURED}
    return found


def cuts(text: str) -> Iterator[str]:
    """The log cut after a line before its end mark, with and without the line end, and within it.

    That is each line of a short log; of a longer one sixty or more, evenly spread.
    """
    lines = text.split("\n")
    for count in range(0, len(lines) - 2, max(1, len(lines) // 60)):
        head = "\n".join(lines[:count])
        yield head
        yield head + "\n"
        yield head + "\n" + lines[count][: len(lines[count]) // 2]


def check_cuts(text: str) -> None:
    """A cut log is refused or incomplete, and gives no number that the whole log does not hold."""
    whole = readings(parsers.parse(text))
    for cut in cuts(text):
        try:
            parsed = parsers.parse(cut)
        except ParseError:
            continue
        assert not parsed.complete, cut[-200:]
        assert parsed.notes, cut[-200:]
        assert readings(parsed) <= whole, cut[-200:]


def check_finite(parsed: Parsed) -> None:
    """No cell is nan or inf: what is not known is left out."""
    for row in parsed.runs + parsed.clients:
        assert all(math.isfinite(value) for value in row.values() if isinstance(value, float)), row
