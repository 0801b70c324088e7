"""One log of Darshan, line by line: its job, its modules, their totals and estimates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from storagelab.parsers.darshan_text.modules import Module, named
from storagelab.parsers.darshan_text.traces import Traces
from storagelab.parsers.line_formats import Rule, apply
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import finite, moment
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import MIB

_HEADER = re.compile(r"#\s(exe|jobid|start_time|end_time|nprocs|run time(?: \(s\))?|darshan log version): (.{1,4000})$")
_LIBRARY = re.compile(r"# metadata: lib_ver = (\S{1,60})")
_REGION = re.compile(r"# ([A-Z][\w-]{1,20}) module: (\d{1,20}) bytes")
_SECTION = re.compile(r"# ([A-Z][\w-]{1,20}) module data\s*$")
TAB = r"(?:\t| {1,20})"
"""A page may show it as blanks."""
_RECORD = re.compile(
    rf"(?:([A-Z][\w-]{{1,20}}){TAB})?(-?\d{{1,12}}){TAB}(\d{{1,20}}){TAB}([A-Z][A-Z0-9_]{{2,60}}){TAB}"
    rf"(\S{{1,40}}){TAB}(.{{0,4000}})$"
)
_TOTAL = re.compile(r"total_([A-Z][A-Z0-9_]{2,60}): (\S{1,40})\s*$")
_TIME = re.compile(
    r"# ((?:unique|shared) files: )?((?:slowest_rank|shared|time)_[a-z_]{1,40}): "
    r"(\S{1,40})(?: # seconds)?\s*$"
)
_BYTES = re.compile(r"# total_bytes: (\d{1,20})\s*$")
_ESTIMATE = re.compile(r"# agg_perf_by_(\w{1,20}): (\S{1,40})(?: # MiB/s)?\s*$")
_SECONDS = re.compile(r"# agg_time_by_slowest: (\S{1,40})(?: # seconds)?\s*$")
_KIND = re.compile(r"# (total|read_only|write_only|read_write|unique|shared): (\d{1,20}) (\d{1,20}) (\d{1,20})\s*$")
_FAULT = re.compile(r"(?:# )?\*(?:ERROR|WARNING)\*: (.{1,400})$|(Error: .{1,400})$|(darshan_log_\w{1,20} .{1,400})$")
_TORN = re.compile(
    r"total_|(?:[A-Z][\w-]{1,20}\t)?-?\d{1,12}\t|[A-Z-]{3,8}\t| {0,40}X_(?:POSIX|MPIIO)\b|# DXT, \w{1,20}_?count: "
)
_ALWAYS_PRINTED = ("POSIX", "MPI-IO", "STDIO")
"""Modules that have a section whatever was asked for, and records with the same counters; others have records only."""
_NO_NUMBER = "N/A"
_OLD = "POSIX"
"""The one module of Darshan 2."""


class Reader:
    """What has been read so far of one log of Darshan."""

    def __init__(self, parsed: Parsed) -> None:
        self.is_empty = True
        self.samples: list[Row] = []
        self._parsed = parsed
        self._header: Row = {}
        self._job: Row = {}
        self._keys: Row = {}
        self._listed: set[str] = set()
        self._modules: dict[str, Module] = {}
        self._module = _OLD
        self._others: list[Row] = []
        self._moved: Row = {}
        self._times: list[Row] = []
        self._traces = Traces(parsed)
        self._rules: Sequence[Rule] = (
            (_RECORD, self._record),
            (_TOTAL, self._total),
            (_SECTION, self._section),
            (_REGION, self._region),
            (_LIBRARY, self._library),
            (_KIND, self._kind),
            (_BYTES, self._bytes),
            (_SECONDS, self._seconds),
            (_TIME, self._time),
            (_ESTIMATE, self._estimate),
            (_HEADER, self._head),
            (_FAULT, self._fault),
            *self._traces.rules,
        )

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if not apply(self._rules, line, at) and _TORN.match(line):
            self._parsed.incomplete(f"expected a counter of Darshan, found {line.strip()[:60]!r}", at)

    def end(self, part: Row) -> None:
        """Hand over the rows, and say what is missing."""
        self._traces.end()
        has_traces = bool(self._traces.samples or self._traces.clients)
        for name in sorted(set() if has_traces else self._listed - self._modules.keys()):
            self._parsed.incomplete(f"the header lists the module {name}, which has no section")
        keys = part | self._keys
        self._parsed.header = self._header | self._parsed.header
        for name, module in self._modules.items():
            if name in _ALWAYS_PRINTED:
                module.check(self._parsed)
            self._others += module.runs(self._parsed)
            self._parsed.clients += [{**row, **keys} for row in module.clients(self._parsed)]
            self.samples += [{**row, **keys} for row in module.others()]
        self._parsed.clients += [{**row, **keys} for row in self._traces.clients]
        self.samples += [{**row, **keys} for row in self._traces.samples]
        self.samples += [{**row, **keys} for row in self._times]
        is_empty = self.is_empty and not (self._modules or self._others or has_traces)
        if not is_empty and not ("elapsed" in self._job and "processes" in keys):
            self._parsed.incomplete("the header lacks the run time or the number of processes")
        found = [self._job, *self._others] if "elapsed" in self._job else self._others
        self._parsed.runs += [{**row, **keys} for row in found]
        if self._moved:
            self._parsed.incomplete("the performance of a module is cut", int(self._moved["line"]))

    def _head(self, found: re.Match[str], at: int) -> None:
        name, value = found[1], found[2].strip()
        self.is_empty = False
        if name == "exe":
            self._header["command"] = value
        elif name == "darshan log version":
            self._header.setdefault("tool_version", value)
        elif name == "jobid":
            self._keys["job"] = value
        else:
            self._number(name, value, at)

    def _number(self, name: str, value: str, at: int) -> None:
        try:
            number = finite(value)
            if name == "nprocs":
                self._keys |= on(at, {"processes": number})
            elif name.startswith("run time"):
                self._job = {"operation": "job", "elapsed": number, "line": at}
            else:
                self._header[named(name)] = moment(number).isoformat()
        except ValueError:
            self._parsed.incomplete(f"expected a number behind {name!r}, found {value[:60]!r}", at)

    def _library(self, found: re.Match[str], at: int) -> None:
        self._header["tool_version"] = found[1]

    def _region(self, found: re.Match[str], at: int) -> None:
        if finite(found[2]) and found[1] in _ALWAYS_PRINTED:
            self._listed.add(found[1])

    def _section(self, found: re.Match[str], at: int) -> None:
        self._module = found[1]
        self._of(found[1])

    def _of(self, module: str) -> Module:
        return self._modules.setdefault(module, Module(module))

    def _record(self, found: re.Match[str], at: int) -> None:
        module, rank, record, counter, value, rest = found.groups()
        if value == _NO_NUMBER:
            self._of(module or _OLD).unknown.add(counter)
            return
        try:
            number = finite(value)
        except ValueError:
            self._parsed.incomplete(f"expected a number behind {counter}, found {value!r}", at)
            return
        cells = rest.split("\t") if "\t" in rest else rest.rsplit(maxsplit=2)
        if len(cells) < 3:
            self._parsed.incomplete("a record lacks its file, its mount or its file system", at)
        else:
            self._of(module or _OLD).add_record((rank, record), counter, number, cells, at)

    def _total(self, found: re.Match[str], at: int) -> None:
        try:
            self._of(self._module).totals[found[1]] = (finite(found[2]), at)
        except ValueError:
            self._parsed.incomplete(f"expected a number behind {found[1]}, found {found[2]!r}", at)

    def _kind(self, found: re.Match[str], at: int) -> None:
        api = "unknown" if self.is_empty and not self._modules else self._module
        row: Row = {"operation": "job", "api": api, "label": found[1]}
        self._others.append({**row, "files": finite(found[2]), "data_size": finite(found[3]), "line": at})

    def _bytes(self, found: re.Match[str], at: int) -> None:
        self._moved = {"operation": "job", "api": self._module, **on(at, {"data_size": finite(found[1])}), "line": at}

    def _seconds(self, found: re.Match[str], at: int) -> None:
        if not self._moved:
            self._parsed.incomplete("seconds of a transfer whose bytes are missing", at)
            return
        try:
            self._moved |= on(at, {"transfer_time": finite(found[1])})
        except ValueError:
            self._parsed.incomplete(f"expected seconds, found {found[1]!r}", at)

    def _time(self, found: re.Match[str], at: int) -> None:
        row: Row = {"operation": "", "api": self._module, "metric": f"{found[1] or ''}{found[2]}"}
        try:
            self._times.append({**row, "value": finite(found[3]), "unit": "s", "line": at})
        except ValueError:
            self._parsed.incomplete(f"expected seconds, found {found[3]!r}", at)

    def _estimate(self, found: re.Match[str], at: int) -> None:
        try:
            throughput = finite(found[2]) * MIB
        except ValueError:
            self._parsed.incomplete(f"expected MiB/s, found {found[2]!r}", at)
            return
        row: Row = {"operation": "job", "api": self._module, "throughput": throughput, "line": at}
        if found[1] != "slowest":
            self._others.append(row | {"label": f"agg_perf_by_{found[1]}"})
        else:
            self._others += [self._moved | row] if throughput else []
            self._moved = {}

    def _fault(self, found: re.Match[str], at: int) -> None:
        self._parsed.incomplete((found[1] or found[2] or found[3]).strip(), at)
