"""Every regular expression takes steps in proportion to its text: a log of a stranger must not cost a day."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patterns import pumped, steps
from tests.patterns.collected import Asked, all_patterns
from tests.patterns.steps import Counted, TooManyStepsError, is_character

KEPT = Path(__file__).with_name("kept.json")
"""Fingerprints of patterns that were found linear by these modules as they are: others are tried anew.

``python -m tests.patterns`` writes the file.
"""


def test_no_pattern_takes_more_than_linear_steps() -> None:
    kept = set(json.loads(KEPT.read_text()))
    new = [asked for asked in all_patterns() if asked.fingerprint() not in kept]
    slow = {asked.place: pumped.superlinear(asked.pattern, asked.flags, asked.mode) for asked in new}
    assert {place: text for place, text in slow.items() if text} == {}


def test_every_pattern_was_kept() -> None:
    """To try all anew takes a minute, in CI each time."""
    kept = set(json.loads(KEPT.read_text()))
    new = [asked.place for asked in all_patterns() if asked.fingerprint() not in kept]
    assert new == [], "python -m tests.patterns"


def test_a_fingerprint_is_of_a_pattern_and_of_how_it_is_asked() -> None:
    asked = Asked("a", "b", 0, "search")
    assert (
        asked.fingerprint() != Asked("a", "c", 0, "search").fingerprint() != asked._replace(mode="match").fingerprint()
    )


def test_nearly_all_patterns_are_found() -> None:
    found = {asked.pattern for asked in all_patterns()}
    assert len(found) > 450
    assert r"Fileop:\s+Working in (?:(?!Fileop:).)*?File size is (\d+)" in found, "one of a module"
    assert r"\((\d+) CPU" in found, "one that stands where it is asked"
    assert r"(?:Run b|B)egan *:" in found, "one of a line that a format's checks count"
    assert r"TrigReport +\d|TimeReport(?: +0\.0+)+ " in found, "one of lines that a format sets aside"
    assert r"[ \t]*(?:TimeReport -{3}.*-)\s*" in found, "one of a line that has one form"


def loses_matches(items: Iterable[Any]) -> bool:
    """Say whether a part of a pattern misreads on Python 3.11.0 to 3.11.4 (gh-106052).

    Where the last try of a possessive group fails, these go on from where it failed, not from where it began. A last
    alternative that never matches, ``(?!)``, takes them back; ``(?>(?:X)*)`` would too, but keeps each turn in memory.
    """
    for op, argument in items:
        if op is sre.POSSESSIVE_REPEAT and not _goes_back(argument[2]):
            return True
        if any(loses_matches(part) for part in _parts(argument)):
            return True
    return False


def _goes_back(body: Any) -> bool:
    op, argument = body[-1]
    if len(body) > 1:
        return False
    if op is sre.SUBPATTERN:
        return _goes_back(argument[3])
    return is_character(op) or (op is sre.BRANCH and str(argument[1][-1]) == NEVER)


NEVER = str(parser.parse("(?!)"))


def _parts(argument: Any) -> Iterator[Any]:
    """All sequences of items in an argument of the tree."""
    if isinstance(argument, parser.SubPattern):
        yield argument
    elif isinstance(argument, list | tuple):
        for one in argument:
            yield from _parts(one)


def test_no_pattern_loses_matches_on_an_older_python() -> None:
    assert [
        asked.place for asked in all_patterns() if loses_matches(parser.parse(asked.pattern, asked.flags & ~re.UNICODE))
    ] == []


@pytest.mark.parametrize(
    "pattern", [r"(?:ab?c)*+", r"(x(?:ab|b)++)?", r"(?=(?>(?:a+b){2}+))", r"a|b(?:a(?!))*+", r"(?:\d,)?+"]
)
def test_possessive_group_without_a_way_back_is_found(pattern: str) -> None:
    assert loses_matches(parser.parse(pattern))


@pytest.mark.parametrize(
    "pattern", [r"(?:ab?c|(?!))*+", r"a++[bc]*+(?:d)?+", r"(?>(?:ab)*)", r"(?:(?:x|(?!))++|(?!))*+"]
)
def test_possessive_group_with_a_way_back_passes(pattern: str) -> None:
    assert not loses_matches(parser.parse(pattern))


BODIES = ("ab?c", "a|ab", "a+b", "(?=ab)a|b", "(?!ab)a|b", "ab{1,2}", "a(?>b+)c", "[ab]c?a", "a*+c", "a*?b", "(?:ab)?c")


@pytest.mark.parametrize("body", BODIES)
def test_possessive_group_with_a_way_back_is_an_atomic_group_of_a_greedy_one(body: str) -> None:
    texts = ["".join(letters) for length in range(6) for letters in itertools.product("abc", repeat=length)]
    for repeat, rest in itertools.product(("*", "+", "?", "{0,2}", "{1,3}"), ("", "a", "c", "b*c", ".$")):
        back, atomic = re.compile(f"(?:{body}|(?!)){repeat}+{rest}"), re.compile(f"(?>(?:{body}){repeat}){rest}")
        assert [ends(back.match(text)) for text in texts] == [ends(atomic.match(text)) for text in texts]


def ends(found: re.Match[str] | None) -> int | None:
    return found and found.end()


SUPERLINEAR = {
    r"(a|a)*b": "match",
    r"(a+)+b": "match",
    r"(\w+\s?)*$": "match",
    r"(?:a|b|ab)*c": "match",
    r"\s*\s*x": "match",
    r"\s+x": "search",
    r"x[^y]*y": "search",
    r"(\S.*?)\s*$": "match",
    r".*foo.*bar": "match",
    r"(\d+) clients": "finditer",
    r"Source:\s+\S+//.*\s+.*Dest:\s+\S+//": "search",
    r"((?:\S*/)?fileop\S*(?:\s+-.*))$": "search",
}
LINEAR = {
    r"(a|b)*c": "match",
    r"\s*+\s*+x": "match",
    r"(?<!\s)\s+x": "search",
    r"x[^xy]*y": "search",
    r"\d{1,20}x": "search",
    r"(?>a+)+b": "match",
    r"a.*b": "match",
    r"(\S.*)$": "match",
    r"^\s*(\w+)\s*=\s*(\w+)$": "match",
}


@pytest.mark.parametrize("pattern", SUPERLINEAR)
def test_superlinear_pattern_is_found(pattern: str) -> None:
    assert pumped.superlinear(pattern, 0, SUPERLINEAR[pattern])


@pytest.mark.parametrize("pattern", LINEAR)
def test_linear_pattern_passes(pattern: str) -> None:
    assert pumped.superlinear(pattern, 0, LINEAR[pattern]) == ""


PATTERNS = (
    *SUPERLINEAR,
    *LINEAR,
    *(r"(a)(b)?(?:\1|c)", r"a{2,3}?b", r"(?i)A[^B-D]", r"\bfoo\b|x\B", r"(?=.*b)a+", r"(?!ab)\w+", r"(?<=a)b$"),
    *(
        r"(?m)^a.*$",
        r"(?s:a.b)",
        r"(?P<x>a|ab)(?P=x)c?",
        r"a++a|b",
        r"x*?y",
        r"(?:a?){3}b",
        r"(?<!x)y|z",
        r"(?:ab?|(?!))*+c",
    ),
)


@given(
    st.sampled_from(PATTERNS), st.text("aabBxyzc 1/\n", max_size=14), st.sampled_from(["search", "match", "fullmatch"])
)
def test_counted_search_finds_what_re_finds(pattern: str, text: str, mode: str) -> None:
    found = getattr(re.compile(pattern), mode)(text)
    assert Counted(pattern).found(text, mode) == ([found.span()] if found else [])


def test_steps_are_counted_and_limited() -> None:
    assert Counted("ab").count("a" * 10, "match") == 3
    with pytest.raises(TooManyStepsError):
        Counted("(a|a)*b").count("a" * 40, "match")
    assert steps.BUDGET >= 100 * 2 * pumped.LONG, "repeats of up to a hundred must fit"


def test_fingerprint_changes_with_the_modules() -> None:
    own = hashlib.sha256(Path(pumped.__file__).read_bytes() + Path(steps.__file__).read_bytes()).hexdigest()
    assert Asked.modules() == own
