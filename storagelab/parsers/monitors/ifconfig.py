"""Counters of network interfaces as ``ifconfig`` prints them.

net-tools 2.x: an interface begins with ``eth0: flags=...``, then ``RX packets 8061  bytes 1514413 (1.4 MiB)`` and
``RX errors 0  dropped 0 ...``, the same with ``TX``. net-tools 1.60 and busybox: ``eth0  Link encap:...``, then
``RX packets:8061 errors:0 dropped:0 ...``, ``TX packets: ...`` and ``RX bytes:1514413 (1.4 MiB)  TX bytes:...``, whose
words 1.60 prints in the user's language, in the same order.
``ifconfig -s`` and Linux' ``netstat -i``: a table with a line an interface and no bytes. Overruns, and what else the
contract has no name for, are rows with `metric` where they are not zero; so are the counters of its driver, which
``ethtool -S`` prints below ``NIC statistics:``, where they stand below an interface.

A snapshot: no time. There is no end mark: a cut between two interfaces cannot be told from a smaller host. What the
BSDs' ``ifconfig`` prints holds no counters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks, Line, words
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.monitors.snapshot import (
    DIRECTIONS,
    NAMES,
    counted,
    counters,
    first_words,
    fitting,
    is_prompt,
    rounded,
    setting,
    whole_lines,
    with_parts,
)
from storagelab.parsers.values_on_several_lines import on, settled

FORMAT = Format(
    "ifconfig",
    "ifconfig",
    "net-tools 1.60 to 2.10, busybox",
    "interface counters",
    "net-tools lib/interface.c",
    marks=("RX", "encap"),
    opens=(
        " encap:",
        "flags=",
        "RX packets",
        "RX-OK RX-ERR",
    ),
    in_paragraphs=True,
    in_scripts=True,
    checks=Checks(
        together=(
            (Line("RX packets", "RX packets|Packets reçus", "ackets", ""), *words("TX packets")),
            words("RX errors", "TX errors"),
        )
    ),
)

_LINK = r"(?:\S+ encap|Encapsulamento do Link|Protokoll):"
_BLOCK = re.compile(rf"(?![RT]X\b)(\S+?)(?:: flags=|\s+{_LINK})")
_ENCAPSULATED = re.compile(rf"^\S+\s+{_LINK}", re.MULTILINE)
_COUNTS = re.compile(r"\s*[^\d:]{1,40}:(\d+)" + r" [^\d:]{0,40}:(\d+)" * 4 + r"\s*")
_SIZES = re.compile(r"\s*[^\d:]{1,40}:(\d+ \([^()]{1,20}\))\s+[^\d:]{1,40}:(\d+ \([^()]{1,20}\))\s*")
_COLLIDED = re.compile(r"\s*(?:[Cc]oll?is|[Kk]oll?i[sz])[^\d:]{0,20}:(\d+) .*")
_ENGLISH = ("RX packets", "TX packets", "RX bytes")
_FIRST = _ENGLISH[0]
"""Begins the counters of an interface."""
_HALF = re.compile(r"(?=\b[RT]X )")
_PAIR = re.compile(
    r"\b(bytes|packets|errors|dropped|overruns|frame|carrier|collisions)[: ] ?(\d+)(?!\S)"
    r"(?: \((\d+(?:[.,]\d*)?) ?([KMGT]?i?[Bb])\))?"
)
_COLLISIONS = "collisions:"
"""Begins the line of net-tools 1.60 that has no direction."""
_NO_COUNTS = "no statistics available"
"""Said of another name of an interface, such as eth0:1."""
_OF_DRIVER = "NIC statistics:"
_COUNTER = re.compile(r"\s+([A-Za-z][\w .()\[\]-]{0,80}): (\d{1,20})\s*")
_SHORT = {"OK": "counter_packets", "ERR": "counter_errors", "DRP": "counter_drops"}


def sniff(head: str) -> bool:
    """Whether an interface's counters stand here, or the heading of the short table."""
    if "RX packets" in head:
        return "flags=" in head or " encap:" in head or _is_encapsulated(head)
    return ("RX-OK" in head and "Iface" in head) or _is_translated(head)


def _is_encapsulated(head: str) -> bool:
    """Whether an interface of net-tools 1.60 begins here, in whatever language."""
    words = (" encap:", "Encapsulamento", "Protokoll:")
    return any(word in head for word in words) and _ENCAPSULATED.search(head) is not None


def _is_translated(head: str) -> bool:
    """Whether an interface begins here, and counters that have other names stand below it."""
    return _is_encapsulated(head) and any(map(_COUNTS.fullmatch, head.split("\n")))


def parse(text: str) -> Parsed:
    """Read every interface into `series`: a sample an interface and direction.

    Raises
    ------
    ParseError
        If no interface with counters is found.
    """
    parsed = Parsed({"tool": "netstat" if "Kernel Interface table" in text else "ifconfig"})
    lines = list(map(_in_english, whole_lines(text, parsed)))
    samples = _short(lines, parsed) if "RX-OK" in text else _long(lines, parsed)
    if not samples:
        raise ParseError("an interface with 'RX packets' and 'TX packets'", *first_words(text))
    parsed.series = columns(with_parts(samples))
    return parsed


