"""rados bench: Ceph's object benchmark, as text, JSON and pretty JSON, also between other lines.

A row of `runs` a test and a sample of `series` a second. MB are 2^20 bytes (an object of 4194304 bytes counts as 4).
The summary's bandwidth is all bytes over all time; its spread is that of the seconds. `access_pattern` is known for
reads only where the command stands in the log. That the objects were removed behind a test is a row of ``delete``.
Of what has not been measured yet Ceph prints what its counters began with: a shortest latency of 9999 s where nothing
was done in twenty seconds, and the largest numbers as the lowest rates of a test of less than a second. These are left
out. JSON of Ceph 10 calls one key ``max_latency:``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from storagelab.parsers.declared_checks import Agreement, Checks, Line, json_keys, line_starts
from storagelab.parsers.json_text import Lines, line_in, mappings, objects, quantity
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import is_left_out, number, without_prefix
from storagelab.parsers.values_on_several_lines import of_names, on, settled
from storagelab.schema import LINE_OF
from storagelab.units import MIB

_RADOS = (
    *("total_time_run", "bandwidth", "average_iops", "stddev_iops", "max_iops", "min_iops", "average_latency"),
    "min_latency",
)
_MAX_LATENCY = Line('"max_latency"', r'"max_latency:?"\s*:', '"max_latency', "literal")

_RADOS_WRITE = (
    "total_writes_made",
    "write_size",
    "stddev_bandwidth",
    "max_bandwidth",
    "min_bandwidth",
    "stddev_latency",
)

_RADOS_LATENCIES = tuple(
    Line(name, rf"(?m:^[ \t\r]*){name}(?:\(s\))?:", name, "line")
    for name in ("Average Latency", "Max latency", "Min latency")
)
"""Lines that say their unit since Jewel."""

CHECKS = Checks(
    together=(
        (*line_starts("Total time run:", "Bandwidth (MB/sec):"), *_RADOS_LATENCIES),
        (
            Line("Average IOPS", r"(?m:^[ \t\r]*)Average IOPS(?::| +\d)", "Average IOPS", "line"),
            *line_starts("Stddev IOPS:", "Max IOPS:", "Min IOPS:"),
        ),
        line_starts("Object size:", "Average Latency(s):"),
        (
            *line_starts("Total writes made:", "Write size:", "Stddev Bandwidth:", "Max bandwidth (MB/sec):"),
            *line_starts("Min bandwidth (MB/sec):"),
            Line("Stddev Latency", r"(?m:^[ \t\r]*)Stddev Latency(?:\(s\))?:", "Stddev Latency", "line"),
        ),
        (*json_keys(*_RADOS), _MAX_LATENCY),
        json_keys(*_RADOS_WRITE),
        json_keys("sec", "cur_ops", "started", "finished", "avg_bw", "cur_bw", "last_lat", "avg_lat"),
    ),
    rates=Agreement(0.02, rate=1.0),  # operations a second are cut to whole ones
)

FORMAT = Format(
    name="rados-bench",
    tool="rados bench",
    versions="Ceph 0.4x to 19",
    reads="text, --format=json, --format=json-pretty; write, seq, rand",
    source="ceph/src/common/obj_bencher.cc",
    marks=("Cur started", "made", "cur", "hints", "run Bandwidth sec"),
    opens=("hints = 1",),
    forms=(("Maintaining ", "Cur ops   started", "Total time run:"), ('"avg_bw"',)),
    checks=CHECKS,
)

_NUMBER = r"-?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?"
_IS_NUMBER = re.compile(_NUMBER)
_SECOND = re.compile(rf"\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+({_NUMBER})\s+({_NUMBER})\s+(-|{_NUMBER})\s+({_NUMBER})\s*$")
_SHORT_SECOND = re.compile(rf"\s*\d+(?:\s+(?:-|{_NUMBER})){{6}}\s*$")
_NAME = re.compile(r"([A-Z][A-Za-z ]*[A-Za-z])(?: ?\((?:MB/sec|sec|s)\))?")
_VALUE = re.compile(rf"({_NUMBER})(?: ?(?:sec|s|MB/sec|bytes))?(?:\s+#.*|(?: {{2}}|\t)\s*[^\s\d:][^:]*)?")
"""Behind it people say in their language what it means, behind a sign of a comment or some blanks."""
_WITHOUT_COLON = re.compile(r"\s*(Average IOPS) +(\d+)\s*")
"""Ceph 9 and 10 forget the colon of reads."""
_COMMAND = re.compile(r"\brados (?:(?!\brados ).){0,300}?\bbench\b(?:(?!\bbench\b).){0,100}?\b(write|seq|rand)\b")
_ASKED_THREADS = re.compile(r"(?<!\S)(?:-t|--concurrent-ios)[ =](\d{1,6})(?!\S)")
_EXTREMES = re.compile(rf"(?<![a-z])min lat: ({_NUMBER}) max lat: ({_NUMBER}) avg lat: (?!0\s*$)")
"""Every twenty seconds, before the heading and the second that it is of: of all operations so far."""
_CONCURRENT = re.compile(r"Maintaining (\d+) concurrent (write|read)s")
_CLEANUP = re.compile(
    r"\s*(?:Removed (?P<operations>\d{1,18}) objects?\s*$"
    rf"|Clean up completed and total clean up time ?: ?(?P<elapsed>{_NUMBER})(?!\S))"
)
_START = "total time run"

_SUMMARY = {
    "total time run": ("elapsed", 1.0),
    "write size": ("record_size", 1.0),
    "read size": ("record_size", 1.0),
    "object size": ("file_size", 1.0),
    "bandwidth": ("throughput", MIB),
    "stddev bandwidth": ("throughput_std", MIB),
    "max bandwidth": ("throughput_max", MIB),
    "min bandwidth": ("throughput_min", MIB),
    "average iops": ("operation_rate", 1.0),
    "stddev iops": ("operation_rate_std", 1.0),
    "max iops": ("operation_rate_max", 1.0),
    "min iops": ("operation_rate_min", 1.0),
    "average latency": ("latency", 1.0),
    "stddev latency": ("latency_std", 1.0),
    "max latency": ("latency_max", 1.0),
    "min latency": ("latency_min", 1.0),
}
_MADE = {"total writes made": "write", "total reads made": "read"}
_BELOW_THE_TIME = (" writes made:", " reads made:", "Bandwidth (MB/sec):")
"""Of which one stands in every summary, also where lines of it were left out."""
_NEVER_SET = {"throughput_min": 1e300, "operation_rate_min": 2147483647.0}
"""Lowest rates, in MB and operations a second, from which on there was no second that had one."""
_LAST = "latency_min"
_VALUES = {"operations", *(name for name, _ in _SUMMARY.values())}
_PATTERNS: Mapping[str, Row] = {
    "write": {"operation": "write"},
    "seq": {"operation": "read", "access_pattern": "sequential"},
    "rand": {"operation": "read", "access_pattern": "random"},
}


def sniff(head: str) -> bool:
    """Whether the heading of the seconds, the summary's first lines or its JSON stand here."""
    return (
        "Cur ops   started  finished" in head
        or ("Total time run:" in head and any(line in head for line in _BELOW_THE_TIME))
        or ('"cur_ops"' in head and '"avg_bw"' in head)
        or ("hints = 1" in head and "concurrent_ios" in head)
    )


