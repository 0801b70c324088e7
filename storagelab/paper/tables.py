"""A frame in SI as an HTML table to read."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from storagelab import schema
from storagelab.paper import quantity


def html(
    frame: pd.DataFrame,
    units: Mapping[str, str],
    labels: Mapping[str, str],
    display: Mapping[str, str],
    digits: int = quantity.DIGITS,
) -> str:
    """Print a frame as a table with one unit a column, heads with scope, and a leading column of text as row heads.

    Parameters
    ----------
    frame : DataFrame
        Numbers in SI.
    units, labels, display : mapping of column to str
        SI unit, head, and unit to print in, where the data contract does not say.
    digits : int
        Significant digits.

    Returns
    -------
    str
        A ``<table>`` without caption.
    """
    columns = [_column(str(name), frame[name], units, labels, display, digits) for name in frame.columns]
    head = "".join(f'<th scope="col"{_class(number)}>{title}</th>' for title, _, number in columns)
    lines = zip(*(cells for _, cells, _ in columns), strict=True)
    body = "\n".join(f"<tr>{_line(line, [number for *_, number in columns])}</tr>" for line in lines)
    return f"<table>\n<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _column(
    name: str,
    values: pd.Series[Any],
    units: Mapping[str, str],
    labels: Mapping[str, str],
    display: Mapping[str, str],
    digits: int,
) -> tuple[str, list[str], bool]:
    """Head, cells, and whether they are numbers."""
    title = escape(labels.get(name, long_name(name)))
    if not is_numeric_dtype(values) or is_bool_dtype(values):
        return title, [escape(str(value)) for value in values], False
    cells, symbol = quantity.column(
        [float(value) for value in values], unit(name, units), digits, display.get(name, "")
    )
    return f'{title} <span class="unit">{escape(symbol)}</span>' if symbol else title, cells, True


def long_name(name: str) -> str:
    """Long name of the contract with a capital, or the name itself in words."""
    known = schema.FIELDS.get(name)
    words = known.long_name if known else name.replace("_", " ")
    return words[:1].upper() + words[1:]


def unit(name: str, units: Mapping[str, str]) -> str:
    """SI unit of a column."""
    known = schema.FIELDS.get(name)
    return units.get(name, known.unit or "1" if known else "1")


def _line(cells: tuple[str, ...], numbers: list[bool]) -> str:
    first = f'<th scope="row">{cells[0]}</th>' if not numbers[0] else _cell(cells[0], True)
    return first + "".join(_cell(cell, number) for cell, number in zip(cells[1:], numbers[1:], strict=True))


def _cell(text: str, number: bool) -> str:
    return f"<td{_class(number)}>{text}</td>"


def _class(number: bool) -> str:
    return ' class="number"' if number else ""
