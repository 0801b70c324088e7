"""warp: MinIO's benchmark of object stores, its reports of ``warp analyze`` and of the benchmarks themselves.

A row of `runs` a report: ``put``, ``get``, ``delete`` and ``stat`` of objects, and ``mixed_workload`` for the total of
a mix. `throughput` and `operation_rate` are averages over the run; `throughput_min` and `throughput_max` are of its
slowest and fastest segment. Latencies are those of requests, `first_byte_latency` the time to their first byte. What
a report says of single hosts is a row of `samples` a `server`, and what it says of a range of sizes of objects one
with the range in `label`: rates of single requests there. The rate that 90% or 99% of these reach has a row of its own
("1MiB -> 10MiB, 90%"), and so have the first and the last of the requests of each object ("first access"). Machines
that run warp are rows of `clients`. A mix on several hosts that is analysed in detail has rates of hosts alone, and
its reports have latencies and no rate; some versions count the operations of a mix and have no rates of them. Segments
are slow or fast by their bytes: `operation_rate_min` and `operation_rate_max` are the lower and the higher rate of
both. JSON is read by `warp_json`. Versions before 0.3 print MB/s and mean MiB/s.
"""

from __future__ import annotations

import re
import sys

from storagelab.parsers.benchmarks import warp_json
from storagelab.parsers.checks import Checks, Line, words
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.placed import on, settled
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.trusted import refusal
from storagelab.schema import LINE_OF
from storagelab.units import GIB, KIB, MIB, TIB

CHECKS = Checks(
    together=(
        (
            Line("Report: ", r"(?m:^[ \t]*)(?:Report|Operation): (?!\w+ - total: )"),
            Line("* Average:", r"(?m:^[ \t]*)\* (?:(?:Average|Throughput): )?[0-9.]+ (?:[KMGT]i?B|obj)/s"),
        ),
        (
            Line("Throughput, split into", r", split into", ", split into"),
            *words("* Fastest:", "* 50% Median:", "* Slowest:"),
        ),
    ),
)

FORMAT = Format(
    name="warp",
    tool="warp",
    versions="0.1 to 1.3",
    reads="reports on the console, of benchmarks and of warp analyze; JSON",
    source="minio/warp cli/analyze.go (printAnalysis), pkg/aggregate (String)",
    marks=("obj", "warp", "measure", "commandline"),
    opens=(
        "Report: ",
        "Operation: ",
        "warp: <ERROR>",
    ),
    checks=CHECKS,
)

