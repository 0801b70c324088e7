"""A frame in SI as an HTML table to read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from storagelab.analysis import columns
from storagelab.analysis.basis import KEY as BASIS
from storagelab.paper import number_format
from storagelab.wording import words

_TAG = re.compile(r"<[^<>]+>")
_UNIT = '<span class="unit">'

FEW = 4
"""Rows from which on a column that says the same in each is said once, below the table."""

HEADS = {BASIS: "rests on"}
"""Heads of columns whose long name explains more than a head can hold."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the names of the columns do not say: SI units, heads, units to print in, and significant digits.

    `mixed` names columns whose rows have units of their own, and the column that says them, which is not printed.
    """

    units: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    display: Mapping[str, str] = field(default_factory=dict)
    digits: int = number_format.DIGITS
    mixed: Mapping[str, str] = field(default_factory=dict)

    def unit(self, name: str) -> str:
        """SI unit of a column; 1 where nobody knows."""
        return self.units.get(name) or _known(name)[1]

    def label(self, name: str) -> str:
        """Head of a column."""
        words = self.labels.get(name) or HEADS.get(name) or _known(name)[0]
        return escape(words[:1].upper() + words[1:])


ROOM = {"long": 60, "words": 25}
"""Letters of a cell from which on its column is of sentences, or of several words, and gets room for them."""
PAPER, GAP, WORD = 80, 2, 14
"""Letters that stand beside each other on a sheet of A4, of the space between two columns, of a word that is broken."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is printed: head and cells are HTML, and say the unit once."""

    head: str
    cells: Sequence[str]
    number: bool
    values: Sequence[float] = ()
    """In SI, where each cell has a unit of its own: what it is sorted by."""
    name: str = ""
    """Of the column of the frame; of an interval that of its lower end."""

    @property
    def kind(self) -> str:
        """What it holds, as the style sheet calls it: a number, sentences (long), words, or nothing that takes room."""
        longest = max((len(unescape(cell)) for cell in self.cells), default=0)
        return "number" if self.number else next((kind for kind, room in ROOM.items() if longest >= room), "")

    @property
    def least(self) -> int:
        """Letters that it cannot do without: its longest number, or the longest word of its cells or of its head."""
        cells = " ".join(self.cells)
        words = [*self.words_of_head.split(), *([] if self.number else cells.split())]
        numbers = self.cells if self.number else []
        return max([*map(_letters, numbers), *(min(_letters(word), WORD) for word in words)], default=0)

    @property
    def words_of_head(self) -> str:
        """Its head, and behind it the unit, in words alone."""
        return " ".join(_TAG.sub(" ", self.head.replace(_UNIT, f", {_UNIT}")).replace(" ,", ",").split())


Opens = Mapping[tuple[int, str], str]
"""Ids of the cards that cells open, by row and name of the column."""


def html(frame: pd.DataFrame, look: Look, opens: Opens | None = None) -> str:
    """Print a frame as a table: one unit a column, heads with scope, a leading column of text as row heads.

    The two ends of an interval (``<name>_low``, ``<name>_high`` behind ``<name>``) become one column in the unit and
    with the decimals of the value. A column that says the same in each of many rows is said below the table.

    Parameters
    ----------
    frame : DataFrame
        Numbers in SI.
    look : Look
    opens : mapping, optional
        Cells that are buttons, and the card that each opens.

    Returns
    -------
    str
    A ``<table>`` without caption, of class ``wide`` where paper has no room for its columns, and behind it what all
    rows have alike.
    """
    kept, alike = printed(frame, look)
    return _table(kept, opens or {}) + _said_once(alike)


def numbers(frame: pd.DataFrame, look: Look) -> list[tuple[int, str]]:
    """Row and column of each number that the cells of a table print, missing ones left out."""
    kept, _ = printed(frame, look)
    return [
        (place, column.name)
        for column in kept
        for place, cell in enumerate(column.cells)
        if column.number and cell != number_format.MISSING
    ]


def printed(frame: pd.DataFrame, look: Look) -> tuple[list[Column], list[Column]]:
    """Return the columns of a table, and those that are said once below it."""
    made = [column for name in frame.columns for column in _columns(frame, str(name), look)]
    alike = _alike(made) if len(frame) >= FEW else []
    return [column for column in made if column not in alike], alike


def _alike(made: Sequence[Column]) -> list[Column]:
    """Columns behind the first that say the same in each row, unless nothing else would be left."""
    found = [column for column in made[1:] if len({*column.cells}) == 1]
    return found if len(found) < len(made) - 1 else []


def _said_once(alike: Sequence[Column]) -> str:
    return f'\n<p class="alike">{said_once(alike)}</p>' if alike else ""


