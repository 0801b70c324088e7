"""Which tests cost much: ``python -m tests.costs LOG`` writes them down, from what ``pytest --durations=0`` printed.

`make quick` leaves them out; of those that cost most and have many cases, most are slow. The numbers are seconds of one
machine, two tests at a time.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

LIST = Path(__file__).parent / "costly.tsv"
MUCH = 0.2
"""Seconds that all cases of a test take together, from which on it is one that costs much."""
MOST = 1.0
"""The same, from which on most cases of a test that has many are slow."""

_TOOK = re.compile(r"([\d.]+)s (?:call|setup|teardown) +([^\s\[]+)")


def function(nodeid: str) -> str:
    """Name of a test without its case."""
    return nodeid.partition("[")[0]


def costly() -> dict[str, float]:
    """Seconds of the tests that are written down."""
    lines = (line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines())
    return {test: float(seconds) for test, seconds in lines}


def read(log: str) -> Counter[str]:
    """Seconds of each test, all cases together; shared fixtures are on the account of the first that asks for them."""
    found: Counter[str] = Counter()
    for seconds, nodeid in _TOOK.findall(log):
        found[function(nodeid)] += float(seconds)  # type: ignore[assignment]
    return found


def main() -> None:
    seconds = read(Path(sys.argv[1]).read_text(encoding="utf-8"))
    lines = [f"{test}\t{took:.1f}\n" for test, took in sorted(seconds.items()) if took >= MUCH]
    LIST.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{LIST}: {len(lines)} tests\n")


if __name__ == "__main__":
    main()
