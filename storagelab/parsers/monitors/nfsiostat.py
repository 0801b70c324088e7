"""nfsiostat of nfs-utils: what each NFS mount of a client moves, by operation, report after report.

A report has, for each mount, a line ``SERVER:/EXPORT mounted on /MOUNT:``, the requests a second with the length of the
backlog, and for each operation (``read:``, ``write:``; ``getattr:``, ``lookup:`` and others with ``-a`` and ``-d``) a
line of columns and one of numbers, or a line a number, where an old version runs on Python 3. The first report counts
from the mount, and says so in `phase`; later ones count from the one before. Printed by
tools/nfs-iostat/nfs-iostat.py (display_iostats, __print_rpc_op_stats) and by
``mountstats iostat``; columns in nfsiostat(8).

Traps: kB is 1024 bytes; versions up to 1.3 print ``op/s`` and tabs, later ones more columns (queue, errors). `latency`
is that between sending and reply (RTT), `submission_latency` the queue before it, `total_latency` all of it (exe).
Means of no request are printed as zero and left out. Counters of caches and pages (``-a``, ``-d``, ``-p``) are rows
with `metric`, one a number. There is no end, but no mount has ``read:`` without ``write:`` behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.file_system_calls import operation_of
from storagelab.parsers.line_formats import fill, metric, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.monitors.nfsiostat_counters import Counters
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import KIB, MILLISECOND

FORMAT = Format(
    name="nfsiostat",
    tool="nfsiostat",
    versions="nfs-utils 1.1 to 2.8",
    reads="samples of NFS mounts and their operations",
    source="nfsiostat(8); nfs-utils, tools/nfs-iostat/nfs-iostat.py",
    marks=("bklog", "kB op retrans"),
    opens=(" mounted on /", "rpc bklog", "kB/op "),
    checks=Checks(once=True),
)

EXPECTED = "a mount of nfsiostat ('SERVER:/EXPORT mounted on /MOUNT:') and numbers of its operations"
_MOUNT = re.compile(r"\s*(\S+) mounted on (\S.{0,1000}):\s*$")
_BACKLOG = re.compile(r"\s*ops?/s\s+rpc bklog\s*$")
_OPERATION = re.compile(r"\s*([A-Za-z_]{2,40}):\s+ops/s\s+kB/s\s")
_NAME = re.compile(r"\s*([a-z_]{2,40}):\s*$")
_HEADING = re.compile(r"\s*ops/s\s+kB/s\s")
_COLUMN = re.compile(r"ops/s|kB/s|kB/op|retrans|avg (?:RTT|exe|queue) \(ms\)|errors")
_PERCENTAGE = re.compile(r"\([\d.,]{1,20}%\)?")
_NUMBERS = re.compile(r"(?=\D*\d)[\s\d.,()%-]+")
_NAMES = {
    "ops/s": ("operation_rate", 1.0),
    "kB/s": ("throughput", KIB),
    "kB/op": ("request_size", KIB),
    "retrans": ("retransmits", 1.0),
    "avg RTT (ms)": ("latency", MILLISECOND),
    "avg exe (ms)": ("total_latency", MILLISECOND),
    "avg queue (ms)": ("submission_latency", MILLISECOND),
    "errors": ("errors", 1.0),
}
_MEANS = ("request_size", "latency", "total_latency", "submission_latency")


def sniff(head: str) -> bool:
    """Whether a mount of nfsiostat stands here, its requests and their backlog, or one of its operations."""
    lines = head.split("\n") if "rpc bklog" in head or "kB/op" in head else ()
    return any(_BACKLOG.match(line) or _OPERATION.match(line) for line in lines)


def parse(text: str) -> Parsed:
    """Read every report into `series`.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "nfsiostat", "statistic": "single"})
    reader = _Reports(parsed)
    lines = trusted_lines(text, parsed)
    for at, line in lines:
        reader.take(line, at)
    reader.turn_to("", len(lines))
    return fill(parsed, reader.samples, EXPECTED, text)


class _Reports:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._mount: Row = {}
        self._reports: Counter[str] = Counter()
        self._operation = ""
        self._awaited: tuple[str, ...] = ()
        self._found: list[tuple[str, int]] = []
        self._counters = Counters()

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if found := _MOUNT.match(line):
            self.turn_to("", at)
            self._open(found[1], found[2])
        elif _BACKLOG.match(line):
            self.turn_to("", at)
            self._awaited = ("ops/s", "rpc bklog")
        elif found := _OPERATION.match(line):
            self.turn_to(found[1], at)
            self._awaited = tuple(_COLUMN.findall(line))
        elif found := _NAME.match(line):
            self.turn_to(found[1], at)
        elif self._operation and _HEADING.match(line):
            self._awaited = tuple(_COLUMN.findall(line))
        elif line.strip() and _NUMBERS.fullmatch(line):
            self._numbers(_PERCENTAGE.sub(" ", line).split(), at)
        elif self._mount and (told := self._counters.read(line, at)):
            self.samples += [self._mount | row for row in told]
        elif self._mount and line[:1].isdecimal():
            self._parsed.incomplete(f"expected a counter of nfsiostat, found {line.strip()[:60]!r}", at)

    def turn_to(self, operation: str, at: int) -> None:
        """Leave an operation for the next, or for none; say what was announced, or belongs to it, and did not come."""
        if self._awaited:
            self._parsed.incomplete("the columns before this line have no numbers, or too few", at)
        if self._operation == "read" and operation != "write":
            self._parsed.incomplete("'read:' of a mount without its 'write:', which follows it", at)
        self._operation, self._awaited, self._found = operation, (), []

    def _open(self, export: str, mount: str) -> None:
        self._reports[mount] += 1
        part = self._reports[mount]
        self._mount = {"part": float(part), "mount": mount, "device": export}
        self._mount["phase"] = "since mount" if part == 1 else ""

    def _numbers(self, words: list[str], at: int) -> None:
        """Take the numbers of a line; those of a sample may stand below each other."""
        self._found += [(word, at) for word in words]
        if 0 < len(self._found) < len(self._awaited):
            return
        columns, found, self._awaited, self._found = self._awaited, self._found, (), []
        values = _by_column(columns, found)
        if not values:
            self._parsed.incomplete(f"expected numbers of {', '.join(columns) or 'no columns'}, found {words[:9]}", at)
            return
        if "rpc bklog" in values:
            rate, backlog = values["ops/s"], values["rpc bklog"]
            self.samples.append({**self._mount, "operation": "", "operation_rate": rate[0], "line": rate[1]})
            self.samples.append(self._mount | metric("rpc bklog", backlog[0], "1", backlog[1]))
        else:
            self.samples.append(self._row(values))

    def _row(self, values: dict[str, tuple[float, int]]) -> Row:
        row: Row = {**self._mount, "operation": operation_of(self._operation), "label": self._operation}
        for column, (value, line) in values.items():
            name, factor = _NAMES[column]
            row.setdefault("line", line)
            if value or name not in _MEANS:
                row |= on(line, {name: value * factor})
        return settled(row)


def _by_column(columns: Sequence[str], found: Sequence[tuple[str, int]]) -> dict[str, tuple[float, int]]:
    """Return the number of each column with its line; none where there are more or fewer, or one is no number."""
    try:
        return dict(zip(columns, [(finite(word), line) for word, line in found], strict=True))
    except ValueError:
        return {}
