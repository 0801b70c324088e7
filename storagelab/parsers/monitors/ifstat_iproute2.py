"""What iproute2's ``ifstat`` counted since its last call: a table, or with ``-j`` an object of interfaces.

The table has two lines an interface, pairs of a count and its rate (or of two counts), with ``-e`` five: each as the
line of the heading at its place says. The object, under where its counters come from (``kernel``), has no rates.
Counters without a name in the contract are rows with `metric`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from storagelab.errors import ParseError
from storagelab.parsers.json_text import Lines, line_within, mapping, objects, quantity
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.snapshot import ends_table, prose_behind_tables
from storagelab.parsers.values_on_several_lines import of_names, on, settled
from storagelab.units import KB, powers

_NUMBER = re.compile(r"(\d+)([KMG]?)")
_FACTORS = powers(KB, "KMG")
_SIDES = {"receive": "rx", "transmit": "tx"}
_OPERATIONS = tuple(_SIDES)
_PACKETS = ("packets_received", "packets_sent")
_OBJECT = re.compile(r'\{\s*"rx_packets"\s*:\s*\d+\s*,\s*"tx_packets"\s*:')
_PAIR = re.compile(r"([RT]X) (\w+)/(\w+)")
_COLUMNS = re.compile(r"\s*\S[^\n]{0,99}?Interface +RX Pkts/Rate")
_ERRORS = "RX Errs/Drop TX Errs/Drop RX Over/Rate TX Coll/Rate"


def is_object(text: str) -> bool:
    """Whether counters of an interface stand here as ``ifstat -j`` writes them."""
    return _OBJECT.search(text) is not None


def read_json(text: str, parsed: Parsed) -> list[Row]:
    """Rows of every interface of the objects."""
    samples: list[Row] = []
    for found in objects(text):
        if not found.whole:
            parsed.incomplete("the JSON breaks off or is damaged", found.line)
        lines = Lines(text, found.start, found.line)
        for counters in found.body.values():
            for interface, counted in mapping(counters).items():
                samples += _counted(interface, mapping(counted), lines)
    return samples


def _counted(interface: str, counted: Mapping[str, Any], lines: Lines) -> Iterator[Row]:
    """A row a direction, and one for each other counter."""
    tree = lines.next_object(interface, counted)
    values = {name: value for name in counted if (value := quantity(counted, name)) is not None}
    for side, (operation, letters) in enumerate(_SIDES.items()):
        names = {f"{letters}_packets": _PACKETS[side], f"{letters}_bytes": "data_size", f"{letters}_errors": "errors"}
        row: Row = {names[name]: values.pop(name) for name in names if name in values}
        if row:
            keys: Row = {"operation": operation, "interface": interface}
            line = line_within(tree, f"{letters}_bytes")
            yield settled(keys | row | of_names(names, tree, row) | {"line": line})
    for name, value in values.items():
        yield _metric(interface, name, value, line_within(tree, name))


def read(lines: list[str], parsed: Parsed) -> list[Row]:
    """Rows of every interface: what was counted since the last call and its rate, a row a direction.

    Raises
    ------
    ParseError
        If something stands before the columns, and so before every line: it would be taken for names of interfaces.
    """
    samples: list[Row] = []
    traffic: list[Row] = []
    below = [pairs for line in lines if (pairs := _PAIR.findall(line)) and "RX Pkts" not in line][:4] or [
        _PAIR.findall(_ERRORS)
    ]
    interface, place = "", 0
    first = next((at for at, line in enumerate(lines, 1) if "/Rate" in line), 1)
    prose = prose_behind_tables(lines)
    for at, line in enumerate(lines, 1):
        words = line.split()
        if _COLUMNS.match(line):
            raise ParseError("'Interface' where its line begins", line, at)
        if at < first or line.startswith("#") or "/Rate" in line or ends_table(line):
            continue
        if at in prose and samples:
            parsed.note("not a line of ifstat", at)
            continue
        name, values = ("", words) if line[0].isspace() else (words[0], words[1:])
        numbers = _numbers(values)
        place = 0 if name else place + 1
        if len(numbers) != 8 or not (name or interface) or place > len(below):
            parsed.incomplete(f"a line of an interface wants 8 numbers, found {line.strip()!r}", at)
            name = ""
        elif name:
            traffic = _traffic(name, numbers, at)
            samples += traffic
        else:
            samples += _errors(traffic, below[place - 1], numbers, at)
            name = interface
        interface = name
    return samples


def _numbers(words: list[str]) -> list[float]:
    matches = [_NUMBER.fullmatch(word) for word in words]
    return [float(match[1]) * _FACTORS[match[2]] for match in matches if match] if all(matches) else []


def _traffic(interface: str, numbers: list[float], at: int) -> list[Row]:
    """Packets and bytes, counted and a second."""
    return [
        {
            "operation": operation,
            "interface": interface,
            _PACKETS[side]: numbers[2 * side],
            "packet_rate": numbers[2 * side + 1],
            "data_size": numbers[4 + 2 * side],
            "throughput": numbers[5 + 2 * side],
            "line": at,
        }
        for side, operation in enumerate(_OPERATIONS)
    ]


def _errors(traffic: list[Row], pairs: list[tuple[str, str, str]], numbers: list[float], at: int) -> Iterator[Row]:
    """Give the errors of a line to their direction, and every other counter and rate a row."""
    for place, (side, what, beside) in enumerate(pairs[:4]):
        row = traffic[side == "TX"]
        names = {2 * place: f"{side} {what}", 2 * place + 1: f"{side} {beside if beside != 'Rate' else f'{what}/Rate'}"}
        if what == "Errs":
            row |= on(at, {"errors": numbers[2 * place]})
            del names[2 * place]
        for index, name in names.items():
            yield _metric(str(row["interface"]), name, numbers[index], at)


def _metric(interface: str, name: str, value: float, at: int) -> Row:
    side = next((operation for operation, letters in _SIDES.items() if name.lower().startswith(letters)), "")
    unit = "1/s" if name.endswith("/Rate") else "1"
    return {"operation": side, "interface": interface, "metric": name, "value": value, "unit": unit, "line": at}