OPERATIONS = {
    "PUT": "put",
    "POST": "put",
    "PUTPART": "put",
    "SNOWBALL": "put",
    "GET": "get",
    "DELETE": "delete",
    "STAT": "stat",
    "LIST": "list",
    "APPEND": "append",
    "Total": "mixed_workload",
    "MIXED": "mixed_workload",
    "Mixed": "mixed_workload",
}
"""Words of warp; other ones are "unknown", with the word as label."""
LONGEST = 2000
_NUMBER = r"\d+(?:[.,]\d+)?"
_GO_TIME = r"(?:\d+(?:[.,]\d+)?(?:h|ms|m|s|µs|us|ns))+"
_REPORT = re.compile(r"\s*(?:Report|Operation): ([\w-]+)")
_CLUSTER = re.compile(r"\s*(?:Cluster Total|Aggregated): +(?=\d)(.*)")
_DETAILS = (
    ("processes", re.compile(r"Concurrency: (\d+)")),
    ("nodes", re.compile(r"Hosts: (\d+)")),
    ("file_size", re.compile(r"Size: (\d+)")),
    ("operations", re.compile(r"(?:\(|total: |Operations: )(\d+)(?: reqs\)|\)|,(?!\d)| \()")),
    ("errors", re.compile(r"(?:Errors: ?|, )(\d+)(?: errors|$)")),
)
_RAN = re.compile(rf"(?:Ran|Duration|over)(?: Duration)?:? ({_GO_TIME})")
_LASTED = re.compile(rf" \(({_GO_TIME})(?:, starting|\))")
_RATES = re.compile(rf"(?:({_NUMBER}) ?(B|[KMGT]i?B)/s)?(?:, )?(?:({_NUMBER}) obj/s)?")
_SEGMENT = re.compile(r"\s*\* (?:(Average|Throughput|Fastest|Slowest|50% Median): +)?(?=\d)(.*)")
_REQUESTS = re.compile(r"\s*\* (?:Reqs: |Requests: )?Avg: ")
_OF_FIRST_BYTE = re.compile(r"\s*\* (?:TTFB|First Byte): ")
_TIME = re.compile(
    r"(Avg|Average|50%|90%|99%|99.9%|999%|25th|Median|75th|90th|99th|Fastest|Slowest|Best|Worst|StdDev): +"
    rf"({_GO_TIME})(?![^\s,)])"
)
_GO_PART = re.compile(r"(?<!\d)(\d+(?:[.,]\d+)?)(h|ms|m|s|µs|us|ns)")
_OF_HOST = re.compile(r"\s*\* (?:\w+://(\S+?)|(Client_\S+?))(?:: Avg: (?=\d)(.*)| - (\d{1,18}) requests:)")
"""Several clients of one host stand there by their names: ``* Client_a - 5000 requests:``."""
_OF_CLIENT = re.compile(r"\s*Client (\d{1,9}) throughput: (?=\d)(.*)")
_OF_ACCESS = re.compile(r"\s*\* ((?:First|Last) Access)( TTFB)?: ")
_CONSIDERED = (
    ("samples", re.compile(r"Requests considered: (\d{1,18})")),
    ("request_size", re.compile(r"Multiple sizes, average (\d{1,18}) bytes")),
)
_OF_SIZE = re.compile(r"\s*Request size ([^->]{0,20})-> ?([^->.]{1,20})\. Requests(?: -|:) (\d{1,18})\b")
_OF_REQUESTS = re.compile(r"\s*\* (?:Throughput: Average|Reqs: Avg): ")
_RATE_OF_REQUESTS = re.compile(rf"(Average|Avg|50%|90%|99%|Fastest|Slowest): ({_NUMBER}) ?(B|[KMGT]i?B)/s")
_COUNTED = re.compile(r"\s*\* Operations: \d+ \(")
_ERROR = re.compile(r"<ERROR>")
_ERRORS = re.compile(r"\s*(?:\* )?(?:Total )?Errors: ?(\d+)")
_SKIPPED = re.compile(r"\s*(?:\* )?(?:Skipping|Skipped|Not enough requests)")
_PARTS = re.compile(r"\s*(?:Request size |Requests by host|Throughput by (?:host|client)|Hosts:\s*$)")
_WHOLE = re.compile(r"\s*(?:(?:Aggregated )?(?:Throughput|Aggregated), split|Throughput:|Requests considered)")
_BYTES = {"B": 1.0, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "KB": KIB, "MB": MIB, "GB": GIB, "TB": TIB}
_A_SECOND = {"h": 1 / 3600, "m": 1 / 60, "s": 1.0, "ms": 1e3, "µs": 1e6, "us": 1e6, "ns": 1e9}
_HOSTS = ("server", "client")
_ALL_ABOUT = 0.9, 1.1
"""What a total may be of the sum of its operations, which do not all run as long."""
_RESULTS = ("throughput", "operation_rate", "latency", "operations")
_SHARE = "% of operations)"
_TRACES_OF_SEGMENTS = ("split into", " time segments:", "50% Median", "* Fastest", "* Slowest")
_SEGMENTS = {"": "", "Average": "", "Throughput": "", "Fastest": "_max", "50% Median": "_median", "Slowest": "_min"}
_RATES_OF_REQUESTS = {
    "Average": "throughput",
    "Avg": "throughput",
    "50%": "throughput_median",
    "Fastest": "throughput_max",
    "Slowest": "throughput_min",
}
_LATENCIES = {
    "Avg": "latency",
    "50%": "latency_p50",
    "90%": "latency_p90",
    "99%": "latency_p99",
    "999%": "latency_p99_9",
    "99.9%": "latency_p99_9",
    "Fastest": "latency_min",
    "Slowest": "latency_max",
    "StdDev": "latency_std",
}
_FIRST_BYTE = {
    "Avg": "first_byte_latency",
    "Average": "first_byte_latency",
    "Best": "first_byte_latency_min",
    "Worst": "first_byte_latency_max",
    "25th": "first_byte_latency_p25",
    "Median": "first_byte_latency_p50",
    "75th": "first_byte_latency_p75",
    "90th": "first_byte_latency_p90",
    "99th": "first_byte_latency_p99",
    "StdDev": "first_byte_latency_std",
}


def sniff(head: str) -> bool:
    """Whether a report with an average in objects a second, or warp's error, stands here."""
    if warp_json.MARK in head or ('"commandline"' in head and '"total_requests"' in head):
        return True
    return ("obj/s" in head and ("Report: " in head or "Operation: " in head)) or "warp: <ERROR>" in head


