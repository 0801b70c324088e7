"""What every test may use."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from storagelab import pinned_environment, schema
from tests import costs, left_behind, once, times, warm

ROOT = Path(__file__).parent.parent
LOGS = Path(__file__).parent / "logs"
SHARED = Path(os.environ.get("STORAGELAB_SHARED", ROOT.parent / "shared"))

settings.register_profile("seeded", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("random", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("seeded")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden tables anew instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is collected: what is collected stays, and is a million objects
    left_behind.adopt_orphans()
    if not hasattr(config, "workerinput"):
        once.open_folder()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        warm.stop()
        once.remove_folder()


FEW = 6
"""Cases of a test that costs most, of more than which seven in eight are slow, unless it says itself which are."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let forks and the longest start first, mark what costs much, and as slow most cases of what costs most."""
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("forks", "longest")])
    dear = costs.costly()
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if (test := costs.function(item.nodeid)) in dear:
            cases.setdefault(test, []).append(item)
    for test, of_one in cases.items():
        says_itself = any(item.get_closest_marker("slow") for item in of_one)
        thinned = len(of_one) > FEW and dear[test] >= costs.MOST and not says_itself
        for at, item in enumerate(of_one):
            item.add_marker("slow" if thinned and at % 8 else "costly")


def pytest_collection_finish() -> None:
    """What was imported and collected stays: the garbage collector need not go through it again and again."""
    gc.freeze()
    gc.set_threshold(*pinned_environment.FEW_COLLECTIONS)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the time went, where it was long."""
    reports = (one for some in terminalreporter.stats.values() for one in some if isinstance(one, pytest.TestReport))
    for line in times.summary(times.spent(reports)):
        terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def nothing_of_another_test() -> Iterator[None]:
    """Keys that a test declared are known to no other, and what it starts ends with it."""
    before = left_behind.children()
    yield
    schema.OWN.forget()
    assert [*left_behind.outliving(before)] == []


@pytest.fixture(scope="session")
def quick(pytestconfig: pytest.Config) -> bool:
    """Whether the slow tests are left out: then a test that tries every place of something tries a few."""
    return "not slow" in str(pytestconfig.option.markexpr)


def fixture_logs(*formats: str) -> list[Path]:
    """Every fixture log below tests/logs, or those of some formats: all files but the golden tables."""
    folders = [LOGS / name for name in formats] if formats else sorted(LOGS.iterdir())
    return [log for folder in folders for log in sorted(folder.iterdir()) if not log.name.endswith(".golden.jsonl")]


def log_id(log: Path) -> str:
    return f"{log.parent.name}/{log.name}"
