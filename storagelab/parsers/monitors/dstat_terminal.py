"""What dstat, dool and pcp-dstat show on a terminal.

Two lines of headings, again after each screen, and a line a sample, in which ``|`` stands between groups, and ``:``
between the devices of one::

    ----total-usage---- -dsk/total- -net/total-
    usr sys idl wai stl| read  writ| recv  send
      1   0  98   1   0|  12k  340k|   0    66B

dool draws the same with dashes and bars of Unicode. It gives disks and interfaces in bits, in powers of 1000, unless it
is told ``--bytes``; dstat does so with ``--bits``. A ``b`` behind a number below 1k says bits, a ``B`` bytes.

A number has a letter behind it: those of bytes are powers of 1024 and end in ``B`` where they are below 1k, all others
are powers of 1000. Which it is, its class says in dstat and each plugin (`scale`), and in pcp-dstat the metric's unit.
`throughput` and sizes have two or three digits. The first sample is the average since boot. The times of column
``time`` have no year: they give the time since the first sample. Names of processes (``--top-io`` and its like) are
`job`; they have blanks, or are not there. dstat writes the end of a line only before the next: what stops it, ``^C``,
stands behind the last sample. pcp-dstat leaves the rates of its first sample blank, or begins with the next: none is
since boot. It is told by ``total-usage`` between plain dashes, where no call of dool and no name of a month says
otherwise; it shows some samples as the mean of that one and the one before, and waits of disks in seconds.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.clock import Clock, since_start
from storagelab.parsers.monitors.dstat_columns import told_of_processes
from storagelab.parsers.monitors.dstat_headings import are_titles, begins, redrawn
from storagelab.parsers.monitors.dstat_table import OF_DAY, Table
from storagelab.parsers.monitors.slots import Block
from storagelab.parsers.text import moment, number

_IS_OF_DOOL = re.compile(r"\u2504|\bdool\b|^[A-Z][a-z]{2}-\d\d \d\d:")
_COMMAND = re.compile(r"\bdool (.*)")
_IN_BYTES = re.compile(r"(?:^|\s)--(?:bytes|dstat)\b")
_OVERHEAD = re.compile(r"> *[0-9.]+ms\Z")
"""With ``--debug`` the time that a sample took stands behind it."""
_STOPPED = re.compile(r"\^C?\Z")
"""What was typed to stop dstat: a terminal shows ``^C``, and who copies it may lose its letter."""


def read(lines: list[str], parsed: Parsed) -> tuple[list[Block], list[Block]]:
    """Read samples below headings, and apart those of processes and first ones with blanks; any other line is told."""
    is_of_dool = any("\u2504" in line for line in lines)
    is_of_pcp = not any(map(_IS_OF_DOOL.search, lines)) and any("-total-usage-" in line for line in lines)
    lines = [redrawn(line) for line in lines]
    in_bits = _are_in_bits(lines, is_of_dool)
    tables: list[Table] = []
    is_headed = False
    for at, (line, below) in enumerate(pairwise([*lines, ""]), 1):
        is_of_columns, is_headed = is_headed, begins(line, below)
        if is_headed:
            if "\ufffd" in line + below:
                parsed.incomplete("a heading is not UTF-8", at)
            if not tables or below.rstrip(" >\r") != tables[-1].names:
                tables.append(Table(line.rstrip(" >\r"), below.rstrip(" >\r"), in_bits, is_of_pcp))
                if told := told_of_processes([" ".join(names) for names in tables[-1].columns]):
                    parsed.note(told, at + 1)
        elif is_of_columns or not _ended(line):
            continue
        elif tables and not are_titles(line):
            _add_sample(_ended(line), tables[-1], len(tables), at, parsed)
        elif "|" in line or tables:
            parsed.incomplete(f"expected two lines of headings, found {line.strip()[:60]!r}", at)
    firsts = [table.first for table in tables if table.first]
    tops = [top.block for table in tables for top in table.tops if top.block.cells]
    return [table.block for table in tables], firsts + tops


def _are_in_bits(lines: list[str], is_of_dool: bool) -> bool:
    """Whether disks and interfaces are in bits: by the letters of small numbers, else by whose table it is."""
    letters: set[str] = set()
    table: Table | None = None
    for line, below in pairwise([*lines, ""]):
        if begins(line, below):
            table = Table(line.rstrip(" >\r"), below.rstrip(" >\r"))
        elif table and (("b" in line or "B" in line) and "b" not in letters):
            letters |= table.letters(_ended(line))
    return "b" in letters or (is_of_dool and "B" not in letters and not any(map(_is_asked_for_bytes, lines)))


def _is_asked_for_bytes(line: str) -> bool:
    """Whether dool is called as told to print bytes."""
    command = _COMMAND.search(line)
    return bool(command and _IN_BYTES.search(command[1]))


def _ended(line: str) -> str:
    """Return a line without what stands behind its last column."""
    return _OVERHEAD.sub("", _STOPPED.sub("", line.rstrip(" >\r"))).rstrip()


def _add_sample(line: str, table: Table, part: int, at: int, parsed: Parsed) -> None:
    try:
        words = table.cells(line)
        common: Row = {"part": part, "phase": "since boot" if table.is_awaited and not table.of_pcp else "", "line": at}
        common |= _times(table, words, parsed.header)
        table.add(words, common)
    except (ValueError, OverflowError, OSError):
        if "|" in line or line.lstrip()[:1].isdigit():
            parsed.incomplete(f"expected the cells of {table.names.strip()[:60]!r}, found {line.strip()[:60]!r}", at)
        return
    pieces = table.pieces(line) if table.tops else []
    try:
        for top in table.tops:
            top.add(pieces[top.at], common)
    except ValueError:
        parsed.incomplete(f"expected a process and its numbers, found {line.strip()[:60]!r}", at)


def _times(table: Table, words: list[list[str]], header: Row) -> Row:
    for names, own in zip(table.columns, words, strict=True):
        if names == ["epoch"]:
            return since_start(moment(number(own[0])), header)
        if names[:1] in OF_DAY:
            return {"time": _seconds(own[0], table.clock)}
    return {}


def _seconds(cell: str, clock: Clock) -> float:
    """Read ``DD-MM HH:MM:SS``.

    Raises
    ------
    ValueError
        If it ends in no time of day.
    """
    seconds = clock.seconds(cell.rpartition(" ")[2])
    if math.isnan(seconds):
        raise ValueError(cell)
    return seconds
