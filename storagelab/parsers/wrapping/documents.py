"""Documents in a log: JSON and XML that stand on lines of their own, of which every line belongs to the first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from storagelab.parsers.json_text import Unlined

_BEGINS = re.compile(
    r"^[ \t]*+(?:(?P<json>[\[{])|<(?:[?!][^<>]*+>\s*+<|(?!)){0,3}+(?P<root>[A-Za-z][\w:.-]{0,60}+))", re.MULTILINE
)
"""A bracket, or an element with what may stand in front of a document's first: ``<?xml ...>``, ``<!DOCTYPE ...>``."""
_REST_IS_BLANK = re.compile(r"[ \t\r,]*+(?:\n|\Z)")
_DECODER = json.JSONDecoder(strict=False)
WALKS = 4
"""How often the length of a text may be gone through for brackets that nothing closes."""


def documents(text: str) -> list[range]:
    r"""Return the lines, by their places from 0, of each document of a text that is whole.

    Examples
    --------
    >>> documents('read\n{\n"a": [1,\n2]}\n<a>\n</a>\n[4] 2.5\n')
    [range(1, 4), range(4, 6)]
    >>> documents('4;5\n<?xml version="1.0"?>\n<!DOCTYPE a\n"a.dtd">\n<a>\n</a>\n')
    [range(1, 6)]
    """
    found: list[range] = []
    line = counted = 0
    for start, end in _spans(text):
        line, counted = line + text.count("\n", counted, start), start
        found.append(range(line, line + text.count("\n", start, end) + 1))
    return found


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each document begins and where it ends."""
    text, at, left = Unlined(text), 0, WALKS * len(text)
    while left > 0 and (begin := _BEGINS.search(text, at)):
        at, is_whole = _end(text, begin)
        if is_whole and _REST_IS_BLANK.match(text, at):
            yield begin.start(), at
        else:
            left -= at - begin.start()
            at = begin.end()


def _end(text: str, begin: re.Match[str]) -> tuple[int, bool]:
    """Return up to where a document was looked through, and whether it ends there."""
    if root := begin["root"]:
        closing = text.find(f"</{root}>", begin.end())
        return (closing + len(root) + 3, True) if closing >= 0 else (len(text), False)
    try:
        return _DECODER.raw_decode(text, begin.start("json"))[1], True
    except json.JSONDecodeError as error:
        return error.pos, False
    except (ValueError, RecursionError):
        return len(text), False
