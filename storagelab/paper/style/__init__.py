"""How a page looks: the one style sheet of papers and index. Figures have theirs in `storagelab.figures`."""

from __future__ import annotations

import re
from pathlib import Path

SHEET = Path(__file__).with_name("paper.css")


def css() -> str:
    """Return the style sheet."""
    return SHEET.read_text(encoding="utf-8")


def css_string(text: str) -> str:
    r"""Write a text as a string of CSS: all but letters, digits and a few signs are escaped.

    Examples
    --------
    >>> print(css_string("it's 5 %"))
    'it\27 s 5 \25 '
    """
    escaped = re.sub(r"[^\w .,():-]", lambda odd: f"\\{ord(odd[0]):x} ", text)
    return f"'{escaped}'"
