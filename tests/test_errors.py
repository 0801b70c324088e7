"""Errors: what they say of where they come from."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError


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
