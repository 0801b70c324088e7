"""iperf3's text, of clients and servers, and that of iperf 2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from storagelab.parsers.benchmarks.calls import call_of, is_command
from storagelab.parsers.benchmarks.iperf3.missing_parts import judge
from storagelab.parsers.benchmarks.iperf3.rows import NUMBER, ROW, SIDES, TableRow, is_of_iperf_2, values
from storagelab.parsers.benchmarks.iperf3.tests import Test
from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on
from storagelab.schema import line_of
from storagelab.units import PERCENT

LONGEST = 1000

_LIKE_ROW = re.compile(
    r"^[^\[]*+\[(?!.*out-of-order)(?:.*/sec|(?:(?!\d\.\d).|(?!))*+\d\.\d.*\bsec\b)|^[^\ufffd]*+\ufffd", re.DOTALL
)
_STREAM = re.compile(r"\[ *(\d+)\] local (?:(?!\] local).)* connected (?:to|with) ")
_RESULTS = "Summary Results:"
_OTHER_END = ("Server output:", "Server JSON output:")
_HEADING = re.compile(r"\[(?: ID|SUM-cnt)\](?:\[Role\])? +Interval")
_TITLE = re.compile(r"(?:.{0,80}[$#%>] )?(\w[^\s:\[\]]{0,80}):  (?:$|\[|Connecting to host |- - - |iperf Done)")
"""What ``-T`` puts above each line, behind a prompt where the client is in the background."""
_SEPARATOR = re.compile(r"[-\u2014] [-\u2014 ]{12,}")
_VERSION = re.compile(r"\biperf (?:version )?([23]\.[\d.]*\d)")
_ERROR = re.compile(r"iperf3?: ((?:error|interrupt|fatal).*)")
_TIME = re.compile(r"\bTime: \w{3}, (\d+ \w{3} \d{4} [\d:]+) (?:GMT|UTC)")
_SETUP = re.compile(r"Starting Test: protocol: (\w+), (\d+) streams, (\d+) byte blocks")
_SET_UP = ("protocol", "processes", "record_size")
_USED = rf"({NUMBER})%(?: \(({NUMBER})%u/({NUMBER})%s\))?"
_CPU = re.compile(rf"CPU Utilization: local/(\w+) {_USED}(?:(?!local/).)*remote/(\w+) {_USED}")
_CPU_NAMES = ("cpu_utilisation", "cpu_user", "cpu_system")
_TWO = re.compile(r"Client connecting to|Server listening on (?:TCP|UDP) ports?(?: (\d+))?")
_NOT_KNOWN = "statistics not available"
_SEVERAL = 2
_PARALLEL = re.compile(r" (?:-P|--parallel[ =]) ?(\d{1,3})(?!\S)")
_NEAR = 8
"""Lines between a call and the first row of its test, those left aside that say of each stream where it goes."""
_NEGATIVE = 2.0**31
"""A count from here on is a negative one, which iperf3 prints without its sign (3.0, 3.1)."""


def read(text: str, parsed: Parsed) -> list[Row]:
    """Read every test of a text; the samples are returned."""
    *lines, rest = text.split("\n")
    tests = [Test()]
    separated = is_other_end = False
    known = 1
    calls = [(at, call) for at, line in enumerate(lines, 1) if (call := call_of("iperf3", line)) or is_command(line)]
    title = ""
    for at, line, now in _by_title(lines):
        if now != title:
            tests.append(tests[-1].another())
            title = now
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
    _give_calls(tests, calls)
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


def _give_calls(tests: list[Test], calls: list[tuple[int, str]]) -> None:
    """Say of each test how many streams run side by side: as the only call asks for that stands above it."""
    last = 0
    for test in tests:
        first = test.lines[0].at
        above = [(at, call) for at, call in calls if last < at < first]
        if above and first - above[-1][0] <= _NEAR + test.streams and sum(bool(call) for _, call in above) == 1:
            at, call = above[-1]
            asked = _PARALLEL.search(call)
            test.asked = on(at, {"processes": float(asked[1])}) if asked and int(asked[1]) >= test.seen() else {}
        test.setup |= {name: said for name, said in test.parallel().items() if name not in test.setup}
        last = test.lines[-1].at


def _by_title(lines: list[str]) -> list[tuple[int, str, str]]:
    """Number lines and say their titles (``-T``), which tell clients apart that write at once: each in one piece."""
    numbered = [(at, line, found[1] if (found := _TITLE.match(line)) else "") for at, line in enumerate(lines, start=1)]
    titles = {title: order for order, title in enumerate(dict.fromkeys(title for _, _, title in numbered if title), 1)}
    if len(titles) < _SEVERAL or any(ROW.search(line) for _, line, title in numbered if not title):
        return [(at, line, "") for at, line, _ in numbered]
    return sorted(numbered, key=lambda one: titles.get(one[2], 0))


def _take(line: str, at: int, tests: list[Test], separated: bool, parsed: Parsed) -> None:
    """Read one line into the test it belongs to."""
    test = tests[-1]
    if found := ROW.search(line):
        _take_row(found, at, tests, parsed)
    elif _HEADING.search(line):
        _open_table(line, at, tests, separated, parsed)
    elif "Connecting to host" in line or "Accepted connection from" in line:
        tests.append(Test(is_server="Accepted" in line, is_reverse=test.next_is_reverse, is_named=True))
    elif two := _TWO.search(line):
        parsed.header["tool"] = "iperf"
        listens_at = two[1] or (test.listens_at if not test.lines else "")
        is_server = "Server" in line and not test.is_client_without_rows()
        tests.append(Test(is_server=is_server, is_old=True, is_named=True, listens_at=listens_at))
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


def _take_row(found: re.Match[str], at: int, tests: list[Test], parsed: Parsed) -> None:
    """Take a row of the table, of another test where this one has its sum."""
    test = tests[-1]
    if test.has_sum_of(found) or test.is_of_twin(found):
        tests.append(test.another(heading=test.heading, in_summary=test.in_summary))
    if is_of_iperf_2(found):
        tests[-1].is_old, parsed.header["tool"] = True, "iperf"
    tests[-1].take(at, found)


def _open_table(line: str, at: int, tests: list[Test], separated: bool, parsed: Parsed) -> None:
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


def _header(line: str, at: int, test: Test, parsed: Parsed) -> None:
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


def _sort(test: Test, keys: Row, samples: list[Row], parsed: Parsed) -> None:
    """Take the rows of a test as sums of one side, as streams, or as samples."""
    ways = max(len({line.found["role"] for line in test.lines}), 1 + (0 < len(test.served) < test.streams))
    several = test.streams > ways
    several = several or any(line.found["stream"] == "SUM" for line in test.lines)
    sums = test.sums_of_old() if test.is_old else [line for line in test.lines if line.is_sum]
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
    judge(test, runs, parsed)


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


def _cpu(test: Test, operation: str) -> Row:
    return test.cpu.get(operation, {})
