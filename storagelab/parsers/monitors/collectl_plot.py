"""collectl's plot format (``-P``): a line of columns, and a line a sample, parted by blanks or by ``--sep``.

A column is ``[DSK:vda]RKBytes``, or ``[DSK]ReadKBTot`` for all disks; numbers are plain, KB are 1024 bytes. The first
columns are ``#Date Time``, local, or ``#UTC``, seconds since 1970. Files (``-f``) begin with comments, one of which has
version and options. Processes (``-sZ``) have a file of their own: a line a process, its command behind all else.
"""

from __future__ import annotations

import functools
import re
from datetime import datetime
from itertools import compress
from typing import NamedTuple

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import since_start
from storagelab.parsers.monitors.collectl_columns import KIND_OF, Column, meaning, slot, values
from storagelab.parsers.monitors.slots import EACH, Block, Layout, Slot
from storagelab.parsers.text import moment, numbers
from storagelab.parsers.text import number as decimal

_HEADING = re.compile(r"^#(?:Date(\W)Time|UTC)(\W)(?:\[\w|PID\2)", re.MULTILINE)
_COLUMN = re.compile(r"\[(\w+)(?::([^\]]+))?\](.+)")
_NO_NUMBERS = ("#UTC", "#Date", "Time", "PID", "User", "PR", "PPID", "S", "CPU", "Command")
"""Columns of processes; the processor is where a process ran last."""
_VERSION = re.compile(r"# Collectl: +V(\S++)(?:(?! Options: ).|(?!))*+ Options: (.*)")


def sniff(head: str) -> bool:
    """Whether a line of columns stands here."""
    return ("#Date" in head or "#UTC" in head) and _HEADING.search(head) is not None


def read(lines: list[str], parsed: Parsed) -> list[Block]:
    """Samples below every line of columns."""
    blocks: list[Block] = []
    separator, names, has_slot = " ", list[str](), list[bool]()
    for at, line in enumerate(lines, 1):
        if heading := _HEADING.match(line):
            separator = heading[2]
            names = line.rstrip().split(separator)
            if names[-1] == "Command":
                blocks.append(Block(_processes(tuple(names)).layout))
            else:
                has_slot, layout = _laid_out(tuple(names))
                blocks.append(Block(layout))
            if "\ufffd" in line:
                parsed.incomplete("a name in the heading cannot be read", at)
        elif version := _VERSION.match(line):
            parsed.header.update(tool_version=version[1], command=f"collectl {version[2].strip()}")
        elif names and line.strip() and not line.startswith("#") and names[-1] == "Command":
            _add_process(line.split(separator, len(names) - 1), names, blocks[-1], at, parsed)
        elif names and line.strip() and not line.startswith("#"):
            _add_sample(line.rstrip().split(separator), names, has_slot, blocks[-1], at, parsed)
    return blocks


@functools.lru_cache(maxsize=64)
def _laid_out(names: tuple[str, ...]) -> tuple[list[bool], Layout]:
    """Say of which columns there are cells, and where these go."""
    slots = [_slot(name) for name in names]
    return [slot is not None for slot in slots], Layout(filter(None, slots))


def _slot(name: str) -> Slot | None:
    """Slot of a column; None for times, names, and what cannot be read."""
    column = _COLUMN.fullmatch(name)
    if not column or column[3] == "Name" or "\ufffd" in name:
        return None
    kind, who = KIND_OF.get(column[1], ""), column[2] or "all"
    found = meaning(kind, column[3], "", [])
    place = slot(kind, who, name[: column.start(3)], column[3], found)
    return place._replace(factor=found.factor)


def _add_sample(
    words: list[str], names: list[str], has_slot: list[bool], block: Block, at: int, parsed: Parsed
) -> None:
    if len(words) != len(names):
        parsed.incomplete(f"a sample wants {len(names)} columns, found {len(words)}", at)
        return
    try:
        cells = numbers(list(compress(words, has_slot)))
        block.add(cells, {**since_start(_moment(words, names), parsed.header), "line": at})
    except (ValueError, OverflowError, OSError):
        parsed.incomplete("a sample has a cell that is no number", at)


class _Processes(NamedTuple):
    """Which columns of processes hold numbers, what these mean, and where they go."""

    cells: list[int]
    columns: list[Column]
    layout: Layout


@functools.lru_cache(maxsize=64)
def _processes(names: tuple[str, ...]) -> _Processes:
    cells = [at for at, name in enumerate(names) if name not in _NO_NUMBERS and "\ufffd" not in name]
    columns = [meaning("process", names[at], "", []) for at in cells]
    places = (slot("process", EACH, "", names[at], column) for at, column in zip(cells, columns, strict=True))
    return _Processes(cells, columns, Layout(places))


def _add_process(words: list[str], names: list[str], block: Block, at: int, parsed: Parsed) -> None:
    process = words[names.index("PID")].removesuffix("+") if len(words) == len(names) and "PID" in names else ""
    if not process.isdecimal():
        parsed.incomplete(f"a process wants {len(names)} columns and a number, found {len(words)}", at)
        return
    cells, columns, _ = _processes(tuple(names))
    try:
        time = since_start(_moment(words, names), parsed.header)
        own: Row = {"process": process, "job": words[-1].rstrip(), "line": at}
        block.add(values([words[place] for place in cells], columns), {**time, **own})
    except (ValueError, OverflowError, OSError):
        parsed.incomplete("a process has a cell that is no number", at)


def _moment(words: list[str], names: list[str]) -> datetime:
    if names[0] == "#UTC":
        return moment(decimal(words[0]))
    return datetime.fromisoformat(f"{words[0]}T{words[1]}")
