"""dbench and tbench: a mixed load of many operations, its throughput and the latencies of each.

A row of ``mixed_workload`` for the run, one for each operation of the load with its name in `label`, and a sample of
`series` a second, those before the measurement with `phase` "warmup". MB are 10^6 bytes: the source multiplies bytes by
1.0e-6. A sample's throughput is the mean since the start of the measurement. Rows of `clients` are what
``--per-client-results`` adds. ``--machine-readable`` prints the same numbers between marks (`_MACHINE`). A name that
somebody wrote before the result of a run is the label of its row.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import defaultdict

from storagelab.parsers.declared_checks import Checks, Line, word
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import printf_number as number
from storagelab.parsers.transfers.source_and_destination import command
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import MB

_DBENCH = ("NTCreateX ", "Close ", "Rename ", "Unlink ", "WriteX ", "ReadX ", "LockX ", "UnlockX ", "Flush ")
_QUERIES = ("Qpathinfo ", "Qfileinfo ", "Qfsinfo ", "Sfileinfo ", "Find ")
_QUERIES_OF_SMB = (
    *("QUERY_PATH_INFORMATION", "QUERY_FILE_INFORMATION", "QUERY_FS_INFORMATION", "SET_FILE_INFORMATION"),
    "FIND_FIRST",
)
"""What newer versions call them."""
_DIRECTORIES = ("Deltree ", "Mkdir ")
"""A load of NFS deletes trees too and makes directories by ``MKDIR3``."""
_KNOWN = frozenset(name.strip() for name in (*_DBENCH, *_QUERIES, *_QUERIES_OF_SMB, *_DIRECTORIES))


def _starts(*names: str) -> tuple[Line, ...]:
    """Return lines that begin so, behind the stars that people put before what they write about."""
    return tuple(Line(name, rf"(?m:^[ \t\r*]*){word(name)}", name, "line") for name in names)


_HEADING_OF_QUERIES = Line(
    "Operation      Count",
    r"(?m:^[ \t\r]*)Operation {6}Count\b(?=(?:.*\n){2,24}?[ \t*]*(?:Q(?:path|file|fs)info|Sfileinfo) )",
    "Operation      Count",
    "line",
)
"""The heading of a table with queries: other loads, of NFS for one, have none."""

CHECKS = Checks(
    together=(
        _starts(*_DBENCH),
        (*_starts(*_QUERIES), _HEADING_OF_QUERIES),
        _starts(*_QUERIES_OF_SMB),
        (*_starts("Deltree "), Line("Mkdir ", r"(?m:^[ \t\r*]*)(?:Mkdir|MKDIR3)(?!\w)")),
    ),
)

FORMAT = Format(
    name="dbench",
    tool="dbench",
    versions="1.x to 4",
    reads="dbench and tbench: progress, table of operations, result",
    source="dbench.c (sig_alarm, show_one_latency, main)",
    marks=(
        "dbench",
        "tbench",
        "warmup",
        "execute",
        "cleanup",
        "Throughput clients",
        "Throughput procs",
        "Throughput NB",
        "AvgLat MaxLat",
    ),
    shapes=("@R@",),
    opens=(
        "dbench version ",
        "AvgLat    MaxLat",
        "@W@",
        "@R@",
        *(f"Throughput {digit}" for digit in range(10)),
    ),
    checks=CHECKS,
)

_NUMBER = r"\d+(?:[.,]\d+)?"
_NAME = r"(?P<name>[^\s:][^:\n]{0,40}?) *: {1,20}(?=.{1,40} clients .{1,20} procs|.{1,40} \(NB=)"
_VERSION = re.compile(r"\b[dt]bench version (\S+)")
_SAMPLE = re.compile(
    rf"\s*(?P<processes>\d+)\s+(?P<operations>\d+)\s+(?P<rate>{_NUMBER}) MB/sec +(?P<phase>warmup|execute|cleanup)"
    rf"\s+(?P<time>{_NUMBER}) sec(?:\s+latency (?P<latency>{_NUMBER}) ms)?"
)
_OLD_SAMPLE = re.compile(rf"\s*\d+\s+\d+\s+{_NUMBER} MB/sec\s*$")
"""Version 2 does not say when; its samples are left alone."""
_OPERATION = re.compile(
    rf"[\s*]*(?P<label>[A-Za-z]\w*)\s+(?P<count>\d+)\s+(?P<mean>{_NUMBER})\s+(?P<max>{_NUMBER})\s*$"
)
"""People put stars before the operations that they write about."""
_RESULT = re.compile(rf"[\s.+*#]*+(?:{_NAME})?Throughput {{1,20}}(?P<rate>{_NUMBER}) MB/sec(?P<more>.*)")
"""Version 1 draws its progress in front of it, and people the name of what they compare, with the rates in a column."""
_MACHINE = {
    "@": re.compile(
        rf"@(?P<phase>[WRC])@(?P<processes>\d+)@(?P<operations>\d+)@(?P<rate>{_NUMBER})@(?P<time>\d+)"
        rf"@(?P<latency>{_NUMBER})@$"
    ),
    ":": re.compile(rf":(?P<label>[A-Za-z]\w*):(?P<count>\d+):(?P<mean>{_NUMBER}):(?P<max>{_NUMBER}):$"),
    ";": re.compile(rf";(?P<rate>{_NUMBER});(?P<clients>\d+);(?P<processes>\d+);(?P<latency>{_NUMBER});$"),
}
"""Forms of a sample, an operation and the result for programs, by their first character."""
_PHASES = {"W": "warmup", "R": "execute"}
_CLIENT = re.compile(r"Client (\d+) did \d+ lines and (\d+) bytes$")
_PROCESSES = re.compile(r"(?<!\d)(\d+) (?:clients|procs)|(?<=MBit/sec\)  )(\d+)$")
"""Mails break version 1's line before its last word."""
_NETBENCH = " (NB="
"""Version 1 says beside the rate what NetBench would say, and its first releases not how many processes ran."""
_LATENCY = re.compile(rf"max_latency=({_NUMBER}) ms")
_HEADING = ["Operation", "Count", "AvgLat", "MaxLat"]
_PREPARED = re.compile(r"\s*(\d+) of \1 processes prepared for launch")
_WITH_A_VALUE = frozenset(
    (
        *("-t", "-c", "-D", "-T", "-R", "-B", "--timelimit", "--loadfile", "--directory", "--tcp-options"),
        *("--target-rate", "--backend", "--warmup", "--clients-per-process", "--server", "--export", "--protocol"),
        *("--scsi", "--trunc-io", "--iscsi-lun", "--iscsi-initiatorname", "--smb-share", "--smb-user"),
    )
)
_ENDS_OF_COMMANDS = re.compile(r"[|&;<>]|\d>")
_MODE = re.compile(r"\((sync open|sync dirs)\)")


