"""What is made of each fixture when it is damaged: kept, so that a change of a parser that alters any of it is seen.

Golden tables hold what a parser makes of whole logs; most of a parser is about others. Of each fixture ``damaged.tsv``
has a few damaged forms, always the same, and a short hash of what came of each: rows, notes, wholeness, or the error;
and of some fixtures others in which a parser does what it does in none of these (``python -m tests.parsers.choose``
looks for them).
A change that is meant is looked at (``python -m tests.parsers.damaged LOG NUMBER`` prints one), then kept by
``pytest tests/parsers/test_damaged_golden.py --update-golden``.
"""

from __future__ import annotations

from collections.abc import Mapping
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


def others(log: Path, was: Mapping[int, str]) -> list[str]:
    """How to see each form of which something else is made than was."""
    found = damaged.results(log, was).items()
    return [f"python -m tests.parsers.damaged {log_id(log)} {number}" for number, made in found if made != was[number]]


@pytest.mark.slow
@pytest.mark.parametrize("log", fixture_logs(), ids=log_id)
def test_damaged_log_gives_what_it_gave(log: Path, kept: Kept) -> None:
    assert others(log, kept[log_id(log)]) == []


@pytest.mark.parametrize("format", sorted({log.parent.name for log in fixture_logs()}))
def test_damaged_log_that_shows_something_new_gives_what_it_gave(format: str, kept: Kept) -> None:
    chosen = {log: forms_that_show_something_new(kept[log_id(log)]) for log in fixture_logs(format)}
    assert [other for log, forms in chosen.items() for other in others(log, forms)] == []


def forms_that_show_something_new(forms: Mapping[int, str]) -> dict[int, str]:
    return {number: made for number, made in forms.items() if damaged.FIRST <= number < damaged.SOON}


def test_the_first_forms_of_each_fixture_are_kept(kept: Kept) -> None:
    assert list(kept) == [log_id(log) for log in fixture_logs()]
    first = list(range(damaged.FIRST))
    assert [log for log, forms in kept.items() if list(forms)[: damaged.FIRST] != first] == []