def parse(text: str) -> Parsed:
    """Read all tests of a log.

    Raises
    ------
    ParseError
        If there is no test.
    """
    parsed = Parsed({"tool": "rados bench", "statistic": "single"})
    cleanups: list[Row] = []
    if '"cur_ops"' in text or '"total_time_run"' in text:
        rows, samples = _read_json(text, parsed)
    else:
        rows, samples, cleanups = _read_text(text, parsed)
    if not (rows or samples):
        raise refusal("seconds under a heading 'sec Cur ops ...', or a summary 'Total time run: ...'", text)
    if not rows and _START not in text.lower():
        parsed.incomplete("there is no summary 'Total time run': the test did not end")
    runs = sorted((*rows, *cleanups), key=lambda row: int(row["line"]))
    ends = sorted(int(test["line"]) for test in rows)
    for row in runs if len(rows) > 1 else ():
        row["part"] = float(bisect_right(ends, int(row["line"])))
    for sample in samples if len(rows) > 1 else ():
        sample["part"] = sample.get("part", float(1 + bisect_left(ends, int(sample["line"]))))
    parsed.runs = [settled(row) for row in runs]
    parsed.series = columns(samples) if samples else {}
    return parsed


class _Text:
    """The text that is read: tests that have a summary, samples, and those of the test that still runs."""

    def __init__(self, parsed: Parsed, headed: bool) -> None:
        self.parsed = parsed
        self.rows: list[Row] = []
        self.samples: list[Row] = []
        self.cleanups: list[Row] = []
        self._running: list[Row] = []
        self._keys: Row = {}
        self._asked: list[tuple[str, str]] = []
        self._extremes: Row = {}
        self._in_table = self._begins_in_table = not headed

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if command := _COMMAND.search(line):
            self._command(line, command[1], at)
        elif concurrent := _CONCURRENT.search(line):
            self._keys |= {"operation": concurrent[2]} | on(at, {"processes": float(concurrent[1])})
        elif "Cur ops" in line:
            self._in_table, self._asked = True, []
        elif self._in_table and (second := _SECOND.match(line)):
            self._second(second.groups(), at)
        elif self._in_table and _SHORT_SECOND.match(line):
            self.parsed.incomplete("a second needs eight numbers, found seven", at)
        else:
            self._beside(line, at)

    def _second(self, words: Sequence[str], at: int) -> None:
        """Take a second of the test that runs."""
        self._running.append(_sample(words, self._keys, at) | self._extremes)
        self._extremes = {}
        if self._begins_in_table and not self.samples and float(self._running[0]["time"]) > 1:
            self.parsed.incomplete("the seconds above this one are not here", at)
        self.samples.append(self._running[-1])

    def _command(self, line: str, kind: str, at: int) -> None:
        """Take what a command asks for, but what others of a list of commands above their reports ask otherwise."""
        threads = _ASKED_THREADS.search(line)
        self._asked.append((kind, threads[1] if threads else ""))
        kinds, numbers = map(set, zip(*self._asked, strict=True))
        self._keys = dict(_PATTERNS[kind])
        if {"seq", "rand"} <= kinds:
            self._keys.pop("access_pattern", None)
        if threads and len(numbers) == 1:
            self._keys |= on(at, {"processes": float(threads[1])})

    def _beside(self, line: str, at: int) -> None:
        """Read a line that is no second of a test."""
        if extremes := _EXTREMES.search(line):
            self._extremes = on(at, {"latency_min": number(extremes[1]), "latency_max": number(extremes[2])})
        elif cleanup := _CLEANUP.match(line):
            self._clean_up(cleanup, at)
        elif field := _field(line):
            self._field(*field, at)
        elif "\ufffd" in line:
            self.parsed.incomplete("the line is damaged", at)
        elif self._running and is_left_out(line):
            self.parsed.incomplete("seconds were left out here", at)

    def _clean_up(self, found: re.Match[str], at: int) -> None:
        """Take how many objects were removed behind a test, and how long it took, which is said a line below."""
        if not self.rows:
            return
        is_counted = bool(self.cleanups) and self.cleanups[-1]["line"] == at - 1
        row = self.cleanups.pop() if is_counted and found["elapsed"] else {"operation": "delete"}
        values = {name: number(value) for name, value in found.groupdict().items() if value}
        self.cleanups.append({**row, **on(at, values), "line": at})

    def _field(self, name: str, printed: str, at: int) -> None:
        if name == _START:
            self.rows.append({**self._keys, "line": at})
            self._in_table = False
        if self.rows:
            _take(self.rows[-1], name, printed, at, self.parsed)
        if name in _MADE:
            for sample in self._running:
                sample["operation"] = _MADE[name]
            self._running, self._keys, self._asked = [], {}, []

    def end(self) -> None:
        """Say what the log lacks."""
        for row in self.rows:
            if _LAST not in row:
                self.parsed.incomplete("the summary is cut", int(row["line"]))
            elif "operations" not in row:
                made = f"{row['operation']}s" if "operation" in row else "operations"
                self.parsed.incomplete(f"the summary does not say how many {made} were made", int(row["line"]))
        if self._running:
            self.parsed.incomplete("the last test has no summary 'Total time run'", int(self._running[-1]["line"]))
        self.rows = [row for row in self.rows if "operation" in row and row.keys() & _VALUES]


