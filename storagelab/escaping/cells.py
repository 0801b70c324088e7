r"""Cells of CSV files that a spreadsheet must not take for formulas, and reading them back.

A spreadsheet computes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or the end of a line, also after a
``;`` or a tab where those separate its cells. The customary defence is an apostrophe in front, which marks a cell as
text (OWASP, CSV Injection). A cell of text that begins with an apostrophe itself gets one too, so that `read` undoes
exactly what `text` did. Numbers, also in columns of text, with a unit, or two as a range, have nothing in front.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_BEGINS = r"(?<![^;\t])"
_FORMULA = re.compile(_BEGINS + r"(?=['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])")
"""Before what begins a formula at the beginning of a cell; the last four are the wide forms of = + - @."""
_MARK = re.compile(_BEGINS + "'")
_NUMBER = r"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|inf|nan)"
_QUANTITY = re.compile(rf"{_NUMBER}(?: to {_NUMBER})?(?: ?(?:%|[A-Za-z]+(?:/[a-z]+)?))?")


def text(cell: str) -> str:
    """Write a cell of text so that a spreadsheet shows it and computes nothing.

    Examples
    --------
    >>> text("=1+2"), text("write"), text("-5.0 %")
    ("'=1+2", 'write', '-5.0 %')
    """
    return cell if _QUANTITY.fullmatch(cell) else _FORMULA.sub("'", cell)


def read(cell: str) -> str:
    """Read a cell that `text` wrote.

    Examples
    --------
    >>> read("'=1+2")
    '=1+2'
    """
    return _MARK.sub("", cell)


def row(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Write the cells of text of a row so; its numbers stay numbers."""
    return {name: text(cell) if isinstance(cell, str) else cell for name, cell in cells.items()}