def said_once(alike: Sequence[Column]) -> str:
    """Say what all rows have alike."""
    told = "; ".join(f"{column.words_of_head}: {column.cells[0] or number_format.MISSING}" for column in alike)
    return f"The same in each row: {told}."


def _table(made: Sequence[Column], opens: Opens) -> str:
    head = "".join(f'<th scope="col"{_class(column)}>{column.head}</th>' for column in made)
    wide = sum(column.least + GAP for column in made) > PAPER
    says = [f"{_class(column)}{_head_of(column, wide)}" for column in made]
    body = "\n".join(f"<tr>{_line(made, says, place, opens)}</tr>" for place in range(len(made[0].cells)))
    opening = '<table class="wide">' if wide else "<table>"
    return f"{opening}\n<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _columns(frame: pd.DataFrame, name: str, look: Look) -> list[Column]:
    if _value_of(name) in frame and columns.low(_value_of(name)) in frame and columns.high(_value_of(name)) in frame:
        return []
    if name in look.mixed.values():
        return []
    values = frame[name]
    if name in look.mixed:
        cells = _each_in_its_unit(values, frame[look.mixed[name]], look.digits)
        return [Column(look.label(name), cells, True, [float(value) for value in values], name)]
    if not is_numeric_dtype(values) or is_bool_dtype(values):
        write = words.effect if name == "effect" else str
        return [Column(look.label(name), [escape(write(value)) for value in values], False)]
    ends = [end for end in (columns.low(name), columns.high(name)) if end in frame]
    wanted = [name, *ends] if len(ends) == 2 else [name]
    numbers = [float(value) for column in wanted for value in frame[column]]
    if name.startswith("p_"):
        return [
            Column(look.label(name), [escape(number_format.probability(value)) for value in numbers], True, name=name)
        ]
    cells, symbol = number_format.column(numbers, look.unit(name), look.digits, look.display.get(name, ""))
    value = Column(_head(look.label(name), symbol), cells[: len(values)], True, name=name)
    return [value] if len(wanted) == 1 else [value, _interval(cells[len(values) :], symbol, ends[0])]


def _each_in_its_unit(values: pd.Series, units: pd.Series, digits: int) -> list[str]:
    written = zip(map(float, values), map(str, units), strict=True)
    return [
        number_format.MISSING if value != value else escape(number_format.text(value, unit or "1", digits))
        for value, unit in written
    ]


def _value_of(name: str) -> str:
    """Name whose interval a column is an end of, or "" where it is none."""
    base = name.removesuffix("_low").removesuffix("_high")
    return base if base != name else ""


def _interval(cells: Sequence[str], symbol: str, name: str) -> Column:
    pairs = zip(cells[: len(cells) // 2], cells[len(cells) // 2 :], strict=True)
    texts = [number_format.MISSING if number_format.MISSING in pair else " to ".join(pair) for pair in pairs]
    return Column(_head(f"95{number_format.THIN}% interval", symbol), texts, True, name=name)


def _head(label: str, symbol: str) -> str:
    return f"{label} {_UNIT}{escape(symbol)}</span>" if symbol else label


def _known(name: str) -> tuple[str, str]:
    """Long name and unit of a column of the contract or of an analysis."""
    known = columns.find(name)
    return (known.long_name, known.unit or "1") if known else (name.replace("_", " "), "1")


def _letters(cell: str) -> int:
    return len(unescape(cell))


def _line(made: Sequence[Column], says: Sequence[str], place: int, opens: Opens) -> str:
    named = not made[0].number
    tags = [f'<th scope="row">{made[0].cells[place]}</th>'] if named else []
    cells = zip(made[len(tags) :], says[len(tags) :], strict=True)
    return "".join(tags + [_cell(column, said, place, opens) for column, said in cells])


def _cell(column: Column, said: str, place: int, opens: Opens) -> str:
    cell = column.cells[place]
    if (card := opens.get((place, column.name))) and cell != number_format.MISSING:
        cell = f'<button type="button" class="fact" popovertarget="{card}">{cell}</button>'
    return f"<td{said}{_value(column, place)}>{cell}</td>"


def _value(column: Column, place: int) -> str:
    value = column.values[place] if column.values else math.nan
    return f' data-value="{value:.9g}"' if math.isfinite(value) else ""


def _head_of(column: Column, wide: bool) -> str:
    """What the cells of a table too wide for paper say of themselves, where each stands below the other."""
    return f' data-head="{column.words_of_head}"' if wide else ""


def _class(column: Column) -> str:
    return f' class="{column.kind}"' if column.kind else ""
