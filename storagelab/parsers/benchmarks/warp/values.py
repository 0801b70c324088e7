"""What a line of warp says: latencies, sizes, counts and rates, in SI."""

from __future__ import annotations

import re

from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import GIB, KIB, MIB, TIB

OPERATIONS = {
    "PUT": "put",
    "POST": "put",
    "PUTPART": "put",
    "SNOWBALL": "put",
    "GET": "get",
    "DELETE": "delete",
    "STAT": "stat",
    "LIST": "list",
    "APPEND": "append",
    "Total": "mixed_workload",
    "MIXED": "mixed_workload",
    "Mixed": "mixed_workload",
}
"""Words of warp; other ones are "unknown", with the word as label."""
NUMBER = r"\d+(?:[.,]\d+)?"
_GO_TIME = r"(?:\d+(?:[.,]\d+)?(?:h|ms|m|s|µs|us|ns))+"
_DETAILS = (
    ("processes", re.compile(r"Concurrency: (\d+)")),
    ("nodes", re.compile(r"Hosts: (\d+)")),
    ("file_size", re.compile(r"Size: (\d+)")),
    ("operations", re.compile(r"(?:\(|total: |Operations: )(\d+)(?: reqs\)|\)|,(?!\d)| \()")),
    ("errors", re.compile(r"(?:Errors: ?|, )(\d+)(?: errors|$)")),
)
_RAN = re.compile(rf"(?:Ran|Duration|over)(?: Duration)?:? ({_GO_TIME})")
_LASTED = re.compile(rf" \(({_GO_TIME})(?:, starting|\))")
_RATES = re.compile(rf"(?:({NUMBER}) ?(B|[KMGT]i?B)/s)?(?:, )?(?:({NUMBER}) obj/s)?")
_TIME = re.compile(
    r"(Avg|Average|50%|90%|99%|99.9%|999%|25th|Median|75th|90th|99th|Fastest|Slowest|Best|Worst|StdDev): +"
    rf"({_GO_TIME})(?![^\s,)])"
)
_GO_PART = re.compile(r"(?<!\d)(\d+(?:[.,]\d+)?)(h|ms|m|s|µs|us|ns)")
BYTES = {"B": 1.0, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "KB": KIB, "MB": MIB, "GB": GIB, "TB": TIB}
_A_SECOND = {"h": 1 / 3600, "m": 1 / 60, "s": 1.0, "ms": 1e3, "µs": 1e6, "us": 1e6, "ns": 1e9}
LATENCIES = {
    "Avg": "latency",
    "50%": "latency_p50",
    "90%": "latency_p90",
    "99%": "latency_p99",
    "999%": "latency_p99_9",
    "99.9%": "latency_p99_9",
    "Fastest": "latency_min",
    "Slowest": "latency_max",
    "StdDev": "latency_std",
}
FIRST_BYTE = {
    "Avg": "first_byte_latency",
    "Average": "first_byte_latency",
    "Best": "first_byte_latency_min",
    "Worst": "first_byte_latency_max",
    "25th": "first_byte_latency_p25",
    "Median": "first_byte_latency_p50",
    "75th": "first_byte_latency_p75",
    "90th": "first_byte_latency_p90",
    "99th": "first_byte_latency_p99",
    "StdDev": "first_byte_latency_std",
}


def latencies(line: str, names: dict[str, str], known: Row, at: int) -> Row:
    """Give the latencies of a line that are not yet known."""
    found: Row = {}
    for which, printed in _TIME.findall(line):
        if which in names and names[which] not in known | found:
            found |= on(at, {names[which]: seconds(printed)})
    return found


def details(line: str, at: int) -> Row:
    """Give the counts and sizes of a line, and how long it says that a benchmark ran."""
    ran = _RAN.search(line) or _LASTED.search(line)
    return numbers_found(_DETAILS, line, at) | (on(at, {"elapsed": seconds(ran[1])}) if ran else {})


def numbers_found(patterns: tuple[tuple[str, re.Pattern[str]], ...], line: str, at: int) -> Row:
    """Give the numbers of a line that patterns find, by name."""
    return on(at, {name: float(found[1]) for name, pattern in patterns if (found := pattern.search(line))})


def seconds(printed: str) -> float:
    """Seconds of a time as Go prints it: ``34.0ms``, ``1.101s``, ``4m59.883s``."""
    return sum(number(value) / _A_SECOND[unit] for value, unit in _GO_PART.findall(printed))


def add_rates(row: Row, printed: str, suffix: str, at: int) -> bool:
    """Put bytes and objects a second into a row; tell whether there were any."""
    found = _RATES.match(printed)
    if found and found[1]:
        row |= on(at, {f"throughput{suffix}": number(found[1]) * BYTES[found[2]]})
    if found and found[3]:
        row |= on(at, {f"operation_rate{suffix}": number(found[3])})
    return bool(found and (found[1] or found[3]))
