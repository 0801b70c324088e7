"""Reports of sysstat's ``iostat``: processors and block devices, as text or, with ``-o JSON``, as JSON.

A report is a table ``avg-cpu:``, a table of devices (``Device`` before the numbers, or behind them with ``--pretty``
and ``--compact``), or both, with the time before them where ``-t`` asks for it, and a blank line at its end. The first
report counts from boot unless ``-y`` left it out, which the log does not say: its rows are marked "since boot" and a
note says so. Reports have no number: `iteration` counts them from 0, and `time` is NaN without ``-t``. Documented in
iostat(1) of sysstat 5 to 12.7; columns in its iostat.c. JSON of 12.1 and 12.2 may call sectors kB (`iostat_sectors`).

Traps: kB is 1024 bytes, MB 1024 kB, sectors and blocks 512 bytes (``rsec/s``, ``Blk_read/s``, avgrq-sz); with ``-h`` or
``--human`` the unit stands behind the number, whatever the heading says; old ``-h`` puts long names on a line of their
own, and mails wrap wide tables: names of columns below a heading go on with it. ``iostat -n``, later sysstat's
nfsiostat and cifsiostat, count bytes three times: `throughput` is what the server moved (``svr``), what programs asked
for (``nor``, ``dir``) is `metric`. ``iostat -x`` of FreeBSD and Solaris, titled "extended device statistics", is read
by the same columns (of FreeBSD with ``-I`` too, which counts; of Solaris with commas, ``-r``): terminals and processors
stand in a table above the disks, or behind the first of them (``-C``, ``-T``; ``-xtc``). Other forms of FreeBSD are
`iostat_bsd`'s, and AIX' iostat is read by iostat_aix.py. HP-UX prints ``bps sps msps``, where b is a KiB and s a seek.
There is no end: a log cut between two reports is that of a shorter run.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Iterator
from datetime import datetime

import orjson

from storagelab.parsers.checks import Checks, json_keys
from storagelab.parsers.model import Format, Parsed, Value
from storagelab.parsers.monitors import iostat_aix
from storagelab.parsers.monitors.iostat_sectors import count_in_bytes
from storagelab.parsers.monitors.snapshot import is_prompt
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.assembly import assemble
from storagelab.parsers.monitors.sysstat.banner import is_banner, read_banner
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.document import moment_of, read_json
from storagelab.parsers.monitors.sysstat.json_tree import is_document
from storagelab.parsers.monitors.sysstat.pages import Pages
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.sheet import Sheet
from storagelab.parsers.ordinary import Found, Ordinary, shaped
from storagelab.parsers.text import without_prefix
from storagelab.parsers.trusted import refusal
from storagelab.units import KIB, MIB

FORMAT = Format(
    "iostat",
    "iostat",
    "sysstat 9 to 12.7",
    "samples of block devices and processors",
    "iostat(1)",
    marks=("sysstat", "cpu", "Device", "Filesystem", "device", "tm"),
    opens=("avg-cpu:", " Device"),
    forms=(
        (" CPU)", "Device:", "Device "),
        ('"sysstat"', '"avg-cpu"', '"disk"'),
        ("tm_act", "asvc_t", "% user % sys", "extended device statistics", "bps     sps    msps"),
    ),
    in_paragraphs=True,
    checks=Checks(
        together=(json_keys("hosts", "nodename", "number-of-cpus", "date", "statistics"), json_keys("avg-cpu", "disk")),
        once=True,
    ),
)

_STAMP = ("part", "iteration", "time", "statistic", "phase")
_TITLE_OF_UNIX = ["extended", "device", "statistics"]
_TITLES_OF_HOST = (["tty"], ["cpu"], ["tty", "cpu"])
_OF_HOST = re.compile(r"(?=.)(?:tin tout)?(?:(?:^| )us (?:ni )?sy (?:in |wt )?id)?")
"""Columns of terminals and processors."""
_LEAVES_BOOT_OUT = re.compile(r"\biostat (?:\S+ ){0,9}-[A-Za-z]{0,20}y")
_OF_UNIX = frozenset(("asvc_t", "svc_t", "actv", "qlen", "msps"))
_HEADED_ONCE = "msps"
"""The last column of a table whose heading HP-UX prints above its first report alone."""
_SEPARATED = re.compile(r"^(?:device,r/[si]|r/[si],w/[si]),", re.MULTILINE)
_SECTIONS = ("avg-cpu", "disk")
_DEVICES = ("Device", "Device:", "Filesystem", "Filesystem:", "device")
_OPENS_TABLE = ("avg-cpu:", *_DEVICES)
_OPENING = re.compile(
    r"^(?:\S+[:>] ?)?(?:avg-cpu: +%user|(?:Device|Filesystem):? +(?:tps|\S+/s|rrqm/s|%?\w+ .*%util)"
    r"|(?:[ \t]+(?:tps|r/s|\S+/s) ).* [Dd]evice$|device +r/[si]|device,r/[si],|r/[si],w/[si],"
    r"|[ \t]{0,8}device +bps +sps +msps)",
    re.MULTILINE,
)
_LATER = frozenset(
    name
    for names in (
        "rrqm/s wrqm/s drqm/s %rrqm %wrqm %drqm d/s dkB/s dMB/s f/s svctm %util",
        "await r_await w_await d_await f_await avgqu-sz aqu-sz",
        "avgrq-sz areq-sz rareq-sz wareq-sz dareq-sz",
        "kB_read kB_wrtn kB_dscd MB_read MB_wrtn MB_dscd",
    )
    for name in names.split()
)
"""Columns that stand behind others."""
_TIMES = re.compile(r"(?:Time: |\d(?=\S*?[-/.年]\d)\S++ )?(?=\S*?\d\d[:.时時]\d\d)\S++(?: \S{2,5}){0,2}")


_SNIFFED = ("avg-cpu", "Device", "disk_device", "Filesystem", "extended device statistics", "asvc_t", "msps")


def sniff(head: str) -> bool:
    """Whether a report of iostat opens here, in text or JSON."""
    if iostat_aix.sniff(head):
        return True
    if not any(mark in head for mark in _SNIFFED):
        return False
    if '"sysstat"' in head:
        return '"file-date"' not in head
    return _OPENING.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every report into `series`.

    Raises
    ------
    ParseError
        If there is no report.
    """
    if iostat_aix.sniff(text):
        return iostat_aix.read(text)
    if is_document(text):
        parsed = read_json(text, "iostat", _SECTIONS, first_is_since_boot=True)
        if ('"wkB/s"' in text) != ('"wMB/s"' in text):
            count_in_bytes(parsed, MIB if '"wMB/s"' in text else KIB)
    else:
        parsed = _Reports().read(text)
    if "since boot" in parsed.series.get("phase", ()):
        parsed.note("the first report is taken to be since boot: whether -y left that out, the log does not say")
    return parsed


