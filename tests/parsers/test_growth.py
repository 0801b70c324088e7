"""Reading a log takes work and memory in proportion to its size, in every format: counted, not timed.

A fixture is made longer in four ways: repeated as a whole, the same without its empty lines, by its longest run of
lines that are alike, and by the longest list of its JSON. Work is counted in lines of Python and in calls; what a
regular expression does inside one is held by `tests.patterns`. A log that is refused must be refused in linear work
too. How often a log is read, with and without what it may be wrapped in, is bounded by
`storagelab.parsers.wrapping.unwrapping`.
"""

from __future__ import annotations

import itertools
import json
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.reading import read_by
from storagelab.testing import alike
from tests.conftest import LOGS, fixture_logs, log_id
from tests.fuzz.mutants import read
from tests.work import lines

TIMES = 4
GROWTH = 4.4
"""Four times as many lines more may take so many times the work more; a square takes sixteen times."""

SIZE = 3_000
"""Characters that the shortest of three logs has at least."""

SHORTEST = 100
"""Fixtures of fewer bytes hold no report."""

ONCE_A_SQUARE = (
    "warp/imitated-0.1-hosts.txt",
    "xrdcp/checksum.txt",
    "mpstat/imitated-solaris-a.txt",
    "iperf3/imitated-3.0-udp-end-alone.json",
)

LARGEST = 20_000
"""Fixtures that are larger are left to others of their format."""

BYTES = 200
"""Bytes of memory at the peak for each byte of a log: rows are dictionaries until they become columns."""

ONCE = 2_000_000
"""Bytes that are not the log's: tables that are filled when they are first asked."""

FORMATS = sorted(path.name for path in LOGS.iterdir())


def as_a_whole(text: str, times: int) -> str:
    """Repeat a log."""
    return (text if text.endswith("\n") else f"{text}\n") * times


def without_empty_lines(text: str, times: int) -> str:
    """Repeat a log whose empty lines are lost, as pages and mails lose them; one without any stays as it is."""
    lines = text.removesuffix("\n").split("\n")
    return text if all(map(str.strip, lines)) else as_a_whole("\n".join(filter(str.strip, lines)), times)


def by_rows(text: str, times: int) -> str:
    """Repeat the longest run of lines that are alike, block by block."""
    found = text.split("\n")
    runs, at = [], 0
    for kind, run in itertools.groupby(found, alike):
        size = len(list(run))
        runs.append((size if kind else 0, at))
        at += size
    size, start = max(runs)
    return "\n".join([*found[:start], *found[start : start + size] * times, *found[start + size :]])


def by_list(text: str, times: int) -> str:
    """Repeat the items of the longest list of a JSON document; any other text stays as it is."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    longest = max(_lists(document), key=len, default=[])
    longest[:] = longest * times
    return json.dumps(document, indent=1)


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _lists(part)


WAYS: dict[str, Callable[[str, int], str]] = {
    way.__name__: way for way in (as_a_whole, without_empty_lines, by_rows, by_list)
}


def fixture(format: str) -> Path:
    """Return the largest fixture of a format that is not too large."""
    logs = sorted(fixture_logs(format), key=lambda log: log.stat().st_size)
    return next((log for log in reversed(logs) if log.stat().st_size <= LARGEST), logs[0])


def longer(text: str, way: Callable[[str, int], str]) -> list[str]:
    """Return a text made longer, four and sixteen times as much longer; none where this way makes nothing longer."""
    times = 1
    while len(way(text, times)) < SIZE and times < SIZE:
        times *= 2
    made = [way(text, times * more) for more in (1, TIMES, TIMES**2)]
    return made if len(made[-1]) > TIMES * len(made[0]) else []


def growth(work: Sequence[int], sizes: Sequence[int]) -> float:
    """Return how many times the work four times the addition takes: what stands at the head of a log is left out."""
    first, second = ((work[at + 1] - work[at]) / (sizes[at + 1] - sizes[at]) for at in (0, 1))
    return TIMES * second / first if second > 0 else 0.0


def reading(log: Path, text: str) -> Callable[[], object]:
    """Return what reads a text as the log of a format, or has it refused."""

    def reads() -> object:
        try:
            return read_by(parsers.by_name(log.parent.name.replace("_", "-")), text)
        except ParseError as error:
            return error

    return reads


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", FORMATS)
def test_work_grows_no_faster_than_the_log(format: str, way: str) -> None:
    log = fixture(format)
    if made := longer(read(log), WAYS[way]):
        check_growth(log, made)


def check_growth(log: Path, made: Sequence[str]) -> None:
    """The work of reading a log made longer is in proportion to its size."""
    for text in made:  # what is imported, or worked out once for the names of its rows, is not counted
        reading(log, text)()
    work = [lines(reading(log, text)) for text in made]
    assert growth(work, [*map(len, made)]) <= GROWTH, f"{work} lines of Python, and calls"


def short_logs() -> list[Path]:
    """Return the shortest fixture of each format that may hold a report, and those that once took a square.

    But for what is the only one of its format: that is made longer above.
    """
    logs = sorted(fixture_logs(), key=lambda log: (log.stat().st_size, log.name))
    shortest = {log.parent.name: log for log in reversed(logs) if log.stat().st_size >= SHORTEST}
    others = {log for format, log in shortest.items() if log != fixture(format)}
    return sorted({*others, *(LOGS / name for name in ONCE_A_SQUARE)})


@pytest.mark.slow
@pytest.mark.parametrize("log", short_logs(), ids=log_id)
def test_work_grows_no_faster_than_the_number_of_reports(log: Path) -> None:
    check_growth(log, longer(read(log), as_a_whole))


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_memory_is_bounded_by_a_factor_of_the_log(format: str) -> None:
    log = fixture(format)
    long = as_a_whole(read(log), 1 + 8 * SIZE // max(len(read(log)), 1))
    reading(log, long)()
    tracemalloc.start()
    try:
        reading(log, long)()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= ONCE + BYTES * len(long), f"{peak / len(long):.0f} bytes of memory a byte of the log"


def test_growth_is_seen() -> None:
    def square(size: int) -> Callable[[], object]:
        return lambda: [one + other for one in range(size) for other in range(size)]

    def line(size: int) -> Callable[[], object]:
        def run() -> None:
            for _ in range(size):
                len("")

        return run

    sizes = [10, 40, 160]
    assert growth([lines(square(size)) for size in sizes], sizes) > 3 * GROWTH
    assert growth([lines(line(size)) for size in sizes], sizes) <= GROWTH


def test_ways_make_logs_longer() -> None:
    text = "head\nrow 1\nrow 2\nrow 3\nend\n"
    assert as_a_whole("a", 2) == "a\na\n"
    assert without_empty_lines("a\n\n \nb\n", 2) == "a\nb\na\nb\n"
    assert by_rows(text, 2) == "head\nrow 1\nrow 2\nrow 3\nrow 1\nrow 2\nrow 3\nend\n"
    assert json.loads(by_list('{"a": [1], "b": {"c": [1, 2]}}', 2)) == {"a": [1], "b": {"c": [1, 2, 1, 2]}}
    assert by_list(text, 2) == without_empty_lines(text, 2) == text
