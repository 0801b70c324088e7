"""The line of a value in fio's JSON, found by walking once through the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from typing import Any

from storagelab.parsers import json_text
from storagelab.parsers.fio.json_report.documents import MARK

_COLON = re.compile(r"\s*:\s*")
_NEAR = 2**12
"""Characters in front of the rate of a direction within which its heading stands."""
_HISTOGRAMS = ("bins",)


class Lines(json_text.Lines):
    """A place in a text that only moves forward, so that all the lines of a log cost one pass."""

    def __init__(self, text: str, start: int) -> None:
        super().__init__(text, start)
        colon = _COLON.match(text, text.find(MARK, start) + len(MARK))
        self._colon = colon[0] if colon else " : "

    def of_value(self, key: str, value: object) -> int:
        """Line of the next `key` with this value; the line reached so far where it is not found."""
        at = self._text.find(f'"{key}"{self._colon}{value}', self._at)
        if at < 0:
            spelt_otherwise = re.compile(rf'"{key}"\s*:\s*{re.escape(str(value))}').search(self._text, self._at)
            if not spelt_otherwise:
                return self._line
            at = spelt_otherwise.start()
        self._line += self._text.count("\n", self._at, at)
        self._at = at + 1
        return self._line

    def around(self, heading: str, body: Mapping[str, Any]) -> json_text.Tree:
        """Return the lines of the keys of the object under a heading in which the place reached lies."""
        start = self._text.rfind(f'"{heading}"{self._colon}', max(0, self._at - _NEAR), self._at)
        if self.is_one_line or start < 0:
            return {}
        before = self._text.count("\n", start, self._at)
        return self.going_on(start, self._line - before).under(body, skip=_HISTOGRAMS)

    def going_on(self, at: int, line: int) -> Lines:
        """Return another that goes on from a place on a line."""
        other = copy(self)
        other._at, other._line = at, line
        return other
