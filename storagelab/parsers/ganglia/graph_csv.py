"""CSV that Ganglia's web front end exports from a graph (``graph.php?...&csv=1``).

Written by graph.php of ganglia-web: ``Timestamp``, then the legends of the graph, none of them quoted; then a line a
step with an ISO 8601 time (at which the step *ends*) and a value a legend, NaN where there are no data. What the
legends mean: `reports`. There is no end mark, so a last line without its newline is not trusted.
"""

from __future__ import annotations

import re
from datetime import datetime

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.ganglia.reports import series_of
from storagelab.parsers.ganglia.samples import Table, finish, foreign
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed

FORMAT = Format(
    "ganglia-csv",
    "ganglia",
    "ganglia-web 3.7",
    "samples of a graph",
    "ganglia-web, graph.php",
    marks=("Timestamp",),
    opens=("Timestamp,",),
    checks=Checks(lacking_samples="steps whose value is not known are left out"),
)

_TITLE = re.compile(r"(?:^|\s)Timestamp,(.+)$")


def sniff(head: str) -> bool:
    """Whether the line of legends stands here with a time under it."""
    return "Timestamp," in head and bool(
        re.search(r"(?:^|\s)Timestamp,(?:(?!\sTimestamp,)[^\n])+\n(?:\S+ )?\d{4}-\d\d-\d\dT", head)
    )


def parse(text: str) -> Parsed:
    """Read every row into `series`: a sample a legend; a value NaN gives none.

    Raises
    ------
    ParseError
        If there is no line of legends, or no row under it.
    """
    parsed = Parsed({"tool": "ganglia"})
    tables: list[Table] = []
    *lines, rest = text.split("\n")
    for number, line in enumerate(lines, 1):
        stamp, _, cells = line.partition(",")
        time = _seconds(stamp)
        if tables and time is not None:
            tables[-1].row(time, cells.split(","), number)
        elif title := _TITLE.search(line):
            tables.append(Table(parsed, series_of(title[1].split(","), parsed)))
        elif line.strip():
            foreign(parsed, line, number)
    parsed.cut_line(rest, len(lines) + 1)
    tables = [table for table in tables if table.times]
    if not tables:
        raise refusal("a line 'Timestamp,legend ...', and rows under it", text)
    finish(parsed, tables)
    return parsed


def _seconds(stamp: str) -> float | None:
    """Seconds since 1970 of a time with its offset, behind whatever a launcher put before it; None if it is none."""
    if not stamp[-1:].isdecimal():
        return None
    try:
        time = datetime.fromisoformat(stamp.rpartition(" ")[2])
    except ValueError:
        return None
    return time.timestamp() if time.tzinfo else None
