"""What figures are drawn for: the width of a page of ours, or the column of a venue with its letters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageFormat:
    """Where a figure will stand.

    Attributes
    ----------
    width : float
        Of the figure, in inches.
    letters : float
        Least size of a letter, in points. Where it is larger than most letters of a page are, all have this size.
    family : str
        Font of all text, as matplotlib calls it.
    serif : bool
        Whether LaTeX sets the text of PGF in the roman font of the document, not in its sans serif.
    """

    width: float = 7.2
    letters: float = 7.0
    family: str = "DejaVu Sans"
    serif: bool = False


PAGE = PageFormat()
"""A paper of ours: all that is laid out by counting letters was counted for it."""

COLUMN = 2.2
"""Inches that a panel needs to stand beside another."""

_current = PAGE


def current() -> PageFormat:
    """Return what figures are drawn for now."""
    return _current


def draw_for(page_format: PageFormat) -> None:
    """Draw all further figures of this process for a format."""
    global _current
    _current = page_format


def letters(size: float) -> float:
    """Size of a text that is so large on a page of ours: nowhere below the least that the format allows.

    Examples
    --------
    >>> letters(6.5), letters(7.5)
    (7.0, 7.5)
    """
    return max(size, _current.letters)


def side_by_side(most: int) -> int:
    """How many panels stand side by side, of those that would on a page of ours.

    Examples
    --------
    >>> side_by_side(3)
    3
    """
    return max(1, min(most, int(_current.width / COLUMN)))


def room(characters: int) -> int:
    """How many characters stand where so many do on a page of ours: letters are larger, and lines shorter.

    Examples
    --------
    >>> room(120)
    120
    """
    usual = 7.5
    return max(1, int(characters * _current.width / PAGE.width * usual / max(usual, _current.letters)))
