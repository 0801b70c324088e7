"""Lines of ``sadf -d -h`` taken apart: one line holds the items of all tables of a sample.

The header names the columns of each table once; ``[...]`` behind the last column of a table says that its items repeat.
How many there are stands nowhere. Items begin with a name or a whole number and go on with numbers, so that most lines
fall into items in one way. Two tables of names with as many columns, as disks and interfaces, fall apart in several:
then each name must be one that Linux gives a disk or an interface, or nothing is returned of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from storagelab.parsers.monitors.sysstat import meanings
from storagelab.parsers.monitors.sysstat.cells import is_number

REPEATED = "[...]"
PROCESSORS = "CPU*"
"""Stands for a column for each processor that was online."""
_SUM = "sum"
_NUMBERED = ("CPU", "NODE", "TTY", "FAN", "TEMP", "IN", "BAT", "BUS", "INTR")

_OF_LINUX = {
    "DEV": re.compile(
        r"(?:sd|hd|vd|xvd|dasd|emcpower)[a-z]{1,3}\d*|dev\d+-\d+|dm-\d+|nvme\d+(?:c\d+)?n\d+(?:p\d+)?"
        r"|(?:md|mmcblk|loop|ram|zram|sr|fd|nbd|rbd|drbd|pmem|bcache|zd)\d+"
    ),
    "IFACE": re.compile(
        r"lo|(?:eth|em|ib|bond|br|virbr|docker|vnet|tap|tun|team|wlan|usb|ppp|dummy|wg|vlan|cni|hsn|sit)\d+(?:\.\d+)?"
        r"|(?:en[opsx]|wl[opsx]|ib[ps]|veth|cali|br-)\w+(?:\.\d+)?|p\d+p\d+|virbr\d+-nic|flannel\.\d+|ovs-system"
    ),
}
"""Names that Linux gives disks and interfaces by itself."""


class Group(NamedTuple):
    """The columns of one table, and whether its items repeat."""

    columns: tuple[str, ...]
    repeats: bool


def groups(columns: Sequence[str]) -> list[Group]:
    """Find the tables of a header: each begins at a key, and ends before the next or behind ``[...]``.

    Tables without a key follow each other; that of all block devices together is told from the others by its columns.
    """
    found: list[Group] = []
    current: list[str] = []
    for column in columns:
        name = column.removesuffix(REPEATED)
        if name in meanings.KEYS and any(before not in meanings.KEYS for before in current):
            found.append(Group(tuple(current), False))
            current = []
        current.append(name)
        if column.endswith(REPEATED):
            found.append(Group(tuple(current), True))
            current = []
    return [table for group in [*found, Group(tuple(current), False)] for table in _apart(group)]


def _apart(group: Group) -> Iterator[Group]:
    if any(name in meanings.KEYS for name in group.columns):
        yield group
        return
    for _, names in itertools.groupby(group.columns, key=meanings.TRANSFERS.__contains__):
        yield Group(tuple(names), group.repeats)


def with_processors(tables: list[Group], cells: Sequence[str]) -> list[Group]:
    """Give repeated interrupts a column for each processor: as many as counts stand behind one interrupt of the line.

    That is the sum of all, which comes first, or else the last of the line. Counts have decimals, interrupts have none.
    """
    if not any(table.repeats and PROCESSORS in table.columns for table in tables):
        return tables
    names = [at for at, cell in enumerate(cells) if "." not in cell]
    one = cells.index(_SUM) if _SUM in cells else max(names, default=0)
    following = next((at for at in names if at > one), len(cells))
    columns = (PROCESSORS,) * (following - one - 1)
    return [
        Group((*table.columns[:-1], *columns), True) if table.columns[-1] == PROCESSORS else table for table in tables
    ]


def items(tables: Sequence[Group], cells: Sequence[str]) -> list[tuple[tuple[str, ...], list[str]]]:
    """Take a line apart into the items of each table; nothing of a table that may begin or end in several places."""
    places = _places(tables, cells)
    if max(map(len, places)) > 1 and all(named := _places(tables, cells, are_named=True)):
        places = named
    found = []
    for (columns, _), begins, ends in zip(tables, places, places[1:], strict=False):
        if len(begins) == len(ends) == 1:
            starts = range(min(begins), min(ends), len(columns))
            found += [(columns, list(cells[at : at + len(columns)])) for at in starts]
    return found


def _places(tables: Sequence[Group], cells: Sequence[str], *, are_named: bool = False) -> list[set[int]]:
    """Where each table may begin, and the last one end, if all cells fall into the tables in their order.

    `are_named` wants names that Linux gives.
    """
    starts = list(_starts(tables, cells, are_named))
    places = [{len(cells)}]
    for (columns, repeats), (begins, items) in reversed(list(zip(tables, starts, strict=True))):
        ends, good = places[-1], set[int]()
        for at in sorted(items, reverse=True):
            behind = at + len(columns)
            if behind in ends or (repeats and behind in good):
                good.add(at)
        places.append(good & begins)
    return places[::-1]


def _starts(tables: Sequence[Group], cells: Sequence[str], are_named: bool) -> Iterator[tuple[set[int], set[int]]]:
    """Yield where each table may begin, and where any item of it, if what is before falls into the tables before."""
    reached = {0}
    for columns, repeats in tables:
        starts, ends, open_places = set[int](), set[int](), list(reached)
        while open_places:
            at = open_places.pop()
            behind = at + len(columns)
            if at in starts or behind > len(cells) or not _is_item(columns, cells[at:behind], are_named):
                continue
            starts.add(at)
            ends.add(behind)
            open_places += [behind] if repeats else []
        yield reached, starts
        reached = ends


def _is_item(columns: Sequence[str], cells: Sequence[str], is_named: bool) -> bool:
    return all(_fits(name, cell, is_named) for name, cell in zip(columns, cells, strict=True))


def _fits(name: str, cell: str, is_named: bool) -> bool:
    if is_named and name in _OF_LINUX:
        return _OF_LINUX[name].fullmatch(cell) is not None
    if name not in meanings.KEYS:
        return is_number(cell)
    is_whole = cell.lstrip("-").isdecimal()
    return is_whole or not is_number(cell) if name in _NUMBERED else not is_number(cell)
