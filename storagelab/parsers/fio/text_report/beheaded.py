"""Details of a report whose job and direction were cut off, and of which direction they are."""

from __future__ import annotations

import re
from typing import NamedTuple

ISSUED = re.compile(r"\s*issued [^:]*: total=(?:r=)?(\d+)[,/](?:w=)?(\d+)(?:[,/](?:d=|t=)?(\d+))?.*")
DIRECTION = re.compile(r"\s*(?:read|write|trim|mixed)\s*: (?:IOPS|io)=")
DETAIL = re.compile(r"\s*(?:(?:[cs]?lat \([num]?sec\)|bw \([^()]{1,12}\)|iops)\s*: min=|issued [^:]{1,20}: total=)")


class Beheaded(NamedTuple):
    """The first line of details above which no job and no direction stands, and of which direction they are."""

    line: int = 0
    operation: str = ""
    is_old: bool = False


def beheaded(lines: list[str]) -> Beheaded:
    """Find details whose job and direction were cut off; what was issued says of which they are, if it is one alone."""
    first = 0
    for at, line in enumerate(lines, 1):
        if "(groupid=" in line or DIRECTION.match(line):
            return Beheaded()
        first = first or (at if DETAIL.match(line) else 0)
        if issued := ISSUED.fullmatch(line):
            counts = zip(("read", "write", "trim"), issued.groups(), strict=True)
            operations = [operation for operation, count in counts if int(count or 0)]
            return Beheaded(first, operations[0], "/" in issued[0]) if len(operations) == 1 else Beheaded()
    return Beheaded()