def sniff(head: str) -> bool:
    """Whether dbench names itself, or its progress, its table of operations or its result stands here."""
    names_itself = "bench version " in head and bool(_VERSION.search(head))
    has_a_table = "AvgLat" in head and any(line.split() == _HEADING for line in head.split("\n"))
    return names_itself or has_a_table or ((" MB/sec" in head or "@R@" in head) and _progress(head))


def _progress(head: str) -> bool:
    lines = [line for line in head.split("\n") if " MB/sec" in line or line.startswith("@R@")]
    return any(
        _MACHINE["@"].match(line)
        or _SAMPLE.match(line)
        or (_RESULT.match(line) and (_NETBENCH in line or _PROCESSES.search(line)))
        for line in lines
    )


def parse(text: str) -> Parsed:
    """Read the result, the table of operations and the progress.

    Raises
    ------
    ParseError
        If the log holds nothing of dbench.
    """
    reader = _Reader()
    *lines, rest = text.split("\n")
    for at, line in enumerate(lines, start=1):
        reader.take(line, at)
    parsed = reader.finish()
    _judge(parsed, rest, len(lines) + 1, text)
    return parsed


class _Reader:
    """What is open while a log is read: a table, whose it is, and the operations that wait for the result."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "dbench", "statistic": "single"})
        self.samples: list[Row] = []
        self.operations: list[Row] = []
        self.client: Row = {}
        self.in_table = False
        self.is_headed = False
        """Whether a heading stands there above no operation so far."""
        self.prepared: dict[float, int] = {}
        """How many processes were launched, with the line that says so last."""
        self.asked: dict[float, int] = {}
        """The same of commands at a prompt."""

    def take(self, line: str, at: int) -> None:
        """Read a line."""
        machine = _MACHINE[line[0]].match(line) if line[:1] in _MACHINE else None
        sample = _SAMPLE.match(line)
        result = _RESULT.match(line) if "Throughput " in line else None
        operation = self._row_of_a_table(line, at)
        if machine:
            self._machine(machine, at)
        elif sample:
            self.samples.append(_sample(sample, sample["phase"], at))
        elif result:
            self._result(_result(result, at))
        elif operation:
            self._operation(operation, at)
        elif client := _CLIENT.match(line):
            self._client(client, at)
        elif line.split() == _HEADING:
            self.in_table = self.is_headed = True
        elif not line.strip():
            self.in_table = False
        elif not self._start(line, at) and self._is_damaged(line):
            self.parsed.incomplete(f"expected progress, an operation or a result, found {line.strip()[:80]!r}", at)

    def _start(self, line: str, at: int) -> bool:
        """Keep which version starts and how many processes, and say whether a line does."""
        version, prepared = _VERSION.search(line), _PREPARED.match(line)
        if version:
            self.parsed.header |= {"tool": version[0].split()[0], "tool_version": version[1]}
        if prepared:
            self.prepared[float(prepared[1])] = at
        if "bench " in line and (asked := _asked(line)):
            self.asked[asked] = at
        return bool(version or prepared)

    def _row_of_a_table(self, line: str, at: int) -> re.Match[str] | None:
        """Return what a line says of an operation; one of dbench's own begins a table that lost its heading."""
        found = _OPERATION.match(line)
        if found and not self.in_table and found["label"] in _KNOWN:
            self.parsed.incomplete("operations without the heading of their table", at)
            self.in_table = True
        return found if self.in_table else None

    def finish(self) -> Parsed:
        """Return what was read."""
        if self.parsed.runs and (self.operations or self.is_headed):
            self.parsed.incomplete("a table of operations without its result: 'Throughput ... MB/sec'")
        self.parsed.runs += self.operations
        self._share_processes()
        self._number()
        self.parsed.series = columns(self.samples) if self.samples else {}
        self._add_up()
        return self.parsed

    def _share_processes(self) -> None:
        """Say how many processes ran where no result does: as many as were launched, else as the command asks for."""
        known = self.prepared or self.asked
        if len(known) == 1 and not any("processes" in row for row in self.parsed.runs):
            ((processes, at),) = known.items()
            self.parsed.header |= on(at, {"processes": processes})

    def _number(self) -> None:
        """Number the tests of a log that has several: each ends with its result."""
        ends = [int(row["line"]) for row in self.parsed.runs if "throughput" in row and "label" not in row]
        if len(ends) > 1:
            for row in (*self.parsed.runs, *self.parsed.clients, *self.samples):
                row["part"] = float(1 + bisect_left(ends, int(row["line"])))

    def _add_up(self) -> None:
        """Say where the operations of the clients are not those of the run."""
        counted: defaultdict[tuple[object, str], float] = defaultdict(float)
        for row in self.parsed.clients:
            counted[row.get("part"), str(row.get("label", ""))] += float(row.get("operations", 0))
        for row in self.parsed.runs if self.parsed.clients else ():
            label = str(row.get("label", ""))
            if (whole := float(row.get("operations", 0))) != counted.pop((row.get("part"), label), 0.0):
                self.parsed.incomplete(
                    f"{label}: the operations of the clients are not {whole:.0f} together", int(row["line"])
                )
        for label in dict.fromkeys(label for _, label in counted if label):
            self.parsed.incomplete(f"{label}: clients did it, and the run has no such operation")

    def _machine(self, found: re.Match[str], at: int) -> None:
        if found[0][0] == "@":
            if phase := _PHASES.get(found["phase"]):
                self.samples.append(_sample(found, phase, at))
        elif found[0][0] == ":":
            if not self.in_table:
                self.parsed.incomplete("an operation without the heading of its table", at)
            self._operation(found, at)
        else:
            rates: Row = {"throughput": number(found["rate"]) * MB, "latency_max": number(found["latency"]) / 1000}
            run = _clients(f"{found['clients']} clients {found['processes']} procs")
            self._result({"operation": "mixed_workload", **rates, **run, "line": at})

    def _result(self, result: Row) -> None:
        shared = _shared(result)
        self.parsed.runs += [result, *({**operation, **shared} for operation in self.operations)]
        self.operations, self.client = [], {}

    def _operation(self, found: re.Match[str], at: int) -> None:
        self.is_headed = False
        if self.client:
            self.parsed.clients.append({**_operation(found, at), **self.client})
        else:
            self.operations.append(_operation(found, at))

    def _client(self, found: re.Match[str], at: int) -> None:
        self.client = {"share": "client", "client": found[1]}
        moved: Row = {"operation": "mixed_workload", "data_size": float(found[2]), "line": at}
        self.parsed.clients.append({**moved, **self.client})

    def _is_damaged(self, line: str) -> bool:
        is_other = "MB/sec" in line and not _OLD_SAMPLE.match(line)
        return is_other or line[:1] in _MACHINE or (self.in_table and "---" not in line)


