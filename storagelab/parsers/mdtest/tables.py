"""The tables of mdtest's summary: their headers and rows, in all the forms it has had."""

from __future__ import annotations

import functools
import math

from storagelab.parsers.mdtest.log import OPERATIONS
from storagelab.parsers.model import Row
from storagelab.parsers.text import number

Columns = tuple[tuple[str, ...], ...]
PLAIN: Columns = (("iteration", "_max"), ("iteration", "_min"), ("iteration", ""), ("iteration", "_std"))
_STATISTICS = {"Max": "_max", "Min": "_min", "Mean": "", "StdDev": "_std"}


@functools.lru_cache(maxsize=64)
def columns(header: str) -> Columns:
    """Whose statistic each column is ("rank" or "iteration"), and the suffix of its name, from the table's header.

    Examples
    --------
    >>> columns("Operation per Rank: Max Mean per Iteration: Max Std Dev")
    (('rank', '_max'), ('rank', ''), ('iteration', '_max'), ('iteration', '_std'))
    """
    words = header.replace("Std Dev", "StdDev").replace("|", " ").split()
    group, found = "iteration", []
    for word in words:
        if word in ("Rank:", "Iteration:"):
            group = word[:-1].lower()
        elif word in _STATISTICS:
            found.append((group, _STATISTICS[word]))
    return tuple(found) or PLAIN


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
    operation = OPERATIONS.get((words[0], words[1].rstrip(":")))
    if not operation:
        return None
    stonewall = words[2].startswith("(stonewall)")
    first = 3 if stonewall else 2
    if words[first : first + 1] == [":"]:
        first += 1
    return operation, stonewall, words[first:]


@functools.lru_cache(maxsize=256)
def names(named: Columns, quantity: str) -> tuple[str, ...]:
    """Names of the contract for the columns of a table of one quantity: ``operation_rate`` or ``elapsed``."""
    return tuple(quantity + suffix for _, suffix in named)


def values(named: Columns, cells: list[str], quantity: str) -> dict[str, Row]:
    """Values of a row for each group of columns; a group in which nothing ran, all zeros, is not there.

    mdtest prints 0.000 for a phase that did not run, ``NA`` for a statistic it does not have. A mean time below half a
    millisecond is printed as 0.000 too, and is no value either; a standard deviation of 0.000 is one.

    Raises
    ------
    ValueError
        If a cell is no number, or cells are missing.
    """
    if len(cells) != len(named):
        raise ValueError(cells)
    if len(named) == 4 and "0.000" not in cells[:3] and "NA" not in cells:
        row: Row = dict(zip(names(named, quantity), map(float, cells), strict=True))
        if named == PLAIN and math.isfinite(sum(row.values())):
            return {"iteration": row}
    return _values(named, cells, quantity)


def _values(named: Columns, cells: list[str], quantity: str) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for (group, suffix), name, cell in zip(named, names(named, quantity), cells, strict=True):
        if cell == "NA" or (cell == "0.000" and suffix != "_std"):
            continue
        try:
            value = float(cell)
        except ValueError:
            value = number(cell)
        if math.isfinite(value):
            found.setdefault(group, {})[name] = value
    return {group: row for group, row in found.items() if quantity in row}
