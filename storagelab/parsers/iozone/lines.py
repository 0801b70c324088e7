"""The lines of an IOzone log as IOzone printed them, whatever mail, pdsh, comment signs or a wiki made of them.

Every line keeps the number it has in the log. What is undone: quoted-printable with its soft line breaks, quote and
comment signs in front of lines, host names in front of lines (each host is a stream of its own), and a whole table
folded into one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from storagelab.parsers.iozone.command import find_command, read_command
from storagelab.parsers.iozone.table import HEADING
from storagelab.parsers.iozone.tests import TESTS

Line = tuple[int, str]

_QUOTE = re.compile(r"(?:[>#]+[ \t]?)+")
_QUOTED = re.compile(r"^[>#]", re.MULTILINE)
_HOSTED = re.compile(
    r"^([\w.@-]+):[ \t]+(?:Iozone: Performance Test|Children see throughput|Parent sees throughput)", re.M
)
_HOST = re.compile(r"([\w.@-]+):[ \t]?(.*)", re.DOTALL)
_FOLDED = re.compile(r"reclen(?: +(?:re|f|fre|p|rep)?(?:write|read))+ +\d+ +\d+ +\d")
_HEX = re.compile(r"=([0-9A-F]{2})")


class Stream(NamedTuple):
    """What one host printed; `host` is "" where the log does not say."""

    host: str
    lines: list[Line]


def streams(text: str) -> list[Stream]:
    """Split a log into the lines that each host printed."""
    lines = list(enumerate(text.split("\n"), 1))
    _mistrust_end(lines)
    if "=3D" in text:
        lines = list(_unquote_printable(lines))
    if _QUOTED.search(text):
        lines = [(number, _strip_quote(line)) for number, line in lines]
    if "reclen" in text and _FOLDED.search(text):
        lines = [piece for line in lines for piece in _unfold(*line)]
    hosts = set(_HOSTED.findall(text))
    return _by_host(lines, hosts) if hosts else [Stream("", lines)]


def _mistrust_end(lines: list[Line]) -> None:
    """Drop a number that ends the log and may have lost digits, unless a line as long stands above it in a table."""
    number, last = lines[-1]
    before = lines[-2][1] if len(lines) > 1 else ""
    if last[-1:].isdigit() and not (len(last) == len(before.rstrip()) and last.replace(" ", "").isdigit()):
        lines[-1] = (number, last.rstrip("0123456789.,"))


def _strip_quote(line: str) -> str:
    match = _QUOTE.match(line)
    return line[match.end() :] if match else line


def _unquote_printable(lines: Iterable[Line]) -> Iterator[Line]:
    start, held = 0, ""
    for number, line in lines:
        start = start if held else number
        if line.endswith("=") and not line.endswith("=3D"):
            held += line[:-1]
            continue
        yield start, _HEX.sub(lambda match: chr(int(match[1], 16)), held + line)
        held = ""
    if held:
        yield start, held


def _unfold(number: int, line: str) -> Iterator[Line]:
    if not _FOLDED.search(line):
        yield number, line
        return
    done = 0
    for heading in HEADING.finditer(line):
        before = re.sub(r"(?: (?:random|bkwd|record|stride))+ *$", "", line[done : heading.start()])
        yield number, before
        yield number, heading[0]
        numbers = re.compile(r"(?:\s+\d+)*").match(line, heading.end())
        done = numbers.end() if numbers else heading.end()
        yield from ((number, row) for row in _fold(line[heading.end() : done].split(), _cells(before, heading[1])))
    yield number, line[done:]


def _cells(before: str, heading: str) -> int:
    tests = read_command(find_command(before)).tests()
    return sum(len(TESTS[test]) for test in tests if test < 8) or len(heading.split())


def _fold(words: list[str], cells: int) -> Iterator[str]:
    for start in range(0, len(words), cells + 2):
        yield " ".join(words[start : start + cells + 2])


def _by_host(lines: list[Line], hosts: set[str]) -> list[Stream]:
    found: dict[str, list[Line]] = {}
    for number, line in lines:
        match = _HOST.match(line)
        host, rest = (match[1], match[2]) if match and match[1] in hosts else ("", line)
        found.setdefault(host, []).append((number, rest))
    return [Stream(host, own) for host, own in found.items() if host or any(line.strip() for _, line in own)]
