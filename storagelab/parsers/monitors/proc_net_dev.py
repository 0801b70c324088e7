"""Snapshots of Linux's ``/proc/net/dev``: what each network interface has counted since boot.

Printed by the kernel (net/core/net-procfs.c; field names in proc(5)): two header lines, then a line an interface with
the columns named by the second header line, first received, then transmitted. A wide counter may touch the colon.
Those that the contract has no name for (fifo, frame, multicast, ...) are rows with `metric` where they are not zero.

A snapshot says what was counted, not when: a pair of snapshots becomes traffic where the study says which run they
frame. Where a script printed ``date +%s`` (or ``+%s.%N``) on the line above a snapshot, `time` counts from the first
such line; else it is NaN. Several snapshots in one file have `part` 1, 2, ... The kernel prints no end mark, so a last
line without its newline is not trusted. A file cut between two interfaces cannot be told from a host with fewer
interfaces.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Value
from storagelab.parsers.text import floats

FORMAT = Format(
    "proc-net-dev",
    "proc_net_dev",
    "Linux 2.2 on",
    "interface counters",
    "proc(5), /proc/net/dev",
    marks=("Receive",),
    opens=(
        "Inter-|",
        "face |",
    ),
    in_paragraphs=True,
    in_scripts=True,
)

_COUNTERS = {"bytes": "counter_bytes", "packets": "counter_packets", "errs": "counter_errors", "drop": "counter_drops"}
_OTHERS = ("metric", "value", "unit")
_NAMES = ("part", "time", "operation", "interface", *_COUNTERS.values(), "line", *_OTHERS)
_OPERATIONS = {"receive": "RX", "transmit": "TX"}
_NONE = (math.nan,) * len(_COUNTERS)
_SECONDS = re.compile(r"\d{9,11}(\.\d{1,9})?")
Sample = tuple[Value, ...]


def sniff(head: str) -> bool:
    """Whether the two header lines stand here."""
    return "|" in head and "Inter-|" in head and "face |" in head and "Receive" in head


def parse(text: str) -> Parsed:
    """Read every snapshot into `series`: a sample an interface and direction.

    Raises
    ------
    ParseError
        If there is no header line with columns, or no interface under it.
    """
    parsed = Parsed({"tool": "proc_net_dev"})
    samples = _samples(text, parsed)
    if not samples:
        raise refusal("an interface with its counters under a header 'face |bytes ...'", text)
    needless = set() if any(sample[-3] for sample in samples) else set(_OTHERS)
    needless |= {"part"} if samples[-1][0] == 1.0 else set()
    parsed.series = {
        name: column for name, column in zip(_NAMES, zip(*samples, strict=True), strict=True) if name not in needless
    }
    return parsed


def _samples(text: str, parsed: Parsed) -> list[Sample]:
    samples: list[Sample] = []
    columns: tuple[list[str], ...] = ()
    part, time = 0.0, math.nan
    *lines, rest = text.split("\n")
    for number, line in enumerate(lines, 1):
        if "face |" in line:
            columns = tuple(names.split() for names in line.split("|")[1:])
            part, time = part + 1, _time_above(lines, number - 1, parsed)
        elif columns and line.strip() and "Inter-|" not in line and not _SECONDS.fullmatch(line):
            samples += _interface(line, columns, (part, time), number, parsed)
    if rest.strip():
        parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
    elif samples and samples[-1][0] != part:
        parsed.incomplete("a snapshot has no interface", len(lines))
    return samples


def _time_above(lines: list[str], heading: int, parsed: Parsed) -> float:
    """Seconds since the first dated snapshot, from the line above both lines of a heading; NaN where it is no date."""
    above = lines[heading - 2] if heading >= 2 else ""
    if not _SECONDS.fullmatch(above):
        return math.nan
    moment = datetime.fromtimestamp(float(above), UTC)
    started = parsed.header.setdefault("started", moment.isoformat())
    return (moment - datetime.fromisoformat(str(started))).total_seconds()


def _interface(
    line: str, columns: tuple[list[str], ...], when: tuple[float, float], number: int, parsed: Parsed
) -> list[Sample]:
    """Both directions of one interface, and its other counters; a line that is none leaves a note."""
    name, colon, rest = line.rpartition(":")
    words = rest.split()
    is_foreign = not any(map(str.isdecimal, words)) and "\ufffd" not in line
    if not colon or not name.strip() or is_foreign:
        parsed.note("not a line of the table", number)
        return []
    if len(words) != sum(map(len, columns)) or len(columns) != len(_OPERATIONS) or not all(map(str.isdecimal, words)):
        parsed.incomplete(f"an interface wants {sum(map(len, columns))} counters, found {len(words)} words", number)
        return []
    received = len(columns[0])
    shares = (words[:received], words[received:])
    found: list[Sample] = []
    others: list[Sample] = []
    for operation, names, share in zip(_OPERATIONS, columns, shares, strict=True):
        values = dict(zip(names, floats(share), strict=True))
        who = (*when, operation, name.split()[-1])
        found.append((*who, *(values.get(column, math.nan) for column in _COUNTERS), number, "", math.nan, ""))
        others += [
            (*who, *_NONE, number, f"{_OPERATIONS[operation]} {column}", value, "")
            for column, value in values.items()
            if value and column not in _COUNTERS
        ]
    return found + others
