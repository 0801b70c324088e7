"""What a page holds for the points of its figures: names and units of columns, and the lines of logs behind rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from storagelab.paper import point_data, table_traces

LOGS = {"raw/x/a.log": ["one", "two \x1b[31mred", "three"], "raw/x/b.log": ["four"]}


def of(csv: str, *rows: int) -> dict[str, Any]:
    marks = "".join(f'<use x="1" y="1" data-row="{row}"/>' for row in rows)
    document: Any = SimpleNamespace(
        figures=[SimpleNamespace(data={"image/svg+xml": f"<svg>{marks}</svg>", "text/csv": csv})]
    )
    return point_data.of_figures(document, lambda log: LOGS.get(log, []))


def test_a_page_holds_the_first_line_of_each_log_behind_a_row_that_is_drawn() -> None:
    csv = "throughput,log_lines\n1.5,raw/x/a.log:2 raw/x/b.log:1 and 3 more\n2.5,raw/x/a.log:3\n"
    assert of(csv, 0)["lines"] == {"raw/x/a.log": {"2": "two \\x1b[31mred"}, "raw/x/b.log": {"1": "four"}}
    assert of(csv, 0, 1)["lines"]["raw/x/a.log"] == {"2": "two \\x1b[31mred", "3": "three"}
    assert of(csv) == {"columns": {}, "lines": {}}, "a figure whose points are no rows needs none"


def test_a_row_that_stands_in_a_log_has_its_own_line() -> None:
    assert of("log,line,throughput\nraw/x/a.log,3.0,1.5\n", 0)["lines"] == {"raw/x/a.log": {"3": "three"}}


def test_a_log_that_is_not_here_has_no_words() -> None:
    assert of("log_lines\nraw/x/lost.log:7\n", 0)["lines"] == {"raw/x/lost.log": {"7": ""}}


def test_columns_have_long_names_and_units() -> None:
    found = of("throughput,throughput_low,phase_of_moon\n1,2,3\n", 0)["columns"]
    assert found["throughput"] == ("throughput", "B/s")
    assert found["throughput_low"][1] == "B/s"
    assert found["phase_of_moon"] == ("phase of moon", "")


@pytest.mark.parametrize(
    "trace", [{"raw/x/a.log": [3, 5]}, {"raw/x/a.log": [1], "raw/x/b:c.log": [2, 9]}, {"raw/x/whole.log": []}, {}]
)
def test_lines_in_words_are_read_back(trace: dict[str, list[int]]) -> None:
    expected = [(log, lines[0]) for log, lines in trace.items() if lines]
    assert table_traces.first_lines(table_traces.lines_in_words(trace)) == expected


def test_a_log_that_counts_as_a_whole_counts_as_one_line() -> None:
    assert (
        table_traces.lines_in_words({"raw/x/whole.log": [], "raw/x/a.log": [7]}, most=2)
        == "raw/x/whole.log raw/x/a.log:7"
    )
    assert (
        table_traces.lines_in_words({"raw/x/whole.log": [], "raw/x/a.log": [7]}, most=1) == "raw/x/whole.log and 1 more"
    )
