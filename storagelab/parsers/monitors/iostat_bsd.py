"""``iostat`` of FreeBSD, macOS, the other BSDs and Solaris: terminals, disks, processors and load in a line a sample.

Two lines of headings, again after every screenful: names of groups (``tty``, disks, ``cpu``, ``load average``), and
under them columns. A disk has ``KB/t tps MB/s``, with ``-o`` ``sps tps msps``; with ``-I`` totals instead of rates:
``KB/t xfrs MB``, ``blk xfr msps``. Solaris and illumos have ``kps tps serv``, with ``-D`` ``rps wps util``, with ``-M``
``Mps``, and with ``-I`` totals, whose names end with i. Documented in iostat(8) of FreeBSD 4 to 14, NetBSD (``t/s``),
OpenBSD, macOS and illumos, and in their iostat.c. ``iostat -x`` of FreeBSD and Solaris is read as that of sysstat.

K is 1024 bytes and M 1024 K. The first line is since boot: `iteration` counts lines from 0. Only Solaris prints times,
with ``-T``, each above its line. Reads and writes of ``-D`` are rows of their own.
Percentages are whole. Characters of terminals and blocks, whose size is not said, are rows with `metric`. Columns run
into each other where a number is wider than its place: such a line is lost, and said. Headings that come
before a screenful of lines is full (20, or what the terminal shows) begin another run, or a disk came or went; other
columns begin one too. There is no end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from storagelab.parsers.line_formats import fill, refusal, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.monitors.clock import Dates, since_start
from storagelab.parsers.monitors.snapshot import ends_table, is_prompt, prose_behind_tables, prose_below
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.text import finite
from storagelab.units import KIB, MIB, MILLISECOND, PERCENT

FORMAT = Format(
    "iostat-bsd",
    "iostat",
    "FreeBSD 4 to 14, macOS 10.4 to 15, NetBSD, OpenBSD, Solaris, illumos",
    "samples of disks, processors and terminals",
    "iostat(8) of FreeBSD, macOS and illumos; usr.sbin/iostat/iostat.c, system_cmds/iostat.tproj/iostat.c",
    marks=("KB", "tin", "us", "sps", "blk", "serv", "util"),
    opens=("KB/t", " tty ", "us sy id", "us ni sy in id", "sps tps msps", "tps serv", "wps util"),
    in_scripts=True,
)

_DISKS = {
    "KB/t": ("request_size", KIB),
    "tps": ("operation_rate", 1.0),
    "t/s": ("operation_rate", 1.0),
    "MB/s": ("throughput", MIB),
    "xfrs": ("operations", 1.0),
    "xfr": ("operations", 1.0),
    "MB": ("data_size", MIB),
    "msps": ("latency", MILLISECOND),
    "kps": ("throughput", KIB),
    "Mps": ("throughput", MIB),
    "kpi": ("data_size", KIB),
    "Mpi": ("data_size", MIB),
    "tpi": ("operations", 1.0),
    "serv": ("latency", MILLISECOND),
    "rps": ("operation_rate", 1.0),
    "wps": ("operation_rate", 1.0),
    "rpi": ("operations", 1.0),
    "wpi": ("operations", 1.0),
    "util": ("utilisation", PERCENT),
}
_OPERATIONS = {"rps": "read", "wps": "write", "rpi": "read", "wpi": "write"}
_HOST = {
    "us": ("cpu_user", PERCENT),
    "ni": ("cpu_nice", PERCENT),
    "sy": ("cpu_system", PERCENT),
    "in": ("cpu_irq", PERCENT),
    "wt": ("cpu_iowait", PERCENT),
    "id": ("cpu_idle", PERCENT),
    "1m": ("load_1", 1.0),
    "5m": ("load_5", 1.0),
    "15m": ("load_15", 1.0),
}
_UNITS = {"tin": "1/s", "tout": "1/s", "sps": "1/s", "blk": "1", "dt": "%"}
_ENDS = {"MB/s", "MB", "msps", "serv", "util"}
"""The last column of a disk."""
_DISK = (
    r"(?:KB/t +(?:(?:tps|t/s) +MB/s|xfrs +MB)|(?:sps +tps|blk +xfr) +msps"
    r"|[kM]p(?:s +tps|i +tpi) +serv|rp(?:s +wps|i +wpi) +util)"
)
_PROCESSOR = "us (?:ni )?sy (?:in |[wd]t )?id"
_HEADING = re.compile(
    rf"^ *(?:tin +tout +)?{_DISK}(?: +{_DISK}){{0,99}}(?: +{_PROCESSOR})?(?: +1m +5m +15m)?[ \t]*$"
    rf"|^ *(?:tin +tout +)?{_PROCESSOR}(?: +1m +5m +15m)?[ \t]*$|^ *tin +tout[ \t]*$|^ *1m +5m +15m[ \t]*$",
    re.MULTILINE,
)
_IN_HEADINGS = ("KB/t", "msps", "us ", "tin ", "1m ", " serv", " util")
"""Each heading holds one of these, which are looked for many times as fast."""
_GROUPS = re.compile(r"[\w./ \t-]*+")


class _Column(NamedTuple):
    """A printed column, and the disk it is of ("" where it is of the host)."""

    name: str
    disk: str


def sniff(head: str) -> bool:
    """Whether both headings stand here, and not those of ``-x`` alone, with processors above them."""
    if _is_extended(head):
        return False
    found = _HEADING.search(head) if any(map(head.__contains__, _IN_HEADINGS)) else None
    return bool(found and _columns(_line_above(head, found.start()), found[0]))


def _is_extended(text: str) -> bool:
    """Whether the processors of a log stand above the disks of ``-x``, which `iostat` reads with them."""
    return "extended device statistics" in text and "KB/t" not in text and "msps" not in text


def _line_above(text: str, at: int) -> str:
    return text[: max(at - 1, 0)].rpartition("\n")[2]


def _columns(groups: str, heading: str) -> list[_Column]:
    """Return the columns with their disks; none where the names above are not as many as the columns have groups."""
    names = [name for name in groups.replace("load average", "").split() if name not in ("tty", "cpu", "CPU")]
    columns_of_one = heading.split()
    if columns_of_one[:3] == _ONE_DISK and heading.count("/t") == 1 and (not groups.strip() or is_prompt(groups)):
        return [_Column(name, _UNNAMED if at < len(_ONE_DISK) else "") for at, name in enumerate(columns_of_one)]
    if len(groups) > _LONGEST or not _GROUPS.fullmatch(groups):
        return []
    columns, disk = [], 0
    for name in heading.split():
        is_of_disk = name in _DISKS or name in ("sps", "blk")
        columns.append(_Column(name, names[disk] if is_of_disk and disk < len(names) else ""))
        disk += name in _ENDS
    wanted = ("tty" in groups) == ("tin" in heading) and ("cpu" in groups.lower()) == ("us" in heading.split())
    return columns if disk == len(names) and wanted else []


_LONGEST = 4000
_ONE_DISK = ["KB/t", "tps", "MB/s"]
_UNNAMED = " "
"""A disk whose name was left out with the line above its columns."""
SCREENFUL = 10
"""Fewer lines fill no terminal."""


_WANTED = "a sample under 'KB/t tps MB/s' or 'us sy id'"


def parse(text: str) -> Parsed:
    """Read every line under the headings into `series`.

    Raises
    ------
    ParseError
        If no line stands under headings of iostat.
    """
    if _is_extended(text):
        raise refusal(_WANTED, text)
    table = _Table(Parsed({"tool": "iostat"}))
    above, lines = "", trusted_lines(text, table.parsed)
    texts = [line for _, line in lines]
    prose = prose_behind_tables(texts) | prose_below(texts)
    for place, (at, line) in enumerate(lines, 1):
        if _HEADING.fullmatch(line):
            table.open(_columns(above, line), at)
        elif table.dates.add(line):
            continue
        elif table.samples and place in prose and not _is_above_heading(texts, place):
            remark(table.parsed, "not a line of the table", at, lost=False)
        elif table.columns and not ends_table(line) and not _names_groups(line):
            table.add(line.split(), at)
        above = line
    parsed = fill(table.parsed, table.samples, _WANTED, text)
    if table.dates.tell_no_times:
        parsed.series.pop("time", None)
    return parsed


def _is_above_heading(lines: list[str], number: int) -> bool:
    """Whether a line, by its number from 1, stands above columns, whose groups it names."""
    return number < len(lines) and _HEADING.fullmatch(lines[number]) is not None


class _Table:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.samples: list[Row] = []
        self.columns: list[_Column] = []
        self._part = 1
        self._iteration = self._page = self._page_begins = 0
        self.dates = Dates()

    def open(self, columns: list[_Column], at: int) -> None:
        """Take headings: those of a page, or of another run."""
        if not columns:
            remark(self.parsed, "names of disks that are not as many as their columns", at, lost=True)
        elif columns[0].disk == _UNNAMED:
            self.parsed.incomplete("an excerpt: the name of the disk above its columns is missing", at)
        lines, self._page_begins = self._iteration - self._page_begins, self._iteration
        if columns and columns == self.columns and lines >= SCREENFUL and self._page in (0, lines):
            self._page = lines
        elif columns and self.columns and (columns == self.columns or _kinds(columns) != _kinds(self.columns)):
            self._part += 1
            self._iteration = self._page = self._page_begins = 0
        self.columns = columns

    def add(self, words: list[str], at: int) -> None:
        """Take a line under the columns."""
        common: Row = {"part": float(self._part)} if self._part > 1 else {}
        common |= {"iteration": float(self._iteration), "phase": "" if self._iteration else "since boot"}
        if moment := self.dates.of_report():
            common |= since_start(moment, self.parsed.header)
        try:
            self.samples += _rows(self.columns, words, {**common, "operation": "", "line": at})
            self._iteration += 1
        except ValueError as error:
            remark(self.parsed, f"not a line of the table: {error}", at, lost=True)


def _kinds(columns: list[_Column]) -> set[str]:
    """Names of columns, which stay as they are where a disk comes or goes."""
    return {column.name for column in columns}


def _names_groups(line: str) -> bool:
    return not any(word[0].isdecimal() or word[0] in ".-" for word in line.split()) and bool(_GROUPS.fullmatch(line))


def _rows(columns: list[_Column], words: list[str], common: Row) -> Iterator[Row]:
    """A row a disk, one for the host, and one for each column that the contract has no name for."""
    if len(words) != len(columns):
        raise ValueError(f"{len(columns)} columns wanted, found {len(words)}")
    rows: dict[str, Row] = {}
    for column, word in zip(columns, words, strict=True):
        quantity, factor = (_DISKS if column.disk else _HOST).get(column.name, ("", 1.0))
        own: Row = (
            {"device": column.disk.strip()} if column.disk else {"cpu": "all"} if quantity.startswith("cpu") else {}
        )
        value = finite(word) * factor
        if quantity:
            operation = _OPERATIONS.get(column.name, "")
            key = f"{column.disk} {operation}" if column.disk else quantity.partition("_")[0]
            rows.setdefault(key, {**common, **own, "operation": operation})[quantity] = value
        else:
            metric: Row = {"metric": column.name, "value": value, "unit": _UNITS[column.name]}
            rows[f"{column.disk} {column.name}"] = {**common, **own, **metric}
    yield from rows.values()
