"""A sheet as plain text: for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.escaping.characters import visible
from storagelab.interactive.sheet import Sheet, Table


def text(sheet: Sheet) -> str:
    """Write a sheet in lines."""
    return "\n".join(visible(line) for line in _lines(sheet))


def _lines(sheet: Sheet) -> Iterator[str]:
    yield f"{sheet.heading}: {sheet.title}" if sheet.title else sheet.heading
    yield f"  origin: {sheet.origin.upper() if sheet.alarming else sheet.origin}"
    yield from (f"  {term}: {said}" for term, said in sheet.facts)
    yield from (f"  warning: {warning}" for warning in sheet.warnings)
    for table in sheet.tables:
        yield from [f"  {table.caption}: {len(table.rows)}"] if table.folded else _table(table)


def _table(table: Table) -> Iterator[str]:
    yield f"  {table.caption}"
    rows = [table.columns, *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    for row in rows:
        yield "    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
