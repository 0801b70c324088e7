"""mmperfmon query of GPFS (Spectrum Scale): what its collector gathered, a bucket of time a line.

A legend names each column, ``5: NODE|GPFSFilesystem|CLUSTER|FILESYSTEM|gpfs_fs_bytes_read``; below it a table begins
with ``Row Timestamp ...``. The unit stands behind the number (``31371.0 MB``) where the query prints one. Documented
in mmperfmon(1) and "Performance monitoring using the mmperfmon query" of the Spectrum Scale manual; sensors in "List
of performance metrics" there.

Rows of `series`: `host` is the legend's first part, `device`, `interface` or `filesystem` its item. ``bytes_read``,
``read_ops`` and their like are `data_size` and `operations` of the bucket, network too; shares of the CPU and sizes of
the memory have their names; what is left is `metric`. kB, MB, ... are powers of 1024 (mem_total of a 32 GiB node).
Times have no zone. ``null`` is a bucket without a value. Rows are numbered: one that is missing is said. There is no
end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.line_formats import Rule, apply, fill, metric, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.monitors.clock import since_start
from storagelab.parsers.text import finite
from storagelab.units import GIB, KIB, MIB, PERCENT, TIB

FORMAT = Format(
    name="mmperfmon",
    tool="mmperfmon",
    versions="GPFS 4.1 to Spectrum Scale 5.1",
    reads="mmperfmon query: tables with their legend",
    source="mmperfmon(1); Spectrum Scale manual, List of performance metrics",
    marks=("Timestamp",),
    opens=("Legend:", "Row "),
    checks=Checks(lacking_samples="steps whose value is not known are left out"),
)

EXPECTED = "a table of mmperfmon query ('Row  Timestamp  ...') with its legend"
_LEGEND = re.compile(r"^\s*(\d{1,6}):\s+([^\s|]{1,300}+(?:\|[^|\n]{1,300}+|(?!)){1,8}+)$")
_HEADING = re.compile(r"\s*Row\s+Timestamp\s+(\S.{0,19000})$")
_ROW = re.compile(r"\s*(\d{1,9})\s+(\d{4}-\d\d-\d\d)-(\d\d:\d\d:\d\d)\s+(\S.{0,19000})$")
_CELL = re.compile(r"(null|nan|-?\d{1,20}(?:[.,]\d{1,12})?)(?: ?(kB|KB|MB|GB|TB|B|%|ms|us|s)(?=\s|$))?(?:\s+|$)")
_TORN = re.compile(r"\s*(?:\d{1,9}\s+\d{4}-|\d{1,9}\s{6,}|\d{4}-\d\d-\d\d-\d\d:)")
_BYTES = {"B": 1.0, "kB": KIB, "KB": KIB, "MB": MIB, "GB": GIB, "TB": TIB}
_FACTORS = {**_BYTES, "%": PERCENT, "ms": 1e-3, "us": 1e-6, "s": 1.0}
_MEANINGS = (
    ("_bytes_read", "read", "data_size", 1.0),
    ("_bytes_written", "write", "data_size", 1.0),
    ("_read_ops", "read", "operations", 1.0),
    ("_write_ops", "write", "operations", 1.0),
    ("net_r", "receive", "data_size", 1.0),
    ("net_s", "transmit", "data_size", 1.0),
    ("netdev_bytes_r", "receive", "data_size", 1.0),
    ("netdev_bytes_s", "transmit", "data_size", 1.0),
    ("cpu_user", "", "cpu_user", PERCENT),
    ("cpu_sys", "", "cpu_system", PERCENT),
    ("cpu_system", "", "cpu_system", PERCENT),
    ("cpu_idle", "", "cpu_idle", PERCENT),
    ("cpu_iowait", "", "cpu_iowait", PERCENT),
    ("mem_total", "", "memory_total", 1.0),
    ("mem_memtotal", "", "memory_total", KIB),
    ("mem_free", "", "memory_free", 1.0),
    ("mem_memfree", "", "memory_free", KIB),
)
"""End of a metric's name, operation, name in the contract, and factor where the cell has no unit."""
_ITEMS = {"Network": "interface", "GPFSFilesystem": "filesystem", "GPFSFilesystemAPI": "filesystem",
          "Diskstat": "device", "GPFSDisk": "device"}  # fmt: skip
_PARTS = 2


def sniff(head: str) -> bool:
    """Whether a table of mmperfmon stands here."""
    return "Timestamp" in head and any(map(_HEADING.match, head.split("\n")))


def parse(text: str) -> Parsed:
    """Read every table into `series`.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "mmperfmon", "statistic": "single"})
    reader = _Tables(parsed)
    for at, line in trusted_lines(text, parsed):
        reader.take(line, at)
    return fill(parsed, reader.samples, EXPECTED, text)


class _Tables:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._legend: list[tuple[str, ...]] = []
        self._columns: list[tuple[str, ...]] = []
        self._last = 0
        self._rules: Sequence[Rule] = ((_HEADING, self._head), (_ROW, self._row), (_LEGEND, self._explain))

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if not apply(self._rules, line, at) and self._columns and _TORN.match(line):
            self._parsed.incomplete(f"expected a row of the table, found {line.strip()[:60]!r}", at)

    def _explain(self, found: re.Match[str], at: int) -> None:
        if found[1] == "1":
            self._legend = []
        parts = tuple(part.strip() for part in found[2].split("|"))
        if len(self._legend) + 1 != int(found[1]):
            self._parsed.incomplete(f"the legend lacks column {len(self._legend) + 1}", at)
        self._legend.append(parts)

    def _head(self, found: re.Match[str], at: int) -> None:
        """Take the columns: by the legend where there is one, whose last parts are the names printed here."""
        names = found[1].split()
        self._last = 0
        if [parts[-1] for parts in self._legend] == names:
            self._columns = list(self._legend)
        else:
            if self._legend:
                self._parsed.incomplete("the columns are not those of the legend", at)
            self._columns = [(name,) for name in names]

    def _row(self, found: re.Match[str], at: int) -> None:
        cells = _CELL.findall(found[4])
        if len(cells) != len(self._columns) or _CELL.sub("", found[4]).strip():
            self._parsed.incomplete(f"expected {len(self._columns)} cells, found {found[4].strip()[:60]!r}", at)
            return
        if self._last + 1 != int(found[1]):
            self._parsed.incomplete(f"row {self._last + 1} is missing", at)
        self._last = int(found[1])
        try:
            when = since_start(datetime.fromisoformat(f"{found[2]}T{found[3]}"), self._parsed.header)
        except ValueError:
            self._parsed.incomplete(f"expected a time, found {found[2]}-{found[3]}", at)
            return
        for parts, (value, unit) in zip(self._columns, cells, strict=True):
            if value not in ("null", "nan"):
                self.samples.append({**when, **_cell(parts, finite(value), unit, at)})


def _cell(parts: tuple[str, ...], value: float, unit: str, at: int) -> Row:
    """Make the row of one cell: whose it is, and what."""
    name = parts[-1]
    keys: Row = {"host": parts[0]} if len(parts) > 1 else {}
    if len(parts) > _PARTS + 1:
        keys[_ITEMS.get(parts[1], "label")] = parts[-2]
    for end, operation, key, factor in _MEANINGS:
        if name.endswith(end):
            return {**keys, "operation": operation, key: value * _FACTORS.get(unit, factor), "line": at}
    kind = "B" if unit in _BYTES else "s" if unit in ("ms", "us", "s") else "1"
    return keys | metric(name, value * _FACTORS.get(unit, 1.0), kind, at)
