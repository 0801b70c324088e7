"""How a page looks, and what it can do: the one style sheet and the one script of papers and index.

Figures have a style of their own in `storagelab.figures`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

SHEET, *SCRIPTS = (Path(__file__).with_name(name) for name in ("paper.css", "tables.js", "points.js", "save.js"))


def css() -> str:
    """Return the style sheet."""
    return SHEET.read_text(encoding="utf-8")


def script() -> str:
    """Return the script; a page without it lacks sorting, filtering, searching, and the cards of points."""
    return "\n".join(path.read_text(encoding="utf-8").strip() for path in SCRIPTS)


def pinned_script() -> str:
    """Return the hash by which a browser knows the script: https://www.w3.org/TR/CSP3/#grammardef-hash-source."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()}"


def css_string(text: str) -> str:
    r"""Write a text as a string of CSS: all but letters, digits and a few signs are escaped.

    Examples
    --------
    >>> print(css_string("it's 5 %"))
    'it\27 s 5 \25 '
    """
    escaped = re.sub(r"[^\w .,():-]", lambda odd: f"\\{ord(odd[0]):x} ", text)
    return f"'{escaped}'"
