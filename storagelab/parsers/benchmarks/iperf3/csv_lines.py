"""The CSV of iperf 2 (``-y C``): a line an interval, and one for the whole of each stream; -1 is the sum of all.

``time,address,port,address,port,id,start-end,bytes,bits/s``, and with UDP what the receiver counted: jitter [ms], lost
and all datagrams, their percentage, those out of order. The end that prints comes first. Which of the two is the
server no field says: it has the lower port, for clients get one of the highest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from storagelab.parsers.model import Parsed, Row
from storagelab.units import BIT, MILLISECOND, PERCENT

_HOST = r"[\w.:%-]*+"
LINE = re.compile(
    rf"(?P<time>\d{{14}})(?:[.+-]\d{{1,9}}|(?!)){{0,2}}+,{_HOST},(?P<ours>\d{{1,5}}),{_HOST},(?P<theirs>\d{{1,5}}),"
    r"(?P<stream>-?\d{1,6}),(?P<start>\d{1,9}\.\d{1,6})-(?P<end>\d{1,9}\.\d{1,6}),(?P<size>\d{1,19}),(?P<rate>\d{1,19})"
    r"(?:,(?P<jitter>\d{1,9}\.\d{1,6}),(?P<lost>-?\d{1,18}),(?P<sent>\d{1,18}),"
    r"(?P<share>[-\w.]{1,12}),(?P<disorder>\d{1,18}))?"
)
SHAPE = r",-?\d{1,6},\d{1,9}\.\d{1,6}-\d{1,9}\.\d{1,6},\d{1,19},\d"
SHORTEST = 1.0
"""Seconds of an interval: what begins at 0 and is no longer may be the first one of a log that was cut."""
_SHARE = re.compile(r"-?\d{1,8}(?:\.\d{1,8})?")
_SUM = "-1"
_NO_PORT = 2**16
"""What stands for the many ports of a sum, which is printed as 0."""


class _Line(NamedTuple):
    at: int
    found: re.Match[str]

    @property
    def operation(self) -> str:
        ours, theirs = (int(self.found[end]) or _NO_PORT for end in ("ours", "theirs"))
        return "receive" if ours < theirs else "transmit"

    @property
    def span(self) -> tuple[float, float]:
        return float(self.found["start"]), float(self.found["end"])

    @property
    def stream(self) -> tuple[str, str]:
        return self.operation, self.found["stream"]

    def row(self) -> Row:
        found = self.found
        row: Row = {"operation": self.operation, "data_size": float(found["size"])}
        row |= {"throughput": float(found["rate"]) * BIT, "line": self.at}
        if found["jitter"]:
            row |= {"jitter": float(found["jitter"]) * MILLISECOND}
            row |= {"packets_lost": float(found["lost"]), "packets_sent": float(found["sent"])}
            row |= {"packets_out_of_order": float(found["disorder"])}
            if _SHARE.fullmatch(found["share"]):
                row["packets_lost_share"] = float(found["share"]) * PERCENT
        return row


def sniff(head: str) -> bool:
    """Whether a line of the CSV stands here."""
    return "," in head and any(map(LINE.fullmatch, head.split("\n")))


def read(text: str, parsed: Parsed) -> list[Row]:
    """Read every test, a test being over with the whole of each of its streams; the samples are returned."""
    *lines, rest = text.split("\n")
    if rest.strip():
        parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
    found = list(_lines(lines, parsed))
    parsed.header["tool"] = "iperf"
    if found:
        parsed.header["started"] = datetime.strptime(found[0].found["time"], "%Y%m%d%H%M%S").isoformat()
    tests = list(_tests(found))
    samples: list[Row] = []
    for part, test in enumerate(tests, 1):
        samples += _sort(test, {"part": float(part)} if len(tests) > 1 else {}, parsed)
    return samples


def _lines(lines: list[str], parsed: Parsed) -> Iterator[_Line]:
    for at, line in enumerate(lines, 1):
        match = LINE.fullmatch(line.rstrip())
        if match and _is_a_time(match["time"]) and float(match["start"]) < float(match["end"]):
            yield _Line(at, match)
        elif line.count(",") > 1:
            parsed.incomplete(f"expected a line of iperf's CSV, found {line[:80]!r}", at)


def _is_a_time(text: str) -> bool:
    try:
        datetime.strptime(text, "%Y%m%d%H%M%S")
    except ValueError:
        return False
    return True


def _tests(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Split where a stream that had its whole, or one of the same number between other ports, begins."""
    test, last, whole = list[_Line](), dict[tuple[str, str], _Line](), set[tuple[str, str]]()
    for line in lines:
        before = last.get(line.stream)
        if before and (line.stream in whole or _is_another(before, line)):
            yield test
            test, last, whole, before = [], {}, set(), None
        if before and not line.span[0]:
            whole.add(line.stream)
        last[line.stream] = line
        test.append(line)
    if test:
        yield test


def _is_another(before: _Line, line: _Line) -> bool:
    """Whether a line cannot be of the same stream: other ports, or it begins at 0 and goes no further."""
    found, said = line.found, before.found
    ends_later = line.span[1] > before.span[1] or said["time"] == found["time"]
    return said["ours"] != found["ours"] or said["theirs"] != found["theirs"] or not (line.span[0] or ends_later)


def _sort(test: list[_Line], keys: Row, parsed: Parsed) -> Iterator[Row]:
    """Take the lines as wholes of all streams or of one, or as samples; a whole ends with the last of its lines."""
    for operation in dict.fromkeys(line.operation for line in test):
        lines = [line for line in test if line.operation == operation]
        last = {line.stream: line for line in lines}
        end = max(line.span[1] for line in lines)
        wholes = {line.at for line in last.values() if line.span == (0.0, end) and end > SHORTEST}
        several = len(last) > 1 or (len(lines) == 1 and not wholes)  # of one line alone nobody knows whether it is all
        for line in lines:
            is_sum = not several or line.found["stream"] == _SUM
            row = {**line.row(), **keys}
            span: Row = {"elapsed": line.span[1] - line.span[0]}
            if line.at not in wholes:
                yield from ([{"time": line.span[1], **row}] if is_sum else [])
            elif is_sum:
                parsed.runs.append({**row, **span})
            else:
                parsed.clients.append({"share": "process", "process": line.found["stream"], **row, **span})
        if not any(line.at in wholes and (not several or line.found["stream"] == _SUM) for line in lines):
            parsed.incomplete(f"{operation}: no line is of the whole test", lines[-1].at)
