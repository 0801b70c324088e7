r"""Counters of network interfaces as ``ip -s link`` prints them (also ``ip -s addr``, ``ip stats show``).

An interface begins with ``2: eth0: <...>``, of which scripts leave the number away; ``RX:`` and ``TX:`` head a line of
numbers each, named in the heading in their order. Widths are no help: before iproute2 5.13 wide counters overflow
their columns. ``-s -s`` adds headings ``RX errors:`` and ``TX errors:``, ``-o`` writes ``\`` in place of line ends,
``-h`` and ``-iec`` suffixes, virtual functions (``vf 0``) have their own headings, ``-j`` is a list of objects
(ip_link_json.py).

A snapshot: no time. Text has no end mark: a cut between two interfaces cannot be told from a smaller host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks, line_starts
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.monitors import ip_link_json
from storagelab.parsers.monitors.snapshot import DIRECTIONS, first_words, rows_of, setting, whole_lines, with_parts
from storagelab.units import KB, KIB, powers

FORMAT = Format(
    "ip-link",
    "ip",
    "iproute2 4 to 6",
    "interface counters",
    "ip-link(8); iproute2 ip/ipaddress.c",
    marks=("RX", "TX", "ifname"),
    forms=(
        ("RX: bytes", "RX:  bytes", "RX:   bytes", ": <BROADCAST", ": <LOOPBACK", ": <POINTOPOINT"),
        ('"ifindex"',),
    ),
    in_paragraphs=True,
    checks=Checks(together=(line_starts("RX:", "TX:"), line_starts("RX errors:", "TX errors:"))),
)

_HEADING = re.compile(r"\s*([RT]X)( errors)?:\s+(\D*)")
_BLOCK = re.compile(r"\s*\d+: ([^\s:@]+)(?:@[^\s:]+)?: |([^\s:@]+)(?:@[^\s:]+)?: <[A-Z_,\d-]*> mtu ")
_INTERFACE = re.compile(r"(?:\d+: )?[^\s:]+: <")
_CAN = re.compile(r"\s*((?:re-started|bus-errors|arbit-lost|error-warn|error-pass|bus-off)(?: [a-z-]{1,20}){5})\s*")
"""What the controller of a CAN bus counts, behind which ``-details`` prints settings on the line of its numbers."""
_FUNCTION = re.compile(r"\s*(vf \d+)\s")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kKMGTPE]i?)?")
_PREFIXES = "kMGTPE"
_FACTORS = {
    "": 1.0,
    "K": KB,
    "Ki": KIB,
    **powers(KB, _PREFIXES),
    **{f"{prefix}i": factor for prefix, factor in powers(KIB, _PREFIXES).items() if prefix},
}
"""What ``-human`` and ``-human -iec`` print, whose k is small."""
_SETTING = re.compile(r"\b(mtu|qlen) (\d+)(?!\S)")
_COUNTS = re.compile(r"[RT]X:\s+bytes\s+packets")


def sniff(head: str) -> bool:
    """Whether a heading of counters stands here, or an interface with counters in JSON."""
    return ("X:" in head and _COUNTS.search(head) is not None) or ('"ifname"' in head and '"stats' in head)


def parse(text: str) -> Parsed:
    """Read every interface into `series`: a sample an interface and direction, and one for each other counter.

    Raises
    ------
    ParseError
        If no interface with counters is found.
    """
    parsed = Parsed({"tool": "ip"})
    samples = (
        ip_link_json.read(text, parsed) if '"ifname"' in text else _read(whole_lines(text, parsed, _INTERFACE), parsed)
    )
    if not any(sample["operation"] for sample in samples):
        raise ParseError("an interface with counters under 'RX: bytes packets ...'", *first_words(text))
    parsed.series = columns(with_parts(samples))
    return parsed


def _read(lines: list[str], parsed: Parsed) -> list[Row]:
    samples: list[Row] = []
    interface = function = ""
    heading: re.Match[str] | None = None
    controller: list[str] = []
    sides: dict[str, set[str]] = {}
    for at, line in _segments(lines):
        if block := _BLOCK.match(line):
            interface, function, heading = block[1] or block[2], "", None
            sides[interface] = set()
            samples += [setting(interface, name, float(value), at) for name, value in _SETTING.findall(line)]
        elif match := _CAN.fullmatch(line):
            controller = match[1].split()
        elif controller:
            samples += _of_controller(interface, controller, line, at, parsed)
            controller = []
        elif match := _FUNCTION.match(line):
            function = f" {match[1]}"
        elif match := _HEADING.match(line):
            if heading:
                parsed.incomplete(f"expected numbers under {heading[0].strip()!r}, found {line.strip()!r}", at)
            heading = match
            sides.setdefault(interface, set()).add(match[1])
        elif heading:
            samples += _values(interface + function, heading, line, at, parsed)
            heading = None
    _note_missing(sides, heading, parsed, len(lines))
    return samples


def _segments(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; what ``-o`` put on one line stands on that line."""
    for at, line in enumerate(lines, 1):
        for segment in line.split("\\"):
            if segment.strip():
                yield at, segment


def _note_missing(sides: dict[str, set[str]], heading: re.Match[str] | None, parsed: Parsed, line: int) -> None:
    if heading or any(found != set(DIRECTIONS) for found in sides.values()):
        parsed.incomplete("an interface lacks its received or its transmitted counters", line)
    if "" in sides:
        parsed.incomplete("counters stand before any interface is named", 1)


def _of_controller(interface: str, names: list[str], line: str, at: int, parsed: Parsed) -> Iterator[Row]:
    """Rows of what a controller of CAN counts: as many numbers as names, and settings behind them."""
    numbers = line.split()[: len(names)]
    if len(numbers) != len(names) or not all(map(str.isdecimal, numbers)):
        parsed.incomplete(f"a CAN controller wants {len(names)} numbers under {names}, found {line.split()}", at)
        return
    for name, value in zip(names, numbers, strict=True):
        yield setting(interface, name, float(value), at)


def _values(interface: str, heading: re.Match[str], line: str, at: int, parsed: Parsed) -> list[Row]:
    """Rows of a line of numbers: one of the direction's, and one for each counter that the contract has no name for."""
    side, errors, names = heading[1], heading[2] or "", heading[3].split()
    numbers = [_NUMBER.fullmatch(word) for word in line.split()]
    if len(numbers) != len(names) or not all(numbers) or not all(map(str.isascii, names)):
        parsed.incomplete(f"{side}{errors} wants {len(names)} numbers under {names}, found {line.split()}", at)
        return []
    values = {name: float(n[1]) * _FACTORS[n[2] or ""] for name, n in zip(names, numbers, strict=True) if n}
    return list(rows_of(interface, side, errors, values, at))
