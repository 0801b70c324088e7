"""How the files of a run are striped, by its log of ``lfs getstripe``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from storagelab import schema
from storagelab.errors import SidecarError

if TYPE_CHECKING:
    from storagelab.ingest.one_run import RunLog
    from storagelab.parsers import Row

STRIPING = "striping"
STRIPES = ("stripe_size", "stripe_count")


def striped(logs: list[RunLog]) -> list[RunLog]:
    """Give all logs of a run the stripe size and count of its log of ``lfs getstripe``.

    Raises
    ------
    SidecarError
        If two such logs of the run differ.
    """
    found: Row = {}
    for read in logs:
        if read.entry.role == STRIPING:
            said = {name: read.log.parsed.header[name] for name in STRIPES if name in read.log.parsed.header}
            if found and said != (before := {name: found[name] for name in STRIPES if name in found}):
                message = f"{read.entry.path} says {said}, but another log of the run {before}"
                raise SidecarError(read.entry.file, message, read.entry.line)
            found = said | {schema.LOG_OF[name]: read.log_id for name in said} | _lines(read.log.parsed.header, said)
    return [replace(read, striping=found) for read in logs] if found else logs


def _lines(header: Row, names: Iterable[str]) -> Row:
    return {line: header[line] for name in names if (line := schema.LINE_OF[name]) in header}
