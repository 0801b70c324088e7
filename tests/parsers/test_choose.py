"""Which damaged forms are kept: as few short ones as together show what all of them show."""

from __future__ import annotations

from tests.parsers.choose import BEFORE, Form, Shown, covering, said


def forms(**shown: tuple[str, int]) -> dict[Form, Shown]:
    return {Form(log, 0): Shown(frozenset(news), length) for log, (news, length) in shown.items()}


def test_what_others_show_together_is_not_read_again() -> None:
    found = forms(a=("xy", 100), b=("yz", 100), c=("xyzw", 100), d=("", 0))
    assert [form.log for form in covering(found)] == ["c"]


def test_those_come_first_that_show_most_for_their_length() -> None:
    found = forms(long=("vwxyz", 10 * BEFORE), short=("wx", 0), middle=("vy", BEFORE))
    assert [form.log for form in covering(found)] == ["short", "middle", "long"]


def test_neither_numbers_nor_what_is_quoted_is_new() -> None:
    notes = [[3, "expected 4 cells, found 'a\nb'"], [4, "expected 5 cells, found 'c'"]]
    assert len(said([{}, False, notes, [], [], [], {}])) == 1
    assert said(["no log of any of the formats"]) == {"no log of any of the formats"}
