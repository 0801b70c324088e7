"""The CSV of ``dstat --output``, of ``pcp dstat`` and of dool; what they show on a terminal is in `dstat_terminal`.

Lines of text about the run (title with the version, author, host, command line with the date), a line with the groups
of columns, a line with the columns, and a line a sample. Cells are bytes, bytes a second, requests a second, percent.
A column may repeat its group (``net/eth0:recv``). dstat appends: a file may hold several runs, of which only the first
has a title. The first sample of a run is its average since boot. pcp-dstat 5 forgets a quote, so that this is no CSV
that a CSV reader can read; no cell of interest holds a comma.

Times are in the column ``epoch``, or in ``time`` with a day but no year: the date is the command line's. dool gives
disks and interfaces in bits, unless its command says ``--bytes`` or ``--dstat``: 1.3.4 does and 1.2.0 did not, and we
take it that 1.3 was the first. pcp-dstat writes each metric in PCP's unit: KiB of disks and memory, bytes of
interfaces, pages (``roundcsv``, /etc/pcp/dstat; on a terminal it shows other units). Its first sample is of the
moment, with blanks for rates; of a group without a number it has one blank in all, and disks and interfaces are
named with their group (``dsk/total:read``): a CSV in which they are not is one of dstat's, to which somebody gave that
title. There is no end mark;
dstat 0.8 on Python 3 may die after the heading, which leaves a log without samples and a traceback.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import compress, pairwise

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.fast_path import Ordinary, shaped
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.monitors import dstat_headings, dstat_terminal
from storagelab.parsers.monitors.clock import CLOCK, Clock, since_start
from storagelab.parsers.monitors.dstat_columns import (
    has_one_blank,
    laid_out,
    laid_out_in_csv,
    process_of,
    told_of_groups,
    told_of_processes,
)
from storagelab.parsers.monitors.slots import Block, Layout, columns_of
from storagelab.parsers.monitors.snapshot import first_words, whole_lines
from storagelab.parsers.text import moment, numbers, rows_of_numbers
from storagelab.parsers.text import number as decimal

_HEADINGS = r"\b(?:int +csw *\||run blk new\b|1m +5m +15m\b)"
"""Of columns, beside which those of interrupts stand that are called by their numbers."""

FORMAT = Format(
    "dstat",
    "dstat",
    "dstat 0.6 to 0.8, pcp-dstat 5.0.3, dool 1",
    "samples of a host, as CSV and as shown on a terminal",
    "dstat(1), pcp-dstat(1)",
    marks=(
        *("Cmdline", "CSV", "dstat", "usr idl wai", "read writ", "recv send", "int csw", "used free"),
        *("lis act", "dgm str", "tot frg", "majpf", "files inodes", "msg sem shm", "pos lck", "interrupts"),
        *("most expensive process", "highest total process"),
    ),
    forms=(
        (
            "total-cpu-usage-",
            "-total-usage-",
            "--interrupts--",
            "-most-expensive-",
            "---system--",
            "-dsk/total-",
            "-net/total-",
            "\u2504dsk/total\u2504",
            "\u2504net/total\u2504",
            "\u2504total\u2504usage\u2504",
        ),
        ('"Dool ', '"Dstat ', '"pcp-dstat'),
    ),
    prefixes=("stamped", "numbered"),
    checks=Checks(together=(words('"Cmdline:"', '"Host:"'),), numbers_aside=(_HEADINGS,)),
)

_TITLE = re.compile(r'"(pcp-dstat|dstat|dool) (\S+) CSV output"', re.IGNORECASE)
_HOST = re.compile(r'"Host:","([^"]+)"')
_COMMAND = re.compile(r'"Cmdline:","(.*?)",')
_DATE = re.compile(r'"Date:","(\d+ \w{3} \d{4} \d\d:\d\d:\d\d) ?([^"]*)"')
_DOOL = re.compile(r"dool (\d{1,3})\.(\d{1,3})(?:\.\S*)?", re.IGNORECASE)
_NUMBER = re.compile(r",\d")
_CLOCKS = frozenset({"epoch", "time"})
"""Columns that say when a sample was taken."""
_SINCE_BOOT = "since boot"
_TRACEBACK = "Traceback (most recent call last)"
_ABOUT = ('"Author:', '"Host:', '"Cmdline:')


def sniff(head: str) -> bool:
    """Whether the title or the command line of the CSV stands here."""
    return (
        '"Cmdline:","' in head
        or ("CSV " in head and _TITLE.search(head) is not None)
        or ("bin/dstat" in head and _TRACEBACK in head)
        or dstat_headings.are_in(head)
    )


class _Run:
    """One run of dstat inside the file: its host, its columns and its clock."""

    def __init__(self) -> None:
        self.groups: list[str] = []
        self.names: list[str] = []
        self.block = Block(Layout([]))
        self.has_slot: list[bool] = []
        self.first: Block | None = None
        """A first sample of pcp-dstat's with blanks."""
        self.is_of_pcp = False
        self.tops: dict[int, Block] = {}
        """Processes that take most of something, by the places of their columns."""
        self.host = ""
        self.date: datetime | None = None
        self.clock = Clock()
        self.begun: datetime | None = None
        self.tried = 0
        """Last line of those that were tried to be read at once."""

    def head(self, line: str, about: Row) -> None:
        """Take the line of groups, or after it the line of columns."""
        words = [word.strip('"') for word in line.split(",")]
        if self.groups and not self.names:
            self.names = words
            self.is_of_pcp = _names_pcp(about) and not _are_named_by_dstat(self.groups, words)
            self.has_slot, layout = laid_out(tuple(self.groups), tuple(words), _is_in_bits(about), self.is_of_pcp)
            self.block = Block(layout)
            self.tops = {at: Block(own) for at, own in laid_out_in_csv(words).items()}
        else:
            self.groups, self.names = words, []

    def is_sample(self, line: str) -> bool:
        """Whether a line that begins with a text is a sample: it has the columns, and no first line or a number."""
        return line.count(",") == len(self.names) - 1 and bool(self.block.cells or _NUMBER.search(line))

    def cells(self, line: str) -> list[str]:
        """Return a cell a column, where groups of pcp-dstat's without a number have one cell in all."""
        cells = line.split(",")
        if not self.is_of_pcp or len(cells) == len(self.names):
            return cells
        if cells[len(self.names) :] == [""]:  # a comma too many, which some versions print
            return cells[:-1]
        filled, at = list[str](), 0
        for group, width in self._widths():
            own = cells[at : at + 1] if has_one_blank(group) and cells[at : at + 1] == [""] else cells[at : at + width]
            filled += own if own != [""] else [""] * width
            at += len(own)
        return filled if at == len(cells) else cells

    def _widths(self) -> list[tuple[str, int]]:
        """Return the groups, each with the number of its columns."""
        starts = [at for at, group in enumerate(self.groups) if group]
        return [(self.groups[at], end - at) for at, end in pairwise([*starts, len(self.names)])]

    def sample(self, cells: list[str]) -> tuple[Block, list[float]]:
        """Return where a sample goes, and its numbers; a first one of pcp-dstat's with blanks goes apart.

        Raises
        ------
        NumberError
            If a cell is no number.
        """
        own = list(compress(cells, self.has_slot))
        if not self.is_of_pcp or self.block.cells or all(own):
            return self.block, numbers(own)
        self.first = Block(Layout(compress(self.block.layout.places, own)))
        return self.first, numbers([*filter(None, own)])

    def samples(self, lines: Sequence[str]) -> list[list[float]]:
        """Return the numbers of samples that are numbers alone, as most are; [] where any may be something else."""
        if self.is_of_pcp or not _CLOCKS.isdisjoint(self.names):
            return []
        rows = rows_of_numbers(lines, len(self.names))
        return rows if all(self.has_slot) else [list(compress(row, self.has_slot)) for row in rows]

    def blocks(self) -> list[Block]:
        """Return all that was read."""
        return [*([self.first] if self.first else []), self.block, *self.tops.values()]

    def when(self, cells: list[str]) -> datetime | None:
        """When a sample was taken; None where no column says so."""
        if "epoch" in self.names:
            return moment(decimal(cells[self.names.index("epoch")]))
        clock = cells[self.names.index("time")].strip('"').split()[-1:] if "time" in self.names else []
        if not clock or not CLOCK.fullmatch(clock[0]) or self.date is None:
            return None
        seconds = self.clock.seconds(clock[0])
        if self.begun is None:
            self.begun = _at(self.date, clock[0])
        return self.begun + timedelta(seconds=seconds)


