"""What is asked at once about many literals, against a look for each of them."""

from __future__ import annotations

import pytest

from storagelab.parsers import PARSERS
from storagelab.parsers.model import Format
from storagelab.parsers.wrapping.regions import Opening, Openings

OPENINGS = Openings([parser.FORMAT for parser in PARSERS])
LITERALS = sorted({literal for parser in PARSERS for literal in parser.FORMAT.openings})


def _texts(literal: str) -> list[str]:
    """A literal between other lines, and the same with another first or last character."""
    words = "\nREAD and write: 5\n"
    return [f"{words}{text}{words}" for text in (literal, f"@{literal[1:]}", f"{literal[:-1]}@", literal[1:-1])]


@pytest.mark.parametrize("literal", LITERALS)
def test_lines_of_others_are_those_that_hold_a_literal_of_theirs(literal: str) -> None:
    for text in _texts(literal):
        assert OPENINGS.may_be_of_others(text, ()) == any(other in text for other in LITERALS)


@pytest.mark.parametrize("place", [place for place, parser in enumerate(PARSERS) if len(parser.FORMAT.forms) > 1])
def test_forms_are_told_by_what_only_some_of_them_open_with(place: int) -> None:
    first, *others = ([*form] for form in PARSERS[place].FORMAT.forms)
    assert not OPENINGS.may_have_several_forms("\n".join(first[:1]), place)
    assert OPENINGS.may_have_several_forms("\n".join((first[0], others[-1][0])), place)


@pytest.mark.parametrize(
    ("voices", "among", "owners"),
    [
        ([{0}, {0}, {1}, {1}], {0, 1}, [(1, 0), (2, 0), (3, 1), (4, 1)]),
        ([{0, 1}, {0, 1}], {0, 1}, [(1, 0), (2, 0)]),
        ([{0}, {1}, {0}], {0}, [(1, 0), (3, 0)]),
        ([{0}, {2}, {0}, {1}, {2}], {0, 1, 2}, [(1, 0), (2, 0), (3, 0), (4, 1), (5, 2)]),
        ([{0, 1}, {0}, {0, 1}, {1}], {0, 1}, [(1, 0), (2, 0), (3, 0), (4, 1)]),
        ([{0, 2}, {2}, {2}], {0, 2}, [(1, 0), (2, 0), (3, 0)]),
        ([], {0}, []),
    ],
)
def test_each_line_is_whose_the_lines_around_it_are(
    voices: list[set[int]], among: set[int], owners: list[tuple[int, int]]
) -> None:
    """The first of three formats holds logs of the third."""
    formats = [Format(name, name, "", "", "", opens=(name,), holds=("c",) if name == "a" else ()) for name in "abc"]
    openings = [Opening(line, frozenset(some)) for line, some in enumerate(voices, 1)]
    assert Openings(formats).owners(openings, among) == owners


def test_a_title_that_two_share_may_be_of_what_stands_below_it() -> None:
    openings = Openings([Format(name, name, "", "", "", opens=(name,)) for name in "ab"])
    found = [Opening(line, frozenset(some)) for line, some in ((1, {0}), (2, {0, 1}), (5, {0, 1}), (8, {1}))]
    assert openings.owners(found, {0, 1}) == [(1, 0), (2, 0), (5, 0), (8, 1)]
    assert openings.owners(found, {0, 1}, with_titles=True) == [(1, 0), (2, 0), (5, 1), (8, 1)]
    far = [*found[:-1], Opening(9, frozenset({1}))]
    assert openings.owners(far, {0, 1}, with_titles=True) == [(1, 0), (2, 0), (5, 0), (9, 1)]
