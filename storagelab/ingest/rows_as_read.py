"""Rows of a log as they were read: as columns where its parser made columns, else one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from storagelab.ingest.log_file import Log
from storagelab.parsers.model import Columns, Row, Rows, Sparse

Rowwise = Columns | Sequence[Row]


def tables(log: Log, node: str) -> Iterator[Rowwise]:
    """Go through the rows of a node, without what the header says of all of them; samples come block by block."""
    if node == "logs":
        yield [log.record()]
    elif node == "series":
        yield from log.parsed.tables()
    else:
        rows = getattr(log.parsed, node, ())
        for part in rows.parts if isinstance(rows, Rows) else [rows]:
            yield part.filled() if isinstance(part, Sparse) else part


def names(rows: Rowwise) -> set[str]:
    """Names that any of the rows has."""
    return set(rows) if isinstance(rows, dict) else set().union(*rows)


def count(rows: Rowwise) -> int:
    """How many rows there are."""
    return len(rows["line"]) if isinstance(rows, dict) else len(rows)