def _in_english(line: str) -> str:
    """Return a line of net-tools 1.60 in whatever language as it is in English; TX is called so in all of them."""
    if ":" not in line or line.lstrip().startswith(_ENGLISH):
        return line
    if counts := _COUNTS.fullmatch(line):
        side = "TX" if "TX" in line else "RX"
        last = "carrier" if side == "TX" else "frame"
        return (
            f"{side} packets:{counts[1]} errors:{counts[2]} dropped:{counts[3]} overruns:{counts[4]} {last}:{counts[5]}"
        )
    if sizes := _SIZES.fullmatch(line):
        return f"RX bytes:{sizes[1]}  TX bytes:{sizes[2]}"
    collided = _COLLIDED.fullmatch(line)
    return f"{_COLLISIONS}{collided[1]}" if collided else line


def _long(lines: list[str], parsed: Parsed) -> list[Row]:
    has_bytes = any("bytes" in line for line in lines)
    wanted = set(NAMES.values()) if has_bytes else set(NAMES.values()) - {"counter_bytes"}
    base = _base(lines) if has_bytes else 0
    return [row for name, block in _blocks(lines) for row in _interface(name, block, wanted, base, parsed)]


def _base(lines: list[str]) -> int:
    """Return 1000 or 1024 where the sizes of a log that fit one of them alone all fit the same; else 0."""
    found = {
        bases[0]
        for line in lines
        if "bytes" in line
        for _, count, size, unit in _PAIR.findall(line)
        if size and len(bases := fitting(size, unit, float(count))) == 1
    }
    return found.pop() if len(found) == 1 else 0


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Cut the log where an interface begins: its name and its numbered lines."""
    name, block = "", list[tuple[int, str]]()
    for numbered in enumerate(lines, 1):
        begins = _BLOCK.match(numbered[1].lstrip())
        if begins:
            yield name, block
            name, block = begins[1], []
        block.append(numbered)
    yield name, block


def _interface(name: str, block: list[tuple[int, str]], wanted: set[str], base: int, parsed: Parsed) -> list[Row]:
    """Both directions of an interface; one that lacks counters, or counters that lack their interface, are notes."""
    halves: dict[str, Row] = {}
    more: list[Row] = []
    is_of_driver = False
    for at, line in block:
        is_of_driver = line.strip() == _OF_DRIVER or (is_of_driver and _COUNTER.fullmatch(line) is not None)
        if is_of_driver and (counter := _COUNTER.fullmatch(line)) and float(counter[2]):
            more.append(setting(name, counter[1], float(counter[2]), at))
        if line.lstrip().startswith(_FIRST) and halves:
            parsed.incomplete(f"expected the first line of another interface than {name!r} above its counters", at)
            break
        if line.lstrip().startswith(("RX", "TX", _COLLISIONS)):
            more += _read_halves(name, line.replace(_COLLISIONS, f"TX {_COLLISIONS}"), at, base, halves)
    if not halves and (not name or ":" in name):
        return []
    rows = [halves[operation] for operation in DIRECTIONS.values() if operation in halves]
    missing = 2 * len(wanted) - sum(len(wanted & row.keys()) for row in rows)
    if missing or not name:
        parsed.incomplete(f"{missing} counters of an interface are missing, or its name is", block[0][0])
    return [*(settled({"interface": name, **row}) for row in rows), *more] if name else []


def _read_halves(name: str, line: str, at: int, base: int, halves: dict[str, Row]) -> Iterator[Row]:
    """Add what a line says of one direction, or of both, to the interface's two rows; yield rows of other counters."""
    for half in _HALF.split(line):
        operation = DIRECTIONS.get(half[:2])
        for word, count, size, unit in _PAIR.findall(half) if operation else ():
            if word not in NAMES:
                if float(count):
                    yield counted(name, f"{half[:2]} {word}", float(count), at)
                continue
            row = halves.setdefault(operation or "", {"operation": operation or ""})
            row |= on(at, {NAMES[word]: float(count)})
            if word == "bytes" or "line" not in row:
                row["line"] = at
            if size:
                row |= on(at, {"counter_bytes_rounded": rounded(size, unit, float(count), base)})


def _short(lines: list[str], parsed: Parsed) -> list[Row]:
    samples: list[Row] = []
    heading: list[str] = []
    for at, line in enumerate(lines, 1):
        words = line.split()
        if "RX-OK" in words:
            heading = words
        elif is_prompt(line):
            heading = []
        elif heading and any(map(str.isdecimal, words)) and _NO_COUNTS not in line:
            samples += _short_interface(dict(zip(heading, words, strict=False)), at, heading, len(words), parsed)
    return samples


def _short_interface(words: dict[str, str], at: int, heading: list[str], found: int, parsed: Parsed) -> list[Row]:
    """Both directions of a line; only the flags may hold something else than a number."""
    if found != len(heading) or not all(word.isdecimal() for word in list(words.values())[1:-1]):
        parsed.incomplete(f"an interface wants {len(heading)} columns, found {found} or one that is no number", at)
        return []
    name = words[heading[0]]
    rows: list[Row] = [
        {
            "interface": name,
            "operation": operation,
            **dict(counters(words, {f"{short}-{column}": name for column, name in _SHORT.items()})),
            "line": at,
        }
        for short, operation in DIRECTIONS.items()
    ]
    overruns = counters(words, {f"{side}-OVR": f"{side} overruns" for side in DIRECTIONS})
    return rows + [counted(name, counter, value, at) for counter, value in overruns if value]