def parse(text: str) -> Parsed:
    """Read every sample into `series`: a row a device, interface, processor and direction.

    Raises
    ------
    ParseError
        If there is no line with columns.
    """
    parsed = Parsed({"tool": "dstat"})
    lines = whole_lines(text, parsed)
    if '"Cmdline:"' not in text and dstat_headings.are_in(text):
        return _of_a_terminal(lines, parsed)
    runs = _read(lines, parsed)
    if not runs:
        raise ParseError("a line with dstat's groups of columns and one with its columns", *_what_stands_there(text))
    if not all(run.block.cells for run in runs):
        parsed.incomplete("a heading is followed by no sample", len(lines))
    parsed.series = columns_of([block for run in runs for block in run.blocks()])
    _tell_the_host(parsed)
    if len(runs) < 2:
        parsed.series.pop("part", None)
    return parsed


def _tell_the_host(parsed: Parsed) -> None:
    """Say the host of all samples once; only where runs of several were appended, each sample says its own."""
    hosts = set(parsed.series.get("host", ()))
    if len(hosts) == 1:
        del parsed.series["host"]
        parsed.header |= {"host": host} if (host := hosts.pop()) else {}


def _of_a_terminal(lines: list[str], parsed: Parsed) -> Parsed:
    blocks, processes = dstat_terminal.read(lines, parsed)
    if not all(block.cells for block in blocks):
        parsed.incomplete("a heading is followed by no sample", len(lines))
    parsed.series = columns_of(blocks + processes)
    if len(blocks) < 2:
        parsed.series.pop("part", None)
    return parsed


