"""Samples of a monitor's log as rows, for tests that look at a few of them."""

from __future__ import annotations

from pathlib import Path

from storagelab import parsers
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import decode
from tests.conftest import LOGS


def read(log: str) -> Parsed:
    """Read a fixture, named by its path below tests/logs."""
    return parsers.parse(decode(Path(LOGS / log).read_bytes())[0])


def rows(parsed: Parsed, **wanted: str | float) -> list[Row]:
    """Return the samples that have these values, without what they lack; "" is a text that is lacking."""
    found = [dict(zip(parsed.series, values, strict=True)) for values in zip(*parsed.series.values(), strict=True)]
    return [
        {name: value for name, value in row.items() if value == value and value != ""}
        for row in found
        if all(row.get(name, "") == value for name, value in wanted.items())
    ]


def first(parsed: Parsed, **wanted: str | float) -> Row:
    """Return the first sample that has these values."""
    return rows(parsed, **wanted)[0]
