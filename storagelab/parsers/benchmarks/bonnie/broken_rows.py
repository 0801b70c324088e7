"""Rows of bonnie++'s CSV that a mail broke at its width: joined again where what is joined has every field."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PIECE = re.compile(r"[\d+,.a-z]{1,200}")
_GOES_ON = re.compile(r"[\d+.]{0,20},[\d+,.]{0,180}")
"""A line of numbers behind what seems to be the last field."""
_END = re.compile(r"\d{0,12}(?:[um]?s)?")
_MOST = 8
"""Lines of a row: one of format 1.98 has some 350 characters."""


def pieces(row: str, below: Sequence[str], fields: int) -> list[str]:
    """Return a row of so many fields with what stands of it on the lines below; alone where it is whole, or cut.

    Where a comma too many stands in it, as between decimals, there are too many fields.
    """
    found = [row]
    for line in below[:_MOST]:
        piece = line.strip(" \t\r>")
        lacks = fields - 1 - sum(part.count(",") for part in found)
        if not _PIECE.fullmatch(piece) or lacks < 0 or (not lacks and not _ends(found, piece)):
            break
        found.append(piece)
    if sum(part.count(",") for part in found) + 1 != fields:
        return [row]
    rest = [line.strip(" \t\r>") for line in below[len(found) - 1 : len(found)]]
    return [*found, *filter(_GOES_ON.fullmatch, rest)] if len(found) > 1 else found


def _ends(found: Sequence[str], piece: str) -> bool:
    """Whether a piece is the rest of the last field of a row: of lines as long as the first, or without its unit."""
    is_broken = len(found) > 1 and len(found[-1]) == len(found[0])
    has_no_unit = found[0].startswith("1.9") and found[-1][-1:].isdigit()
    return (is_broken or has_no_unit) and _END.fullmatch(piece) is not None


def lines_of(found: Sequence[str], names: Sequence[str], at: int) -> dict[str, str]:
    """Return on which lines those fields begin that are not on the first of a row; see `line_of` for their names."""
    lines: dict[str, str] = {}
    row, before = "", 0
    for line, piece in enumerate(found, at):
        row += piece
        begun = row.count(",") + (not row.endswith(","))
        lines |= {line_of(name): str(line) for name in names[before:begun]} if line > at else {}
        before = begun
    return lines


def line_of(name: str) -> str:
    """Return the name of the cell that says on which line a field begins."""
    return f"{name} line"
