r"""Characters that a reader cannot see, written as escapes: ``\x1b``, ``\u202e``.

They drive a terminal (control characters), turn the direction of what follows, join two names that look alike, or
cannot be written as UTF-8 at all. Everything else is kept, in any script.
"""

from __future__ import annotations

import hashlib
import re

BUDGET = 4096
"""Characters of one text of a dataset, which has a fixed width: the longest text is paid for in each row."""

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # Cc: C0 and C1 controls, but for tab and line feed
    "\ud800-\udfff"  # Cs: halves of surrogate pairs
    "\u2028\u2029"  # Zl, Zp: line and paragraph separators
    "\ufff9-\ufffb"  # interlinear annotations
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ufdd0-\ufdef" + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
)  # fmt: skip
"""Controls, halves of surrogates, separators of lines, noncharacters, and what Unicode calls default ignorable.

The last are direction marks, zero-width characters, variation selectors and tags: the property
Default_Ignorable_Code_Point of DerivedCoreProperties.txt in the Unicode Character Database 15.1. They are written out,
as Python's own tables differ by version.
"""
_HIDDEN, _HIDDEN_IN_LINES = re.compile(f"[{_UNSEEN}\t\n]"), re.compile(f"[{_UNSEEN}]")


def is_visible(text: str) -> bool:
    """Whether a reader sees each character of a text, on one line."""
    return (text.isascii() and text.isprintable()) or not _HIDDEN.search(text)


def visible(text: str) -> str:
    r"""Write what a reader cannot see as escapes: ``\x1b``, ``\n``, ``\u202e``. A visible text is left as it is.

    Examples
    --------
    >>> print(visible("a\x1b[31mb\u202ec"))
    a\x1b[31mb\u202ec
    """
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_escape, text)


def shown(text: str) -> str:
    """Do the same for text of several lines: line ends and tabs are kept."""
    if not _HIDDEN_IN_LINES.search("".join({*text})):  # a page has a thousand times as many signs as different ones
        return text
    return _HIDDEN_IN_LINES.sub(_escape, text)


def harmless(text: str) -> str:
    """Make a text of a log or a sidecar fit for a dataset: visible, and no longer than `BUDGET`.

    The end of a text that is too long gives way to how long it was and to the beginning of its SHA-256, so that two
    long texts stay two.
    """
    seen = visible(text)
    if len(seen) <= BUDGET:
        return seen
    digest = hashlib.sha256(seen.encode()).hexdigest()[:16]
    end = f"... ({len(seen)} characters, SHA-256 {digest}...)"
    return seen[: BUDGET - len(end)] + end


def is_harmless(text: str) -> bool:
    """Whether `harmless` leaves a text as it is."""
    return len(text) <= BUDGET and is_visible(text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")
