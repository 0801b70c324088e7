"""CSV, TSV and SSV of ``rrdtool graph``: a line of quoted legends after ``"time"``, then a line a step.

Written by rrd_xport.c where the image format is CSV (commas), TSV (tabs) or SSV (semicolons). A row has the seconds
since 1970 at which its step ends, then a quoted value a legend; no data is NaN. Legends are free text, and read as in
an export. There is no end mark, so a last line without its newline is not trusted.
"""

from __future__ import annotations

import re

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.ganglia.metrics import legend
from storagelab.parsers.ganglia.samples import Series, Table, finish, foreign
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.text import number as decimal

FORMAT = Format(
    "rrd-csv",
    "rrdtool",
    "1.7",
    "columns of rrdtool graph as CSV",
    "rrdgraph(1), rrd_xport.c",
    shapes=('"time"[,;\\t]"',),
    checks=Checks(lacking_samples="steps whose value is not known are left out"),
)

_BEGIN = re.compile(r'"time"([,;\t])"(?:(?!"time")[^\n])*"\n(?:\S{1,40} )?\d{9,11}\1"')
_TITLE = re.compile(r'"time"([,;\t])"(.*)"$')


def sniff(head: str) -> bool:
    """Whether the line of legends stands here with a row under it."""
    return '"time"' in head and bool(_BEGIN.search(head))


def parse(text: str) -> Parsed:
    """Read every row into `series`: a sample a legend; a cell without data gives none.

    Raises
    ------
    ParseError
        If there is no line of legends after "time", or no row under it.
    """
    parsed = Parsed({"tool": "rrdtool"})
    tables: list[Table] = []
    separator = ","
    *lines, rest = text.split("\n")
    for number, line in enumerate(lines, 1):
        seconds, _, cells = line.partition(separator)
        if title := _TITLE.search(line):
            separator = title[1]
            tables.append(Table(parsed, [_series(name) for name in title[2].split(f'"{separator}"')]))
        elif tables and cells.startswith('"') and seconds.split(" ")[-1].isdecimal():
            tables[-1].row(decimal(seconds.split(" ")[-1]), cells.split(separator), number)
        elif line.strip():
            foreign(parsed, line, number)
    parsed.cut_line(rest, len(lines) + 1)
    tables = [table for table in tables if table.times]
    if not tables:
        raise refusal('a line "time" with legends, and rows under it', text)
    finish(parsed, tables)
    return parsed


def _series(name: str) -> Series:
    keys, variable, factor = legend(name.strip())
    return Series(dict(keys), variable, factor)
