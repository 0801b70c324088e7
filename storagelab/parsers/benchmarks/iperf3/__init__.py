"""iperf3: what a network carries, as JSON and as text, by TCP and UDP, one way and both; text and CSV of iperf 2.

A row of `runs` for each side of the whole test: ``transmit`` as the sender counts, ``receive`` as the receiver does. A
test of both directions at once has two rows of each, told apart by `label`, iperf3's role of the direction ("TX-C": the
client sends). A sample of `series` an interval, those before the measurement with `phase` "omitted"; streams, where
there are several, are `clients` rows of share "process". In text, MBytes are 2^20 bytes and Mbits 10^6 bits; JSON has
bits a second, exactly. A side that one end does not know is printed as 0 and has no row.
"""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.iperf3 import csv_lines, document, rows, table
from storagelab.parsers.declared_checks import Agreement, Checks, Line, json_keys, line_starts
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, columns

_IPERF = ("protocol", "num_streams", "blksize", "omit", "duration")


def _of_a_span(name: str) -> Line:
    """Return a key that is a time, and not the object of that name around a test."""
    return Line(f'"{name}"', rf'"{name}"\s*:\s*\d', f'"{name}"', "literal")


CHECKS = Checks(
    together=(
        json_keys(*_IPERF),
        (*json_keys("seconds", "bits_per_second"), *map(_of_a_span, ("start", "end"))),
        line_starts("Connecting to host", "iperf Done."),
    ),
    rates=Agreement(0.01),
    numbers_aside=(r"^\d{14},",),  # intervals of one stream of several in CSV, which its sums hold too
)

FORMAT = Format(
    name="iperf3",
    tool="iperf3",
    versions="3.0 to 3.17, text and CSV of 2.x",
    reads="-J, --json-stream, text of clients and servers; TCP and UDP, --bidir, -O, --timestamps",
    source="iperf/src/iperf_api.c (iperf_print_results), iperf_locale.c, units.c",
    shapes=(csv_lines.SHAPE,),
    marks=("ID", "iperf", "Kbits", "Mbits", "Gbits", "bits"),
    opens=("iperf 3.",),
    forms=(
        (
            "Connecting to host ",
            "Server listening on ",
            "[ ID] Interval",
            "[ ID][Role] Interval",
            "Client connecting to ",
            "Accepted connection from ",
            "iperf Done.",
            "Server JSON output:",
        ),
        ('"start":',),
        (",0.0-",),
    ),
    checks=CHECKS,
)

_HEADING = re.compile(r"\[(?: ID|SUM-cnt)\](?:\[Role\])? +Interval +Transfer +(?:Bitrate|Bandwidth)")
_ROW_BEFORE_JSON = re.compile(r"\[ ID\](?:(?!\[ ID\])[^{])*Interval")


def sniff(head: str) -> bool:
    """Whether the heading of iperf3's table, a row of it, or its JSON stands here."""
    return (
        (any(mark in head for mark in ("[ ID]", "[SUM-cnt]")) and bool(_HEADING.search(head)))
        or ("ts/sec" in head and any(map(rows.ROW.search, head.split("\n"))))
        or ('"iperf 3' in head and '"start"' in head)
        or ('"bits_per_second"' in head and '"end"' in head and '"sum' in head)
        or head.startswith(("iperf3: error", "iperf 3"))
        or csv_lines.sniff(head)
    )


def parse(text: str) -> Parsed:
    """Read the test: both sides, intervals, streams.

    Raises
    ------
    ParseError
        If there is neither a row of iperf3's table, nor its JSON, nor an error of its own.
    """
    parsed = Parsed({"tool": "iperf3", "statistic": "single"})
    if csv_lines.sniff(text) and not _HEADING.search(text):
        samples = csv_lines.read(text, parsed)
        parsed.series = columns(samples) if samples else {}
        return parsed
    documents = [] if _ROW_BEFORE_JSON.search(text.partition("{")[0]) else document.found(text)
    if documents:
        samples = document.read(text, documents, parsed)
    else:
        samples = [] if '"intervals"' in text.partition("\n[ ID]")[0] else table.read(text, parsed)
    parsed.series = columns(samples) if samples else {}
    if parsed.is_empty() and parsed.complete:
        raise refusal("a row of iperf3's table, or its JSON", text)
    return parsed