def parse(text: str) -> Parsed:
    """Read every report.

    Raises
    ------
    ParseError
        If there is neither a report nor an error of warp.
    """
    parsed = Parsed({"tool": "warp", "statistic": "single"})
    if warp_json.MARK in text:
        parsed.runs = warp_json.read(text, parsed, OPERATIONS)
        if not parsed.runs:
            raise refusal("an operation of warp with its throughput", text)
        return parsed
    reader = _Reader(parsed)
    *lines, rest = without_prefix(text.split("\n"))
    for at, line in enumerate(lines, start=1):
        if "\ufffd" in line or len(line) > LONGEST:
            parsed.incomplete("the line is damaged", at)
        if len(line) <= LONGEST:
            reader.take(line, at)
    parsed.cut_line(rest, len(lines) + 1)
    _judge(parsed, reader, text)
    return parsed


class _Reader:
    """The reports read so far; lines on hosts and sizes do not belong to the whole of a report."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.rows: list[Row] = []
        self.skipped: set[int] = set()
        self.by_host: set[int] = set()
        self.counted: set[int] = set()
        self.hosts: list[Row] = []
        self.shares: list[Row] = []
        self._of_parts = False
        self._clients = 0

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if report := _REPORT.match(line):
            self._open(report[1], line, at)
        elif total := _CLUSTER.match(line):
            self._open("Total", line, at)
            _rates(self.rows[-1], total[1], "", at)
            self.skipped.add(at)
        elif _ERROR.search(line):
            self.parsed.incomplete(line.strip(), at)
        elif errors := _ERRORS.match(line):
            self._errors(float(errors[1]), line, at)
        elif _SKIPPED.match(line):
            self.skipped.add(int(self.rows[-1]["line"]) if self.rows else 0)
            self.parsed.note(line.strip(), at)
        elif _PARTS.match(line) or _WHOLE.match(line):
            self._open_parts(line, at)
        elif self.rows and not self._of_parts and line.lstrip().startswith("* "):
            self._starred(self.rows[-1], line, at)
        elif self.rows and self._of_parts:
            self._host(self.rows[-1], line, at)

    def _open_parts(self, line: str, at: int) -> None:
        """Read the heading of what is said of hosts or of a range of sizes, or of the whole again."""
        self._of_parts = not _WHOLE.match(line)
        if self.rows and "Throughput by host" in line:
            self.by_host.add(int(self.rows[-1]["line"]))
        if self.rows and not self._of_parts:
            self.rows[-1] |= _found(_CONSIDERED, line, at)
        if self.rows and (size := _OF_SIZE.match(line)):
            self._size(size, at)

    def _host(self, report: Row, line: str, at: int) -> None:
        """Read a line on a host or a client: its rates, the heading of its requests, or their latencies."""
        of_report: Row = {name: report[name] for name in ("operation", "label") if name in report}
        if found := _OF_HOST.match(line):
            whose: Row = {"server": found[1]} if found[1] else {"client": found[2]}
            row: Row = {**of_report, **whose, "line": at}
            if found[3]:
                _rates(row, found[3], "", at)
                row |= _details(line, at)
            else:
                row |= on(at, {"operations": float(found[4])})
            self.hosts.append(row)
        elif found := _OF_CLIENT.match(line):
            self._client(found, of_report, at)
        elif "obj/s" in line or line.rstrip().endswith(" requests:"):
            self.parsed.incomplete(
                f"expected a host, or the heading of the whole, before rates, found {line.strip()[:60]!r}", at
            )
        elif self.hosts and self.hosts[-1].keys().isdisjoint(_HOSTS) and line.lstrip().startswith("* "):
            self._of_size(self.hosts[-1], line, at)
        elif self.hosts and line.lstrip().startswith(("- Avg: ", "- First Byte: ")):
            names = _FIRST_BYTE if "First Byte" in line else _LATENCIES
            self.hosts[-1] |= _latencies(line, names, self.hosts[-1], at)

    def _client(self, found: re.Match[str], of_report: Row, at: int) -> None:
        """Read the rates of a client; they are numbered from 1."""
        self._clients += 1
        if int(found[1]) != self._clients:
            self.parsed.incomplete(f"expected client {self._clients}, found {found[1]}", at)
            self._clients = int(found[1])
        row: Row = {**of_report, "share": "client", "client": found[1], "line": at}
        _rates(row, found[2], "", at)
        self.parsed.clients.append(settled(row))

    def _size(self, found: re.Match[str], at: int) -> None:
        """Begin the row of a range of sizes: ``Request size 10KiB -> 1MiB . Requests: 41``."""
        label = " -> ".join(size.replace(" ", "") for size in found.groups()[:2]).lstrip()
        row: Row = {"operation": self.rows[-1]["operation"], "label": label, "line": at}
        self.hosts.append(row | on(at, {"operations": float(found[3])}))

    def _of_size(self, row: Row, line: str, at: int) -> None:
        """Read what is said of the requests of a range of sizes: their rates, or the time to their first byte."""
        if _OF_REQUESTS.match(line):
            row["line"] = at
            rates = {which: number(value) * _BYTES[unit] for which, value, unit in _RATE_OF_REQUESTS.findall(line)}
            row |= on(
                at, {_RATES_OF_REQUESTS[which]: rate for which, rate in rates.items() if which in _RATES_OF_REQUESTS}
            )
            self.shares += [
                {"operation": row["operation"], "label": f"{row['label']}, {which}", "throughput": rate, "line": at}
                for which, rate in rates.items()
                if which not in _RATES_OF_REQUESTS
            ]
        elif _OF_FIRST_BYTE.match(line) or _REQUESTS.match(line):
            row |= _latencies(line, _FIRST_BYTE if _OF_FIRST_BYTE.match(line) else _LATENCIES, row, at)

    def _open(self, word: str, line: str, at: int) -> None:
        operation = OPERATIONS.get(word, "unknown")
        label: Row = {} if word in ("PUT", "GET", "DELETE", "STAT", "LIST", "Total") else {"label": word}
        self.rows.append({"operation": operation, "line": at, **label, **_details(line, at)})
        self._of_parts = False
        self._clients = 0

    def _access(self, report: Row, access: re.Match[str], line: str, at: int) -> None:
        """Read the latencies of the first or the last access to each object, or the time to their first byte."""
        label = access[1].lower()
        if not access[2] or not self.hosts or self.hosts[-1].get("label") != label:
            self.hosts.append({"operation": report["operation"], "label": label, "line": at})
        row = self.hosts[-1]
        row |= _latencies(line, _FIRST_BYTE if access[2] else _LATENCIES, row, at)

    def _errors(self, count: float, line: str, at: int) -> None:
        if self.rows and "Total" not in line:
            self.rows[-1] |= on(at, {"errors": count})
        if count:
            self.parsed.note(line.strip(), at)

    def _starred(self, row: Row, line: str, at: int) -> None:
        if segment := _SEGMENT.match(line):
            self._of_parts = False
            name = segment[1] or ("" if _SHARE in line else "Median")
            if _SEGMENTS.get(name) == "" and "operation_rate" in row:
                self.parsed.incomplete("a second average: the heading of its report is missing", at)
            if name in _SEGMENTS and _rates(row, segment[2], _SEGMENTS[name], at) and not _SEGMENTS[name]:
                row["line"] = at
                row |= {key: value for key, value in _details(line, at).items() if key not in row}
        elif _REQUESTS.match(line) or _OF_FIRST_BYTE.match(line):
            row |= _latencies(line, _FIRST_BYTE if _OF_FIRST_BYTE.match(line) else _LATENCIES, row, at)
        elif "obj/s" in line or line.rstrip().endswith(" requests:"):
            self.parsed.incomplete(f"expected a name before the rates, found {line.strip()[:60]!r}", at)
        elif access := _OF_ACCESS.match(line):
            self._access(row, access, line, at)
        else:
            row |= _details(line, at)
            if _COUNTED.match(line):
                self.counted.add(int(row["line"]))


def _latencies(line: str, names: dict[str, str], known: Row, at: int) -> Row:
    """Give the latencies of a line that are not yet known."""
    found: Row = {}
    for which, printed in _TIME.findall(line):
        if which in names and names[which] not in known | found:
            found |= on(at, {names[which]: _seconds(printed)})
    return found


def _details(line: str, at: int) -> Row:
    ran = _RAN.search(line) or _LASTED.search(line)
    return _found(_DETAILS, line, at) | (on(at, {"elapsed": _seconds(ran[1])}) if ran else {})


def _found(details: tuple[tuple[str, re.Pattern[str]], ...], line: str, at: int) -> Row:
    return on(at, {name: float(found[1]) for name, pattern in details if (found := pattern.search(line))})


def _seconds(printed: str) -> float:
    """Seconds of a time as Go prints it: ``34.0ms``, ``1.101s``, ``4m59.883s``."""
    return sum(number(value) / _A_SECOND[unit] for value, unit in _GO_PART.findall(printed))


def _rates(row: Row, printed: str, suffix: str, at: int) -> bool:
    found = _RATES.match(printed)
    if found and found[1]:
        row |= on(at, {f"throughput{suffix}": number(found[1]) * _BYTES[found[2]]})
    if found and found[3]:
        row |= on(at, {f"operation_rate{suffix}": number(found[3])})
    return bool(found and (found[1] or found[3]))


def _in_order(row: Row) -> Row:
    """Say which of the rates of the slowest and the fastest segment is the lower one: their bytes may say otherwise."""
    names = ("operation_rate_min", "operation_rate_max")
    if row.keys().isdisjoint(("throughput_min", "throughput_max")):
        return row
    if not {*names} <= row.keys():
        return {name: value for name, value in row.items() if name not in (*names, *map(LINE_OF.get, names))}
    if float(row[names[0]]) <= float(row[names[1]]):
        return row
    of_slowest, of_fastest = ({name: row[name], LINE_OF[name]: row[LINE_OF[name]]} for name in names)
    return (
        row
        | dict(zip(of_slowest, of_fastest.values(), strict=True))
        | dict(zip(of_fastest, of_slowest.values(), strict=True))
    )


def _judge(parsed: Parsed, reader: _Reader, text: str) -> None:
    rows = reader.rows
    parsed.runs = [settled(_in_order(row)) for row in rows if not row.keys().isdisjoint(_RESULTS)]
    of_parts = sorted((*reader.hosts, *reader.shares), key=lambda row: int(row["line"]))
    if of_parts := [settled(row) for row in of_parts if not row.keys().isdisjoint(_RESULTS)]:
        parsed.series = columns(of_parts)
    if all("operation_rate" not in row for row in rows if int(row["line"]) not in reader.skipped):
        reader.skipped |= reader.counted
    has_segments = any(trace in text for trace in _TRACES_OF_SEGMENTS)
    for row in rows:
        if int(row["line"]) in reader.skipped:
            continue
        if "operation_rate" not in row:
            if int(row["line"]) not in reader.by_host or "latency" not in row:
                parsed.incomplete("the report has no average", int(row["line"]))
        elif has_segments and not {"operation_rate_min", "operation_rate_max"} <= row.keys():
            parsed.incomplete("the report has no slowest or no fastest segment", int(row["line"]))
    _hold_sum(parsed, rows)
    _hold_hosts(parsed, reader)
    _hold_sizes(parsed, reader)
    if not rows and parsed.complete:
        raise refusal("a report of warp ('Report: GET ...')", text)


def _hold_hosts(parsed: Parsed, reader: _Reader) -> None:
    """Hold the rate of a report against those of its hosts, and of its clients, where it has both."""
    ends = [int(row["line"]) for row in reader.rows[1:]] + [sys.maxsize]
    low, high = _ALL_ABOUT
    for row, end in zip(reader.rows, ends, strict=False):
        start, rate = int(row["line"]), float(row.get("operation_rate", 0))
        by_client = [*parsed.clients, *(part for part in reader.hosts if "client" in part)]
        by_host = [part for part in reader.hosts if "client" not in part]
        for whose, parts in (("hosts", by_host), ("clients", by_client)):
            rates = [float(part.get("operation_rate", 0)) for part in parts if start < int(part["line"]) < end]
            if rate and sum(rates) and not low * sum(rates) <= rate <= high * sum(rates):
                parsed.note(f"expected about {rate:g} operations a second of all {whose}, found {sum(rates):g}", start)


def _hold_sizes(parsed: Parsed, reader: _Reader) -> None:
    """Say where a range of sizes has no rates."""
    for row in reader.hosts:
        if row.keys().isdisjoint((*_HOSTS, "throughput", "latency")):
            parsed.incomplete(f"the requests of {row['label']} have no rate", int(row["line"]))


def _hold_sum(parsed: Parsed, rows: list[Row]) -> None:
    """Hold the rate of a mix against those of its operations."""
    if len(rows) < 2 or rows[-1]["operation"] != "mixed_workload" or "operation_rate" not in rows[-1]:
        return
    *parts, total = rows
    rate = float(total["operation_rate"])
    summed = sum(float(row.get("operation_rate", 0)) for row in parts)
    if not summed and all("operations" in row for row in parts):
        return
    low, high = _ALL_ABOUT
    if not low * summed <= rate <= high * summed:
        parsed.note(f"expected about {rate:g} operations a second in all, found {summed:g}", int(total["line"]))
