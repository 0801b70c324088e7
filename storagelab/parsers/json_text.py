"""JSON in logs: objects between other lines, documents that break off, and the lines on which keys stand."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from storagelab.parsers.text import number as decimal

_DECODER = json.JSONDecoder()
_OPENING = re.compile(r"\{(?=\s*[\"}])")
_TRIES = 3
DEEPEST = 500
"""Brackets within each other of JSON that breaks off: no tool prints as many."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("?)|[{}\[\],]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON object in a text: what it holds, where and on which line it begins, and whether it closes."""

    body: dict[str, Any]
    start: int
    line: int
    whole: bool


class Unlined(str):
    """A text without line ends for those who count them: `json` does for each message, from the beginning on."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        """Count nothing."""
        return 0


class LineNumbers:
    """The numbers of lines of a text, asked for from its beginning to its end: all of them cost one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def of(self, place: int) -> int:
        """Return the number of the line of a place that stands behind the ones before."""
        self._line += self._text.count("\n", self._at, place)
        self._at = place
        return self._line


Pairs = list[tuple[str, Any]]


def objects(text: str, from_pairs: Callable[[Pairs], dict[str, Any]] | None = None) -> Iterator[Found]:
    """Yield the outermost JSON objects of a text; one that breaks off comes with what is whole of it.

    `from_pairs` makes each object of its keys and values, where a tool prints a key twice.

    Other lines around an object are skipped. Text that opens like an object and is none is skipped too, and so is an
    object that holds nothing: a line may have thousands, and a parser would look for the line of each.
    """
    at = tries = 0
    numbers, unlined = LineNumbers(text), Unlined(text)
    decoder = json.JSONDecoder(object_pairs_hook=from_pairs) if from_pairs else _DECODER
    while opening := _OPENING.search(text, at):
        start = opening.start()
        try:
            body, at = decoder.raw_decode(unlined, start)
            if body:
                yield Found(body, start, numbers.of(start), whole=True)
        except RecursionError:
            body, at = {}, _end_of_line(text, start)
        except ValueError:
            tries += 1
            body, at = _remains(text, start, decoder) if tries <= _TRIES else ({}, _end_of_line(text, start))
            if body:
                yield Found(body, start, numbers.of(start), whole=False)


def _remains(text: str, start: int, decoder: json.JSONDecoder) -> tuple[dict[str, Any], int]:
    """Return what is whole of an object that does not decode, and where to look on."""
    try:
        body = decoder.decode(closed(text[start:]))
    except (ValueError, RecursionError):
        return {}, _end_of_line(text, start)
    return body, len(text)


def _end_of_line(text: str, start: int) -> int:
    return text.find("\n", start) + 1 or len(text)


def closed(text: str) -> str:
    """Close the brackets of JSON that breaks off, after its last whole value.

    Raises
    ------
    RecursionError
        If more brackets are open than `DEEPEST`.

    Examples
    --------
    >>> closed('{"a": [1, 2, 34')
    '{"a": [1, 2]}'
    """
    open_brackets: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            open_brackets.append(_CLOSING[mark])
            if len(open_brackets) > DEEPEST:
                raise RecursionError(f"expected at most {DEEPEST} open brackets, found more")
        elif mark in "}]":
            if not open_brackets or open_brackets[-1] != mark:
                break
            open_brackets.pop()
        elif mark != ",":
            if not token[1]:
                break
            continue
        end = token.start() if mark == "," else token.end()
        if not open_brackets:
            break
    return text[:end] + "".join(reversed(open_brackets))


_COLON = re.compile(r'"(?:[^"\\]|\\.|(?!))*+"(\s*:)')
MISSES = 16
"""Keys of a document that may be spelt otherwise; each costs a walk through the rest, and no tool prints any."""
LINE = ""
"""Key under which the lines of an object have the line on which it begins."""
Tree = dict[str, Any]
"""Lines of the keys of an object of JSON: numbers, and such mappings for the objects in it."""


