"""Conditions that say how they come out: what they say, and that a module does what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.parsers.conditions import Conditions

MODULE = """\
def small(values, most=3):
    if not values or len(values) > most:
        return f"{len(values) > most}"
    match values:
        case [-1, *rest] if rest:
            return "negative"
    found = [one for one in values if one]
    return "one" if len(found) == 1 else found
"""


@pytest.fixture
def conditions() -> Conditions:
    return Conditions()


@pytest.fixture
def small(conditions: Conditions) -> Callable[[Any], Any]:
    names: dict[str, Any] = {}
    exec(conditions.compiled(MODULE, "module.py"), names)
    found: Callable[[Any], Any] = names["small"]
    return found


def outcomes(conditions: Conditions, of: str) -> set[object]:
    """What came out at a line and column."""
    return {outcome for place, outcome in conditions.seen if place.startswith(f"module.py:{of}:")}


def test_a_module_does_what_it_did(small: Callable[[Any], Any]) -> None:
    assert [small(values) for values in ([], [1, 2, 3, 4], [-1, 2], [0, 5], [1, 2])] == [
        "False", "True", "negative", "one", [1, 2],
    ]  # fmt: skip


def test_each_part_of_a_condition_says_how_it_came_out(small: Callable[[Any], Any], conditions: Conditions) -> None:
    small([])
    assert outcomes(conditions, "2:7") == {True}
    assert outcomes(conditions, "2:21") == set(), "what is not asked says nothing"
    small([1, 2])
    assert outcomes(conditions, "2:7") == {True, False}
    assert outcomes(conditions, "7:38") == {True}
    small([0])
    assert outcomes(conditions, "7:38") == {True, False}


@pytest.mark.parametrize(("size", "said"), [(1, False), (2, -1), (3, 0), (4, 1), (5, True)])
def test_a_comparison_says_whether_it_met_its_bound(
    size: int, said: object, small: Callable[[Any], Any], conditions: Conditions
) -> None:
    small([1] * size)
    found = {outcome for place, outcome in conditions.seen if place.endswith("2:21:compared__")}
    assert [*map(repr, found)] == [repr(said)]


def test_numbers_that_cannot_be_subtracted_are_compared(conditions: Conditions) -> None:
    names: dict[str, Any] = {}
    exec(conditions.compiled("def above(one, other):\n    return one > other\n", "module.py"), names)
    assert names["above"](10**400, 1.5)
    assert names["above"]("b", "a")
