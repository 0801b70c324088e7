"""collectl's tables on the terminal: headings of one to three lines, and the samples below them."""

from __future__ import annotations

import functools
import re
from datetime import datetime

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import CLOCK, Clock, since_start
from storagelab.parsers.monitors.collectl_columns import Column, groups_of, kind_of, meaning, slot, values
from storagelab.parsers.monitors.slots import EACH, Block, Layout
from storagelab.parsers.monitors.snapshot import ends_table, prose_behind_tables
from storagelab.parsers.text import moment, number

LONGEST = 4000
"""No terminal is that wide; a heading with thousands of names takes long."""
_RECORD = re.compile(r"### RECORD +\d+ >>> .* <<< \((\d+(?:[.,]\d+)?)\)")
_TITLE = re.compile(r"# ([A-Z][A-Z/ -]*(?:\[HYPER\][A-Z/ -]*)?(?<=[A-Z]))(?: \(.*\)(?::[A-Z -]+)?)?")
_HYPER = "[HYPER]"
"""Stands behind CPU where a core has two threads."""
_GROUP = re.compile(r"<([^<>]*)>")
_TOP = re.compile(r"# TOP PROCESSES sorted by \w+ \(counters are [^()]*\)(?: +(\d\d:\d\d:\d\d))?\s*+")
_PROCESSES = "PROCESS SUMMARY"
_SEVERAL_A_SECOND = re.compile(r"waiting for 0?\.\d+ second sample\.\.\.")
_STAMP = re.compile(r"(?:(\d{8}|\d\d/\d\d) )?\d\d:\d\d:\d\d(?:\.\d{3})? ")
_OUCH = re.compile(r"\s*(?:\^C)?Ouch!\s*")
"""Its answer to Ctrl-C."""
_WHOSE = {"Name": "", "Cpu": "", "Int": "label", "Node": "label", "Zone": "label", "Filsys": "target", "Ost": "target"}
"""Columns that say whose a sample is, and the keys of what the kind of their table does not say."""
_BEHIND = ("Type", "Device(s)")
"""Columns of words that stand last, and that interrupts without a device lack."""
_NO_NUMBERS = ("Date", "Time", "Num", "Fragments", *_WHOSE, *_BEHIND)
_OF_PROCESSES = ("PID", "User", "PR", "PPID", "S", "CP", "Command")


