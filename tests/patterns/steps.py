"""How many steps a regular expression takes on a text, counted instead of timed.

Python's `re` searches by backtracking and counts nothing. `Counted` goes through the tree that Python itself makes of a
pattern, tries what `re` tries in the order in which it tries it, and counts the characters it looks at. It answers as
`re` does (a test holds the two together), and gives up where the steps exceed a budget.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Rest = Callable[[int], bool]
Matcher = Callable[[int, Rest], bool]
Test = Callable[[str], bool]
BUDGET = 600_000

sys.setrecursionlimit(max(sys.getrecursionlimit(), 60_000))


class TooManyStepsError(Exception):
    """A pattern needs more steps than the budget allows."""


class Counted:
    """A pattern that counts the steps of a match."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.tree = parser.parse(pattern, flags & ~(re.UNICODE | re.DEBUG))
        self.flags = self.tree.state.flags | flags
        self.tests: dict[str, Test] = {}
        self._groups: dict[int, tuple[int, int]] = {}
        self._text, self.steps, self.budget = "", 0, BUDGET
        self._match = self._sequence(self.tree)

    def count(self, text: str, mode: str = "search", budget: int = BUDGET) -> int:
        """Count the steps of ``match``, ``fullmatch``, ``search``, or of ``finditer``, which goes on behind matches."""
        self.found(text, mode, budget)
        return self.steps

    def found(self, text: str, mode: str = "search", budget: int = BUDGET) -> list[tuple[int, int]]:
        """Return where matches begin and end."""
        self._text, self.steps, self.budget = text, 0, budget
        found: list[tuple[int, int]] = []
        at = 0
        while at <= len(text):
            end = self._from(at, mode)
            if end is not None:
                found.append((at, end))
            if mode in ("match", "fullmatch") or (found and mode == "search"):
                break
            at = max(at + 1, end or 0)
        return found

    def _from(self, start: int, mode: str) -> int | None:
        ends: list[int] = []

        def done(at: int) -> bool:
            if mode == "fullmatch" and at != len(self._text):
                return False
            ends.append(at)
            return True

        self._groups = {}
        self._step()
        return ends[0] if self._match(start, done) else None

    def _step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > self.budget:
            raise TooManyStepsError

    # --- the tree as functions: each tries itself at a place, then the rest -----------------------------------------

    def _sequence(self, items: Iterable[Any]) -> Matcher:
        matchers = [self._one(op, argument) for op, argument in items]

        def from_place(place: int, at: int, rest: Rest) -> bool:
            if place == len(matchers):
                return rest(at)
            return matchers[place](at, lambda after: from_place(place + 1, after, rest))

        return matchers[0] if len(matchers) == 1 else lambda at, rest: from_place(0, at, rest)

    def _one(self, op: Any, argument: Any) -> Matcher:
        if is_character(op):
            return self._character(self.test(op, argument))
        return getattr(self, f"_{str(op).lower()}")(argument)  # type: ignore[no-any-return]

    def test(self, op: Any, argument: Any) -> Test:
        """Return whether a character is what an item of the tree asks for."""
        flags = self.flags & (re.IGNORECASE | re.DOTALL | re.ASCII)
        source = f"{flags:d} {written(op, argument)}"
        if source not in self.tests:
            asked, known = re.compile(source.partition(" ")[2], flags).fullmatch, dict[str, bool]()

            def test(character: str) -> bool:
                if character not in known:
                    known[character] = bool(asked(character))
                return known[character]

            self.tests[source] = test
        return self.tests[source]

    def _character(self, test: Test) -> Matcher:
        def one(at: int, rest: Rest) -> bool:
            self._step()
            return at < len(self._text) and test(self._text[at]) and rest(at + 1)

        return one

    def _subpattern(self, argument: Any) -> Matcher:
        number, add, remove, items = argument
        outside, self.flags = self.flags, (self.flags | add) & ~remove
        inner = self._sequence(items)
        self.flags = outside
        if number is None:
            return inner

        def group(at: int, rest: Rest) -> bool:
            before = self._groups.get(number)

            def close(end: int) -> bool:
                self._groups[number] = (at, end)
                return rest(end)

            if inner(at, close):
                return True
            if before is not None:
                self._groups[number] = before
            return False

        return group

    def _branch(self, argument: Any) -> Matcher:
        branches = [self._sequence(items) for items in argument[1]]

        def either(at: int, rest: Rest) -> bool:
            self._step()
            for branch in branches:  # noqa: SIM110  any() would put a frame of C between those of Python
                if branch(at, rest):
                    return True
            return False

        return either

    def _failure(self, argument: Any) -> Matcher:
        return lambda at, rest: False

    def _max_repeat(self, argument: Any) -> Matcher:
        return self._repeat(argument, greedy=True)

    def _min_repeat(self, argument: Any) -> Matcher:
        return self._repeat(argument, greedy=False)

    def _repeat(self, argument: Any, *, greedy: bool) -> Matcher:
        least, most, items = argument
        if len(items) == 1 and is_character(items[0][0]):
            return self._characters(least, most, self.test(*items[0]), greedy=greedy)
        inner = self._sequence(items)

        def again(count: int, at: int, rest: Rest) -> bool:
            self._step()

            def more(after: int) -> bool:
                return (after > at or count < least) and again(count + 1, after, rest)

            if count < least:
                return inner(at, more)
            if greedy:
                return (count < most and inner(at, more)) or rest(at)
            return rest(at) or (count < most and inner(at, more))

        return lambda at, rest: again(0, at, rest)

    def _characters(self, least: int, most: int, test: Test, *, greedy: bool) -> Matcher:
        def longest(at: int) -> int:
            end, last = at, min(len(self._text), at + most)
            while end < last and test(self._text[end]):
                end += 1
            self._step(end - at + 1)
            return end

        def downwards(at: int, rest: Rest) -> bool:
            for end in range(longest(at), at + least - 1, -1):
                self._step()
                if rest(end):
                    return True
            return False

        def upwards(at: int, rest: Rest) -> bool:
            end = at
            while end - at <= most:
                self._step()
                if end - at >= least and rest(end):
                    return True
                if end >= len(self._text) or not test(self._text[end]):
                    return False
                end += 1
            return False

        return downwards if greedy else upwards

    def _possessive_repeat(self, argument: Any) -> Matcher:
        least, most, items = argument
        inner = self._sequence(items)

        def all_of_it(at: int, rest: Rest) -> bool:
            count = 0
            while count < most:
                self._step()
                end = self._end_of(inner, at)
                if end is None or (end == at and count >= least):
                    break
                at, count = end, count + 1
            return count >= least and rest(at)

        return all_of_it

    def _atomic_group(self, argument: Any) -> Matcher:
        inner = self._sequence(argument)

        def once(at: int, rest: Rest) -> bool:
            end = self._end_of(inner, at)
            return end is not None and rest(end)

        return once

    def _end_of(self, inner: Matcher, at: int) -> int | None:
        ends: list[int] = []

        def done(end: int) -> bool:
            ends.append(end)
            return True

        return ends[0] if inner(at, done) else None

    def _assert(self, argument: Any) -> Matcher:
        return self._look(argument, wanted=True)

    def _assert_not(self, argument: Any) -> Matcher:
        return self._look(argument, wanted=False)

    def _look(self, argument: Any, *, wanted: bool) -> Matcher:
        direction, items = argument
        inner = self._sequence(items)
        back = items.getwidth()[0] if direction < 0 else 0

        def look(at: int, rest: Rest) -> bool:
            self._step()
            seen = at >= back and self._end_of(inner, at - back) is not None
            return seen == wanted and rest(at)

        return look

    def _at(self, where: Any) -> Matcher:
        asked = re.compile(_PLACES[where], re.MULTILINE if self.flags & re.MULTILINE else 0).match

        def place(at: int, rest: Rest) -> bool:
            self._step()
            return asked(self._text, at) is not None and rest(at)

        return place

    def _groupref(self, number: int) -> Matcher:
        def same(at: int, rest: Rest) -> bool:
            start, end = self._groups.get(number, (0, -1))
            if end < start:
                return False
            self._step(end - start + 1)
            return self._text.startswith(self._text[start:end], at) and rest(at + end - start)

        return same


_PLACES = {
    sre.AT_BEGINNING: "^",
    sre.AT_BEGINNING_STRING: r"\A",
    sre.AT_BOUNDARY: r"\b",
    sre.AT_NON_BOUNDARY: r"\B",
    sre.AT_END: "$",
    sre.AT_END_STRING: r"\Z",
}
_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def is_character(op: Any) -> bool:
    """Whether an item of a tree stands for one character."""
    return op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


def written(op: Any, argument: Any) -> str:
    """Write an item that stands for one character as a pattern."""
    if op is sre.ANY:
        return "."
    if op is sre.IN:
        return f"[{''.join(_in_set(*item) for item in argument)}]"
    return f"[{'^' if op is sre.NOT_LITERAL else ''}{_in_set(sre.LITERAL, argument)}]"


def _in_set(op: Any, argument: Any) -> str:
    if op is sre.NEGATE:
        return "^"
    if op is sre.CATEGORY:
        return _CATEGORIES[argument]
    if op is sre.RANGE:
        return "-".join(f"\\U{code:08x}" for code in argument)
    return f"\\U{argument:08x}"
