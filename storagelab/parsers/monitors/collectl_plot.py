"""collectl's plot format (``-P``): a line of columns, and a line a sample, parted by blanks or by ``--sep``.

A column is ``[DSK:vda]RKBytes``, or ``[DSK]ReadKBTot`` for all disks; numbers are plain, KB are 1024 bytes. The first
columns are ``#Date Time``, local, or ``#UTC``, seconds since 1970. Files (``-f``) begin with comments, one of which has
version and options.
"""

from __future__ import annotations

import functools
import re
from datetime import datetime
from itertools import compress

from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.clock import since_start
from storagelab.parsers.monitors.collectl_columns import KIND_OF, meaning, slot
from storagelab.parsers.monitors.slots import Block, Layout, Slot
from storagelab.parsers.text import moment, numbers
from storagelab.parsers.text import number as decimal

_HEADING = re.compile(r"^#(?:Date(\W)Time|UTC)(\W)\[\w", re.MULTILINE)
_COLUMN = re.compile(r"\[(\w+)(?::([^\]]+))?\](.+)")
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
            has_slot, layout = _laid_out(tuple(names))
            blocks.append(Block(layout))
            if "\ufffd" in line:
                parsed.incomplete("a name in the heading cannot be read", at)
        elif version := _VERSION.match(line):
            parsed.header.update(tool_version=version[1], command=f"collectl {version[2].strip()}")
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


def _moment(words: list[str], names: list[str]) -> datetime:
    if names[0] == "#UTC":
        return moment(decimal(words[0]))
    return datetime.fromisoformat(f"{words[0]}T{words[1]}")
