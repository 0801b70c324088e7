"""Parameters of Lustre, line by line: whose counters they are, when they were read, and their rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from storagelab.parsers.file_system_calls import operation_of
from storagelab.parsers.line_formats import Rule, apply, metric
from storagelab.parsers.lustre.get_param import call_counters, histograms
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import finite, moment
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import KIB, MIB

_PARAMETER = re.compile(r" {0,12}(?![A-Z][A-Z0-9_]*+=)([A-Za-z][\w.@:#-]{0,300})=(.{0,2000})$")
_FILE = re.compile(r"==> (\S{1,500}) <==\s*$")
_ROOTS = ("fs/lustre/", "debug/lustre/")
_TIMES = ("snapshot_time", "start_time", "elapsed_time")
_SNAPSHOT = re.compile(r"\s*(snapshot_time|start_time|elapsed_time)(?: {1,20}:)?:?\s+(\d{1,20}(?:[.,]\d{1,9})?)(?!\S)")
_JOB = re.compile(r"\s*- (job_id|id):(?: {1,40}|\t)?(\"?)(\S(?:[^\"\n]{0,200}\S)?|)\2\s*$")
"""Names in which blanks or other signs stand are quoted."""
_GAUGE = re.compile(
    r"\s*((?:(?:dio )?(?:read|write|modify)|DIO)[ _]RPCs[ _]in[ _]flight(?=:)|pending (?:read|write) pages(?=:)"
    r"|(?:statahead|agl) total|statahead wrong|(?:list|fname|hit|miss)_total|unstable_(?:check|pages|mb)"
    r"|lockless_(?:read_bytes|write_bytes|truncate)):?\s+(\d{1,20})\s*$"
)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,9})?")
_SIZES = {"kbytestotal": "disk_total", "kbytesfree": "disk_free"}
_BYTES = re.compile(r"(?P<kbytes>kbytes\w*)|\w+_(?:(?P<mb>mb)|bytes)")
_UNITS = {"kbytes": KIB, "mb": MIB}
"""Sizes say their unit at one end of their name."""
_DIGITS = 6
"""Of seconds since 1970, a float holds no more behind the point."""
_EPOCH = 1e8
"""A start before this (1973) is a time since boot, which Lustre 2.14 subtracts from the clock all the same."""


class Reader:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self.is_of_lustre = False
        self._parsed = parsed
        self._device: Row = {}
        self._job: Row = {}
        self._times: Row = {}
        self._first: float | None = None
        self._has_axis = True
        self._table: histograms.Table | None = None
        self._rules: Sequence[Rule] = (
            (_FILE, self._of_file),
            (_SNAPSHOT, self._clock),
            (_JOB, self._of_job),
            (call_counters.LINE, self._count),
            (call_counters.OF_JOB, self._count),
            (_GAUGE, self._gauge),
            (histograms.HEADING, self._heading),
            (histograms.PROCESS, self._of_process),
            (histograms.BUCKET, self._bucket),
        )

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if found := _PARAMETER.match(line):
            self._open(found[1], at)
            line = found[2]
            if _NUMBER.fullmatch(line):
                self._add(_setting(found[1].rpartition(".")[2], finite(line), at))
                return
        if not apply(self._rules, line, at) and self._is_torn(line):
            self._has_axis = self._has_axis and self._first is not None
            self._parsed.incomplete(f"expected a counter of Lustre, found {line.strip()[:60]!r}", at)

    def _is_torn(self, line: str) -> bool:
        is_time = line.lstrip().startswith(_TIMES) or "(secs." in line
        return is_time or call_counters.is_torn(line) or (self._table is not None and bool(histograms.TORN.match(line)))

    def _of_file(self, found: re.Match[str], at: int) -> None:
        path = found[1]
        root = next((root for root in _ROOTS if root in path), "/")
        self._open(path.partition(root)[2].replace("/", "."), at)

    def _of_job(self, found: re.Match[str], at: int) -> None:
        self._job, self._times = {"job": found[3]}, {}

    def _gauge(self, found: re.Match[str], at: int) -> None:
        self._add(_setting(found[1], finite(found[2]), at))

    def _heading(self, found: re.Match[str], at: int) -> None:
        self.end_of_table(at)
        self._table = histograms.Table(found)

    def _of_process(self, found: re.Match[str], at: int) -> None:
        table = self._table
        self.end_of_table(at)
        self._table, self._job = table and table.again(), {"process": found[1]}

    def end_of_table(self, at: int) -> None:
        """Say what the histogram lacks that ends before a line."""
        if self._table and self._table.lacks:
            self._parsed.incomplete(self._table.lacks, at)
        elif self._table and self._table.is_cut:
            self._parsed.incomplete("expected a histogram up to 100 %, found less: it lacks its last buckets", at)
        self._table = None

    def _open(self, parameter: str, at: int) -> None:
        self.end_of_table(at)
        device, _, _ = parameter.rpartition(".")
        parts = device.split(".")
        self._device = {"device": device} if device else {}
        if len(parts) > 1:
            self._device["target"] = parts[1]
        if ".exports." in parameter:
            self._device["nid"] = device.partition(".exports.")[2]
        self._job, self._times = {}, {}

    def _clock(self, found: re.Match[str], at: int) -> None:
        name, seconds = found[1], finite(found[2])
        if name == "snapshot_time":
            if self._device and "end_time" in self._times:
                self._lose_device(at)
            self._times = {"end_time": seconds}
            if self._has_axis and self._first is None:
                self._start(seconds)
            if self._first is not None:
                self._times["time"] = round(seconds - self._first, _DIGITS)
        elif name == "start_time" and seconds > _EPOCH:
            self._times["start_time"] = seconds
        elif name == "elapsed_time" and "start_time" in self._times:
            self._times |= on(at, {"elapsed": seconds})

    def _lose_device(self, at: int) -> None:
        """Give counters to nobody whose device is not known: each begins with its time, and this is a second one."""
        device = self._device["device"]
        self._parsed.incomplete(f"expected the parameter of another device than {device!r} above its time", at)
        self._open("", at)

    def _start(self, seconds: float) -> None:
        try:
            self._parsed.header["started"] = moment(seconds).isoformat()
        except ValueError:
            return
        self._first = seconds

    def _count(self, found: re.Match[str], at: int) -> None:
        try:
            counter = call_counters.read(found)
            rows = call_counters.rows(counter, operation_of(found["name"]), at)
        except ValueError as error:
            self._parsed.incomplete(f"expected a counter of Lustre, found {error}", at)
            return
        if said := call_counters.impossible(counter):
            self._parsed.incomplete(said, at)
        self.is_of_lustre = True
        self._add(*rows)

    def _bucket(self, found: re.Match[str], at: int) -> None:
        try:
            rows = self._table.rows(found, at) if self._table else []
        except ValueError as error:
            self._parsed.incomplete(f"expected a bucket of a histogram, found {error}", at)
            return
        self.is_of_lustre = self.is_of_lustre or bool(rows)
        self._add(*rows)

    def _add(self, *rows: Row) -> None:
        self.samples += [{**self._device, **self._job, **self._times, **row} for row in rows]


def _setting(name: str, value: float, at: int) -> Row:
    """Make a row of a parameter that is one number."""
    if name in _SIZES:
        return {"operation": "", _SIZES[name]: value * KIB, "line": at}
    if size := _BYTES.fullmatch(name):
        return metric(name, value * _UNITS.get(size.lastgroup or "", 1.0), "B", at)
    return metric(name, value, "1", at)