def _asked(line: str) -> float:
    """Return for how many processes a command at a prompt asks, by the one word that is no option; else 0."""
    words = command(line, "dbench") or command(line, "tbench")
    end = next((at for at, each in enumerate(words) if _ENDS_OF_COMMANDS.match(each)), len(words))
    free = [
        each
        for option, each in itertools.pairwise(words[:end])
        if not each.startswith("-") and option not in _WITH_A_VALUE
    ]
    most = 2 if words[:1] == ["tbench"] else 1  # behind it tbench's server
    return float(free[0]) if 0 < len(free) <= most and free[0].isdecimal() else 0.0


def _sample(found: re.Match[str], phase: str, at: int) -> Row:
    row: Row = {
        "time": number(found["time"]),
        "operation": "mixed_workload",
        "phase": phase,
        "throughput": number(found["rate"]) * MB,
        "operations": float(found["operations"]),
        "line": at,
    }
    return row | ({"latency_max": number(found["latency"]) / 1000} if found["latency"] else {})


def _result(found: re.Match[str], at: int) -> Row:
    row: Row = {"operation": "mixed_workload", "throughput": number(found["rate"]) * MB, "line": at}
    row |= ({"label": found["name"]} if found["name"] else {}) | _clients(found["more"])
    if latency := _LATENCY.search(found["more"]):
        row["latency_max"] = number(latency[1]) / 1000
    if modes := _MODE.findall(found["more"]):
        row["operation_group"] = ", ".join(modes)
    return row


def _clients(said: str) -> Row:
    """Read ``100 clients  10 procs``: `jobs` says how many clients there were where processes ran several each."""
    found = [float(named or last) for named, last in _PROCESSES.findall(said)]
    return {"processes": found[-1], **({"jobs": found[0]} if found[0] != found[-1] else {})} if found else {}


def _shared(result: Row) -> Row:
    shared: Row = {name: result[name] for name in ("processes", "jobs", "operation_group") if name in result}
    return on(int(result["line"]), shared)


def _operation(found: re.Match[str], at: int) -> Row:
    return {
        "operation": "mixed_workload",
        "label": found["label"],
        "operations": float(found["count"]),
        "latency": number(found["mean"]) / 1000,
        "latency_max": number(found["max"]) / 1000,
        "line": at,
    }


def _judge(parsed: Parsed, rest: str, at: int, text: str) -> None:
    parsed.cut_line(rest, at)
    if not any("throughput" in row for row in parsed.runs):
        if parsed.is_empty() and not sniff(text):
            raise refusal("a line 'Throughput ... MB/sec'", text)
        parsed.incomplete("there is no line 'Throughput ... MB/sec': dbench did not end")
