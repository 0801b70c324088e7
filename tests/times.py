"""Where the time of a long run goes, by folder and by test: printed at its end, so that a slow one is seen in CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

import pytest

from tests.costs import function

LONG = 60.0
"""Seconds from which on a run says where they went."""
SHOWN = 20
"""Folders and tests that are shown at most."""
LEAST = 1.0
"""Seconds of those that are shown."""


def spent(reports: Iterable[pytest.TestReport]) -> Counter[str]:
    """Seconds of each test, all its cases and their fixtures together."""
    seconds: Counter[str] = Counter()
    for report in reports:
        seconds[function(report.nodeid)] += report.duration
    return seconds


def folder(test: str) -> str:
    """Folder of a test: two levels, where parsers and analyses have one for each family."""
    return str(PurePosixPath(*PurePosixPath(test.partition("::")[0]).parent.parts[:3]))


def summary(seconds: Counter[str]) -> Iterator[str]:
    """Say what took longest, in seconds of all workers together."""
    whole = sum(seconds.values())
    if whole < LONG:
        return
    for heading, name in {"folder": folder, "test": str}.items():
        yield f"seconds by {heading}, of {whole:.0f} of all workers:"
        longest = _together(seconds, name).most_common(SHOWN)
        yield from (f"{took:7.1f} {one}" for one, took in longest if took >= LEAST)


def _together(seconds: Counter[str], name: Callable[[str], str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for test, took in seconds.items():
        found[name(test)] += took
    return found
