"""The line of a value in fio's JSON, found by walking once through the text."""

from __future__ import annotations

import re

from storagelab.parsers.fio.json_report.documents import MARK

_COLON = re.compile(r"\s*:\s*")


class Lines:
    """A place in a text that only moves forward, so that all the lines of a log cost one pass."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self._line = 1 + text.count("\n", 0, start)
        colon = _COLON.match(text, text.find(MARK, start) + len(MARK))
        self._colon = colon[0] if colon else " : "

    def of(self, key: str, value: object) -> int:
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
