"""XML as every XML format reads it: elements with the line they begin on, from whole, cut and hostile documents alike.

The reader is expat, hardened by defusedxml: entity declarations (internal, external, parameter) are refused, and what a
DOCTYPE points to is never fetched. An attribute is only ever seen whole; the text of an element that was not closed is
dropped, so that a cut cannot make a wrong number. Namespaces are taken off the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers.expat import ExpatError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from storagelab.errors import ParseError

DEPTH = 200
"""Elements inside each other: no format here nests a tenth of it."""


@dataclass(slots=True, eq=False)
class Element:
    """One element.

    Attributes
    ----------
    tag : str
        Its name without namespace.
    attributes : dict of str to str
        By name without namespace.
    line : int
        1-based line of the log on which its start tag begins.
    text : str
        The characters directly inside it, stripped; "" where it was not closed.
    children : list of Element
        In their order; of a cut document those that began before the cut.
    closed : bool
        Whether its end tag was seen.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)
    closed: bool = False

    def all(self, *tags: str) -> Iterator[Element]:
        """Yield the elements below this one in document order; those with one of `tags`, where any are given."""
        rest = self.children[::-1]
        while rest:
            element = rest.pop()
            if not tags or element.tag in tags:
                yield element
            rest += element.children[::-1]

    def first(self, tag: str) -> Element | None:
        """Return the first element of this name below this one."""
        return next(self.all(tag), None)


@dataclass(slots=True, eq=False)
class Document:
    """One XML document of a log; `error` says why it is not whole ("" where it is), `line` where."""

    root: Element
    error: str = ""
    line: int = 0


def documents(text: str, *roots: str) -> Iterator[Document]:
    """Yield each document with one of these root elements, whatever stands before, between and behind them.

    A cut or broken document gives the elements that began before its fault, and `error`; what comes behind the fault is
    searched for further documents.

    Parameters
    ----------
    text : str
        The log.
    *roots : str
        Names of the root element, without namespace.

    Raises
    ------
    ParseError
        If a document declares entities, or nests deeper than `DEPTH`.
    """
    begin = re.compile(rf"<(?:[\w.-]+:)?(?:{'|'.join(map(re.escape, roots))})(?=[\s>/])")
    end = lines = 0
    while found := begin.search(text, end):
        start = _prologue(text, end, found.start())
        lines += text.count("\n", end, start)
        reader = _Reader(text, start, lines)
        if start < found.start() and not reader.root:
            reader = _Reader(text, found.start(), lines + text.count("\n", start, found.start()))
        end = max(found.end(), reader.end)
        lines += text.count("\n", start, end)
        if reader.root:
            yield Document(reader.root, reader.error, reader.error_line)


_PROLOGUE = re.compile(r"<\?xml\s|<!DOCTYPE\s")


def _prologue(text: str, start: int, root: int) -> int:
    """Where the declarations before a root element begin; at itself without any."""
    found = _PROLOGUE.search(text, start, root)
    return found.start() if found else root


class _BrokenError(Exception):
    """A document that ends inside itself."""


class _Reader:
    """Reads one document that begins at `start`, behind so many lines; `end` is where it ends or breaks."""

    CHUNK = 1 << 16

    def __init__(self, text: str, start: int, lines_before: int) -> None:
        self.root: Element | None = None
        self.error, self.error_line = "", 0
        self._lines_before = lines_before
        self._open: list[Element] = []
        self._bytes = 0
        self._expat = _hardened(self._begin, self._finish, self._characters)
        try:
            self._feed(text, start)
        except DefusedXmlException as refused:
            raise ParseError("XML without entity declarations, which are refused", str(refused), self._line()) from None
        except (ExpatError, _BrokenError) as error:
            self._break(error)
        self.end = start + _characters_of(text[start : start + self._bytes], self._bytes)

    def _feed(self, text: str, start: int) -> None:
        for at in range(start, len(text), self.CHUNK):
            self._expat.Parse(_encoded(text[at : at + self.CHUNK].replace("\r", " ")), False)
            if self.root and self.root.closed:
                return
        self._expat.Parse(b"", True)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(_local(name), {_local(key): value for key, value in attributes.items()}, self._line())
        if not self._open:
            self.root = element
        elif self.root and element.tag == self.root.tag:
            raise _BrokenError(f"another {element.tag} begins inside the first")
        elif len(self._open) == DEPTH:
            raise ParseError(f"elements nested at most {DEPTH} deep", element.tag, element.line)
        else:
            self._open[-1].children.append(element)
        self._open.append(element)

    def _finish(self, name: str) -> None:
        element = self._open.pop()
        element.text, element.closed = element.text.strip(), True
        if not self._open:
            self._bytes = self._expat.CurrentByteIndex

    def _characters(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text

    def _break(self, error: Exception) -> None:
        """What comes behind a whole document is not its fault."""
        if self.root and self.root.closed:
            return
        self.error, self.error_line, self._bytes = str(error), self._line(), self._expat.CurrentByteIndex
        for element in self._open:
            element.text = ""

    def _line(self) -> int:
        return self._lines_before + int(self._expat.CurrentLineNumber)


def _hardened(begin: object, finish: object, characters: object) -> Any:
    """Take the expat parser that defusedxml has hardened, with our handlers: elements need its line numbers."""
    hardened: Any = DefusedXMLParser(encoding="utf-8")
    expat = hardened.parser
    expat.StartElementHandler, expat.EndElementHandler, expat.CharacterDataHandler = begin, finish, characters
    expat.ordered_attributes = False
    return expat


def _local(name: str) -> str:
    """Take expat's ``uri}name`` apart."""
    return name.rpartition("}")[2] if "}" in name else name


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


def _characters_of(text: str, size: int) -> int:
    """How many characters the first `size` bytes of a text are."""
    return size if text.isascii() else len(_encoded(text)[:size].decode(errors="ignore"))
