"""The line of a value in fio's JSON, found by walking once through the text."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from itertools import chain
from typing import Any

from storagelab.parsers import json_text
from storagelab.parsers.fio.json_report.documents import MARK
from storagelab.parsers.json_text import Tree
from storagelab.parsers.model import Row
from storagelab.parsers.text import number

_COLON = re.compile(r"\s*:\s*")
_TRIES = 32
"""Numbers of other sections that are passed over on the way to one."""
_NEAR = 2**12
"""Characters in front of the rate of a direction within which its heading stands."""


class Wanted(Tree):
    """Keys of an object -> what to call the lines of their values, or the same of an object in it.

    Attributes
    ----------
    names : tuple of str
        What it calls them, in order.
    """

    def __init__(self, names: Mapping[str, str | Wanted]) -> None:
        super().__init__(names)
        inner = ((name,) if isinstance(name, str) else name.names for name in names.values())
        self.names: tuple[str, ...] = tuple(chain.from_iterable(inner))


class Lines(json_text.Lines):
    """A place in a text that only moves forward, so that all the lines of a log cost one pass."""

    def __init__(self, text: str, start: int, line: int) -> None:
        super().__init__(text, start, line)
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

    def enter(self, number: int) -> None:
        """Go to the entry of this number; where it stands is found on the way."""

    def of_section(self, heading: str, key: str, body: Mapping[str, Any], wanted: Wanted) -> tuple[int, Row]:
        """Return the line of a number of the next object under a heading, and those of what is wanted of it."""
        at = self._in_section(heading, key, body.get(key, 0))
        if at >= 0:
            self._line += self._text.count("\n", self._at, at)
            self._at = at
        return self.of_value(key, body.get(key, 0)), self._places(heading, body, wanted)

    def _in_section(self, heading: str, key: str, value: object) -> int:
        """Return where a key stands with a value in the next object under a heading; -1 where it is not found.

        A section without I/O may have the same value, and a larger number begins with the same digits.
        """
        printed, at = f'"{key}"{self._colon}{value}', self._at
        for _ in range(_TRIES):
            at = self._text.find(printed, at + 1)
            start = self._text.rfind(f'"{heading}"{self._colon}', max(0, at - _NEAR), at) if at >= 0 else -1
            between = self._text[start:at] if start >= 0 else ""
            is_whole = not self._text[at + len(printed) : at + len(printed) + 1].isdecimal()
            if at < 0 or (is_whole and between.count("{") - between.count("}") == 1):
                return at
        return -1

    def _places(self, heading: str, body: Mapping[str, Any], wanted: Wanted) -> Row:
        """Return the lines of values of the object under a heading in which the place reached lies, and stay there."""
        start = self._text.rfind(f'"{heading}"{self._colon}', max(0, self._at - _NEAR), self._at)
        if self.is_one_line or start < 0:
            return {}
        reached = self._at, self._line
        self._at, self._line = start, self._line - self._text.count("\n", start, self._at)
        found: Row = {}
        self._walk(body, wanted, found)
        self._at, self._line = reached
        return {name: found[name] for name in wanted.names if name in found}

    def of_parts(self, key: str, bodies: Sequence[Mapping[str, Any]], wanted: Wanted) -> list[tuple[int, Row]]:
        """Return the line of each object under the next key, with those of what is wanted of it, and stay here."""
        reached = self._at, self._line
        line = self.of_key(key)
        found = []
        for body in bodies:
            places: Row = {}
            self._walk(body, wanted, places)
            found.append((int(places.pop("line", line)), {} if self.is_one_line else places))
        self._at, self._line = reached
        return found

    def of_keys(self, heading: str, body: Mapping[str, Any], keys: Container[str]) -> Tree:
        """Return the lines of some keys of the next object under a heading."""
        self.of(heading)
        return {} if self.is_one_line else {key: self.of_key(key) for key in body if key in keys}

    def _walk(self, body: Mapping[str, Any], wanted: Wanted, found: Row) -> None:
        for key, value in body.items():
            name = wanted.get(key)
            if name is None:
                continue
            line = self.of_key(key)
            if isinstance(value, dict):
                if not isinstance(name, str):
                    self._walk(value, _spelt_as(value, name), found)
            elif isinstance(name, str):
                found[name] = line


def _spelt_as(body: Mapping[str, Any], wanted: Wanted) -> Wanted:
    """Return what is wanted by the keys of an object, which may spell percentiles otherwise than fio."""
    if not wanted.keys().isdisjoint(body):
        return wanted
    return Wanted({key: name for key in body if (name := wanted.get(six_digits(key)))})


def six_digits(percent: str) -> str:
    """Spell a percentile as fio does, which may be spelt otherwise: "99.9", or "99,900000"."""
    try:
        return f"{number(percent):.6f}"
    except ValueError:
        return percent
