"""Which cases are kept: as few cheap ones as together show what all of them show."""

from __future__ import annotations

from tests.covering import Shown, covering
from tests.parsers.choose import said


def cases(**shown: tuple[str, int]) -> dict[tuple[str], Shown]:
    return {(name,): Shown(frozenset(news), cost) for name, (news, cost) in shown.items()}


def test_what_others_show_together_is_not_asked_again() -> None:
    found = cases(a=("xy", 1), b=("yz", 1), c=("xyzw", 1), d=("", 1))
    assert list(covering(found)) == [("c",)]


def test_those_come_first_that_show_most_for_their_cost() -> None:
    found = cases(dear=("vwxyz", 11), cheap=("wx", 1), middle=("vy", 2))
    assert list(covering(found)) == [("cheap",), ("middle",), ("dear",)]


def test_neither_numbers_nor_what_is_quoted_is_new() -> None:
    notes = [[3, "expected 4 cells, found 'a\nb'"], [4, "expected 5 cells, found 'c'"]]
    assert len(said([{}, False, notes, [], [], [], {}])) == 1
    assert said(["no log of any of the formats"]) == {"no log of any of the formats"}
