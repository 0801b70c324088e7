"""What is made of each fixture when it is damaged: kept, so that a change of a parser that alters any of it is seen.

Golden tables hold what a parser makes of whole logs; most of a parser is about others. Of each fixture ``damaged.tsv``
has a few damaged forms, always the same, and a short hash of what came of each: rows, notes, wholeness, or the error;
and of some fixtures others in which a parser does what it does for no whole log (``python -m tests.parsers.choose``
looks for them).
A change that is meant is looked at (``python -m tests.parsers.damaged LOG NUMBER`` prints one), then kept by
``pytest tests/parsers/test_damaged_golden.py --update-golden``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.conftest import fixture_logs, log_id
from tests.parsers import damaged
from tests.parsers.damaged import Kept


@pytest.fixture(scope="module", autouse=True)
def kept(request: pytest.FixtureRequest) -> Kept:
    if request.config.getoption("--update-golden"):
        damaged.write()
    return damaged.kept()


def changed(log: Path, was: Mapping[int, str]) -> list[str]:
    """How to see each form of which something else is made than was."""
    found = damaged.results(log, was).items()
    return [f"python -m tests.parsers.damaged {log_id(log)} {number}" for number, made in found if made != was[number]]


FORMATS = sorted({log.parent.name for log in fixture_logs()})
QUICK, OTHERS = 0, 1
CASES = [
    *(pytest.param(fixture_logs(format), QUICK, id=format) for format in FORMATS),
    *(pytest.param([log], OTHERS, id=log_id(log), marks=pytest.mark.slow) for log in fixture_logs()),
]


@pytest.mark.parametrize(("logs", "which"), CASES)
def test_damaged_log_gives_what_it_gave(logs: Sequence[Path], which: int, kept: Kept) -> None:
    assert [one for log in logs for one in changed(log, kept[log_id(log)][which])] == []


def test_the_first_forms_of_each_fixture_are_kept(kept: Kept) -> None:
    assert list(kept) == [log_id(log) for log in fixture_logs()]
    first = set(range(damaged.FIRST))
    assert [log for log, (quick, others) in kept.items() if not first <= {*quick, *others}] == []
