"""What is made of each fixture when it is damaged: kept, so that a change of a parser that alters any of it is seen.

Golden tables hold what a parser makes of whole logs; most of a parser is about others. Of each fixture ``damaged.tsv``
has a few damaged forms, always the same, and a short hash of what came of each: rows, notes, wholeness, or the error.
A change that is meant is looked at (``python -m tests.parsers.damaged LOG NUMBER`` prints one), then kept by
``pytest tests/parsers/test_damaged_golden.py --update-golden``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import fixture_logs, log_id
from tests.parsers import damaged


@pytest.fixture(scope="module", autouse=True)
def kept(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    if request.config.getoption("--update-golden"):
        damaged.write()
    return damaged.kept()


@pytest.mark.parametrize("log", fixture_logs(), ids=log_id)
def test_damaged_log_gives_what_it_gave(log: Path, kept: dict[str, list[str]]) -> None:
    found = damaged.results(log)
    others = [number for number, (was, now) in enumerate(zip(kept[log_id(log)], found, strict=True)) if was != now]
    assert others == [], f"see python -m tests.parsers.damaged {log_id(log)} {others[0]}"
