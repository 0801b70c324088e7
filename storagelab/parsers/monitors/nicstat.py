"""Traffic of network interfaces as ``nicstat`` prints it: tables, and records with ``-p``.

Default and ``-s``: a heading ``Time Int rKB/s wKB/s ...`` and a line an interface. ``-x``: the heading begins with the
time of day. ``-t`` and ``-u``: a heading and a line ``TCP`` or ``UDP``. ``-p``: ``epoch:interface:numbers`` without any
heading, whose meaning follows from their count (nicstat(1)); in a log of a batch job or a notebook they stand among
other lines. ``-l``: the interfaces and their speeds.

K is 1024 bytes, and Mbps (``-M``) 1024 * 1024 bits. The first sample of each interface is its average since boot. Mean
packet sizes (``rAvs``) are `request_size`. There is no end mark, and no date but with ``-p``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.monitors.clock import CLOCK, Clock
from storagelab.parsers.monitors.snapshot import (
    ends_table,
    first_words,
    is_prompt,
    prose_behind_tables,
    prose_below,
    whole_lines,
)
from storagelab.parsers.text import moment, number, numbers, plain_numbers
from storagelab.units import BIT, KIB, MB, MIB, PERCENT

FORMAT = Format(
    "nicstat",
    "nicstat",
    "1.95",
    "traffic of interfaces",
    "nicstat(1)",
    marks=("rKB", "rKb", "rMbps", "RdKB", "RdMbps", "InKB", "InDG", "Loopback"),
    shapes=(r"(?m)^\d{9,11}:\w",),
    opens=(
        "Int   rMbps",
        "Int          rKB/s",
        "InKB   OutKB",
        "RdKB    WrKB",
        "Int      rKB/s",
        "rKB/s   wKB/s",
    ),
    in_paragraphs=True,
    in_scripts=True,
    prefixes=("stamped", "numbered", "grep"),
)

_COLUMNS: dict[str, tuple[str, str, float]] = {
    **dict.fromkeys(("rKB/s", "rKb/s", "RdKB"), ("receive", "throughput", KIB)),
    **dict.fromkeys(("wKB/s", "wKb/s", "WrKB"), ("transmit", "throughput", KIB)),
    **dict.fromkeys(("rMbps", "RdMbps"), ("receive", "throughput", MIB * BIT)),
    **dict.fromkeys(("wMbps", "WrMbps"), ("transmit", "throughput", MIB * BIT)),
    **dict.fromkeys(("rPk/s", "RdPkt"), ("receive", "packet_rate", 1.0)),
    **dict.fromkeys(("wPk/s", "WrPkt"), ("transmit", "packet_rate", 1.0)),
    "rAvs": ("receive", "request_size", 1.0),
    "wAvs": ("transmit", "request_size", 1.0),
    "IErr": ("receive", "error_rate", 1.0),
    "OErr": ("transmit", "error_rate", 1.0),
    "%Util": ("", "utilisation", PERCENT),
    "%rUtil": ("receive", "utilisation", PERCENT),
    "%wUtil": ("transmit", "utilisation", PERCENT),
    "Mbit/s": ("", "link_speed", MB * BIT),
}
_UNKNOWN_SPEED = {"65535", "4294967295", "0"}
_EXTENDED = ["rKB/s", "wKB/s", "rPk/s", "wPk/s", "%Util", "Sat", "IErr", "OErr", "Coll", "NoCP", "Defer"]
_TCP = ["InKB", "OutKB", "InSeg", "OutSeg", "Reset", "AttF", "%ReTX", "InConn", "OutCon", "Drops"]
_UDP = ["InDG", "OutDG", "InErr", "OutErr"]
_UNITS = {"InKB": "KB/s", "OutKB": "KB/s", "%ReTX": "%"}
_WORDS = {"Loopback", "Duplex", "State"}
_NOTHING = "-"
_RECORD = re.compile(r"\d{9,11}:")
_LINES_OF_RECORDS = re.compile(r"^\d{9,11}:\w.*\n\d{9,11}:\w.*$", re.MULTILINE)
_LIKELY = (" Int ", "WrPkt", "InSeg", "InDG", "Loopback")
_START = 1024
_HEADINGS = ("rKB/s", "rKb/s", "rMbps", "RdKB", "RdMbps", "InKB   OutKB", "InDG   OutDG", "Loopback   Mbit/s")


def sniff(head: str) -> bool:
    """Whether a heading stands here, or two records of ``-p``."""
    start = head[:_START]
    is_likely = any(word in start for word in _LIKELY)
    return (is_likely and any(map(start.__contains__, _HEADINGS))) or _has_records(head)


def _has_records(head: str) -> bool:
    """Whether two records stand below each other, or one alone."""
    return (head[:1].isdecimal() and _begins_with_records(head)) or any(
        all(_heading_of(line.split(":")) for line in found[0].split("\n")) for found in _LINES_OF_RECORDS.finditer(head)
    )


def _begins_with_records(head: str) -> bool:
    lines = [line.split(":") for line in head[:400].split("\n")[:2]]
    return len(lines) == 2 and bool(_heading_of(lines[0])) and (bool(_heading_of(lines[1])) or lines[1] == [""])


def _heading_of(fields: list[str]) -> list[str]:
    """Names of a record's fields, by their count; none where it is no record."""
    if len(fields) < 4 or not (fields[0].isdecimal() and len(fields[0]) >= 9) or not _are_numbers(fields[2:]):
        return []
    wanted = {"TCP": _TCP, "UDP": _UDP}.get(fields[1], _EXTENDED)
    count = len(fields) - 2
    return wanted[:count] if count == len(wanted) or (wanted is _EXTENDED and count in (2, 6)) else []


