"""JSON with the line of every value, from whole and from cut documents.

`json` and orjson do not say where a value stood, and give nothing for a document that was cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from json import loads

from storagelab.parsers.cmssw.counters import Number

Scalar = str | float | bool | None

_TOKEN = re.compile(r'[{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+')


@dataclass(slots=True, eq=False)
class Node:
    """An object, or an array with its positions as names; `lines` says where each value stands."""

    line: int
    values: dict[str, Scalar | Node] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    is_array: bool = False
    closed: bool = False

    def node(self, *path: str) -> Node:
        """Return a node below this one; an empty one where there is none."""
        below: Node = self
        for name in path:
            value = below.values.get(name)
            below = value if isinstance(value, Node) else Node(below.line)
        return below

    def nodes(self) -> Iterator[tuple[str, Node]]:
        """Yield the nodes right below this one with their names."""
        yield from ((name, value) for name, value in self.values.items() if isinstance(value, Node))

    def put(self, name: str, value: Scalar | Node, line: int) -> None:
        """Set a value, and the line that states it."""
        self.values[name], self.lines[name] = value, line

    def text(self, name: str) -> str:
        """Return a text, or ""."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        """Return a number, also where it stands in quotes."""
        value = self.values.get(name)
        if isinstance(value, str):
            value = _scalar(value)
        return float(value) if isinstance(value, float) and not isinstance(value, bool) else None

    def numbers(self) -> dict[str, Number]:
        """Return the numbers right below this one, each with its line."""
        found = {name: self.number(name) for name in self.values}
        return {name: Number(value, self.lines[name]) for name, value in found.items() if value is not None}


DEPTH = 100
"""Brackets inside each other; reports have a tenth of that, and what is deeper is none."""


def read(text: str) -> tuple[list[Node], str]:
    """Read the documents of a text, whatever stands between them.

    Returns
    -------
    list of Node
        The objects and arrays at the top, in their order; of a cut one what came before the cut.
    str
        What is wrong with them, "" where all are whole.
    """
    reader = _Reader()
    line, end = 1, 0
    for found in _TOKEN.finditer(text):
        line += text.count("\n", end, found.start())
        end = found.start()
        reader.token(found[0], line, cut=found.end() == len(text))
        if len(reader.open) > DEPTH:
            return reader.documents, reader.fault or f"line {line}: more than {DEPTH} brackets inside each other"
    return reader.documents, reader.fault or ("the document is cut" if reader.open else "")


class _Reader:
    """Builds the nodes token by token."""

    def __init__(self) -> None:
        self.documents: list[Node] = []
        self.open: list[Node] = []
        self.fault = ""
        self._name: str | None = None
        self._named = False
        self._last = ""

    def token(self, token: str, line: int, cut: bool) -> None:
        """Take the next token; a scalar that ends with the text may have lost its tail."""
        if token in "{[":
            self._begin(Node(line, is_array=token == "["))
        elif not self.open:
            return
        elif token in "}]":
            self._end(token, line)
        elif token == ":":
            self._named = self._name is not None
        elif token == ",":
            self._name, self._named = None, False
        elif not cut or token[0] == '"':
            self._scalar(token, line)

    def _begin(self, node: Node) -> None:
        if self.open:
            self._put(node, node.line)
        else:
            self.documents.append(node)
        self.open.append(node)
        self._name, self._named, self._last = None, False, ""

    def _end(self, token: str, line: int) -> None:
        node = self.open.pop()
        node.closed = True
        if (token == "]") != node.is_array:
            self.fault = self.fault or f"line {line}: {token} closes what another bracket opened"
        self._name, self._named, self._last = None, False, ""

    def _scalar(self, token: str, line: int) -> None:
        value = _scalar(token)
        if self.open[-1].is_array or self._named:
            if value is _NOTHING:
                self.fault = self.fault or f"line {line}: {token[:40]!r} is no value"
            else:
                self._put(value, line)
        elif isinstance(value, str):
            self._name = value
        else:
            self._no_name(token, line)

    def _no_name(self, token: str, line: int) -> None:
        """A number where a name belongs, as of a decimal comma: the value before it is not what was meant."""
        self.fault = self.fault or f"line {line}: a name is expected, found {token[:40]!r}"
        if self._last:
            self.open[-1].values.pop(self._last, None)

    def _put(self, value: Scalar | Node, line: int) -> None:
        node = self.open[-1]
        name = str(len(node.values)) if node.is_array else self._name
        if name is None:
            self.fault = self.fault or f"line {line}: a value without its name"
            return
        node.put(name, value, line)
        self._last = name


_NOTHING = "\x00nothing"
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "NaN": None, "None": None}


def _scalar(token: str) -> Scalar:
    if token in _WORDS:
        return _WORDS[token]
    if token.startswith('"'):
        if "\\" not in token:
            return token[1:-1]
        try:
            return str(loads(token, strict=False))
        except ValueError:
            return token[1:-1]
    try:
        return float(token)
    except ValueError:
        return _NOTHING
