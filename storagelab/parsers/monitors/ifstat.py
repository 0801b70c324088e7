"""Traffic of network interfaces as ``ifstat`` prints it: two programs of one name.

ifstat 1.1: a line with the interfaces' names, a line with two columns each (``KB/s in  KB/s out``, or ``Kbps`` with
``-b``; K is 1024), and a line a sample; ``-t`` puts a time of day before it, ``-T`` adds the column pair ``Total``.
The heading comes again after some samples; an interface that is gone has ``n/a``.

iproute2's: ``Interface  RX Pkts/Rate ...`` over two lines an interface, each of eight numbers with suffixes of powers
of 1000: what was counted since the last call (the history file), and its rate; or JSON (ifstat_iproute2.py).

No date is printed: `time` counts from the first sample, and is missing without ``-t``. There is no end mark.
"""

from __future__ import annotations

import re

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.monitors import ifstat_iproute2
from storagelab.parsers.monitors.clock import Clock
from storagelab.parsers.monitors.snapshot import ends_table, first_words, prose_behind_tables, whole_lines
from storagelab.parsers.text import number
from storagelab.units import BIT, KIB

FORMAT = Format(
    "ifstat",
    "ifstat",
    "ifstat 1.1; iproute2",
    "traffic of interfaces",
    "ifstat(1), iproute2 misc/ifstat.c",
    marks=("KB in out", "Kbps in out", "Pkts", "rx packets tx bytes"),
    forms=(
        ("KB/s in  KB/s out", "Kbps in  Kbps out"),
        ("RX Pkts/Rate",),
        ('"rx_packets"',),
    ),
    in_paragraphs=True,
    in_scripts=True,
    prefixes=("stamped", "numbered"),
)

_PAIR = re.compile(r"(KB/s|Kbps) in +\1 out")
_FACTORS = {"KB/s": KIB, "Kbps": KIB * BIT}


def sniff(head: str) -> bool:
    """Whether a heading of one of the two programs stands here, or JSON of iproute2's."""
    if "KB/s in  KB/s out" in head or "Kbps in  Kbps out" in head or "RX Pkts/Rate" in head:
        return True
    return '"rx_packets"' in head and ifstat_iproute2.is_object(head)


def parse(text: str) -> Parsed:
    """Read every sample into `series`: a row an interface and direction.

    Raises
    ------
    ParseError
        If no sample stands under a heading.
    """
    parsed = Parsed({"tool": "ifstat"})
    if ifstat_iproute2.is_object(text) and "RX Pkts/Rate" not in text:
        samples = ifstat_iproute2.read_json(text, parsed)
    else:
        lines = whole_lines(text, parsed)
        samples = ifstat_iproute2.read(lines, parsed) if "RX Pkts/Rate" in text else _read(lines, parsed)
    if not samples:
        raise ParseError("a sample under 'KB/s in  KB/s out' or 'RX Pkts/Rate'", *first_words(text))
    parsed.series = columns(samples)
    return parsed


def _read(lines: list[str], parsed: Parsed) -> list[Row]:
    samples: list[Row] = []
    names: list[str] = []
    units: list[str] = []
    clock, prose = Clock(), prose_behind_tables(lines)
    for at, line in enumerate(lines, 1):
        if _PAIR.search(line):
            names, units = _names(line, lines[at - 2] if at > 1 else ""), _PAIR.findall(line)
            timed = "HH:MM:SS" in line.upper()
        elif units and not ends_table(line) and not (at < len(lines) and _PAIR.search(lines[at])):
            rows = _sample(line.split(), names, units, timed, clock)
            samples += [{**row, "line": at} for row in rows or ()]
            if rows is None and at in prose:
                parsed.note("not a line of ifstat", at)
            elif rows is None:
                parsed.incomplete(f"a sample wants {len(units)} pairs of numbers", at)
    if units and len(names) != len(units):
        parsed.incomplete(f"{len(units)} pairs of columns, but {len(names)} names of interfaces", 1)
    return samples


def _names(heading: str, line: str) -> list[str]:
    """Names of the interfaces: the words above the pairs, or what is centred above each where a name has blanks."""
    words = line.split()[1 if "HH:MM:SS" in heading.upper() else 0 :]
    pairs = list(_PAIR.finditer(heading))
    if len(words) == len(pairs):
        return words
    return [line[pair.start() : pair.end()].strip() for pair in pairs if line[pair.start() : pair.end()].strip()]


def _sample(words: list[str], names: list[str], units: list[str], timed: bool, clock: Clock) -> list[Row] | None:
    """Both directions of each interface, or None where the line is no sample."""
    time: Row = {"time": clock.seconds(words[0])} if timed else {}
    values = words[1:] if timed else words
    if len(values) != 2 * len(units) or len(names) != len(units) or any(t != t for t in time.values()):
        return None
    try:
        rates = [number(value) if value != "n/a" else None for value in values]
    except ValueError:
        return None
    return [
        {**time, "operation": operation, "interface": _interface(names[at // 2]), "throughput": rate * _FACTORS[unit]}
        for at, (rate, operation) in enumerate(zip(rates, ("receive", "transmit") * len(names), strict=True))
        if rate is not None and (unit := units[at // 2])
    ]


def _interface(name: str) -> str:
    return "all" if name == "Total" else name
