"""The tables of mdtest's summary: their headers and rows, in all the forms it has had."""

from __future__ import annotations

import functools
import math
import re
from typing import NamedTuple

from storagelab.parsers.benchmarks.mdtest.log import OPERATIONS
from storagelab.parsers.model import Row
from storagelab.parsers.text import number as decimal
from storagelab.parsers.text import numbers

_STATISTICS = {"Max": "_max", "Min": "_min", "Mean": "", "StdDev": "_std"}
WHOLE = re.compile(r"-?(?:\d+[.,]\d{3}|nan|inf|NA)", re.IGNORECASE)
"""A cell as mdtest prints it, always with three decimals: a row that was cut ends in one with fewer."""
_ROW = rf"[ \t]*+(?:File|Directory|Tree) [a-z]++ *+(?:: ++|(?!))?+(?:{WHOLE.pattern} *){{1,3}}"
_REST_OF_ROW = rf"[ \t]*+{WHOLE.pattern}(?:[ \t]++{WHOLE.pattern}){{0,2}}[ \t\r]*+"
_BEGUN, _REST = re.compile(_ROW, re.IGNORECASE), re.compile(_REST_OF_ROW, re.IGNORECASE)
BROKEN = re.compile(rf"(?m)\n{_ROW}\n{_REST_OF_ROW}$", re.IGNORECASE)
"""A row behind the end of a line whose last numbers a mail put on a line of their own."""
_BEGINS = re.compile(
    r"(?<=\S) (?=-- (?:started|finished) at |mdtest-\S{1,40} was launched|Command line used:|(?:Path|(?<!Used )FS) ?: "
    r"|WARNING: |Nodemap: |\d{1,20} tasks?, \d|SUMMARY|Operation |--------- "
    r"|(?:File|Directory|Tree) [a-z]{4,8}(?: ?: ?| )[\d-])"
)
"""Where a line of a report begins in a page that has the whole of it in one."""
_PLAIN = "Operation Max Min Mean Std Dev"
_PLAIN_WORDS = 6


class Table(NamedTuple):
    """Columns of a table of one quantity: whose statistic each is, "rank" or "iteration", and its name."""

    quantity: str
    groups: tuple[str, ...]
    names: tuple[str, ...]
    plain: bool


@functools.lru_cache(maxsize=64)
def table(quantity: str, header: str = _PLAIN) -> Table:
    """Read the header of a table of rates (``operation_rate``) or times (``elapsed``).

    Examples
    --------
    >>> table("elapsed", "Operation per Rank: Max Mean per Iteration: Max Std Dev")[1:3]
    (('rank', 'rank', 'iteration', 'iteration'), ('elapsed_max', 'elapsed', 'elapsed_max', 'elapsed_std'))
    """
    group, found = "iteration", []
    for word in header.replace("Std Dev", "StdDev").replace("|", " ").split():
        if word in ("Rank:", "Iteration:"):
            group = word[:-1].lower()
        elif word in _STATISTICS:
            found.append((group, quantity + _STATISTICS[word]))
    groups, names = tuple(group for group, _ in found), tuple(name for _, name in found)
    return Table(quantity, groups, names, len(names) == 4 and set(groups) == {"iteration"})


def unfolded(line: str) -> list[str]:
    """Return the lines of a report that a page put into one; any other line is its own.

    Examples
    --------
    >>> unfolded("SUMMARY: (of 1 iterations) File stat : 4.000 4.000 4.000 0.000 Tree removal : 2.000")
    ['SUMMARY: (of 1 iterations)', 'File stat : 4.000 4.000 4.000 0.000', 'Tree removal : 2.000']
    """
    return _BEGINS.split(line) if "SUMMARY" in line and "(of " in line else [line]


