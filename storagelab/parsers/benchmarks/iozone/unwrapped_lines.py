"""The lines of an IOzone log as IOzone printed them, whatever mail, pdsh, comment signs or a wiki made of them.

Every line keeps the number it has in the log. What is undone: quoted-printable with its soft line breaks, quote and
comment signs in front of lines, colours and line ends of HTML, host names in front of lines (each host is a stream of
its own), and a table or a throughput test folded into one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from storagelab.parsers.benchmarks.iozone.command import find_command, read_command
from storagelab.parsers.benchmarks.iozone.operations import TESTS
from storagelab.parsers.benchmarks.iozone.table import HEADING

Line = tuple[int, str]

_QUOTE = re.compile(r"(?:[>#]+[ \t]?)+")
_MARKS = ("Iozone: Performance Test", "reclen", "Children see throughput", "Parent sees throughput")
_HOST = re.compile(r"([\w.@-]+):(?:[ \t](.*)|$)", re.DOTALL)
_FOLDED = re.compile(r"reclen(?: +(?:re|f|fre|p|rep)?(?:write|read))+ +\d+ +\d+ +\d")
_DIGITS = "0123456789.,"
_MARKUP = re.compile(r"<br ?/?>|\x1b\[[0-9;]*[A-Za-z]")
_STARTS = re.compile(
    r"(?=Children see throughput|Parent sees throughput|(?:Min|Max|Avg) throughput per|Min xfer|Child\[\d+\] xfer"
    r"|CPU [Uu]tilization: Wall|Run began:|File size set|Record Size|Command line used|Output is in|OPS Mode"
    r"|Time Resolution|Throughput test with|Each process|Each thread|iozone test complete)"
)
_HEX = re.compile(r"=([0-9A-F]{2})")


class Stream(NamedTuple):
    """What one host printed; `host` is "" where the log does not say."""

    host: str
    lines: list[Line]


def streams(text: str) -> list[Stream]:
    """Split a log into the lines that each host printed."""
    raw = text.split("\n")
    lines = list(enumerate(raw, 1))
    _mistrust_end(lines)
    if "=3D" in text:
        lines = list(_unquote_printable(lines))
    if ("<" in text and "<br" in text) or "\x1b" in text:
        lines = [(number, _MARKUP.sub("", line)) for number, line in lines]
    if any(sign in text and (f"\n{sign}" in text or text.startswith(sign)) for sign in (">", "#")):
        lines = [(number, _strip_quote(line)) for number, line in lines]
    if _holds_folded(text):
        lines = [piece for line in lines for piece in _unfold(*line)]
    if max(map(len, raw)) > 300 and any(len(line) > 300 and "Parent sees" in line for _, line in lines):
        lines = [(number, part) for number, line in lines for part in _STARTS.split(line)]
    hosts = _named_hosts(lines, text) or _common_host(lines)
    return _by_host(lines, hosts) if hosts else [Stream("", lines)]


def _mistrust_end(lines: list[Line]) -> None:
    """Drop a number that ends the log and may have lost digits, unless a line as long stands above it in a table."""
    number, last = lines[-1]
    before = lines[-2][1] if len(lines) > 1 else ""
    if last.endswith("test complete."):
        return
    if last[-1:] in _DIGITS and not (len(last) == len(before.rstrip()) and last.replace(" ", "").isdecimal()):
        lines[-1] = (number, last.rstrip(_DIGITS))


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


def _holds_folded(text: str) -> bool:
    at = text.find("reclen")
    while at >= 0 and not _FOLDED.match(text, at):
        at = text.find("reclen", at + 1)
    return at >= 0


def _unfold(number: int, line: str) -> Iterator[Line]:
    if not _FOLDED.search(line):
        yield number, line
        return
    done = 0
    for heading in HEADING.finditer(line):
        before = _without_words(line[done : heading.start()])
        yield number, before
        yield number, heading[0]
        numbers = re.compile(r"(?:\s+\d+)*").match(line, heading.end())
        done = numbers.end() if numbers else heading.end()
        yield from ((number, row) for row in _fold(line[heading.end() : done].split(), _cells(before, heading[1])))
    yield number, line[done:]


def _without_words(text: str) -> str:
    """Take the words that IOzone prints above columns off the end of a text."""
    kept = text.rstrip(" ")
    while kept.endswith(_ABOVE):
        kept = kept[: kept.rindex(" ")]
    return kept if len(kept) < len(text.rstrip(" ")) else text


_ABOVE = (" random", " bkwd", " record", " stride")


def _cells(before: str, heading: str) -> int:
    tests = read_command(find_command(before)).tests()
    return sum(len(TESTS[test]) for test in tests if test < 8) or len(heading.split())


def _fold(words: list[str], cells: int) -> Iterator[str]:
    for start in range(0, len(words), cells + 2):
        yield " ".join(words[start : start + cells + 2])


def _named_hosts(lines: list[Line], text: str) -> set[str]:
    """Return the names that stand in front of lines that IOzone begins otherwise; a number that none shares is none."""
    marks = [mark for mark in _MARKS if ":" in text[text.rfind("\n", 0, at := max(text.find(mark), 0)) + 1 : at]]
    hosts = Counter[str]()
    for _, line in lines if marks else ():
        match = _HOST.match(line)
        if match and match[2] and any(match[2].lstrip(" \tkKB").startswith(mark) for mark in marks):
            hosts[match[1]] += 1
    return {host for host, count in hosts.items() if count > 1 or not host.isdecimal()}


def _common_host(lines: list[Line]) -> set[str]:
    """Return the name that stands in front of every line, if one does."""
    match = _HOST.match(lines[0][1])
    if match and all(line.startswith(f"{match[1]}:") for _, line in lines if line):
        return {match[1]}
    return set()


def _by_host(lines: list[Line], hosts: set[str]) -> list[Stream]:
    found: dict[str, list[Line]] = {}
    for number, line in lines:
        match = _HOST.match(line)
        host, rest = (match[1], match[2] or "") if match and match[1] in hosts else ("", line)
        found.setdefault(host, []).append((number, rest))
    return [Stream(host, own) for host, own in found.items() if host or any(line.strip() for _, line in own)]