class _Table:
    """The columns that the lines below a heading have, and whose they are."""

    def __init__(self, section: str, groups: str, heading: str) -> None:
        self._heading = section, groups, heading
        words = list(re.finditer(r"[^\s#]+", heading))
        self.names = [word[0] for word in words]
        self.is_of_processes = section == _PROCESSES and self.names[-1:] == ["Command"] and "PID" in self.names
        by_name = groups_of(self.names)
        above = [
            _above(groups, (word.start() + word.end()) // 2) or told for word, told in zip(words, by_name, strict=True)
        ]
        self.places: list[tuple[str, str, Column]] = []
        for at, word in enumerate(words):
            group = above[at]
            kind = kind_of(section, group)
            column = meaning(kind, word[0], group, self._before(at, kind))
            self.places.append((kind, self._title(section, group, word[0], at), column))

        texts = _NO_NUMBERS + _OF_PROCESSES * self.is_of_processes
        self.cells = [at for at, name in enumerate(self.names) if name not in texts]
        self._columns = [self.places[at][2] for at in self.cells]
        self.who = [at for at, name in enumerate(self.names) if name in _WHOSE]
        whose = tuple((key, EACH) for key in dict.fromkeys(_WHOSE[self.names[at]] for at in self.who) if key)
        slots = (
            slot(kind, EACH, title, self.names[at], column)
            for at, (kind, title, column) in ((at, self.places[at]) for at in self.cells)
        )
        self.layout = Layout(own._replace(keys=(*own.keys, *whose)) for own in slots)

    def _title(self, section: str, group: str, name: str, at: int) -> str:
        """Title that tells a column from its namesakes: section and group, and where these are the same its ordinal."""
        title = f"{section} {group}".strip()
        taken = {(place[1], other) for place, other in zip(self.places, self.names, strict=False)}
        return f"{title} ({at + 1})" if (title, name) in taken else title

    def _before(self, at: int, kind: str) -> list[str]:
        """Names of the columns of the same kind that stand before one."""
        return [name for name, place in zip(self.names[:at], self.places, strict=False) if place[0] == kind]

    def stamped(self, line: str) -> _Table:
        """Return the table with a name for the time that a line begins with; some headings leave its place blank."""
        section, groups, heading = self._heading
        found = _STAMP.match(line) if heading.startswith("# ") else None
        if not found:
            return self
        name = "#Date Time" if found[1] else "#Time"
        return _table(section, groups, name + heading[len(name) :])

    def when(self, words: list[str], clock: Clock, header: Row) -> Row:
        """`time` of a line that begins with one."""
        if self.names[:2] == ["Date", "Time"]:
            if not words[0].isdecimal():
                return {"time": clock.seconds(words[1])}
            return since_start(datetime.fromisoformat(f"{words[0]}T{words[1]}"), header)
        if self.names[0] == "Time":
            return {"time": clock.seconds(words[0])} if CLOCK.fullmatch(words[0]) else {}
        return {}

    def words(self, line: str) -> list[str]:
        """Words of a line, one a column; a command is one word.

        Raises
        ------
        ValueError
            If there are others.
        """
        words = line.split(maxsplit=len(self.names) - 1) if self.is_of_processes else line.split()
        if tuple(self.names[-len(_BEHIND) :]) == _BEHIND:
            words = [*words[: len(self.names) - len(_BEHIND)], *_BEHIND]
        if len(words) != len(self.names):
            raise ValueError(line)
        return words

    def process(self, words: list[str]) -> Row:
        """Whose sample a line of processes is; a plus sign behind its number says that it is a thread.

        Raises
        ------
        ValueError
            If it has no number.
        """
        if not self.is_of_processes:
            return {}
        number = words[self.names.index("PID")].removesuffix("+")
        if not number.isdecimal():
            raise ValueError(number)
        return {"process": number, "job": words[-1].rstrip()}

    def sample(self, words: list[str]) -> tuple[str, list[float]]:
        """Whose sample a line is, and its numbers in SI; ValueError where a cell is none."""
        who = " ".join(words[at].removesuffix(":") for at in self.who) or "all"  # older versions: "eth0:"
        return who, values([words[at] for at in self.cells], self._columns)


class _Turns:
    """Numbers samples that their times do not tell apart: the clock shows whole seconds, and the interval is less."""

    def __init__(self, *, are_needed: bool) -> None:
        self.are_needed = are_needed
        self._number = 0.0
        self._seen = set[tuple[Layout, str]]()

    def of(self, table: _Table, who: str, when: Row) -> Row:
        """`iteration` of a sample, where its time needs it; it is one more than the last of the same item."""
        if not self.are_needed or "time" not in when:
            return {}
        if (table.layout, who) in self._seen:
            self._number += 1
            self._seen = set()
        self._seen.add((table.layout, who))
        return {"iteration": self._number}


def _above(groups: str, place: int) -> str:
    """Name of the group that stands above a place; "" where none does."""
    return next(
        (
            group[1].strip("- ").removesuffix(_HYPER)
            for group in _GROUP.finditer(groups)
            if group.start() <= place < group.end()
        ),
        "",
    )


def _record(printed: str, at: int, parsed: Parsed) -> Row:
    try:
        return since_start(moment(number(printed)), parsed.header)
    except ValueError:
        parsed.incomplete(f"no moment: {printed}", at)
        return {}


def _section(line: str) -> tuple[str, str] | None:
    """Return the section that a line opens, and the time in it; every call of collectl begins without one."""
    if line.rstrip().endswith("second sample..."):
        return "", ""
    if line.startswith("#procs -"):
        return "VMSTAT", ""
    if top := _TOP.fullmatch(line):
        return _PROCESSES, top[1] or ""
    title = _TITLE.fullmatch(line.rstrip())
    return (title[1].replace(_HYPER, ""), "") if title else None


_table = functools.lru_cache(maxsize=64)(_Table)
"""The same heading comes again and again."""


def read(lines: list[str], parsed: Parsed) -> list[Block]:
    """Samples in their order; what stands under a heading that cannot be read is left out, and said."""
    blocks: list[Block] = []
    section = groups = ""
    table: _Table | None = None
    damaged = has_samples = False
    record: Row = {}
    clock, turns = Clock(), _Turns(are_needed=False)
    prose = prose_behind_tables(lines)
    for at, line in enumerate(lines, 1):
        if found := _RECORD.match(line):
            record = _record(found[1], at, parsed)
        elif line.startswith("#") and ("\ufffd" in line or len(line) > LONGEST):
            parsed.incomplete("a heading cannot be read, nor what stands below it", at)
            table, damaged = None, True
        elif opened := _section(line):
            section, groups, table, damaged, has_samples = opened[0], "", None, False, False
            record = {"time": clock.seconds(opened[1])} if opened[1] else record
            turns = turns if section else _Turns(are_needed=_SEVERAL_A_SECOND.match(line) is not None)
        elif line.startswith("#") and "<-" in line:
            groups, damaged = line, damaged and bool(section)
        elif line.startswith("#"):
            found_table = None if damaged else _table(section, groups, line)
            if section and has_samples and table is not found_table:
                parsed.incomplete(f"expected a title above other columns than those of {section}, found none", at)
                found_table, damaged = None, True
            table = found_table
        elif at in prose and table:
            parsed.note("not a line of collectl", at)
        elif table and table.names and not ends_table(line) and not _OUCH.fullmatch(line):
            _add_line(line, table.stamped(line), record, clock, turns, at, blocks, parsed)
            has_samples = True
    return blocks


def _add_line(
    line: str,
    table: _Table,
    record: Row,
    clock: Clock,
    turns: _Turns,
    at: int,
    blocks: list[Block],
    parsed: Parsed,
) -> None:
    """Add a sample to the last block, or to a new one where it is of another table."""
    try:
        words = table.words(line)
        time = (record or table.when(words, clock, parsed.header)) | table.process(words)
        who, cells = table.sample(words)
        time |= turns.of(table, who, time)
    except (ValueError, OverflowError):
        parsed.incomplete(f"a sample wants {len(table.names)} numbers, found {line.strip()[:60]!r}", at)
        return
    if not blocks or blocks[-1].layout is not table.layout:
        blocks.append(Block(table.layout))
    blocks[-1].add(cells, {**time, "line": at}, who)
