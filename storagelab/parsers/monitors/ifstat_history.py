"""The table of iproute2's ``ifstat``: two lines an interface, pairs of a count and its rate (or of two counts)."""

from __future__ import annotations

import re

from storagelab.parsers.model import Parsed, Row
from storagelab.units import KB, powers

_NUMBER = re.compile(r"(\d+)([KMG]?)")
_FACTORS = powers(KB, "KMG")
_OPERATIONS = ("receive", "transmit")
_PACKETS = ("packets_received", "packets_sent")


def read(lines: list[str], parsed: Parsed) -> list[Row]:
    """Rows of every interface: what was counted since the last call and its rate, a row a direction."""
    samples: list[Row] = []
    interface = ""
    first = next((at for at, line in enumerate(lines, 1) if "/Rate" in line), 1)
    for at, line in enumerate(lines, 1):
        words = line.split()
        if at < first or not words or line.startswith("#") or "/Rate" in line:
            continue
        name, values = ("", words) if line[0].isspace() else (words[0], words[1:])
        numbers = _numbers(values)
        if len(numbers) != 8 or not (name or interface):
            parsed.incomplete(f"a line of an interface wants 8 numbers, found {line.strip()!r}", at)
        elif name:
            samples += _traffic(name, numbers, at)
        else:
            _add_errors(samples[-2:], numbers)
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


def _add_errors(rows: list[Row], numbers: list[float]) -> None:
    """Errors of each direction, from the interface's second line."""
    for side, row in enumerate(rows):
        row["errors"] = numbers[2 * side]