def _are_numbers(words: list[str]) -> bool:
    try:
        return bool([number(word) for word in words])
    except ValueError:
        return False


def parse(text: str) -> Parsed:
    """Read every sample into `series`: a row an interface and direction, and one for what has no direction.

    Raises
    ------
    ParseError
        If no sample is found.
    """
    parsed = Parsed({"tool": "nicstat"})
    lines = whole_lines(text, parsed, _RECORD)
    is_of_records = _begins_with_records(text) and not any(map(text.__contains__, _HEADINGS))
    samples = _records(lines, parsed) if is_of_records else _tables(lines, parsed)
    if not samples:
        raise ParseError(
            "a sample under 'Time Int rKB/s wKB/s', or a record 'epoch:interface:numbers'", *first_words(text)
        )
    parsed.series = columns(samples)
    return parsed


def _tables(lines: list[str], parsed: Parsed) -> list[Row]:
    samples: list[Row] = []
    heading: list[str] = []
    seen, clock, heading_time, has_begun, records = set[str](), Clock(), "", False, _Records(parsed)
    prose = prose_behind_tables(lines) | prose_below(lines)
    for at, line in enumerate(lines, 1):
        words = line.split()
        if any(name in line for name in _HEADINGS):
            heading_time = words[0] if CLOCK.fullmatch(words[0]) else ""
            heading = words[1:] if heading_time else words
        elif is_prompt(line):
            seen, records = set(), _Records(parsed)
        elif _RECORD.match(line) and (records.have_begun or _heading_of(line.split(":"))):
            samples += records.take(line, at)
            heading = []
        elif heading and not ends_table(line):
            time, name, values = _split(words, heading, heading_time)
            names = heading[-len(values) :] if values else []
            found = _numbers(names, values)
            if len(values) == len(set(heading) - {"Time", "Int"}) == len(found):
                samples += _rows(name, zip(names, values, found, strict=True), _when(clock, time), seen, at)
                has_begun = True
            elif at in prose and has_begun:
                parsed.note("not a line of nicstat", at)
            else:
                parsed.incomplete(f"an interface wants {len(heading)} columns, found {line.strip()!r}", at)
    return samples


def _split(words: list[str], heading: list[str], heading_time: str) -> tuple[str, str, list[str]]:
    """Time, interface and values of a line."""
    if "Time" in heading:
        return words[0], words[1] if len(words) > 1 else "", words[2:]
    return heading_time, words[0], words[1:]


def _when(clock: Clock, time: str) -> Row:
    return {"time": clock.seconds(time)} if time else {}


def _numbers(names: list[str], values: list[str]) -> list[float]:
    """Read the cells of a line, NaN where one has a word or nothing; [] where any is something else."""
    try:
        return plain_numbers(values) or [
            math.nan if name in _WORDS or value == _NOTHING else number(value)
            for name, value in zip(names, values, strict=True)
        ]
    except ValueError:
        return []


def _records(lines: list[str], parsed: Parsed) -> list[Row]:
    records = _Records(parsed)
    return [row for at, line in enumerate(lines, 1) if line.strip() for row in records.take(line, at)]


class _Records:
    """Records of one run: their times are since the first of them."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._seen = set[str]()
        self._first = 0.0

    @property
    def have_begun(self) -> bool:
        """Whether there was one."""
        return self._first > 0

    def take(self, line: str, at: int) -> list[Row]:
        """Return the rows of a record; say so where the line is none."""
        fields = line.split(":")
        names = _heading_of(fields)
        if not names:
            self._parsed.incomplete("not a record 'epoch:interface:numbers'", at)
            return []
        if not self.have_begun:
            self._first = number(fields[0])
            self._parsed.header = self._parsed.header | _started(self._first) | self._parsed.header
        cells = zip(names, fields[2:], numbers(fields[2:]), strict=True)
        return list(_rows(fields[1], cells, {"time": number(fields[0]) - self._first}, self._seen, at))


def _started(seconds: float) -> Row:
    try:
        return {"started": moment(seconds).isoformat()}
    except ValueError:
        return {}


def _rows(interface: str, cells: Iterable[tuple[str, str, float]], time: Row, seen: set[str], at: int) -> Iterator[Row]:
    """A row a direction, one without, and one for each column that the contract has no name for."""
    cells = list(cells)
    is_of_state = any(name == "State" for name, _, _ in cells)
    common: Row = {**time, "interface": interface, "phase": "" if interface in seen or is_of_state else "since boot"}
    if not is_of_state:
        seen.add(interface)
    rows: dict[str, Row] = {}
    for name, text, value in cells:
        if text == _NOTHING or name in _WORDS:
            continue
        operation, quantity, factor = _COLUMNS.get(name, ("", "", 1.0))
        is_mean_of_none = quantity == "request_size" and not value
        if not quantity:
            measured: Row = {"metric": name, "value": value, "unit": _UNITS.get(name, "")}
            rows[name] = {**common, "operation": "", **measured, "line": at}
        elif not is_mean_of_none and (name != "Mbit/s" or text not in _UNKNOWN_SPEED):
            row = rows.setdefault(operation, {**common, "operation": operation, "line": at})
            row[quantity] = value * factor
    yield from rows.values()
