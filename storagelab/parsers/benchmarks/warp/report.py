"""The reports of warp on the console, line by line."""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.warp.values import (
    BYTES,
    FIRST_BYTE,
    LATENCIES,
    NUMBER,
    OPERATIONS,
    add_rates,
    details,
    latencies,
    numbers_found,
)
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on, settled

LONGEST = 2000
"""Letters of the longest line that is read."""
HOSTS = ("server", "client")
_REPORT = re.compile(r"\s*(?:Report|Operation): ([\w-]+)")
_CLUSTER = re.compile(r"\s*(?:Cluster Total|Aggregated): +(?=\d)(.*)")
_SEGMENT = re.compile(r"\s*\* (?:(Average|Throughput|Fastest|Slowest|50% Median): +)?(?=\d)(.*)")
_SEGMENT_OF_HOST = re.compile(r"\s*- (Fastest|50% Median|Slowest): +(?=\d)(.*)")
"""What ``--analyze.hostdetails`` adds to the rates of each host."""
_REQUESTS = re.compile(r"\s*\* (?:Reqs: |Requests: )?Avg: ")
_OF_FIRST_BYTE = re.compile(r"\s*\* (?:TTFB|First Byte): ")
_OF_HOST = re.compile(r"\s*\* (?:\w+://(\S+?)|(Client_\S+?))(?:: Avg: (?=\d)(.*)| - (\d{1,18}) requests:)")
"""Several clients of one host stand there by their names: ``* Client_a - 5000 requests:``."""
_OF_HOST_IN_ALL = re.compile(r"\s*\* \w+://(\S+?): {1,3}(?=\d)(.*)")
"""What 0.1 prints of each host below the total of a mix."""
_OF_CLIENT = re.compile(r"\s*Client (\d{1,9}) throughput: (?=\d)(.*)")
_OF_ACCESS = re.compile(r"\s*\* ((?:First|Last) Access)( TTFB)?: ")
_CONSIDERED = (
    ("samples", re.compile(r"Requests considered: (\d{1,18})")),
    ("request_size", re.compile(r"Multiple sizes, average (\d{1,18}) bytes")),
)
_OF_SIZE = re.compile(r"\s*Request size ([^->]{0,20})-> ?([^->.]{1,20})\. Requests(?: -|:) (\d{1,18})\b")
_OF_REQUESTS = re.compile(r"\s*\* (?:Throughput: Average|Reqs: Avg): ")
_OF_SIZES = re.compile(rf"\s*\* (?:Throughput: Average|Reqs: Avg): {NUMBER} ?(?:B|[KMGT]i?B)/s")
_RATE_OF_REQUESTS = re.compile(rf"(Average|Avg|50%|90%|99%|Fastest|Slowest): ({NUMBER}) ?(B|[KMGT]i?B)/s")
_COUNTED = re.compile(r"\s*\* Operations: \d+ \(")
_ERROR = re.compile(r"<ERROR>")
_ERRORS = re.compile(r"\s*(?:\* )?(?:Total )?Errors: ?(\d+)")
_SKIPPED = re.compile(r"\s*(?:\* )?(?:Skipping|Skipped|Not enough requests)")
_PARTS = re.compile(r"\s*(?:Request size |Requests by host|Throughput by (?:host|client)|Hosts:\s*$)")
_WHOLE = re.compile(r"\s*(?:(?:Aggregated )?(?:Throughput|Aggregated), split|Throughput:|Requests considered)")
_SHARE = "% of operations)"
_SEGMENTS = {"": "", "Average": "", "Throughput": "", "Fastest": "_max", "50% Median": "_median", "Slowest": "_min"}
_RATES_OF_REQUESTS = {
    "Average": "throughput",
    "Avg": "throughput",
    "50%": "throughput_median",
    "Fastest": "throughput_max",
    "Slowest": "throughput_min",
}


def is_heading(line: str) -> bool:
    """Whether a line announces what stands below it; sizes are told by their requests."""
    announces = _WHOLE.match(line) or (_PARTS.match(line) and not _OF_SIZE.match(line))
    return bool(announces) and line.rstrip().endswith(":")


