r"""Logs that are as their tool prints them from the first line to the last: read in one step, in columns.

Nearly all logs are. A parser module that has `ORDINARY` says how such a log of its tool is told and read; whatever is
unusual in any way (another line, a prefix, a lost digit, a second run) is left to its `parse`, with the same result:
a test reads thousands of damaged logs both ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed


class Found(NamedTuple):
    """What an ordinary log holds, and those of its lines that hold what a user chose: commands, paths."""

    parsed: Parsed
    chosen: str


class Ordinary(NamedTuple):
    """How ordinary logs of a format are read.

    Attributes
    ----------
    sign : str
        What stands in the first 4 KiB of each of them.
    read : callable
        Reads one, or returns None where a log is not ordinary. It is given text that is plain (`is_plain`), and may
        raise ValueError or LookupError.
    learn : callable, optional
        Is told each plain log of the format that was read otherwise and in which nothing was odd, and what was read.
    """

    sign: str
    read: Callable[[str], Found | None]
    learn: Callable[[str, Parsed], None] | None = None


def shaped(pattern: re.Pattern[str], parse: Callable[[str], Parsed | None]) -> Callable[[str], Found | None]:
    """Return what reads logs that are of a shape as a whole, unless their reader says anything of a line."""

    def read(text: str) -> Found | None:
        if not pattern.fullmatch(text):
            return None
        try:
            parsed = parse(text)
        except ParseError:
            return None
        if not parsed or not parsed.complete or any(note.line for note in parsed.notes):
            return None
        return Found(parsed, "")

    return read


RECONSTRUCTED = r"(?:# reconstructed from (?:(?!fileop)[a-z ,])+\n)?"
"""The line above logs that were made from published numbers."""
CHOSEN = r"(?! )[\w/.=:,+@%\"' -]{1,1000}(?<! )"
"""A command or a path, as far as nobody need ask what it means."""
_PLAIN = bytes(sign for sign in range(32, 127) if chr(sign) not in "<`~") + b"\n\t"
"""Characters without those that terminals and documents put around logs (`wrapping/markup.py`)."""

_ADDRESS = re.compile(r"<[\w.-]{1,60}+@[\w.-]{1,60}+>")


def is_plain(text: str) -> bool:
    """Whether a text is printable ASCII in lines, in which nothing can be marked up, coloured, broken or written over.

    A mail (quoted-printable) breaks lines behind an equals sign. A mail address between ``<`` and ``>`` is no tag.
    """
    text = _ADDRESS.sub("", text) if "@" in text and "<" in text else text
    return text.isascii() and not text.encode().translate(None, _PLAIN) and "=\n" not in text


def is_made_of(text: str, signs: bytes) -> bool:
    """Whether a plain text has no other characters than some."""
    return not text.encode().translate(None, signs)
