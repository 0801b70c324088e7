"""The rows of all tables of a report, in columns and in the order of their lines."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat
from operator import itemgetter
from typing import NamedTuple, cast

from storagelab import schema
from storagelab.parsers.model import Columns, Value, stacked
from storagelab.parsers.monitors.sysstat.layout import layout
from storagelab.parsers.monitors.sysstat.sheet import NAMED, Sheet

_FIRST = (
    "part", "iteration", "time", "elapsed", "statistic", "phase", "host", "operation", "interface", "device", "cpu",
    "metric",
)  # fmt: skip
_PLACES = {name: at for at, name in enumerate(_FIRST)}
_MISSING = (math.nan, "")
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
    """Take all cells of a line at once, with what stands where its rows have nothing."""
    names, tables = _tables(tuple((sheet.layout.columns, sheet.stamp) for sheet in sheets))
    found = [
        (line, at, table.height, table.cells((*table.constants, *own)))
        for at, (sheet, table) in enumerate(zip(sheets, tables, strict=True))
        for line, own in zip(sheet.lines, _own(sheet), strict=True)
    ]
    if len(sheets) > 1:
        found.sort(key=itemgetter(0, 1))
    cells = list(chain.from_iterable(map(itemgetter(3), found)))
    lines = list(chain.from_iterable(repeat(line, height) for line, _, height, _ in found))
    return _finished(((name, cells[at :: len(names)]) for at, name in enumerate(names)), lines)


def _own(sheet: Sheet) -> Iterator[Cells]:
    """Yield what each line of a table says: its stamp, its keys, and its values in SI, share by share."""
    numbers, width = sheet.numbers, len(sheet.numbers) // len(sheet.lines)
    places = [(at, factor) for share in sheet.layout.shares for _, at, factor in share.values]
    values = zip(*([number * factor for number in numbers[at::width]] for at, factor in places), strict=True)
    keys = [at for at, kind in sheet.layout.keys if kind in NAMED]
    for stamp, words, numbered in zip(sheet.stamps, sheet.words, values, strict=True):
        yield (*stamp, *(words[at] for at in keys), *numbered)


class _Table(NamedTuple):
    """What stands in front of what each line of a table says, and which of both are the cells of its rows."""

    constants: Cells
    cells: Callable[[Cells], Cells]
    height: int


@lru_cache(maxsize=256)
def _tables(kinds: tuple[tuple[Names, Names], ...]) -> tuple[list[str], list[_Table]]:
    """Return the names of all columns, and how tables of some columns and stamps fill them."""
    found = [_rows(columns, stamp) for columns, stamp in kinds]
    names = _ordered(tuple(dict.fromkeys(name for _, rows in found for row in rows for name in row)))
    lacking = [schema.is_text(name) for name in names]
    return names, [
        _Table(
            constants,
            itemgetter(*(row.get(name, place) for row in rows for name, place in zip(names, lacking, strict=True))),
            len(rows),
        )
        for constants, rows in found
    ]


def _rows(columns: Names, stamp: Names) -> tuple[Cells, list[dict[str, int]]]:
    """Return what is constant in a table, and for each row of a line the places of what it holds by name."""
    laid_out = layout(columns)
    texts: Cells = (
        *_MISSING,
        *dict.fromkeys(chain.from_iterable(share.constants.values() for share in laid_out.shares)),
    )
    keys = [kind for _, kind in laid_out.keys if kind in NAMED]
    own = {name: at for at, name in enumerate((*stamp, *keys), len(texts))}
    place, rows = len(texts) + len(stamp) + len(keys), []
    for share in laid_out.shares:
        constants = {name: texts.index(text) for name, text in share.constants.items()}
        rows.append(constants | own | {name: at for at, (name, _, _) in enumerate(share.values, place)})
        place += len(share.values)
    return texts, rows


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