class Reader:
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
            add_rates(self.rows[-1], total[1], "", at)
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
        elif self.rows and not self._of_parts and (_OF_CLIENT.match(line) or _OF_SIZES.match(line)):
            self.parsed.incomplete(f"expected the heading of clients or of sizes above {line.strip()[:60]!r}", at)
        elif self.rows and not self._of_parts and line.lstrip().startswith("* "):
            self._starred(self.rows[-1], line, at)
        elif self.rows and self._of_parts:
            self._host(self.rows[-1], line, at)

    def _open_parts(self, line: str, at: int) -> None:
        """Read the heading of what is said of hosts or of a range of sizes, or of the whole again."""
        self._of_parts = not _WHOLE.match(line)
        if not self.rows:
            self.rows.append({"operation": "unknown", "line": at})
            self.skipped.add(at)
            self.parsed.incomplete("an excerpt: no report stands above", at)
        if self.rows and "Throughput by host" in line:
            self.by_host.add(int(self.rows[-1]["line"]))
        if self.rows and not self._of_parts:
            self.rows[-1] |= numbers_found(_CONSIDERED, line, at)
        if self.rows and (size := _OF_SIZE.match(line)):
            self._size(size, at)

    def _host(self, report: Row, line: str, at: int) -> None:
        """Read a line on a host or a client: its rates, the heading of its requests, or their latencies."""
        of_report: Row = {name: report[name] for name in ("operation", "label") if name in report}
        if found := _OF_HOST.match(line):
            whose: Row = {"server": found[1]} if found[1] else {"client": found[2]}
            row: Row = {**of_report, **whose, "line": at}
            if found[3]:
                add_rates(row, found[3], "", at)
                row |= details(line, at)
            else:
                row |= on(at, {"operations": float(found[4])})
            self.hosts.append(row)
        elif found := _OF_CLIENT.match(line):
            self._client(found, of_report, at)
        elif self.hosts and (segment := _SEGMENT_OF_HOST.match(line)):
            add_rates(self.hosts[-1], segment[2], _SEGMENTS[segment[1]], at)
        elif "obj/s" in line or line.rstrip().endswith(" requests:"):
            self.parsed.incomplete(
                f"expected a host, or the heading of the whole, before rates, found {line.strip()[:60]!r}", at
            )
        elif self.hosts and self.hosts[-1].keys().isdisjoint(HOSTS) and line.lstrip().startswith("* "):
            self._of_size(self.hosts[-1], line, at)
        elif line.lstrip().startswith(("- Avg: ", "- First Byte: ")):
            self._latencies(line, at)

    def _latencies(self, line: str, at: int) -> None:
        """Read the latencies of the host or of the range of sizes above."""
        if not self.hosts:
            self.parsed.incomplete(f"expected a host above latencies, found {line.strip()[:60]!r}", at)
            return
        names = FIRST_BYTE if "First Byte" in line else LATENCIES
        self.hosts[-1] |= latencies(line, names, self.hosts[-1], at)

    def _client(self, found: re.Match[str], of_report: Row, at: int) -> None:
        """Read the rates of a client; they are numbered from 1."""
        self._clients += 1
        if int(found[1]) != self._clients:
            self.parsed.incomplete(f"expected client {self._clients}, found {found[1]}", at)
            self._clients = int(found[1])
        row: Row = {**of_report, "share": "client", "client": found[1], "line": at}
        add_rates(row, found[2], "", at)
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
            rates = {which: number(value) * BYTES[unit] for which, value, unit in _RATE_OF_REQUESTS.findall(line)}
            row |= on(
                at, {_RATES_OF_REQUESTS[which]: rate for which, rate in rates.items() if which in _RATES_OF_REQUESTS}
            )
            self.shares += [
                {"operation": row["operation"], "label": f"{row['label']}, {which}", "throughput": rate, "line": at}
                for which, rate in rates.items()
                if which not in _RATES_OF_REQUESTS
            ]
        elif _OF_FIRST_BYTE.match(line) or _REQUESTS.match(line):
            row |= latencies(line, FIRST_BYTE if _OF_FIRST_BYTE.match(line) else LATENCIES, row, at)

    def _open(self, word: str, line: str, at: int) -> None:
        operation = OPERATIONS.get(word, "unknown")
        label: Row = {} if word in ("PUT", "GET", "DELETE", "STAT", "LIST", "Total") else {"label": word}
        self.rows.append({"operation": operation, "line": at, **label, **details(line, at)})
        self._of_parts = False
        self._clients = 0

    def _access(self, report: Row, access: re.Match[str], line: str, at: int) -> None:
        """Read the latencies of the first or the last access to each object, or the time to their first byte."""
        label = access[1].lower()
        if not access[2] or not self.hosts or self.hosts[-1].get("label") != label:
            self.hosts.append({"operation": report["operation"], "label": label, "line": at})
        row = self.hosts[-1]
        row |= latencies(line, FIRST_BYTE if access[2] else LATENCIES, row, at)

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
            if name in _SEGMENTS and add_rates(row, segment[2], _SEGMENTS[name], at) and not _SEGMENTS[name]:
                row["line"] = at
                row |= {key: value for key, value in details(line, at).items() if key not in row}
        elif _REQUESTS.match(line) or _OF_FIRST_BYTE.match(line):
            row |= latencies(line, FIRST_BYTE if _OF_FIRST_BYTE.match(line) else LATENCIES, row, at)
        elif row["operation"] == "mixed_workload" and (found := _OF_HOST_IN_ALL.match(line)):
            host: Row = {"operation": "mixed_workload", "server": found[1], "line": at}
            add_rates(host, found[2], "", at)
            self.hosts.append(host | details(line, at))
        elif "obj/s" in line or line.rstrip().endswith(" requests:"):
            self.parsed.incomplete(f"expected a name before the rates, found {line.strip()[:60]!r}", at)
        elif access := _OF_ACCESS.match(line):
            self._access(row, access, line, at)
        else:
            row |= details(line, at)
            if _COUNTED.match(line):
                self.counted.add(int(row["line"]))
