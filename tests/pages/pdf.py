"""What stands where in a PDF that Chromium printed.

Chromium writes PDF by Skia: objects are not compressed, each content stream is deflated, each glyph is a hexadecimal
number of a CID font. So a page is read here with a few operators of ISO 32000-1 (8.4 graphics state, 8.5 paths, 9.4
text, 14.6 marked content); that is not enough for PDF of other programs.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot

_OBJECT = re.compile(rb"(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
_OPERAND = frozenset(b"<>/[](-.0123456789")
"""What a token that is no operator begins with."""
_TOKEN = re.compile(rb"<<|>>|<[0-9A-Fa-f]*>|\[|\]|/[^\s<>\[\]/()]+|\((?:\\.|[^\\)])*\)|[^\s<>\[\]/()]+")
_REFERENCE = re.compile(rb"(\d+) 0 R")
_WIDTHS = re.compile(rb"(\d+) (?:\[([^\]]*)\]|(\d+) ([\d.]+))")

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
"""Left, low, right, high; in points from the lower left corner of the page."""
WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of text, with the size of its letters in points, or a shape, which has size 0."""

    box: Box
    text: str = ""
    size: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """The marks of one page, as they are seen, and the size of its paper in points."""

    width: float
    height: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Font:
    """Widths of glyphs in thousandths of the size, and their characters."""

    widths: Mapping[int, float]
    characters: Mapping[int, str]
    read: dict[bytes, tuple[str, float]] = field(default_factory=dict)

    def text(self, string: bytes) -> tuple[str, float]:
        """Return the characters of a hexadecimal string and its width at size 1; most are one letter, seen before."""
        if string not in self.read:
            self.read[string] = self._text(bytes.fromhex(string[1:-1].decode()))
        return self.read[string]

    def _text(self, glyphs: bytes) -> tuple[str, float]:
        codes = [int.from_bytes(glyphs[at : at + 2]) for at in range(0, len(glyphs), 2)]
        return "".join(self.characters.get(code, "\ufffd") for code in codes), sum(
            self.widths.get(code, 500.0) for code in codes
        ) / 1000


@dataclass
class _State:
    matrix: Matrix
    clip: Box
    fill: tuple[float, ...] = (0.0,)
    font: str = ""
    size: float = 0.0


