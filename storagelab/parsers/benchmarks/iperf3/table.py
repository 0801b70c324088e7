"""iperf3's text, of clients and servers, and that of iperf 2."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from storagelab.parsers.benchmarks.iperf3.rows import NUMBER, ROW, SIDES, TableRow, is_of_iperf_2, summed, values
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.placed import on
from storagelab.parsers.text import number
from storagelab.parsers.trusted import metric
from storagelab.schema import line_of
from storagelab.units import PERCENT

LONGEST = 1000
_by_stream = operator.attrgetter("stream")

_LIKE_ROW = re.compile(
    r"^[^\[]*+\[(?!.*out-of-order)(?:.*/sec|(?:(?!\d\.\d).|(?!))*+\d\.\d.*\bsec\b)|^[^\ufffd]*+\ufffd", re.DOTALL
)
_STREAM = re.compile(r"\[ *(\d+)\] local (?:(?!\] local).)* connected (?:to|with) ")
_PORT = re.compile(r"\] local \S+ port (\d+) connected ")
_RESULTS = "Summary Results:"
_OTHER_END = ("Server output:", "Server JSON output:")
_HEADING = re.compile(r"\[(?: ID|SUM-cnt)\](?:\[Role\])? +Interval")
_SEPARATOR = re.compile(r"[-\u2014] [-\u2014 ]{12,}")
_COUNTED = re.compile(
    rf"\[ *(?P<stream>\*?\d+|SUM)\] (?:Sent (?P<sent>\d{{1,18}}) datagrams"
    rf"| *{NUMBER} ?[-\u2013] ?{NUMBER} +sec +(?P<disorder>\d{{1,18}}) datagrams received out-of-order)"
)
"""What is counted in lines of its own, below the row that it belongs to."""
_VERSION = re.compile(r"\biperf (?:version )?([23]\.[\d.]*\d)")
_ERROR = re.compile(r"iperf3?: ((?:error|interrupt|fatal).*)")
_TIME = re.compile(r"\bTime: \w{3}, (\d+ \w{3} \d{4} [\d:]+) (?:GMT|UTC)")
_SETUP = re.compile(r"Starting Test: protocol: (\w+), (\d+) streams, (\d+) byte blocks")
_SET_UP = ("protocol", "processes", "record_size")
_USED = rf"({NUMBER})%(?: \(({NUMBER})%u/({NUMBER})%s\))?"
_CPU = re.compile(rf"CPU Utilization: local/(\w+) {_USED}(?:(?!local/).)*remote/(\w+) {_USED}")
_CPU_NAMES = ("cpu_utilisation", "cpu_user", "cpu_system")
_TWO = re.compile(r"Client connecting to|Server listening on (?:TCP|UDP) port(?: (\d+))?")
_OF_IPERF_2 = "5001"
"""The port of its servers."""
_SHARED = ("is_server", "is_old", "is_named")
"""What tests at one end have in common."""
_NOT_KNOWN = "statistics not available"
_SIDES_ABOVE = {"Sent": "sender", "Received": "receiver"}
"""Of 2013: headings of sums, which do not say themselves whose they are."""
_NEGATIVE = 2.0**31
"""A count from here on is a negative one, which iperf3 prints without its sign (3.0, 3.1)."""


@dataclass(slots=True)
class _Test:
    """One test of a log."""

    lines: list[TableRow] = field(default_factory=list)
    cpu: dict[str, Row] = field(default_factory=dict)
    heading: str = ""
    in_summary: bool = False
    is_server: bool = False
    is_reverse: bool = False
    next_is_reverse: bool = False
    """What a command below it asks for; iperf3 of 2013 does not say itself that the server sends."""
    side_above: str = ""
    is_done: bool = False
    is_old: bool = False
    is_named: bool = False
    """Whether a line above its rows says which program runs at which end."""
    is_verbose: bool = False
    setup: Row = field(default_factory=dict)
    streams: int = 0
    listens_at: str = ""
    """The port of an iperf 2 that is a server, too: with -d and -r the streams to it are those of the other way."""
    served: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    running: set[str] = field(default_factory=set)
    """Streams whose last row is none of their whole time."""
    summed: dict[tuple[str, ...] | None, str] = field(default_factory=dict)
    own_side: str = ""
    """What this end did, where its sums of the other side count nothing: iperf3 3.0 to 3.6 at a server."""

    def another(self, *, heading: str = "", in_summary: bool = False) -> _Test:
        """Return a test of the same program at the same end, which nothing but its rows says to begin."""
        return _Test(heading=heading, in_summary=in_summary, **{name: getattr(self, name) for name in _SHARED})

    def is_over(self) -> bool:
        """Whether all streams to a server of iperf 2 have their sums: those that open then are of another client."""
        return self.is_old and self.is_server and not self.running

    def take(self, at: int, found: re.Match[str]) -> None:
        """Keep a row."""
        row = TableRow(at, found, self.heading, self.in_summary, below=self.side_above)
        self.lines.append(row)
        (self.running.discard if _spans_all(row) else self.running.add)(found["stream"].lstrip("*"))
        if (whose := summed(found)) is not None:
            self.summed[whose] = found[0]

    def has_sum_of(self, found: re.Match[str]) -> bool:
        """Whether stream and side of a row have another sum: then it is of a test whose heading is not here."""
        return self.summed.get(summed(found), found[0]) != found[0]

    def count(self, at: int, found: re.Match[str]) -> None:
        """Keep what a line of its own counts, with the last row if it is of the same stream."""
        last = self.lines[-1].found if self.lines else None
        if not last or found["stream"] not in ("SUM", last["stream"]):
            return
        if found["sent"] and not self.is_old:
            self.lines[-1].in_summary = self.in_summary = True
        if not (found["sent"] and self.lines[-1].has_datagrams):
            name = "packets_sent" if found["sent"] else "packets_out_of_order"
            self.lines[-1].counted |= on(at, {name: float(found["sent"] or found["disorder"])})

    def goes_on(self, at: int, line: str) -> bool:
        """Whether a line counts something of the row above, or is its end, which it is then given back to."""
        if counted := _COUNTED.search(line):
            self.count(at, counted)
            return True
        rest = line.strip("> \t\r")
        is_end = rest in SIDES and bool(self.lines) and self.lines[-1].at == at - 1
        if is_end:
            self.lines[-1].below = rest
        return is_end

    def is_told(self, line: str) -> bool:
        """Whether a line says of those below whose sums they are, or is a command that says who will send."""
        if self.in_summary and line.strip() in _SIDES_ABOVE:
            self.side_above = _SIDES_ABOVE[line.strip()]
        elif "iperf3 " in line and "-c" in line:
            self.next_is_reverse = _asks_for_reverse(line)
        else:
            return False
        return True

    def open_stream(self, stream: str, line: str) -> None:
        """Count a stream, and keep which come to the port at which this end listens."""
        self.streams += 1
        self.opened.add(stream)
        self.running.add(stream)
        port = _PORT.search(line)
        if port and port[1] == self.listens_at:
            self.served.add(stream)
        self.is_server = self.is_server or bool(port and port[1] == _OF_IPERF_2 and not self.is_named)

    def direction(self, line: TableRow) -> str:
        """Which way the bytes of an interval went, seen from the end that prints it."""
        role = line.found["role"] or ""
        if role:
            return "transmit" if role.startswith("TX") else "receive"
        if self.own_side:
            return self.own_side
        if (
            "Jitter" in line.heading
            or (self.is_old and line.is_of_receiver)
            or line.found["stream"].lstrip("*") in self.served
        ):
            return "receive"
        if ("Retr" in line.heading or "Datagrams" in line.heading) and not (self.is_reverse and not self.is_server):
            return "transmit"
        return "receive" if self.is_server or self.is_reverse else "transmit"


def read(text: str, parsed: Parsed) -> list[Row]:
    """Read every test of a text; the samples are returned."""
    *lines, rest = text.split("\n")
    tests = [_Test()]
    separated = is_other_end = False
    known = 1
    for at, line in enumerate(lines, start=1):
        if line.startswith(_OTHER_END):
            parsed.note("the server's own report is left alone", at)
            is_other_end = True
        is_other_end = is_other_end and not ("Connecting to host" in line or "iperf Done." in line)
        if not is_other_end and len(line) <= LONGEST:
            _take(line, at, tests, separated, parsed)
        is_open = separated and len(tests) == known and not (ROW.search(line) or _HEADING.search(line))
        separated = is_open or line.rstrip().endswith(_RESULTS) or bool(_SEPARATOR.search(line))
        known = len(tests)
    parsed.cut_line(rest, len(lines) + 1)
    tests = [test for test in tests if test.lines]
    samples: list[Row] = []
    setups = {tuple(test.setup.get(name, "") for name in _SET_UP) for test in tests}
    for part, test in enumerate(tests, start=1):
        if len(setups) == 1:
            parsed.header |= test.setup
            test.setup = {}
        keys: Row = {"part": float(part)} if len(tests) > 1 else {}
        _sort(test, keys, samples, parsed)
    if not tests:
        parsed.incomplete("there is no row of a table")
    return samples


def _take(line: str, at: int, tests: list[_Test], separated: bool, parsed: Parsed) -> None:
    """Read one line into the test it belongs to."""
    test = tests[-1]
    if found := ROW.search(line):
        _take_row(found, at, tests, parsed)
    elif _HEADING.search(line):
        _open_table(line, at, tests, separated, parsed)
    elif "Connecting to host" in line or "Accepted connection from" in line:
        tests.append(_Test(is_server="Accepted" in line, is_reverse=test.next_is_reverse, is_named=True))
    elif two := _TWO.search(line):
        parsed.header["tool"] = "iperf"
        listens_at = two[1] or (test.listens_at if not test.lines else "")
        tests.append(_Test(is_server="Server" in line, is_old=True, is_named=True, listens_at=listens_at))
    elif stream := _STREAM.search(line):
        if test.lines and (stream[1] in test.opened or test.is_over()):
            tests.append(test.another())
        tests[-1].open_stream(stream[1], line)
    elif "Reverse mode" in line:
        test.is_reverse = True
    elif "iperf Done." in line:
        test.is_done = True
    elif not (test.is_told(line) or test.goes_on(at, line) or _complaint(line, at, parsed)):
        _header(line, at, test, parsed)


def _take_row(found: re.Match[str], at: int, tests: list[_Test], parsed: Parsed) -> None:
    """Take a row of the table, of another test where this one has its sum."""
    test = tests[-1]
    if test.has_sum_of(found):
        tests.append(test.another(heading=test.heading, in_summary=test.in_summary))
    if is_of_iperf_2(found):
        tests[-1].is_old, parsed.header["tool"] = True, "iperf"
    tests[-1].take(at, found)


def _asks_for_reverse(command: str) -> bool:
    options = [word for word in command.partition("iperf3 ")[2].split() if word.startswith("-")]
    return any(option == "--reverse" or (option[1:2] != "-" and "R" in option) for option in options)


def _open_table(line: str, at: int, tests: list[_Test], separated: bool, parsed: Parsed) -> None:
    """Take a heading; behind a line that separates it heads sums, of another test where this one has its own.

    Where it follows a sum, no line between them, a table of another test was cut out.
    """
    rows = tests[-1].lines
    if any(row.in_summary for row in rows) if separated else (rows and rows[-1].is_sum):
        tests.append(tests[-1].another())
    tests[-1].heading, tests[-1].in_summary, tests[-1].side_above = line, separated, ""
    if "Bitrate" not in line and "Bandwidth" not in line:
        parsed.incomplete(f"the heading of a table is damaged: {line.strip()[:80]!r}", at)


def _complaint(line: str, at: int, parsed: Parsed) -> bool:
    """Take what the tool says is wrong, and what is wrong with its rows."""
    if _NOT_KNOWN in line:
        parsed.note(line.strip(), at)
    elif error := _ERROR.search(line):
        parsed.incomplete(error[1].strip(), at)
    elif _LIKE_ROW.search(line):
        parsed.incomplete(f"expected a row of iperf3's table, found {line.strip()[:80]!r}", at)
    else:
        return False
    return True


def _header(line: str, at: int, test: _Test, parsed: Parsed) -> None:
    if version := _VERSION.search(line):
        parsed.header.setdefault("tool_version", version[1])
    elif time := _TIME.search(line):
        parsed.header |= _started(time[1])
    elif setup := _SETUP.search(line):
        test.is_verbose = True
        sizes: Row = {"processes": float(setup[2]), "record_size": float(setup[3])}
        test.setup = {"protocol": setup[1]} | on(at, sizes)
    elif cpu := _CPU.search(line):
        sides = (cpu.group(1, 2, 3, 4), cpu.group(5, 6, 7, 8))
        test.cpu = {SIDES[side]: on(at, _shares(used)) for side, *used in sides if side in SIDES}


def _shares(used: list[str]) -> Row:
    """CPU time over elapsed time, and of that what users and the system had."""
    return {name: number(one) * PERCENT for name, one in zip(_CPU_NAMES, used, strict=True) if one}


def _started(printed: str) -> Row:
    try:
        return {"started": datetime.strptime(printed, "%d %b %Y %H:%M:%S").replace(tzinfo=UTC).isoformat()}
    except ValueError:
        return {}


def _sort(test: _Test, keys: Row, samples: list[Row], parsed: Parsed) -> None:
    """Take the rows of a test as sums of one side, as streams, or as samples."""
    ways = max(len({line.found["role"] for line in test.lines}), 1 + (0 < len(test.served) < test.streams))
    several = test.streams > ways
    several = several or any(line.found["stream"] == "SUM" for line in test.lines)
    sums = _sums_of_old(test) if test.is_old else [line for line in test.lines if line.is_sum]
    places = {line.at for line in sums}
    test.own_side = _own_side(sums)
    runs: list[Row] = []
    for line in test.lines:
        is_whole = line.found["stream"] == "SUM" or not several
        if "\ufffd" in line.found["more"]:
            parsed.incomplete("bytes that are not UTF-8", line.at)
        row = {**_without_negative(values(line), line.at, parsed), "line": line.at, **keys}
        operation = SIDES.get(line.side) or test.direction(line)
        if line.at not in places:
            samples += _samples(operation, row, line) if is_whole else ()
        elif not (row := _counted(row)):
            parsed.note(f"{operation}: nothing was counted at this end", line.at)
        elif is_whole:
            label: Row = {"label": line.found["role"]} if line.found["role"] else {}
            runs.append({"operation": operation, **test.setup, **_span(line), **row, **label, **_cpu(test, operation)})
        else:
            who: Row = {"operation": operation, "share": "process", "process": line.found["stream"]}
            parsed.clients.append({**who, **test.setup, **_span(line), **row})
    parsed.runs += runs
    done = {row["operation"] for row in runs}
    for operation in [one for one in test.cpu if one not in done and done]:
        samples += of_no_sum(operation, test.cpu[operation], keys)
    _judge(test, runs, parsed)


def _own_side(sums: list[TableRow]) -> str:
    """What the end that prints sums did, if those of the other side count nothing; "" where they do not say it."""
    told = [(SIDES[line.side], bool(values(line)["data_size"])) for line in sums if line.side]
    counted, silent = ({side for side, has_bytes in told if has_bytes is wanted} for wanted in (True, False))
    return counted.pop() if len(counted) == len(silent) == 1 and counted != silent else ""


def _without_negative(row: Row, at: int, parsed: Parsed) -> Row:
    """Leave out a count of retransmits that is below 0."""
    if float(row.get("retransmits", 0.0)) < _NEGATIVE:
        return row
    parsed.note(f"retransmits: {row['retransmits']:.0f} is a negative count without its sign: left out", at)
    return {name: value for name, value in row.items() if name != "retransmits"}


def of_no_sum(operation: str, cpu: Row, keys: Row) -> list[Row]:
    """Return what is known of the processors of a side that has no sum of its own."""
    return [
        metric(name, float(cpu[name]), "1", int(line_of(cpu, name)), operation=operation) | keys
        for name in _CPU_NAMES
        if name in cpu
    ]


def _sums_of_old(test: _Test) -> list[TableRow]:
    """Iperf 2 repeats no heading: the sum of a stream is its last row, which begins at 0 like its first.

    Behind that of a sender of datagrams stands what the server reports of them.
    """
    last = {(line.found["stream"].lstrip("*"), line.is_of_receiver): line for line in test.lines}
    return [line for line in last.values() if _spans_all(line)]


def _spans_all(line: TableRow) -> bool:
    """Whether a row of iperf 2 may be a sum: it begins with its stream, and lasts."""
    return not line.start and line.end > 1


def _counted(row: Row) -> Row:
    """What a sum counts: datagrams alone at a server of iperf 3.0 and 3.1, whose bytes are 0; nothing at others."""
    if row["data_size"]:
        return row
    return {name: row[name] for name in row if name not in ("data_size", "throughput") and row.get("packets_sent")}


def _samples(operation: str, row: Row, line: TableRow) -> Iterator[Row]:
    phase: Row = {"phase": "omitted"} if "(omitted)" in line.found["more"] else {}
    yield {"time": line.end, "operation": operation, **row, **phase}


def _span(line: TableRow) -> Row:
    return {"elapsed": line.end - line.start}


def _cpu(test: _Test, operation: str) -> Row:
    return test.cpu.get(operation, {})


def _judge(test: _Test, runs: list[Row], parsed: Parsed) -> None:
    """Say which sums are missing: a client has those of both sides, a server its own."""
    roles = dict.fromkeys(line.found["role"] for line in test.lines)
    for role in roles:
        of_role = [line for line in test.lines if line.found["role"] == role]
        known = {row["operation"] for row in runs if row.get("label") == role}
        if len(known) < (1 if test.is_server or test.is_old or test.is_done else 2):
            parsed.incomplete("the sums of sender and receiver are not both there", test.lines[-1].at)
        elif len(known) == 1 and not test.is_server and any(line.side for line in of_role):
            parsed.note("one of the sums of sender and receiver is not there", test.lines[-1].at)
    silent = test.opened - {line.found["stream"].lstrip("*") for line in test.lines} if test.is_old else set()
    if silent:
        parsed.incomplete(f"stream {min(silent, key=int)} was opened, and has no row", test.lines[-1].at)
    if not all(line.heading for line in test.lines):
        parsed.note("rows without their heading: what their last columns count, it alone says", test.lines[0].at)
    _judge_intervals(test, parsed)
    if test.is_old:
        _judge_order(test, parsed)
        if not test.is_named:
            parsed.note("an excerpt of iperf 2: expected the line that says which end it is", test.lines[0].at)
    if test.is_verbose and not test.cpu:
        parsed.incomplete("the line 'CPU Utilization' is missing", test.lines[-1].at)
    if test.is_server and not test.is_old:
        _judge_server(test, parsed)


def _judge_intervals(test: _Test, parsed: Parsed) -> None:
    """Say where the intervals of a stream leave a gap, among them or before its sum."""
    sums = [] if test.is_old else [line for line in test.lines if line.is_sum]
    places = {line.at for line in sums}
    whole = {line.stream: line.end for line in reversed(sums)}
    for stream, lines in itertools.groupby(sorted(test.lines, key=_by_stream), key=_by_stream):
        ends = [(line.start, line.end, line.at) for line in lines if line.at not in places]
        for (_, before, _), (start, _, at) in itertools.pairwise([(0.0, 0.0, 0), *ends]):
            if start > before + CLOSE:
                parsed.note(f"stream {stream}: no interval from {before:g} to {start:g} s", at)
        if ends and stream in whole and whole[stream] - ends[-1][1] > max(1.0, ends[-1][1] - ends[-1][0]) * ALMOST:
            parsed.note(f"stream {stream}: no interval from {ends[-1][1]:g} to {whole[stream]:g} s", ends[-1][2])


def _judge_order(test: _Test, parsed: Parsed) -> None:
    """Say where datagrams of intervals were out of order, and those of no sum are."""
    counted = [line.at for line in test.lines if "packets_out_of_order" in line.counted]
    sums = {line.at for line in _sums_of_old(test)}
    if counted and sums and sums.isdisjoint(counted):
        parsed.incomplete("the sum lacks its datagrams out of order", max(sums))


CLOSE = 0.02
"""Seconds by which times may differ that are printed with two digits."""
ALMOST = 0.9
"""Part of an interval that may be left at the end: a test that is stopped does not end with one."""


def _judge_server(test: _Test, parsed: Parsed) -> None:
    for stream, lines in itertools.groupby(sorted(test.lines, key=_by_stream), key=_by_stream):
        if not any(line.in_summary for line in lines):
            parsed.incomplete(f"stream {stream} has no sum", test.lines[-1].at)
