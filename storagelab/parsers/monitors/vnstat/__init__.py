"""vnstat: traffic of interfaces by hour, day, month and year, as text, one line, JSON and XML.

Rows of `series`: `receive` and `transmit` with `data_size`, and one without an operation for both together, with the
mean `throughput` where it is printed. `label` is the period as printed (``2026-11``, ``today``, ``17:30`` behind its
date), `phase` the table: ``monthly``, ``daily``, ``5 minute``, ``hours``, ``since`` for all since the database was
made, ``estimated`` for what vnstat thinks the period will come to, ``95th percentile`` for the rates of a month's
samples of five minutes (`throughput` their mean, with extremes; the percentile itself is a `metric`). In JSON, XML and
exported databases `start_time` is when the period began.

Printed by vnstat's dbshow.c, dbjson.c and dbxml.c; vnstat(1). Traps: KiB, MiB, ... are powers of 1024. A kbit is 1000
bits from version 2 on; in version 1, which writes dates as ``06/12/13`` and ``Feb '14``, it may be 1024 (see
`kilobit`), and rates are left out where no period shows which. JSON and XML of version 1 count in KiB, also an
interface alone, as it is cut out of the JSON: there it has a ``nick``. ``--oneline b``
prints bytes, and its rates are bytes a second where the other form prints bits. Bar graphs are left alone but for the
table below that of hours. Text has no end.
"""

from __future__ import annotations

import re

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.line_formats import fill, trusted_lines
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors.vnstat import documents, exported, report

FORMAT = Format(
    name="vnstat",
    tool="vnstat",
    versions="1.6 to 2.13",
    reads="tables, --oneline, --short, -hg, -l and -tr, --95th, --json, --xml, --exportdb",
    source="vnstat(1); vnstat, src/dbshow.c, dbjson.c, dbxml.c",
    marks=("vnstat", "vnstatversion", "avg", "estimated", "rx", "h", "B", "iB", "totalrxk"),
    shapes=(r"1;[^;\n]{1,40};",),
    forms=(
        ("rx      |", "rx      /", "rx:  ", " rx (", "  /  traffic statistics", "Monitoring ", "Traffic average for "),
        ('"vnstatversion"', '"traffic":{"total"'),
        ("<vnstat ",),
        ("totalrxk;",),
    ),
    checks=Checks(
        numbers_aside=(
            r"^ +\|(?: +\d\d)+ *$",  # hours below the axis of a graph
            r"^[dmt](?:;\d+){6};0$",  # places of an exported database that are not in use
            r"^h;\d+;0;",
        )
    ),
)

EXPECTED = "traffic of an interface as vnstat prints it"
_TABLE = re.compile(r"\srx\s+[|/]\s+tx\s+[|/]\s+total")


def sniff(head: str) -> bool:
    """Whether a form of vnstat stands here."""
    if documents.is_json(head) or "<vnstat " in head or exported.is_exported(head):
        return True
    if ";" in head and any(map(report.ONE_LINE.match, head.split("\n"))):
        return True
    if "  /  traffic statistics" in head or report.AVERAGE.search(head):
        return True
    if "rx" not in head or "tx" not in head:
        return False
    return _TABLE.search(head) is not None or any(map(report.HOURS.match, head.split("\n")))


def parse(text: str) -> Parsed:
    """Read every period into `series`.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "vnstat", "statistic": "single"})
    if documents.is_json(text):
        samples = documents.read_json(text, parsed)
    elif "<vnstat " in text:
        samples = documents.read_xml(text, parsed)
    elif exported.is_exported(text):
        samples = exported.read(text, parsed)
    else:
        reader = report.Report(parsed, text)
        for at, line in trusted_lines(text, parsed):
            reader.take(line, at)
        reader.finish()
        samples = reader.samples
    return fill(parsed, samples, EXPECTED, text)