def _field(line: str) -> tuple[str, str] | None:
    """Name and number of a field of the summary; None where a line is none."""
    if found := _WITHOUT_COLON.fullmatch(line):
        return found[1].lower(), found[2]
    before, _, behind = line.partition(":")
    name, value = _NAME.fullmatch(before.strip()), _VALUE.fullmatch(behind.strip())
    return (name[1].lower(), value[1]) if name and value else None


def _begins_with_heading(text: str) -> bool:
    """Whether the heading of seconds is there before a summary is; an excerpt may begin between the two."""
    before, summary, _ = text.lower().partition(_START)
    return not summary or "cur ops" in before


def _read_text(text: str, parsed: Parsed) -> tuple[list[Row], list[Row], list[Row]]:
    reader = _Text(parsed, headed=_begins_with_heading(text))
    *lines, rest = without_prefix(text.split("\n"))
    for at, line in enumerate(lines, start=1):
        reader.take(line, at)
    parsed.cut_line(rest, len(lines) + 1)
    reader.end()
    return reader.rows, reader.samples, reader.cleanups


def _sample(words: Sequence[str], keys: Row, at: int) -> Row:
    """Return the second of a test: its own rate, -1 where it has none, and the mean of all so far beside it."""
    seconds, running, _, finished, mean, rate, last, latency = words
    row: Row = {"time": float(seconds), "operation": keys.get("operation", ""), "queue_depth": float(running)}
    row |= {} if rate.startswith("-") else {"throughput": number(rate) * MIB}
    row |= {"throughput_mean": number(mean) * MIB, "operations": float(finished)}
    row |= {"latency": number(latency)} if float(finished) else {}
    return row | ({"latency_last": number(last)} if float(finished) and last.strip("-0.") else {}) | {"line": at}


