"""Rows of a log that does not show its command, where a sidecar has it.

dd prints one time for what it read and what it wrote. That of a copy from ``/dev/zero`` is no rate of a read; its log
does not say so, unless a shell showed the command in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from storagelab import schema
from storagelab.parsers.benchmarks import dd
from storagelab.parsers.benchmarks.dd import command

if TYPE_CHECKING:
    from storagelab.ingest.log_file import Log
    from storagelab.parsers import Columns, Row
    from storagelab.study import Entry

COUNTED = ("records", "records_partial")
"""What dd says of each side."""


def without_idle_times(rows: Iterable[Row], entry: Entry, log: Log) -> Iterable[Row]:
    """Leave only what was counted in the rows of the side that is no storage, by the command of the sidecar.

    A row of that side in which nothing was counted is left out.
    """
    idle = _idle_operation(entry, log)
    if not idle:
        return rows
    parted = (_counts_of(row) if row.get("operation") == idle else row for row in rows)
    return (row for row in parted if row)


def of_the_side_that_is_storage(samples: Columns, entry: Entry, log: Log) -> Columns:
    """Let the progress of a copy that only reads be of reads."""
    if _idle_operation(entry, log) != "write" or "operation" not in samples:
        return samples
    return {**samples, "operation": ["read" if said == "write" else said for said in samples["operation"]]}


def _idle_operation(entry: Entry, log: Log) -> str:
    if log.format != dd.FORMAT.name or "command" in log.parsed.header:
        return ""
    return command.idle_operation(command.the_only(str(entry.keys.get("command", ""))))


def _counts_of(row: Row) -> Row:
    if COUNTED[0] not in row:
        return {}
    timed = {name for name in row if schema.field(name).kind == "variable"} - {*COUNTED}
    kept = {name: row[name] for name in row if name not in timed and schema.VALUE_AT.get(name) not in timed}
    return kept | {"line": schema.line_of(row, COUNTED[0])}