@dataclass
class _Drawing:
    """Goes through a content stream and keeps what it marks."""

    document: Document
    fonts: Mapping[str, Font]
    forms: Mapping[str, int]
    state: _State
    marks: list[Mark] = field(default_factory=list)
    saved: list[_State] = field(default_factory=list)
    path: list[tuple[float, float]] = field(default_factory=list)
    clipping: bool = False
    line: Matrix = (1, 0, 0, 1, 0, 0)

    def run(self, content: bytes) -> None:
        operands: list[bytes] = []
        for token in _TOKEN.findall(content):
            if token[0] in _OPERAND:
                operands.append(token)
                continue
            self._operate(token, operands)
            operands = []

    def _operate(self, operator: bytes, operands: list[bytes]) -> None:
        """Do what an operator says; those of text, most of a page, are asked for first."""
        match operator:
            case b"Tj":
                self._show(operands[-1])
            case b"Td":
                self.line = _times((1, 0, 0, 1, float(operands[0]), float(operands[1])), self.line)
            case b"Tm":
                self.line = _matrix(operands)
            case b"BT":
                self.line = (1, 0, 0, 1, 0, 0)
            case b"Tf":
                self.state.font, self.state.size = operands[0].decode()[1:], float(operands[1])
            case b"q" | b"Q" | b"cm" | b"rg" | b"Do":
                self._place(operator, operands)
            case _:
                self._draw(operator.decode(), operands)

    def _place(self, operator: bytes, operands: list[bytes]) -> None:
        match operator:
            case b"q":
                state = self.state
                self.saved.append(_State(state.matrix, state.clip, state.fill, state.font, state.size))
            case b"Q":
                self.state = self.saved.pop()
            case b"cm":
                self.state.matrix = _times(_matrix(operands), self.state.matrix)
            case b"rg":
                self.state.fill = tuple(map(float, operands))
            case b"Do":
                self._form(operands[0].decode()[1:])

    def _draw(self, operator: str, operands: list[bytes]) -> None:
        match operator:
            case "re":
                x, y, width, height = map(float, operands)
                self.path += [_at(self.state.matrix, px, py) for px in (x, x + width) for py in (y, y + height)]
            case "m" | "l" | "c" | "v" | "y":
                numbers = [float(one) for one in operands]
                self.path += [_at(self.state.matrix, *numbers[at : at + 2]) for at in range(0, len(numbers), 2)]
            case "W" | "W*":
                self.clipping = True
            case "n" | "f" | "f*" | "S" | "s" | "B" | "B*" | "b" | "b*":
                self._end(painted=operator != "n", filled=operator[0] == "f")

    def _end(self, *, painted: bool, filled: bool) -> None:
        box = _around(self.path) if self.path else None
        if box and painted and not (filled and self.state.fill == WHITE):
            self._mark(Mark(box))
        if box and self.clipping:
            self.state.clip = _common(self.state.clip, box)
        self.path, self.clipping = [], False

    def _mark(self, mark: Mark) -> None:
        left, low, right, high = mark.box
        west, south, east, north = self.state.clip
        if mark.text and west <= right and left <= east and south <= high and low <= north:
            self.marks.append(mark)
        elif not mark.text:
            seen = _common(mark.box, self.state.clip)
            if seen[0] <= seen[2] and seen[1] <= seen[3]:
                self.marks.append(Mark(seen))

    def _show(self, string: bytes) -> None:
        text, width = self.fonts[self.state.font].text(string)
        if not text.strip():
            return
        a, b, c, d, e, f = _upright(_times(self.line, self.state.matrix))
        size = self.state.size
        right, up, rise, lift = a * width * size, b * width * size, 0.7 * c * size, 0.7 * d * size
        box = (
            e + min(0.0, right) + min(0.0, rise),
            f + min(0.0, up) + min(0.0, lift),
            e + max(0.0, right) + max(0.0, rise),
            f + max(0.0, up) + max(0.0, lift),
        )
        self._mark(Mark(box, text, size * hypot(c, d)))

    def _form(self, name: str) -> None:
        number = self.forms.get(name)
        body = self.document.objects.get(number or 0, b"")
        if b"/Subtype /Form" not in body:
            corners = [_at(self.state.matrix, x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]
            self._mark(Mark(_around(corners)))
            return
        fonts, forms = self.document.resources(body)
        state = self.state
        placed = re.search(rb"/Matrix \[([^\]]*)\]", body)
        matrix = _times(_matrix(placed[1].split()), state.matrix) if placed else state.matrix
        inner = _Drawing(self.document, fonts, forms, _State(matrix, state.clip), self.marks)
        inner.run(self.document.stream(body))


class Document:
    """A PDF of Chromium."""

    def __init__(self, data: bytes) -> None:
        self.objects = {int(one[1]): one[2] for one in _OBJECT.finditer(data)}
        self._fonts: dict[int, Font] = {}

    @cached_property
    def page_numbers(self) -> list[int]:
        """Numbers of the objects that are pages, in their order."""
        root = next(number for number, body in self.objects.items() if b"/Type /Catalog" in body)
        return list(self._leaves(_reference(self.objects[root], b"Pages")))

    def _leaves(self, number: int) -> Iterator[int]:
        body = self.objects[number]
        kids = re.search(rb"/Kids \[([^\]]*)\]", body)
        if kids is None:
            yield number
            return
        for kid in _REFERENCE.findall(kids[1]):
            yield from self._leaves(int(kid))

    @cached_property
    def pages(self) -> list[Page]:
        """Everything that is seen, page by page."""
        return [self._page(self.objects[number]) for number in self.page_numbers]

    def _page(self, body: bytes) -> Page:
        box = re.search(rb"/MediaBox \[([^\]]*)\]", body)
        assert box
        _, _, width, height = map(float, box[1].split())
        state = _State((1, 0, 0, 1, 0, 0), (0, 0, width, height))
        drawing = _Drawing(self, *self.resources(body), state)
        drawing.run(self.stream(self.objects[_reference(body, b"Contents")]))
        return Page(width, height, tuple(drawing.marks))

    def resources(self, body: bytes) -> tuple[dict[str, Font], dict[str, int]]:
        """Fonts and forms of a page or form, by the names that its content calls them."""
        head = body.partition(b"stream\n")[0]
        fonts = re.search(rb"/Font <<(.*?)>>", head, re.DOTALL)
        forms = re.search(rb"/XObject <<(.*?)>>", head, re.DOTALL)
        named = re.compile(rb"/(\w+) (\d+) 0 R")
        found = {name.decode(): self.font(int(number)) for name, number in named.findall(fonts[1] if fonts else b"")}
        return found, {name.decode(): int(number) for name, number in named.findall(forms[1] if forms else b"")}

    def stream(self, body: bytes) -> bytes:
        """Content of an object that is a stream."""
        head, _, data = body.partition(b"stream\n")
        return zlib.decompressobj().decompress(data) if b"FlateDecode" in head else data

    def font(self, number: int) -> Font:
        """Read a font, once."""
        if number not in self._fonts:
            body = self.objects[number]
            descendants = re.search(rb"/DescendantFonts \[(\d+) 0 R\]", body)
            widths = _widths(self.objects[int(descendants[1])]) if descendants else {}
            characters = _characters(self.stream(self.objects[_reference(body, b"ToUnicode")]))
            self._fonts[number] = Font(widths, characters)
        return self._fonts[number]

    def figures(self) -> list[set[int]]:
        """Of each drawing that has an alternative text, the pages on which it stands, counted from 1."""
        places = {number: place for place, number in enumerate(self.page_numbers, start=1)}
        drawn = [body for body in self.objects.values() if re.search(rb"/S /Figure\s+/Alt", body)]
        return [{places[number] for number in self._pages_of(body) if number in places} for body in drawn]

    def _pages_of(self, body: bytes) -> Iterator[int]:
        yield from (int(number) for number in re.findall(rb"/Pg (\d+) 0 R", body))
        kids = re.search(rb"/K (\[[^\]]*\]|\d+ 0 R)", body)
        for kid in _REFERENCE.findall(kids[1]) if kids else ():
            if b"/Type /StructElem" in self.objects.get(int(kid), b""):
                yield from self._pages_of(self.objects[int(kid)])


def _reference(body: bytes, name: bytes) -> int:
    found = re.search(rb"/" + name + rb" (\d+) 0 R", body)
    assert found, f"{name!r} in {body[:200]!r}"
    return int(found[1])


def _widths(body: bytes) -> dict[int, float]:
    listed = re.search(rb"/W \[(.*)\]", body, re.DOTALL)
    found: dict[int, float] = {}
    for first, several, last, one in _WIDTHS.findall(listed[1] if listed else b""):
        if last:
            found |= dict.fromkeys(range(int(first), int(last) + 1), float(one))
        else:
            found |= {int(first) + place: float(width) for place, width in enumerate(several.split())}
    return found


def _characters(cmap: bytes) -> dict[int, str]:
    found: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar\n(.*?)endbfchar", cmap, re.DOTALL):
        for code, text in re.findall(rb"<(\w+)> <(\w+)>", block):
            found[int(code, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in re.findall(rb"beginbfrange\n(.*?)endbfrange", cmap, re.DOTALL):
        for first, last, text in re.findall(rb"<(\w+)> <(\w+)> <(\w+)>", block):
            start = int(text, 16)
            found |= {code: chr(start + code - int(first, 16)) for code in range(int(first, 16), int(last, 16) + 1)}
    return found


def _matrix(operands: list[bytes]) -> Matrix:
    a, b, c, d, e, f = map(float, operands[-6:])
    return a, b, c, d, e, f


def _times(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _at(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _upright(matrix: Matrix) -> Matrix:
    """Take the lean of italics away: their line is as long as its letters, and what hangs over is cut nowhere."""
    a, b, c, d, e, f = matrix
    lean = (a * c + b * d) / (a * a + b * b)
    return a, b, c - lean * a, d - lean * b, e, f


def _around(points: list[tuple[float, float]]) -> Box:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _common(one: Box, other: Box) -> Box:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])
