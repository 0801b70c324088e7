"""What a row says stands on the line that is said for it: in each format, and all the way to a paper."""

from __future__ import annotations

from collections import Counter

import pytest

from storagelab import schema
from storagelab.parsers import Row, values_on_several_lines
from tests import value_lines
from tests.conftest import LOGS, fixture_logs

FORMATS = sorted(folder.name for folder in LOGS.iterdir())


@pytest.mark.parametrize("folder", FORMATS)
def test_what_a_row_says_stands_on_its_line(folder: str) -> None:
    found = Counter((format, name) for log in fixture_logs(folder) for format, name, _, _ in value_lines.missing(log))
    formats = {format for format, _ in found} | {folder.replace("_", "-")}
    kept = {cell: count for cell, count in value_lines.kept().items() if cell[0] in formats}
    assert value_lines.differing(found, kept) == []


def test_the_table_is_read_as_it_was_written() -> None:
    assert value_lines.written(value_lines.kept()) == value_lines.KEPT.read_text()


def test_what_rises_and_what_falls_is_told() -> None:
    kept = {("toy", "latency"): 1, ("toy", "elapsed"): 2}
    assert value_lines.differing({("toy", "latency"): 2, ("toy", "elapsed"): 1}, kept) == [
        "toy: 1 values of elapsed are not on their lines, 2 are kept: run python -m tests.value_lines --write",
        "toy: 2 values of latency are not on their lines, 1 may be",
    ]


LINES = [
    "Run status",
    "bw=74.4MiB/s (78.0MB/s), iops=19.0k",
    "  lat (usec): min=3, avg=51.60",
    "real 1m2.5s",
    "cpu: usr=1.06%, sys=34.53%",
]


@pytest.mark.parametrize(
    ("row", "names"),
    [
        ({"throughput": 74.4 * 2**20, "operation_rate": 19e3, "line": 2}, set()),
        ({"throughput": 74.4 * 2**20, "latency": 51.6e-6, "line": 2}, {"latency"}),
        ({"throughput": 74.4 * 2**20, "latency": 51.6e-6, "latency_line": 3, "line": 2}, set()),
        ({"elapsed": 62.5, "elapsed_line": 4, "line": 1}, set()),
        ({"elapsed": 62.5, "elapsed_line": 3, "line": 1}, {"elapsed"}),
        ({"latency": 0.7, "latency_line": schema.COMPUTED, "line": 1}, set()),
        ({"latency": 0.7, "latency_line": 9, "line": 1}, {"latency"}),
        ({"latency": 51.6e-6, "latency_line": 3, "line": 3}, {"latency_line"}),
        ({"latency_line": 3, "line": 2}, {"latency_line"}),
        ({"cpu_utilisation": 0.3559, "line": 5}, set()),
        ({"cpu_utilisation": 0.36, "line": 5}, {"cpu_utilisation"}),
        ({"elapsed_balance": 0.3559, "line": 5}, {"elapsed_balance"}),
        ({"processes": 4.0, "operation": "read", "start_time": 1.0, "line": 1}, {"processes"}),
    ],
)
def test_a_value_is_looked_for_on_its_line_alone(row: Row, names: set[str]) -> None:
    assert {name for name, _, _ in value_lines.not_on_their_lines(row, LINES)} == names


def test_lines_that_a_row_keeps_are_of_its_values_and_not_its_own() -> None:
    row = {"latency": 0.1, "latency_line": 7, "elapsed": 2.0, "elapsed_line": 9, "throughput_line": 9, "line": 7}
    assert values_on_several_lines.settled(row) == {"latency": 0.1, "elapsed": 2.0, "elapsed_line": 9, "line": 7}


def test_lines_by_the_names_of_a_tool_are_those_of_the_values_that_a_row_has() -> None:
    names = {"lat": "latency", "runtime": "elapsed", "bw": "throughput"}
    lines = {"lat": 3, "runtime": None, "bw": 5}
    assert values_on_several_lines.of_names(names, lines, ["latency", "elapsed"]) == {"latency_line": 3}


def test_what_was_computed_stands_on_no_line() -> None:
    assert values_on_several_lines.computed({"throughput": 4.0, "operation": "read"}) == {
        "throughput": 4.0, "throughput_line": schema.COMPUTED, "operation": "read",
    }  # fmt: skip
