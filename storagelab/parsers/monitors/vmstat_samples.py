"""vmstat's samples, and the unit of their memory, which ``-S`` chooses and no heading tells.

A command that stands in the log may name it. Without ``-S`` it is KiB, and then every value is a whole number of
pages: a multiple of 4, since no page is smaller than 4 KiB. A value that is none proves another unit. Of those,
``-S M`` (MiB) is read unless the numbers would be those of a host with terabytes, where ``-S k`` (1000 bytes) is.
``-S m`` (10**6 bytes) cannot be told from ``-S M``.
AIX and HP-UX count pages of 4 KiB; Solaris and the BSDs have no such choice. FreeBSD prints KiB up to 14.0 and bytes
since, where two spaces stand between its columns. A number there has a suffix where a person looks on (``-h``): K, M
and so on are powers of 1024 in the columns of memory, k, M and so on powers of 1000 in others, which count.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import Clock, Dates, offset, since_start
from storagelab.parsers.monitors.slots import Block, Layout, Slot, keys, metric
from storagelab.parsers.monitors.snapshot import ends_table, is_prompt, is_prose_between, prose_below
from storagelab.parsers.monitors.vmstat_headings import FREE_BYTES, OF, columns, is_heading, names_of
from storagelab.parsers.text import floats, number
from storagelab.units import KB, KIB, MB, MIB, PERCENT, powers

_DIRECTIONS = {"bi": "read", "bo": "write"}
_HOST = {
    "r": ("processes_running", 1.0),
    "b": ("processes_blocked", 1.0),
    "in": ("interrupt_rate", 1.0),
    "int": ("interrupt_rate", 1.0),
    "cs": ("context_switch_rate", 1.0),
    "us": ("cpu_user", PERCENT),
    "sy": ("cpu_system", PERCENT),
    "id": ("cpu_idle", PERCENT),
    "wa": ("cpu_iowait", PERCENT),
    "st": ("cpu_steal", PERCENT),
    "gu": ("cpu_guest", PERCENT),
}
_MEMORY = {
    "swpd": "swap_used",
    "swap": "swap_free",
    "free": "memory_free",
    "fre": "memory_free",
    "buff": "memory_buffers",
    "cache": "memory_cached",
    "inact": "memory_inactive",
    "active": "memory_active",
    "si": "swap_in",
    "so": "swap_out",
}
_OF_OTHERS = frozenset(("swap", "flt"))
"""Columns of Solaris and of the BSDs, whose memory is in KiB: neither has a choice of units."""
_RATES = ("swap_in", "swap_out")
_SIZES = powers(KIB, "KMGT") | {"k": KB}
_COUNTS = powers(KB, "kMGT") | {"K": KIB}
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CELL = r"(?:-(?=0(?!\S)))?[0-9]{1,20}(?:[.,][0-9]{1,20})?[kKMGT]?"
"""The largest number of 64 bits has 20 digits. Solaris rounds what a disk lacks to 0 from below, and prints -0."""
_CELLS = re.compile(rf"{_CELL}(?: {_CELL}|(?!))*+")
_LAST = frozenset(("in", "cs", "us", "sy", "id", "wa", "st", "gu", "pc", "ec", "fpi", "fpo", "fpf"))
"""Columns that a heading goes on with on the next line, where a mail wrapped it."""
_GROUPS = (["procs", "memory"], ["kthr", "memory"], ["memory", "page"], ["cpu"], ["filesystem"])
_CLOCKED = "--time--"
"""What ExaWatcher puts over the time of day, which it prints before each sample."""
_CLOCK = ["hr", "mi", "se"]
_TIME_OF_DAY = re.compile(r"\d\d:\d\d:\d\d")
_MEMORY_OF_BSD = ("avm", "fre", FREE_BYTES)
_PAGE = 4
_TERABYTES = 4e6
_COMMAND = re.compile(r"(?<![\w.-])vmstat(?P<options>(?: +[\w.=-]{1,20}){0,9})(?![\w.:-])")
_ARGUMENT = re.compile(r" (?:-\w|\d)")
"""What tells a command from a title that names the tool; behind a prompt it may have none."""
_ASKED_UNIT = re.compile(r" (?:-[a-zA-Z]{0,9}S *|--unit[= ])([kKmM])(?![\w.-])")
_UNITS = {"k": KB, "K": KIB, "m": MB, "M": MIB}


class _Sample(NamedTuple):
    """A line: the names of its columns, its cells, its time as ISO 8601 or "", place, if it is a first, has a date.

    `clock` is a time of day without a date.
    """

    names: tuple[str, ...]
    cells: Sequence[str]
    when: str
    at: int
    begins: bool = False
    is_dated: bool = False
    clock: str = ""


def read(lines: list[str], parsed: Parsed) -> list[Block]:
    """Samples in their order; a block as long as the columns stay the same."""
    unwrapped, first_words = _unwrapped(lines)
    dates = Dates()
    samples = list(_samples(unwrapped, parsed, dates))
    if dates.tell_no_times:
        samples = [sample._replace(when="") if sample.is_dated else sample for sample in samples]
    factor = _asked_factor(lines) or _memory_factor(samples, parsed)
    blocks: list[Block] = []
    columns: tuple[tuple[str, ...], int] = ((), 0)
    clock = Clock()
    for sample in samples:
        there = first_words.get(sample.at, len(sample.names))
        if (sample.names, there) != columns:
            columns = sample.names, there
            blocks.append(Block(_layout(sample.names, factor, there)))
        common: Row = {"phase": "since boot" if sample.begins else "", "line": sample.at}
        cells = _numbers(sample, blocks[-1].layout.places)
        cells += [sample.at + 1] * (len(sample.names) - there)
        blocks[-1].add(cells, common | _time(sample, parsed, clock))
    return blocks


def _unwrapped(lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """Join what a mail wrapped, columns and then numbers, to the line that it goes on with; leave nothing there.

    Also says how many words of a joined line stood on the first of the two, by its number.
    """
    found, first = list(lines), dict[int, int]()
    if not any(map(_ends_heading, lines)):
        return found, first
    wanted, begun, before = 0, -1, 0
    for at, line in enumerate(lines):
        words = line.split()
        if is_heading(words, lines[at - 1] if at else ""):
            wanted, begun, before = 0, at, len(words)
        elif 0 <= begun == at - 1 and not wanted and _ends_heading(line):
            wanted = before + len(words)
            found[begun], found[at] = f"{found[begun]} {line}", ""
        elif 0 <= begun == at - 1 and before + len(words) == wanted and before > len(words) and _are_cells(words):
            first[begun + 1] = before
            found[begun], found[at], begun = f"{found[begun]} {line}", "", -1
        else:
            begun, before = at if wanted and _are_cells(words) else -1, len(words)
    return found, first


def _ends_heading(line: str) -> bool:
    words = line.split()
    return bool(words) and _LAST.issuperset(words)


def _are_cells(words: list[str]) -> bool:
    return _CELLS.fullmatch(" ".join(words)) is not None


def _samples(lines: list[str], parsed: Parsed, dates: Dates) -> Iterator[_Sample]:
    names: tuple[str, ...] = ()
    begins, ended, above = True, False, ""
    is_clocked = False
    prose = prose_below(lines)
    for at, line in enumerate(lines, 1):
        words = line.split()
        if is_heading(words, above):
            is_clocked = above.startswith(_CLOCKED)
            names, ended = names_of(words, line, above), False
            if "\ufffd" in line:
                parsed.incomplete("a name of a column is damaged", at)
        elif is_prompt(line):
            begins = ended = True
        elif dates.add(line):
            continue
        elif ends_table(line):
            ended = True
        elif names and not _is_line_of_groups(line) and words != _numbering(names):
            clock = words.pop(0) if is_clocked and words and _TIME_OF_DAY.fullmatch(words[0]) else ""
            sample = _sample(names, words, at)
            if sample:
                yield _dated(sample, dates)._replace(begins=begins, clock=clock or sample.clock)
                begins = False
            elif at in prose or (ended and _has_no_cell(words)) or is_prose_between(lines, at):
                parsed.note("not a line of vmstat", at)
            else:
                parsed.incomplete(f"a sample wants {len(names)} numbers, found {line.strip()!r}", at)
        above = line


def _dated(sample: _Sample, dates: Dates) -> _Sample:
    """Give a sample without a time of its own the date above it."""
    if sample.when or not (date := dates.of_report()):
        return sample
    return sample._replace(when=date.isoformat(), is_dated=True)


def _is_line_of_groups(line: str) -> bool:
    return "---" in line or line.split()[:2] in _GROUPS


def _has_no_cell(words: list[str]) -> bool:
    return not any(map(_CELLS.fullmatch, words))


@functools.lru_cache(maxsize=64)
def _numbering(names: tuple[str, ...]) -> list[str]:
    """Return the line of somebody who numbers the columns, from 1 on."""
    return [str(number) for number, _ in enumerate(names, 1)]


def _sample(names: tuple[str, ...], words: list[str], at: int) -> _Sample | None:
    """Take a line apart, its time with the zone that the heading names; None where it is no sample.

    AIX tells the time of day, and no day.
    """
    when = clock = ""
    if list(names[-3:]) == _CLOCK and words and _TIME_OF_DAY.fullmatch(words[-1]):
        names, words, clock = names[:-3], words[:-1], words[-1]
    if len(words) == len(names) + 1 and _DATE.fullmatch(words[-2]):
        when = f"{words[-2]}T{words[-1]}{offset(names[-1])}"
        names, words = names[:-1], words[:-2]
    if len(words) != len(names) or not _are_cells(words):
        return None
    return _Sample(names, words, when, at, clock=clock)


@functools.lru_cache(maxsize=64)
def _layout(names: tuple[str, ...], factor: float, there: int) -> Layout:
    """Slots of the columns, then of the lines of those that are not on the first line, where `there` are."""
    places = [_slot(name, factor) for name in names]
    return Layout([*places, *(Slot(place.keys, f"{place.name}_line") for place in places[there:])])


def _slot(name: str, factor: float) -> Slot:
    """Slot of a column, `factor` being the unit of memory."""
    word, of, cpu = name.partition(OF)
    if word in _HOST:
        return Slot(keys(cpu=cpu) if of else keys(), *_HOST[word])
    if name in _MEMORY:
        return Slot(keys(), _MEMORY[name], factor)
    if name == FREE_BYTES:
        return Slot(keys(), _MEMORY["fre"], 1.0)
    if name in _DIRECTIONS:
        return Slot(keys(_DIRECTIONS[name]), "throughput", KIB)
    return metric(name)


def _numbers(sample: _Sample, places: Sequence[Slot]) -> list[float]:
    """Numbers of a sample; one with a suffix (FreeBSD's ``-h``) is in no unit of its column."""
    if "".join(sample.cells).isdecimal():
        return floats(sample.cells)
    return [
        _sized(cell, name) / place.factor if cell[-1].isalpha() else number(cell.lstrip("-"))
        for cell, name, place in zip(sample.cells, sample.names, places, strict=False)
    ]


def _sized(cell: str, name: str) -> float:
    """Read a number with a suffix: bytes of memory, or what is counted."""
    return number(cell[:-1]) * (_SIZES if name in _MEMORY_OF_BSD else _COUNTS)[cell[-1]]


def _time(sample: _Sample, parsed: Parsed, clock: Clock) -> Row:
    """Seconds since the first sample, whose time is when the log starts."""
    if sample.clock:
        return {"time": clock.seconds(sample.clock)}
    if not sample.when:
        return {}
    try:
        return since_start(datetime.fromisoformat(sample.when), parsed.header)
    except ValueError:
        parsed.incomplete(f"a sample has a time that is none: {sample.when}", sample.at)
        return {}


def _asked_factor(lines: list[str]) -> float:
    """Bytes of the unit that every command of the log asks for; 0 where none does, or one asks for another."""
    named = [(line, command) for line in lines if "vmstat" in line and (command := _COMMAND.search(line))]
    commands = [command for line, command in named if _ARGUMENT.search(command["options"]) or is_prompt(line)]
    asked = {unit[1] if (unit := _ASKED_UNIT.search(command["options"])) else "" for command in commands}
    return _UNITS.get(asked.pop(), 0.0) if len(asked) == 1 else 0.0


def _memory_factor(samples: list[_Sample], parsed: Parsed) -> float:
    """Bytes of one unit of the memory columns, from all their cells."""
    if samples and _counts_pages(samples[0].names):
        return _PAGE * KIB
    if samples and not _OF_OTHERS.isdisjoint(samples[0].names):
        return KIB
    values = [
        int(cell)
        for names, alike in itertools.groupby(samples, key=lambda sample: sample.names)
        for name, column in zip(names, zip(*(sample.cells for sample in alike), strict=True), strict=True)
        if _is_of_memory(name)
        for cell in column
        if cell.isdecimal()
    ]
    return _factor(values, parsed)


def _counts_pages(names: tuple[str, ...]) -> bool:
    """Whether the columns are those of AIX or HP-UX; the BSDs, which print KiB, count faults in the third group."""
    return "avm" in names and "flt" not in names


def _is_of_memory(name: str) -> bool:
    return name in _MEMORY and _MEMORY[name] not in _RATES


def _factor(values: list[int], parsed: Parsed) -> float:
    """Bytes of one unit of memory; a note says where it was inferred."""
    if not any(value % _PAGE for value in values):
        return KIB
    unit, factor = ("KB (-S k)", KB) if max(values) > _TERABYTES else ("MiB (-S M)", MIB)
    parsed.note(f"memory is in no KiB, for it is no whole number of pages; read as {unit}, the log does not name it")
    return factor


def at_once(text: str) -> Parsed | None:
    """Read samples of whole numbers under one heading, which may come again; None where a line is no sample of it.

    Empty lines may stand above and below.

    Raises
    ------
    ValueError
        If a line holds something else than numbers and a time.
    """
    groups, heading, *lines = text.strip("\n").split("\n")
    first = text.index(groups) + 3
    names, memory, zone = _named(heading)
    samples = [line.split() for line in lines if line not in (groups, heading)]
    if {(len(words), "-" in words[-2]) for words in samples} != {(len(names) + 2 * bool(zone), bool(zone))}:
        return None
    if _numbering(names) in samples:
        return None
    parsed = Parsed({"tool": "vmstat"})
    numbers = [words[: len(names)] for words in samples]
    factor = _factor([int(words[place]) for words in numbers for place in memory], parsed)
    block = Block(_layout(names, factor, len(names)))
    phase = "since boot"
    places = (at for at, line in enumerate(lines, first) if line not in (groups, heading))
    for at, words, cells in zip(places, samples, numbers, strict=True):
        common: Row = {"phase": phase, "line": at}
        if zone:
            common |= since_start(datetime.fromisoformat(f"{words[-2]}T{words[-1]}{offset(zone)}"), parsed.header)
        block.add(floats(cells), common)
        phase = ""
    parsed.series = block.columns()
    return parsed


@functools.lru_cache(maxsize=64)
def _named(heading: str) -> tuple[tuple[str, ...], list[int], str]:
    """Return the names of columns, the places of those of memory, and the name of the time zone, if one is there."""
    *names, last = columns(heading.split())
    zone = last if last.isupper() else ""
    named = tuple(names if zone else [*names, last])
    return named, [place for place, name in enumerate(named) if _is_of_memory(name)], zone
