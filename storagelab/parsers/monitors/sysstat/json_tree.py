"""JSON as sysstat prints it, with the line of every value, from whole and from cut documents alike.

Values stay the text they were printed as. A document that is cut gives what came before the cut; a number that the text
ends with is not trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.parsers.text import line_at

_WORD = r'"[^"\\\n\ufffd]*+"'
_PAIR = rf"{_WORD}: (?:{_WORD}|-?\d++(?:\.\d++)?)"
_TOKEN = re.compile(
    rf"\{{({_PAIR}(?:, {_PAIR}|(?!))*+)\}}"
    r'|"((?:[^"\\\n]|\\.)*)"|([{}\[\]\n])|([^\s{}\[\]:,"]+(?:,\d[^\s{}\[\]:,"]*)?)|(")'
)
_FLAT, _STRING, _MARK, _LITERAL = 1, 2, 3, 4
"""What a token is: the number of its group; an object of texts and numbers that stands on one line is one."""
_PAIRS = re.compile(r'"([^"]*)": (?:"([^"]*)"|([^",]+))')
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?|true|false|null|-?nan|-?inf")
_OPENING = re.compile(r'\{\s*"sysstat"\s*:')

DEPTH = 100
"""Brackets inside each other; sysstat's own are eight. What damage nests deeper is not read on."""


class Record(dict[str, "str | Record | list[Record]"]):
    """An object: what each key holds, the line on which it stands, and whether it ended before the document did."""

    def __init__(self, line: int = 0) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}
        self.is_closed = False

    def put(self, key: str, value: str | Record | list[Record], line: int) -> None:
        """Keep a value with its line."""
        self[key] = value
        self.lines[key] = line

    def records(self, key: str) -> list[Record]:
        """Return the records under a key, be it one or a list."""
        value = self.get(key, [])
        if isinstance(value, Record):
            return [value]
        return value if isinstance(value, list) else []

    def text(self, key: str) -> str:
        """Return the text under a key, "" where there is none."""
        value = self.get(key, "")
        return value if isinstance(value, str) else ""


class Reader:
    """Reads one document.

    Attributes
    ----------
    root : Record
        The document, as far as it goes.
    fault : str
        Why it is not whole, "" where it is.
    line : int
        The line it ends on, or that of the first fault.
    end : int
        Where reading stopped.
    """

    def __init__(self, text: str, start: int) -> None:
        self.root = Record()
        self.fault = ""
        self.line = line_at(text, start)
        self.end = len(text)
        self._open: list[Record | list[Record]] = []
        self._key: str | None = None
        self._key_line = 0
        self._fault_line = 0
        self._read(text, start)
        if self._open:
            self._complain("the document ends before it is closed")
        self.line = self._fault_line or self.line

    def _read(self, text: str, start: int) -> None:
        for token in _TOKEN.finditer(text, start):
            kind = token.lastindex
            found = token[kind or 0]
            if kind == _STRING:
                self._string(found)
            elif found == "\n":
                self.line += 1
            elif kind == _LITERAL and token.end() < len(text):
                self._literal(found)
            elif found in ("{", "["):
                if len(self._open) == DEPTH:
                    self._complain(f"more than {DEPTH} brackets inside each other")
                    return
                self._begin(found)
            elif kind in (_MARK, _FLAT):
                if kind == _FLAT:
                    self._begin("{")
                    self._fill(found)
                    found = "}"
                self._finish(found)
                if not self._open:
                    self.end = token.end()
                    return

    def _begin(self, mark: str) -> None:
        if mark == "{":
            record = Record(self.line)
            self._attach(record)
            self._open.append(record)
        else:
            items: list[Record] = []
            self._attach(items)
            self._open.append(items)

    def _fill(self, pairs: str) -> None:
        record = self._open[-1]
        if isinstance(record, Record):
            record.update({key: string or literal for key, string, literal in _PAIRS.findall(pairs)})
            record.lines = dict.fromkeys(record, self.line)

    def _finish(self, mark: str) -> None:
        if not self._open or isinstance(self._open[-1], list) != (mark == "]"):
            self._complain(f"{mark} closes nothing")
        else:
            closed = self._open.pop()
            if isinstance(closed, Record):
                closed.is_closed = True
        self._key = None

    def _string(self, string: str) -> None:
        if self._open and isinstance(self._open[-1], Record) and self._key is None:
            self._key, self._key_line = string, self.line
            if "\ufffd" in string:
                self._complain("a key is not UTF-8")
        else:
            self._attach(string)

    def _literal(self, literal: str) -> None:
        if _NUMBER.fullmatch(literal):
            self._attach(literal)
        else:
            self._complain(f"{literal} is no value")

    def _attach(self, value: str | Record | list[Record]) -> None:
        holder = self._open[-1] if self._open else None
        if isinstance(holder, Record) and self._key is not None:
            holder.put(self._key, value, self._key_line)
            self._key = None
        elif isinstance(holder, list) and isinstance(value, Record):
            holder.append(value)
        elif holder is None and isinstance(value, Record):
            self.root = value
        else:
            self._complain("a value without a key")

    def _complain(self, fault: str) -> None:
        if not self.fault:
            self.fault, self._fault_line = fault, self.line


def is_document(text: str) -> bool:
    """Whether a text holds a document of sysstat."""
    return _OPENING.search(text) is not None


def documents(text: str) -> Iterator[Reader]:
    """Read every document of sysstat in a text, whatever stands around them."""
    start = _OPENING.search(text)
    while start:
        reader = Reader(text, start.start())
        yield reader
        start = _OPENING.search(text, max(reader.end, start.end()))
