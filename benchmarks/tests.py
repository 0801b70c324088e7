"""``python -m benchmarks.tests``: run the tests in one process and print where the CPU time goes, folder by folder.

What follows is handed to pytest: ``python -m benchmarks.tests -m "not slow"``. CPU seconds are those of the process
and of the programs it started, also of those that still run: nobody waits for the parts of a browser. What collecting
takes (every worker does it) has a line of its own, and what a shared fixture takes is on the account of the first test
that asks for it.

``python -m benchmarks.tests --write`` also writes tests/costly.tsv, by which ``make quick`` leaves out what costs much.
Where only some tests are asked for, the lines of all others stay.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from operator import itemgetter
from pathlib import Path

import pytest

from benchmarks.measure import table
from tests import costs

DEAR = 400
WRITE = "--write"
TICKS = os.sysconf("SC_CLK_TCK")


def cpu() -> float:
    """CPU seconds of this process, of those that it waited for, and of all below it that still run."""
    return sum(os.times()[:4]) + sum(map(used, below(os.getpid())))


def below(process: int) -> Iterator[int]:
    """Go through what a process started, and what that started; nothing where the system does not tell."""
    with suppress(OSError):
        for child in map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()):
            yield child
            yield from below(child)


def used(process: int) -> float:
    """CPU seconds of a process and of those that it waited for; none of one that is gone."""
    with suppress(OSError):
        return sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15])) / TICKS
    return 0.0


class Ledger:
    """A pytest plugin that writes down what each test costs."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.cases: Counter[str] = Counter()
        self.collecting = 0.0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collecting = cpu()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before = cpu()
        done = yield
        test = costs.function(item.nodeid)
        self.seconds[test] += max(0.0, cpu() - before)  # less where a browser ended, whose parts nobody waited for
        self.cases[test] += 1
        return done

    def rows(self, room: Callable[[str], str]) -> list[list[str]]:
        """Cases and CPU seconds of each room, the dearest first."""
        seconds: defaultdict[str, float] = defaultdict(float)
        cases: Counter[str] = Counter()
        for test, spent in self.seconds.items():
            seconds[room(test)] += spent
            cases[room(test)] += self.cases[test]
        dearest = sorted(seconds.items(), key=itemgetter(1), reverse=True)
        return [[f"`{name}`", f"{cases[name]:,}", f"{spent:.1f}"] for name, spent in dearest]


def folder(test: str) -> str:
    """Folder of a test below tests/, or its file where it lies in none."""
    parts = test.partition("::")[0].split("/")
    return "/".join(parts[:2])


def write_down(seconds: Mapping[str, float], *, some: bool) -> None:
    """Write the list of what costs much; a run of some tests says nothing of the others."""
    costs.write({**(costs.costly() if some else {}), **seconds})
    print(f"{costs.LIST}: {len(costs.costly())} tests")


def main() -> int:
    asked = [word for word in sys.argv[1:] if word != WRITE]
    ledger = Ledger()
    status = pytest.main(["-q", "-p", "no:xdist", *asked], plugins=[ledger])
    total = ["all", f"{sum(ledger.cases.values()):,}", f"{ledger.collecting + sum(ledger.seconds.values()):.1f}"]
    folders = [["collecting", "", f"{ledger.collecting:.1f}"], *ledger.rows(folder), total]
    print()
    print(table(["folder", "cases", "CPU seconds"], folders))
    print(table(["dearest tests", "cases", "CPU seconds"], ledger.rows(str)[:DEAR]))
    if WRITE in sys.argv and status == pytest.ExitCode.OK:
        write_down(ledger.seconds, some=bool(asked))
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