def _take(row: Row, name: str, printed: str, at: int, parsed: Parsed) -> None:
    """Take a field of the summary; a negative spread is a known mistake of the tool and no value."""
    if name in _MADE and _IS_NUMBER.fullmatch(printed):
        row |= {"operation": _MADE[name]} | on(at, {"operations": number(printed)})
        if _MADE[name] == "write":
            row.pop("access_pattern", None)
    elif name in _SUMMARY:
        short, unit = _SUMMARY[name]
        if not _IS_NUMBER.fullmatch(printed):
            parsed.incomplete(f"{name}: expected a number, found {printed!r}", at)
        elif short in _NEVER_SET and float(printed.replace(",", ".")) >= _NEVER_SET[short]:
            parsed.note(f"{name} is {printed[:20]}: there was no second that had a rate", at)
            _forget(row, short.removesuffix("_min"))
        elif number(printed) < 0:
            parsed.note(f"{name} is {printed}: the tool prints it wrongly", at)
        else:
            row |= on(at, {short: number(printed) * unit})
        if short == "throughput":
            row["line"] = at


def _forget(row: Row, rate: str) -> None:
    """Leave out the highest rate and the spread of no seconds, which are printed as 0 above the lowest."""
    for name in (f"{rate}_max", f"{rate}_std"):
        row.pop(name, None)
        row.pop(LINE_OF[name], None)


def _read_json(text: str, parsed: Parsed) -> tuple[list[Row], list[Row]]:
    rows: list[Row] = []
    samples: list[Row] = []
    for found in objects(text):
        lines = Lines(text, found.start, found.line)
        if not found.whole:
            parsed.incomplete("the JSON breaks off", lines.of("datas"))
        seconds = [_second(second, lines, parsed) for second in mappings(found.body.get("datas"))]
        row: Row = {"line": lines.of("bandwidth")}
        of_keys = Lines(text, found.start, found.line).under(found.body, skip=("datas",))
        if processes := quantity(found.body, "concurrent_ios"):
            row |= on(line_in(of_keys, "concurrent_ios") or lines.line, {"processes": processes})
        for name, value in found.body.items():
            if not isinstance(value, list):
                _take(row, name.rstrip(":").replace("_", " "), str(value), line_in(of_keys, name) or lines.line, parsed)
        whose: Row = {"operation": row.get("operation", ""), "part": float(len(rows) + 1)}
        rows += [row] if "throughput" in row and "operation" in row else []
        samples += [{**sample, **whose} for sample in seconds if sample]
    for sample in samples if len(rows) < 2 else ():
        del sample["part"]
    return rows, samples


_OF_A_SECOND = {
    "cur_ops": "queue_depth", "finished": "operations", "avg_bw": "throughput_mean", "cur_bw": "throughput",
    "last_lat": "latency_last", "avg_lat": "latency",
}  # fmt: skip


def _second(second: Mapping[str, object], lines: Lines, parsed: Parsed) -> Row:
    names = ("sec", "cur_ops", "started", "finished", "avg_bw", "cur_bw", "last_lat", "avg_lat")
    at, places = lines.of("sec"), lines.under({name: "" for name in second if name != "sec"})
    try:
        row = _sample([str(second[name]) for name in names], {}, at)
        return settled(row | of_names(_OF_A_SECOND, places, row))
    except (KeyError, ValueError, TypeError):
        parsed.incomplete(f"a second needs {', '.join(names)} with numbers", at)
        return {}
