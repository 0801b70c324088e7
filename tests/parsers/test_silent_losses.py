"""Damage that nobody is told of: each log has a limit that may only fall."""

from __future__ import annotations

import random

import pytest

from tests import silent_losses
from tests.conftest import LOGS
from tests.silent_losses import FEW, KINDS, MANY, Reading

FORMATS = sorted(folder.name for folder in LOGS.iterdir())


@pytest.mark.parametrize("format", FORMATS)
def test_no_more_silent_losses_than_before(format: str) -> None:
    assert silent_losses.risen(silent_losses.measure([format], FEW), silent_losses.kept()) == []


def test_every_whole_log_has_limits() -> None:
    logs = [silent_losses.name_of(log) for format in FORMATS for log, _ in silent_losses.whole_logs(format)]
    assert sorted({log for log, _ in silent_losses.kept()}) == sorted(logs)


def test_no_zeroed_sector_passes() -> None:
    assert [cell for cell, counts in silent_losses.kept().items() if cell[1] == "zeroed_sector" and any(counts)] == []


def test_the_table_is_read_as_it_was_written() -> None:
    table = silent_losses.kept()
    assert silent_losses.written(table) == silent_losses.LIMITS.read_text()
    assert all(few <= min(many, FEW) and many <= MANY for few, many in table.values())


def test_a_number_that_rises_is_told() -> None:
    limits = {("toy/a.log", "cut"): (1, 1), ("toy/a.log", "dropped_line"): (2, 3)}
    found = silent_losses.risen({("toy/a.log", "cut"): (2, 2), ("toy/a.log", "dropped_line"): (2, 9)}, limits)
    assert found == [f"toy/a.log, cut: 2 of the first {FEW} damages are silent, 1 may be"]


def test_a_number_that_falls_is_kept_and_one_that_rises_is_not() -> None:
    limits = {("toy/a.log", "cut"): (1, 4), ("toy/a.log", "dropped_line"): (2, 3), ("b/a.log", "cut"): (0, 0)}
    found = silent_losses.lowered({("toy/a.log", "cut"): (2, 2), ("toy/a.log", "dropped_line"): (1, 9)}, limits)
    assert found == {
        ("toy/a.log", "cut"): (1, 2),
        ("toy/a.log", "dropped_line"): (1, 3),
        ("b/a.log", "cut"): (0, 0),
    }


DATA = b"".join(b"line %d of a log with 3 numbers: %d\n" % (at, 7 * at) for at in range(100))


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_what_its_name_says_and_the_same_everywhere(kind: str) -> None:
    damaged = KINDS[kind](DATA, random.Random("seed"))
    assert damaged == KINDS[kind](DATA, random.Random("seed")) != DATA
    assert {
        "zeroed_sector": damaged.count(0) == silent_losses.SECTOR and len(damaged) == len(DATA),
        "missing_bytes": len(DATA) - len(damaged) == silent_losses.SECTOR,
        "dropped_line": damaged.count(b"\n") == DATA.count(b"\n") - 1,
        "cut": DATA.startswith(damaged),
        "changed_digit": len(damaged) == len(DATA) and sum(map(int.__ne__, damaged, DATA)) == 1,
    }[kind]


WHOLE = Reading(("rows",), frozenset({"a note"}), whole=True)


@pytest.mark.parametrize(
    ("after", "is_silent"),
    [
        (Reading(("fewer",), frozenset({"a note"}), whole=True), True),
        (Reading(("fewer",), frozenset(), whole=True), True),
        (Reading(("rows",), frozenset({"a note"}), whole=True), False),
        (Reading(("fewer",), frozenset({"a note"}), whole=False), False),
        (Reading(("fewer",), frozenset({"a note", "a line is lost"}), whole=True), False),
        (silent_losses.REFUSED, False),
    ],
)
def test_a_loss_is_silent_where_nothing_says_it(after: Reading, is_silent: bool) -> None:
    assert silent_losses.is_silent(WHOLE, after) == is_silent
