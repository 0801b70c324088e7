"""The list of dear tests is written by the benchmark and read by every run of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import tests as benchmark
from tests import costs
from tests.conftest import ROOT


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(costs, "LIST", tmp_path / "costly.tsv")
    costs.write({"tests/b.py::test_dear": 2.04, "tests/a.py::test_dear": 0.3, "tests/a.py::test_cheap": 0.19})
    return costs.LIST


def test_what_costs_much_is_written_by_name_and_read(written: Path) -> None:
    assert written.read_text() == "tests/a.py::test_dear\t0.3\ntests/b.py::test_dear\t2.0\n"
    assert costs.costly() == {"tests/a.py::test_dear": 0.3, "tests/b.py::test_dear": 2.0}


def test_a_run_of_some_tests_leaves_the_lines_of_others(written: Path) -> None:
    benchmark.write_down({"tests/a.py::test_dear": 0.1, "tests/c.py::test_new": 7.0}, some=True)
    assert costs.costly() == {"tests/b.py::test_dear": 2.0, "tests/c.py::test_new": 7.0}
    benchmark.write_down({"tests/c.py::test_new": 7.0}, some=False)
    assert costs.costly() == {"tests/c.py::test_new": 7.0}


def test_what_is_on_the_list_is_a_test() -> None:
    assert [test for test in costs.costly() if not _is_there(*test.split("::"))] == []


def _is_there(file: str, *names: str) -> bool:
    path = ROOT / file
    return path.exists() and f"def {names[-1]}(" in path.read_text(encoding="utf-8")
