"""Where the time of a long run goes, by folder and by test: printed at its end, so that a slow one is seen in CI."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nlargest
from pathlib import PurePosixPath

import pytest

from tests.costs import function

LONG = 60.0
"""Seconds from which on a run says where they went."""
SHOWN = 20
"""Folders and tests that are shown at most."""
LEAST = 1.0
"""Seconds of those that are shown."""


def spent(reports: Iterable[pytest.TestReport]) -> dict[str, float]:
    """Seconds of each test, all its cases and their fixtures together."""
    return _added((function(report.nodeid), report.duration) for report in reports)


def folder(test: str) -> str:
    """Folder of a test: two levels, where parsers and analyses have one for each family."""
    return str(PurePosixPath(*PurePosixPath(test.partition("::")[0]).parent.parts[:3]))


def summary(seconds: Mapping[str, float]) -> Iterator[str]:
    """Say what took longest, in seconds of all workers together."""
    whole = sum(seconds.values())
    if whole < LONG:
        return
    names: dict[str, Callable[[str], str]] = {"folder": folder, "test": str}
    for heading, name in names.items():
        together = _added((name(test), took) for test, took in seconds.items())
        yield f"seconds by {heading}, of {whole:.0f} of all workers:"
        longest = nlargest(SHOWN, together.items(), key=lambda item: item[1])
        yield from (f"{took:7.1f} {one}" for one, took in longest if took >= LEAST)


def _added(parts: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for name, took in parts:
        found[name] += took
    return dict(found)