def unwrapped(lines: list[str]) -> list[str]:
    """Join rows of four numbers that a mail broke, and leave nothing where their rest stood."""
    found = list(lines)
    for at, line in enumerate(lines[:-1]):
        if _BEGUN.fullmatch(line) and _REST.fullmatch(lines[at + 1]):
            words = [*line.split(), *lines[at + 1].split()]
            if sum(map(bool, map(WHOLE.fullmatch, words))) == 4:
                found[at : at + 2] = f"{line.rstrip()} {lines[at + 1].strip()}", ""
        elif line.lstrip().startswith("Operation ") and lines[at + 1].split() in (["Std", "Dev"], ["Dev"]):
            found[at : at + 2] = f"{line.rstrip()} {lines[at + 1].strip()}", ""
    return found


def row(line: str) -> tuple[str, bool, list[str]] | None:
    """Operation, whether the row is about the stonewall, and cells of a row; None if the line is none.

    Examples
    --------
    >>> row("   File create (stonewall)   :             NA             NA     402457.892             NA")
    ('file_create', True, ['NA', 'NA', '402457.892', 'NA'])
    """
    words = line.split()
    if words[0] == "|":
        words = [word for word in words if word != "|"]
    if len(words) < 3:
        return None
    operation = OPERATIONS.get((words[0], words[1])) or OPERATIONS.get((words[0], words[1].rstrip(":")))
    if not operation:
        return None
    stonewall = words[1] == "create"
    first = 3 if words[2] == "(stonewall)" else 2
    if words[first : first + 1] == [":"]:
        first += 1
    return operation, stonewall, words[first:]


def values(table: Table, cells: list[str]) -> dict[str, Row]:
    """Values of a row for each group of columns; a group in which nothing ran, all zeros, is not there.

    mdtest prints 0.000 for a phase that did not run, ``NA`` for a statistic it does not have. A mean time below half a
    millisecond is printed as 0.000 too, and is no value either; a standard deviation of 0.000 is one.

    Raises
    ------
    ValueError
        If a cell is no number, or cells are missing.
    """
    cells = [cell.replace(",", ".") for cell in cells]
    if len(cells) != len(table.names) or not WHOLE.fullmatch(cells[-1]):
        raise ValueError(cells)
    found: dict[str, Row] = {}
    for group, name, cell in zip(table.groups, table.names, cells, strict=True):
        if cell == "NA" or (cell == "0.000" and not name.endswith("_std")):
            continue
        value = decimal(cell)
        if math.isfinite(value):
            found.setdefault(group, {})[name] = value
    return {group: row for group, row in found.items() if table.quantity in row}


def quoted_row(line: str) -> str:
    """Operation of a row whose four numbers are a maximum, a minimum, a mean and a deviation; "" of any other line.

    Examples
    --------
    >>> quoted_row("   File stat   :  412.250  400.000  406.125  6.125")
    'file_stat'
    """
    line = line.replace(",", ".")
    found = plain_row(table("operation_rate"), line)
    if not found or not all(map(WHOLE.fullmatch, line.split()[-4:])):
        return ""
    operation, row = found
    highest, lowest, mean, _ = row.values()
    return operation if lowest <= mean <= highest else ""  # type: ignore[operator]


def plain_row(table: Table, line: str) -> tuple[str, Row] | None:
    """Operation and values of a row of four numbers below the usual four columns; None if the row is another.

    That is what nearly all rows are. One that was cut lacks decimals at its end, one of a phase that did not run is 0.
    """
    words = line.split()
    if len(words) == _PLAIN_WORDS + 1 and words[2] == ":":
        del words[2]
    if len(words) != _PLAIN_WORDS or line[-4:-3] != "." or not table.plain:
        return None
    item, verb, first, second, third, fourth = words
    operation = OPERATIONS.get((item, verb))
    if not operation or verb == "create":
        return None
    try:
        highest, lowest, mean, deviation = numbers((first, second, third, fourth))
    except ValueError:
        return None
    if not lowest or not mean or not math.isfinite(highest + lowest + mean + deviation):
        return None
    maximum, minimum, average, spread = table.names
    return operation, {maximum: highest, minimum: lowest, average: mean, spread: deviation}