def line_in(tree: Tree, *path: str) -> int | None:
    """Return the line of a value by the keys that lead to it; None where it has none of its own."""
    found: Any = tree
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, int) else found.get(LINE) if isinstance(found, dict) else None


def line_within(tree: Tree, key: str) -> int:
    """Return the line of a key of an object, or that on which the object begins where the key has none of its own."""
    return line_in(tree, key) or int(tree[LINE])


class Lines:
    """The lines of keys in a text, found by walking forward once.

    What decodes JSON does not say where its values stand. But its objects have their keys in the order of the text, so
    that the next place of a key, from that of the key before it, is its own.

    Parameters
    ----------
    text : str
        The text.
    start, line : int
        Where the object begins, and the number of its line.
    """

    def __init__(self, text: str, start: int, line: int) -> None:
        self._text = text
        self._at = start
        self._line = line
        self.is_one_line = text.find("\n", start) < 0
        colon = _COLON.search(text, start)
        self._colon = colon[1] if colon else ":"
        self._missed = 0

    @property
    def line(self) -> int:
        """The line reached so far."""
        return self._line

    def of(self, key: str) -> int:
        """Line of the next `key`; the line reached so far where there is none."""
        at = self._text.find(f'"{key}"', self._at)
        if at >= 0:
            self._line += self._text.count("\n", self._at, at)
            self._at = at + 1
        return self._line

    def under(self, body: Mapping[str, Any], skip: Container[str] = ()) -> Tree:
        """Return the lines of all keys of the object that comes next: a mapping of the shape of `body`.

        Objects in it are mappings, and lists of objects lists of them; those under the names of `skip` are not entered.
        A document on one line has no other lines, and gives an empty mapping; so does an object too deep in others.
        """
        if self.is_one_line:
            return {}
        try:
            return {
                key: self._tree(key, value, skip)
                if isinstance(value, dict | list) and key not in skip
                else self.of_key(key)
                for key, value in body.items()
            }
        except RecursionError:
            return {}

    def printed(self, name: str, suffix: str) -> str:
        """Return a name as the text has it: with its suffix, or without where a reader told two alike apart by it."""
        return name if f'"{name}"' in self._text else name.removesuffix(suffix)

    def next_object(self, heading: str, body: Mapping[str, Any]) -> Tree:
        """Return the lines of the keys of the next object under a heading."""
        self.of(heading)
        return {LINE: self.line, **self.under(body)}

    def _tree(self, key: str, value: dict[str, Any] | list[Any], skip: Container[str]) -> int | Tree | list[Any]:
        line = self.of_key(key)
        if isinstance(value, dict):
            return {LINE: line, **self.under(value, skip)}
        if value and isinstance(value[0], dict | list):
            return self._trees(value, skip)
        return line

    def _trees(self, values: list[Any], skip: Container[str]) -> list[Any]:
        """Lines of the objects of a list, and of lists in it."""
        return [
            self.under(one, skip) if isinstance(one, dict) else self._trees(one, skip)
            for one in values
            if isinstance(one, dict | list)
        ]

    def of_key(self, key: str) -> int:
        """Line of the next `key` that a colon follows; the line reached so far where there is none."""
        at = self._text.find(f'"{key}"{self._colon}', self._at) if self._missed < MISSES else -1
        if at < 0:
            at = self._spelt_otherwise(key)
        if at >= 0:
            self._line += self._text.count("\n", self._at, at)
            self._at = at + 1
        return self._line

    def _spelt_otherwise(self, key: str) -> int:
        """Return the place of a key that has another colon than the first of the document; -1 where there is none."""
        self._missed += 1
        found = re.compile(rf'"{re.escape(key)}"\s*:').search(self._text, self._at) if self._missed < MISSES else None
        return found.start() if found else -1


def mapping(value: object) -> dict[str, Any]:
    """Return an object of JSON, or an empty one where something else stands in its place."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list of JSON; what is no object is passed over."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def quantity(body: Mapping[str, Any], name: str) -> float | None:
    """Return a finite number of an object, printed as a number or as text; None where there is none."""
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = decimal(value) if isinstance(value, str) else float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
