"""Rows that are partly columns, and what `check` holds against the contract."""

from __future__ import annotations

import math

import pytest

from storagelab.errors import ContractError, UnknownNameError
from storagelab.parsers.model import Columns, Parsed, Row, Rows, check, stacked

FIRST: Row = {"operation": "write", "throughput": 1.0, "line": 1}
TABLE: Columns = {"operation": ("read", "reread"), "throughput": [2.0, 3.0], "line": [2, 2]}
LAST: Row = {"operation": "stat", "operation_rate": 4.0, "line": 3}
PLAIN: list[Row] = [
    FIRST,
    {"operation": "read", "throughput": 2.0, "line": 2},
    {"operation": "reread", "throughput": 3.0, "line": 2},
    LAST,
]


def mixed() -> Rows:
    rows = Rows([FIRST])
    rows.add_columns(TABLE)
    rows.append(LAST)
    return rows


def test_columns_are_rows_to_whoever_asks_for_rows() -> None:
    rows = mixed()
    assert rows == PLAIN
    assert [len(rows), rows[1], rows[-1], rows[1:3]] == [4, PLAIN[1], PLAIN[3], PLAIN[1:3]]
    assert rows + PLAIN[:1] == [*PLAIN, FIRST]
    assert LAST in rows
    assert not Rows()


def test_rows_of_rows_keep_their_order() -> None:
    rows = Rows([LAST])
    rows += mixed()
    assert rows == [LAST, *PLAIN]


def test_rows_do_not_share_what_is_appended_later() -> None:
    first, second = mixed(), Rows()
    second.extend(first)
    second.append(FIRST)
    assert (len(first), len(second)) == (4, 5)


def test_what_all_rows_share_is_theirs_unless_a_row_says_it() -> None:
    shared = mixed().shared({"operation": "unknown", "part": 2, "label": "second"})
    assert shared == [{"part": 2, "label": "second"} | row for row in PLAIN]
    assert isinstance(shared.parts[1], dict)


def test_tables_below_each_other_lack_what_one_of_them_has() -> None:
    longer: Columns = {"operation": ["stat"], "label": ["x"], "operation_rate": [4.0], "line": [3]}
    found = stacked([TABLE, {}, longer])
    assert found["operation"] == ["read", "reread", "stat"]
    assert found["label"] == ["", "", "x"]
    assert found["line"] == [2, 2, 3]
    assert found["operation_rate"] == pytest.approx([math.nan, math.nan, 4.0], nan_ok=True)
    assert found["throughput"] == pytest.approx([2.0, 3.0, math.nan], nan_ok=True)


def test_one_name_of_all_rows() -> None:
    assert mixed().column("throughput", 0.0) == [1.0, 2.0, 3.0, 0.0]
    assert mixed().distinct("throughput") == {1.0, 2.0, 3.0}
    assert mixed().distinct("label") == set()


def test_rows_of_the_contract_pass() -> None:
    parsed = Parsed({"tool": "toy"}, runs=mixed(), clients=[FIRST])
    assert check(parsed) is parsed


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"operation": ["fly"], "line": [1]}, "fly"),
        ({"operation": ["read"], "speed": [1.0], "line": [1]}, "speed"),
    ],
)
def test_columns_and_rows_of_unknown_names_are_refused(columns: Columns, message: str) -> None:
    table, rows = Rows(), Rows([{name: column[0] for name, column in columns.items()}])
    table.add_columns(columns)
    for runs in (table, rows, list(rows)):
        with pytest.raises(UnknownNameError, match=message):
            check(Parsed({"tool": "toy"}, runs=runs))


def test_an_unknown_name_in_the_header_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="speed"):
        check(Parsed({"speed": 1.0}))


def test_a_row_without_a_line_is_refused() -> None:
    with pytest.raises(ContractError, match="a row has no line, only operation, throughput"):
        check(Parsed({"tool": "toy"}, runs=[FIRST, {"operation": "write", "throughput": 1.0}]))


@pytest.mark.parametrize("columns", [{"operation": ["read"]}, {"operation": ["read"], "line": [1, 2]}])
def test_columns_want_one_length_and_a_line(columns: Columns) -> None:
    table = Rows()
    table.parts.append(columns)
    for parsed in (Parsed({"tool": "toy"}, runs=table), Parsed({"tool": "toy"}, series=columns)):
        with pytest.raises(ContractError, match="columns must have one length and a line"):
            check(parsed)
