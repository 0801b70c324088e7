"""A long run says where its time went; a short one says nothing."""

from __future__ import annotations

from typing import Literal

import pytest

from tests import times


def report(nodeid: str, when: Literal["setup", "call"], duration: float) -> pytest.TestReport:
    return pytest.TestReport(nodeid, (nodeid, 1, ""), {}, "passed", None, when, duration=duration)


def test_cases_and_fixtures_of_a_test_are_added_up() -> None:
    reports = [
        report("tests/a/test_b.py::test_c[1]", "setup", 1.0),
        report("tests/a/test_b.py::test_c[2]", "call", 2.0),
    ]
    assert times.spent(reports) == {"tests/a/test_b.py::test_c": 3.0}


def test_the_dearest_come_first_by_folder_and_by_test() -> None:
    seconds = {
        "tests/a/b/c/test_d.py::test_e": 50.0,
        "tests/a/b/test_f.py::test_g": 1.0,
        "tests/test_h.py::i": 9.0,
        "tests/j/test_k.py::l": 0.4,
    }
    assert list(times.summary(seconds)) == [
        "seconds by folder, of 60 of all workers:",
        "   51.0 tests/a/b",
        "    9.0 tests",
        "seconds by test, of 60 of all workers:",
        "   50.0 tests/a/b/c/test_d.py::test_e",
        "    9.0 tests/test_h.py::i",
        "    1.0 tests/a/b/test_f.py::test_g",
    ]


def test_a_short_run_says_nothing() -> None:
    assert list(times.summary({"tests/test_h.py::i": times.LONG / 2})) == []