def _what_stands_there(text: str) -> tuple[str, int]:
    """Return the first line and its number; of a dstat that died, its last words."""
    if _TRACEBACK not in text:
        return first_words(text)
    return max((at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip())[::-1]


def _read(lines: list[str], parsed: Parsed) -> list[_Run]:
    run, runs, done = _Run(), list[_Run](), 0
    for at, line in enumerate(lines, 1):
        if at <= done or not line.strip():
            continue
        if line.startswith(_ABOUT) or _TITLE.match(line):
            run = _Run() if run.names else run
            _read_about(line, run, parsed.header)
        elif line.startswith('"') and not run.is_sample(line):
            _read_heading(line, run, at, parsed)
            runs += [run] if run.names else []
        elif run.names:
            done = _add_samples(lines, run, len(runs), at, parsed)
    return runs


def _read_heading(line: str, run: _Run, at: int, parsed: Parsed) -> None:
    run.head(line, parsed.header)
    if "\ufffd" in line:
        parsed.incomplete("a name in the heading cannot be read", at)
    for told in (told_of_processes(run.names, in_csv=True), told_of_groups(run.groups if run.names else ())):
        if told:
            parsed.note(told, at)


def _is_in_bits(about: Row) -> bool:
    """Whether a dool wrote this that counts in bits where it is not told otherwise."""
    version = _DOOL.fullmatch(str(about.get("tool_version", "")))
    if not version or (int(version[1]), int(version[2])) < (1, 3):
        return False
    return not {"--bytes", "--dstat"} & set(str(about.get("command", "")).split())


def _names_pcp(about: Row) -> bool:
    return str(about.get("tool_version", "")).startswith("pcp-dstat")


def _are_named_by_dstat(groups: list[str], names: list[str]) -> bool:
    """Whether disks or interfaces lack their group in their columns: then a CSV of dstat got the title of pcp-dstat."""
    named = zip(groups, names, strict=False)
    return any(group.startswith(("dsk/", "net/")) and ":" not in name for group, name in named)


def _read_about(line: str, run: _Run, header: Row) -> None:
    """Take version, host, command line and date from a line about the run."""
    if title := _TITLE.match(line):
        header.setdefault("tool_version", title[2] if title[1].lower() == "dstat" else f"{title[1]} {title[2]}")
    if host := _HOST.search(line):
        run.host = host[1]
    if command := _COMMAND.search(line):
        header.setdefault("command", command[1])
    if date := _DATE.search(line):
        zone = UTC if date[2] in ("UTC", "GMT") else None
        try:
            run.date = datetime.strptime(date[1], "%d %b %Y %H:%M:%S").replace(tzinfo=zone)
        except ValueError:
            run.date = None


def _end_of_samples(lines: Sequence[str], at: int) -> int:
    """Return the last line before one that is empty or begins with a text, from a line on."""
    return next((end for end in range(at, len(lines)) if lines[end][:1] in ('"', "")), len(lines))


def _add_samples(lines: Sequence[str], run: _Run, part: int, at: int, parsed: Parsed) -> int:
    """Add the sample in a line, and with it those below it where all are numbers alone; return the last line."""
    if at > run.tried:
        run.tried = end = _end_of_samples(lines, at)
        if rows := run.samples(lines[at - 1 : end]):
            common: list[Row] = [
                {"part": part, "phase": "", "host": run.host, "line": number + at} for number in range(len(rows))
            ]
            if not run.block.cells:
                common[0]["phase"] = _SINCE_BOOT
            run.block.extend(rows, common)
            return end
    _add_sample(lines[at - 1], run, part, at, parsed)
    return at


def _add_sample(line: str, run: _Run, part: int, at: int, parsed: Parsed) -> None:
    cells = run.cells(line)
    if len(cells) != len(run.names):
        parsed.incomplete(f"a sample wants {len(run.names)} cells, found {len(cells)}", at)
        return
    try:
        when = run.when(cells)
        block, values = run.sample(cells)
    except (ValueError, OverflowError, OSError):
        parsed.incomplete("a sample has a cell that is no number", at)
        return
    is_since_boot = not (run.block.cells or run.is_of_pcp)
    common: Row = {"part": part, "phase": _SINCE_BOOT if is_since_boot else "", "host": run.host, "line": at}
    common |= since_start(when, parsed.header) if when else {}
    block.add(values, common)
    for place, top in run.tops.items():
        if found := process_of(cells[place]):
            top.add(found[1], common, found[0])


def _at(date: datetime, clock: str) -> datetime:
    """The moment of a time of day that is next to a date."""
    hours, minutes, seconds = clock.split(":")
    day = date.replace(hour=0, minute=0, second=0)
    moment = day + timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds))
    return moment + timedelta(days=round((date - moment) / timedelta(days=1)))


_LINE = r'"[^\n]{1,8000}+\n'
_CELLS = r"\d[\d.,:eE+ -]{0,8000}+"
_SAMPLES = rf"(?:(?:{_CELLS}(?<![.])(?<![.]\d)(?<![.]\d\d)\n|(?!))++|(?:{_CELLS}(?<=[.]0)\n|(?!))++)"
"""Lines that end in three decimals or none, or all in one: with fewer, digits are lost."""
_SHAPE = re.compile(
    rf'"(?:[Dd]stat|[Dd]ool) [\w.]{{1,20}}+ CSV output"\n'
    rf'(?:(?:"Author:",{_LINE}|(?!))?+"Host:",{_LINE}"Cmdline:",{_LINE}\n?+'
    r'(?:"(?!Author:|Host:|Cmdline:)[^\n]{1,8000}+\n){2}'
    rf"{_SAMPLES}|(?!))++"
)
ORDINARY = Ordinary(" CSV output", shaped(_SHAPE, parse))
