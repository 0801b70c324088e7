"""The rows of all tables of a report, in columns and in the order of their lines."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple, cast

from storagelab import schema
from storagelab.parsers.model import Columns, Value, missing, stacked
from storagelab.parsers.monitors.sysstat.layout import layout
from storagelab.parsers.monitors.sysstat.sheet import NAMED, Sheet

_FIRST = (
    "part", "iteration", "time", "elapsed", "statistic", "phase", "host", "operation", "interface", "device", "cpu",
    "metric",
)  # fmt: skip
_PLACES = {name: at for at, name in enumerate(_FIRST)}
Names = tuple[str, ...]
Cells = tuple[Value, ...]


def assemble(sheets: Iterable[Sheet]) -> Columns:
    """Put the rows of all tables together, in the order of their lines."""
    filled = [sheet for sheet in sheets if sheet.lines and sheet.layout.shares and not sheet.layout.is_ignored]
    return _line_by_line(filled) if all(sheet.is_plain() for sheet in filled) else _block_by_block(filled)


def _block_by_block(sheets: Sequence[Sheet]) -> Columns:
    found = stacked(block for sheet in sheets for block in sheet.blocks() if block["line"])
    lines = cast(list[int], found.pop("line", []))
    order = sorted(range(len(lines)), key=lines.__getitem__)
    in_order = itemgetter(*order) if len(order) > 1 else tuple
    return _finished(((name, in_order(found[name])) for name in _ordered(tuple(found))), sorted(lines))


def _line_by_line(sheets: Sequence[Sheet]) -> Columns:
    """Put the rows of each table below each other, with what stands where they have nothing, and then in order."""
    names, tables = _tables(tuple((sheet.layout.columns, sheet.stamp) for sheet in sheets))
    parts = [table.columns_of(_own(sheet), len(sheet.lines)) for sheet, table in zip(sheets, tables, strict=True)]
    columns: Iterable[Sequence[Value]] = (list(chain(*of_one)) for of_one in zip(*parts, strict=True))
    heights = zip((sheet.lines for sheet in sheets), (table.height for table in tables), strict=True)
    lines = [line for of_one, height in heights for line in of_one for _ in range(height)]
    if len(sheets) > 1:
        in_order = itemgetter(*sorted(range(len(lines)), key=lines.__getitem__))
        columns, lines = map(in_order, columns), sorted(lines)
    return _finished(zip(names, columns, strict=True), lines)


def _own(sheet: Sheet) -> list[Sequence[Value]]:
    """Return what the lines of a table say, as columns: their stamps, keys, and values in SI, share by share."""
    numbers, width = sheet.numbers, len(sheet.numbers) // len(sheet.lines)
    places = [(at, factor) for share in sheet.layout.shares for _, at, factor in share.values]
    keys = [at for at, kind in sheet.layout.keys if kind in NAMED]
    return [
        *zip(*sheet.stamps, strict=True),
        *([words[at] for words in sheet.words] for at in keys),
        *([number * factor for number in numbers[at::width]] for at, factor in places),
    ]


class _Table(NamedTuple):
    """How many rows a line of a table becomes, and what stands in each column of them."""

    height: int
    columns: list[tuple[Cells, list[tuple[int, int]]]]
    """What is constant in the rows of a line, and which of them has which column of what the line says."""

    def columns_of(self, own: Sequence[Sequence[Value]], count: int) -> list[Sequence[Value]]:
        """Return the columns of the rows that so many lines become."""
        return [self._filled(list(constants * count), own, places) for constants, places in self.columns]

    def _filled(
        self, column: list[Value], own: Sequence[Sequence[Value]], places: Iterable[tuple[int, int]]
    ) -> list[Value]:
        for row, place in places:
            column[row :: self.height] = own[place]
        return column


@lru_cache(maxsize=256)
def _tables(kinds: tuple[tuple[Names, Names], ...]) -> tuple[list[str], list[_Table]]:
    """Return the names of all columns, and how tables of some columns and stamps fill them."""
    found = [_rows(columns, stamp) for columns, stamp in kinds]
    printed = dict.fromkeys(name for rows in found for row in rows for name in (*row.constants, *row.own))
    names = _ordered(tuple(printed))
    return names, [_Table(len(rows), [_column(name, rows) for name in names]) for rows in found]


class _Row(NamedTuple):
    """What is constant in a row of a line, and the places of what the line says, by name."""

    constants: Mapping[str, str]
    own: dict[str, int]


def _rows(columns: Names, stamp: Names) -> list[_Row]:
    laid_out = layout(columns)
    said = (*stamp, *(kind for _, kind in laid_out.keys if kind in NAMED))
    common = {name: at for at, name in enumerate(said)}
    place, rows = len(said), list[_Row]()
    for share in laid_out.shares:
        rows.append(_Row(share.constants, common | {name: at for at, (name, _, _) in enumerate(share.values, place)}))
        place += len(share.values)
    return rows


def _column(name: str, rows: Sequence[_Row]) -> tuple[Cells, list[tuple[int, int]]]:
    lacking = missing(name)
    places = [(at, row.own[name]) for at, row in enumerate(rows) if name in row.own]
    return tuple([row.constants.get(name, lacking) for row in rows]), places


@lru_cache(maxsize=256)
def _ordered(names: Names) -> list[str]:
    """Return the names of columns as datasets have them."""
    return sorted(names, key=lambda name: _PLACES.get(name, len(_PLACES)))


def _finished(columns: Iterable[tuple[str, Sequence[Value]]], lines: list[int]) -> Columns:
    """Leave out parts where there is one, and phases where there is none; pack numbers."""
    found: Columns = {}
    for name, column in columns:
        if (name == "part" and max(column) == 1) or (name == "phase" and not any(column)):
            continue
        found[name] = list(column) if schema.is_text(name) else array("d", cast(Iterable[float], column))
    return found | {"line": array("q", lines)} if lines else {}
