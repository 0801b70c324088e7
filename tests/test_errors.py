"""Errors: what they say of where they come from."""

from __future__ import annotations

import pytest

from storagelab.errors import (
    ContractError,
    IncompleteLogError,
    IncompleteRunError,
    ParseError,
    SidecarError,
    nearest,
    together,
)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({}, "log: expected a rate, found 'x'"),
        ({"line": 3}, "log:3: expected a rate, found 'x'"),
        ({"file": "a.log"}, "a.log: expected a rate, found 'x'"),
        ({"line": 3, "file": "a.log"}, "a.log:3: expected a rate, found 'x'"),
    ],
)
def test_a_refusal_says_file_and_line_where_they_are_known(place: dict[str, int | str], said: str) -> None:
    assert str(ParseError("a rate", "x", **place)) == said  # type: ignore[arg-type]


def test_what_is_not_whole_says_of_what_and_why() -> None:
    assert str(IncompleteLogError("a.log", "it was cut")) == "a.log: incomplete: it was cut"
    assert str(IncompleteRunError("r1", "write", 3, 4)) == "run r1: write of 3 of 4 clients: not added up"


def test_what_is_wrong_with_many_logs_alike_is_said_once_and_other_things_each() -> None:
    alike = [SidecarError("study.yaml", "no such key", log=f"{name}.log") for name in "abcd"]
    others = [
        SidecarError("runs.csv", "no such run", 3),
        SidecarError("runs.csv", "no such run", 3),
        ContractError("x"),
    ]
    found = together([others[0], *alike, *others[1:]])
    assert [str(error) for error in found] == [
        "runs.csv:3: no such run",
        "study.yaml: a.log: no such key (so it is with 3 other logs: b.log, c.log, d.log)",
        "runs.csv:3: no such run",
        "x",
    ]


def test_forty_names_are_listed_and_no_more() -> None:
    there = [f"x{number:02}" for number in range(41)]
    assert nearest("throughput", there[1:]) == f"; known: {', '.join(there[1:])}"
    assert nearest("throughput", there) == nearest("throughput", []) == ""
    assert nearest("x040", there).startswith("; did you mean 'x40'")