def _in_columns(lines: list[str]) -> Iterator[str]:
    """Write what Solaris' ``-r`` separates with commas as it stands without; a slice is one word with its disk."""
    columns = 0
    for line in lines:
        words = line.rstrip().rstrip(",").split(",")
        if _SEPARATED.match(line):
            columns = len(words)
        elif columns and len(words) == columns + 1:
            words = [",".join(words[:2]), *words[2:]]
        yield " ".join(words) if columns and len(words) == columns else line


def _unwrapped(lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """Join the lines of a wrapped table to those that they go on with, and leave nothing where they stood.

    Also says how many words of a joined line stood on the first of the two, by its number.
    """
    found, first = list(lines), dict[int, int]()
    if not any(map(_ends_headings, lines)):
        return found, first
    wanted, begun = 0, -1
    columns: list[str] = []
    for at, line in enumerate(lines):
        words = line.split()
        if words and _is_heading(words):
            columns, wanted, begun = words, 0, at
        elif columns and _ends_headings(line):
            columns = [*columns, *words]
            wanted = len(columns)
            found[begun], found[at] = " ".join(columns), ""
        elif wanted and begun == at - 1 and all(map(is_number, words)) and _fit(found[begun], words, wanted):
            first[begun + 1] = len(found[begun].split())
            found[begun], found[at] = f"{found[begun]} {line}", ""
        else:
            columns, begun = [], at if all(map(is_number, words[1:])) and len(words) > 1 else -1
    return found, first


def _ends_headings(line: str) -> bool:
    """Whether a line holds the last columns of a table alone."""
    words = line.split()
    return bool(words) and _LATER.issuperset(words)


def _fit(row: str, words: list[str], wanted: int) -> bool:
    """Whether a row has room for what may be its end."""
    return 0 < len(words) <= wanted - len(row.split())


def _is_heading(words: list[str]) -> bool:
    """Whether these are the columns of a table: of terminals and processors, or of devices, of which one is a rate."""
    if words[0] in ("tin", "us"):
        return _OF_HOST.fullmatch(" ".join(words)) is not None
    return (words[0] in _DEVICES or words[-1] in _DEVICES) and _are_columns(tuple(words))


@functools.lru_cache(maxsize=256)
def _are_columns(words: tuple[str, ...]) -> bool:
    return any(word.endswith(("/s", "r/i")) or word in ("msps", "%util") for word in words) and not any(
        map(is_number, words)
    )


def _tables(columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the columns of each table that stands under one heading: of disks, of terminals, of processors.

    Where disks are counted (``r/i``), characters of terminals are too.
    """
    if "r/i" in columns:
        columns = tuple(f"{name}/i" if name in ("tin", "tout") else name for name in columns)
    begins = [0, *(at for at in range(1, len(columns)) if columns[at] in ("tin", "tin/i", "us"))]
    return [columns[begin:end] for begin, end in itertools.pairwise([*begins, len(columns)])]


class _Reports:
    """What has been read so far."""

    def __init__(self) -> None:
        self.parsed = Parsed({"tool": "iostat"})
        self._sheets: dict[tuple[str, ...], Sheet] = {}
        self._sheet: Sheet | None = None
        self._beside: list[Sheet] = []
        self._seen: set[tuple[str, ...]] = set()
        self._first_seen: set[tuple[str, ...]] = set()
        self._part = 0.0
        self._has_begun = False
        self._iteration = -1
        self._stamp: tuple[Value, ...] = ()
        self._date = ""
        self._origin: datetime | None = None
        self._moment: datetime | None = None
        self._name = ""
        self._leaves_boot_out = False
        self._is_of_unix = False
        self._day_first: bool | None = None
        self._first_words: dict[int, int] = {}
        self._first_device = ""

    def read(self, text: str) -> Parsed:
        """Read a whole log."""
        self._day_first = clock.day_comes_first(text)
        *lines, rest = clock.plain(text).split("\n")
        if not any(line.startswith(_OPENS_TABLE) for line in lines):
            lines = without_prefix(lines)
        if _SEPARATED.search(text):
            lines = list(_in_columns(lines))
        unwrapped, self._first_words = _unwrapped(lines)
        pages, done = Pages(unwrapped), 0
        for number, line in enumerate(unwrapped, 1):
            words = line.split() if number > done else ()
            if words and not (self._sheet and self._is_next_row(self._sheet, words, number)):
                self._line(line, words, number)
                if self._sheet and self._sheet.is_awaited and not self._first_words:
                    done = number + self._rows_at_once(self._sheet, pages.under(number), number + 1)
        self._end(lines, rest)
        self.parsed.series = assemble(self._sheets.values())
        if not self.parsed.series:
            raise refusal("a table of iostat, 'avg-cpu:' or 'Device', and numbers under it", text)
        if self._origin and self._origin.year > 1:
            self.parsed.header["started"] = self._origin.isoformat()
        return self.parsed

    def _is_next_row(self, sheet: Sheet, words: list[str], number: int) -> bool:
        """Take the numbers of one more item of a table, as most lines hold them; False where a line may be another."""
        layout = sheet.layout
        if len(words) != len(layout.columns) or self._beside or self._name:
            return False
        if words[0] == "Linux" or not is_number(words[layout.start]):
            return False
        self._add(sheet, words, number)
        return True

    def _rows_at_once(self, sheet: Sheet, rows: list[list[str]], first: int) -> int:
        """Take the lines under a heading from the first on, and say how many; 0 where one may be no row."""
        numbers = sheet.plain_numbers(rows) if not (self._name or self._beside) else []
        if not numbers:
            return 0
        self._stamp = self._stamped()
        self._first_device = rows[0][0]
        sheet.add_rows(rows, numbers, [self._stamp] * len(rows), first)
        return len(rows)

    def _line(self, line: str, words: list[str], number: int) -> None:
        self._stamp = ()
        if words[0] == "avg-cpu:":
            self._open(tuple(words[1:]), number)
        elif tuple(words) in self._sheets or _is_heading(words):
            self._open(tuple(words), number)
        elif words[:3] == _TITLE_OF_UNIX or words in _TITLES_OF_HOST:
            self._is_of_unix = True
        elif is_banner(line):
            self._banner(line, number)
        elif _TIMES.fullmatch(" ".join(words)):
            self._time(words, number)
        else:
            self._numbers(words, number)

    def _open(self, heading: tuple[str, ...], number: int) -> None:
        columns, *beside = _tables(heading)
        if "\ufffd" in "".join(heading):
            remark(self.parsed, "a name of a column is not UTF-8", number, lost=True)
        if columns in self._seen or not self._seen:
            self._check_tables(number)
            self._first_seen = self._first_seen or set(self._seen)
            self._iteration += 1
            self._seen = set()
        self._seen.add(columns)
        self._is_of_unix |= not _OF_UNIX.isdisjoint(columns)
        if self._sheet and self._sheet.is_awaited and not self._sheet.layout.keys:
            remark(self.parsed, "expected numbers of all processors, found the next table", number, lost=True)
        self._name = self._first_device = ""
        self._sheet = self._sheet_of(columns)
        self._sheet.is_awaited = True
        self._beside = [self._sheet_of(others) for others in beside]

    def _sheet_of(self, columns: tuple[str, ...]) -> Sheet:
        return self._sheets.setdefault(columns, Sheet(columns, _STAMP))

    def _check_tables(self, number: int) -> None:
        if self._first_seen and self._seen and self._seen != self._first_seen:
            remark(self.parsed, "a report lacks a table that the first one has", number, lost=True)

    def _banner(self, line: str, number: int) -> None:
        banner = read_banner(line, number, self.parsed, self._day_first)
        if banner:
            self._check_tables(number)
            self.parsed.header.setdefault("host", banner.host)
            self._date = banner.date
            self._part += not self._has_begun
            self._has_begun = False
            self._begin()

    def _prompt(self, said: str) -> None:
        """Take a shell's prompt: behind reports another run begins, which Solaris and FreeBSD say in no other way."""
        self._name = ""
        self._leaves_boot_out = _LEAVES_BOOT_OUT.search(said) is not None
        if self._iteration >= 0:
            self._part = max(self._part, 1.0) + 1
            self._has_begun = True
            self._begin()

    def _begin(self) -> None:
        self._iteration = -1
        self._seen, self._first_seen = set(), set()
        self._sheet = self._moment = None

    def _time(self, words: list[str], number: int) -> None:
        moment = moment_of(" ".join(words[words[0] == "Time:" :]), self._date, self._day_first)
        if moment is None:
            remark(self.parsed, "a time that cannot be read", number, lost=True)
        elif self._moment and clock.is_set_back(self._moment, moment) and words[0] == "Time:":
            moment = clock.next_day(self._moment, moment)
        self._check_tables(number)
        self._first_seen = self._first_seen or set(self._seen)
        self._seen = set()
        self._moment = moment
        self._origin = self._origin or moment

    def _numbers(self, words: list[str], number: int) -> None:
        sheet, said = self._sheet, " ".join(words)
        if is_prompt(said):
            self._prompt(said)
        elif sheet is None:
            self._leaves_boot_out |= _LEAVES_BOOT_OUT.search(said) is not None
            remark(
                self.parsed,
                "not a line of a table",
                number,
                lost=words[:1] != ["iostat"] and sum(map(is_number, words)) > 1,
            )
        elif len(words) == 1 and sheet.layout.start == 1 and not is_number(words[0]):
            self._name = words[0]
        else:
            if self._name and len(words) == len(sheet.layout.columns) - 1:
                words = [self._name, *words]
            self._name = ""
            self._add(sheet, words, number)

    def _add(self, sheet: Sheet, words: list[str], number: int) -> None:
        columns = sheet.layout.columns
        if columns[-1] == _HEADED_ONCE and words[0] == self._first_device and len(words) == len(columns):
            self._stamp = ()
            self._open(columns, number)
        self._stamp = self._stamp or self._stamped()
        try:
            words = self._without_others(words, len(columns), number)
            sheet.add(words, self._stamp, number, sheet.lines_of(number, self._first_words))
            self._first_device = self._first_device or words[0]
        except ValueError as error:
            lost = any(map(is_number, words[1:] or words)) or any("\ufffd" in word for word in words)
            remark(self.parsed, f"not a line of the table: {error}", number, lost=lost)

    def _without_others(self, words: list[str], own: int, number: int) -> list[str]:
        """Take what stands behind the first line of a table: numbers of terminals and processors.

        Raises
        ------
        ValueError
            If they are not there.
        """
        others, self._beside = self._beside, []
        widths = [own, *(len(sheet.layout.columns) for sheet in others)]
        if others and len(words) != sum(widths):
            raise ValueError(f"{sum(widths)} columns wanted, found {len(words)}")
        ends = list(itertools.accumulate(widths))
        for sheet, begin, end in zip(others, ends, ends[1:], strict=False):
            sheet.add(words[begin:end], self._stamp, number)
        return words[:own] if others else words

    def _stamped(self) -> tuple[Value, ...]:
        time = math.nan
        if self._moment and self._origin and clock.are_alike(self._moment, self._origin):
            time = (self._moment - self._origin).total_seconds()
        phase = "since boot" if self._iteration == 0 and not self._leaves_boot_out else ""
        return max(self._part, 1.0), float(self._iteration), time, "single", phase

    def _end(self, lines: list[str], rest: str) -> None:
        if rest.strip():
            self.parsed.incomplete("the last line has no end and is not trusted", len(lines) + 1)
        elif lines and lines[-1].strip() and not self._is_of_unix:
            self.parsed.incomplete("no blank line ends the last table: it is cut, or was stripped", len(lines))
        self._check_tables(len(lines))


_CELLS = r"(?: +\d{1,15}(?:[.,]\d\d?|(?!))?+[kMGT%]?+|(?!))++"
_NAMES = r"(?: +[a-zA-Z%][\w/%-]{0,20}+|(?!))++"
_BLOCKS = re.compile(
    r"Linux [\w.+-]{1,80}+ \([\w.-]{1,80}+\) \t[\d/-]{6,10}+ \t_\w{1,20}_\t\(\d{1,4} CPU\)\n\n"
    r"(?:\n|(?:\d{4}-\d\d-\d\dT|[\d/]{6,10} )\d\d:\d\d:\d\d(?: [AP]M|[+-]\d{4})?\n"
    rf"|avg-cpu:{_NAMES}\n{_CELLS}\n|Device:?{_NAMES}\n(?:[a-z][\w-]{{0,40}}+{_CELLS}\n|(?!))*+"
    rf"|(?: +(?!Device)[a-zA-Z%][\w/%-]{{0,20}}+|(?!))++ Device\n(?:{_CELLS} [a-z][\w-]{{0,40}}+\n|(?!))*+|(?!))++"
)
_JSON = re.compile(
    r'\{"sysstat": \{\n\t"hosts": \[\n\t\t\{\n(?:\t{3}"[a-z-]+": (?:"[\w.:/-]+"|\d+),\n)+\t{3}"statistics": \[\n'
    r'(?:[\w\t\n .:/%,\[+-]|"[\w :/.%+-]++"|[\]{}]|(?!))*+'
)
_IN_EACH = ('"hosts"', '"nodename"', '"number-of-cpus"', '"date"', '"statistics"')


def _read_ordinary(text: str) -> Found | None:
    return _read_document(text) if text.startswith('{"sysstat"') else _of_blocks(text)


def _read_document(text: str) -> Found | None:
    """Read a document that is whole, with the keys that stand together in each."""
    orjson.loads(text)
    alike = set(map(text.count, _IN_EACH)) == {1} and text.count('"avg-cpu"') == text.count('"disk"')
    return _of_document(text) if alike else None


_of_blocks, _of_document = shaped(_BLOCKS, parse), shaped(_JSON, parse)
ORDINARY = Ordinary("", _read_ordinary)
