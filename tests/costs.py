"""Which tests cost much: ``python -m benchmarks.tests --write`` writes them down.

`make quick` leaves them out; of those that cost most and have many cases, most are slow. The numbers are CPU seconds of
one machine, all tests in one process, with those of the programs that they start.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

LIST = Path(__file__).parent / "costly.tsv"
MUCH = 0.2
"""Seconds that all cases of a test take together, from which on it is one that costs much."""
MOST = 1.0
"""The same, from which on most cases of a test that has many are slow."""


def function(nodeid: str) -> str:
    """Name of a test without its case."""
    return nodeid.partition("[")[0]


def costly() -> dict[str, float]:
    """Seconds of the tests that are written down."""
    lines = (line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines())
    return {test: float(seconds) for test, seconds in lines}


def write(seconds: Mapping[str, float]) -> None:
    """Write down the tests that cost much, by name."""
    lines = [f"{test}\t{took:.1f}\n" for test, took in sorted(seconds.items()) if took >= MUCH]
    LIST.write_text("".join(lines), encoding="utf-8")
