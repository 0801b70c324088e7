"""Texts on which a backtracking search would take more than linear time, made from the pattern itself.

What grows without bound in a match is a repeat. For each there are texts that lead to it, and texts that it can take
again and again: its own body, each kind of character that it takes, what stands between it and another repeat (so that
a text fits both), and what leads to it (so that a search begins anew at each place). `superlinear` repeats each of them
n and 2n times and counts the steps. Behind them stands what fewest parts of the pattern take, and behind blanks a
letter: ``.*?\\s*$`` looks at each blank for the end of the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from typing import Any

from tests.patterns.steps import BUDGET, Counted, TooManyStepsError, is_character

SHORT, LONG = 60, 600
"""Characters of the shortest text that is tried, and of the one that decides where short ones grow too fast: repeats
up to a hundred or so are linear in long texts only."""

GROWTH = 2.7
"""Twice the text may take so many times the steps; a square takes four."""

MANY = 30
"""A repeat that may be made so often counts as one without end."""

_CHARACTERS = [chr(code) for code in (*range(32, 127), 9, 10, 13, 0, 0xE9, 0x4E00)]


def superlinear(pattern: str, flags: int = 0, mode: str = "search") -> str:
    """Return a text on which a pattern takes more than linear steps, or "" where none of those tried is one."""
    counted = Counted(pattern, flags)
    for before, pump, behind in texts(counted):
        if _grows(counted, before, pump, behind, mode):
            return f"{before!r} + {pump!r} * n + {behind!r}"
    return ""


def _grows(counted: Counted, before: str, pump: str, behind: str, mode: str) -> bool:
    for size in (SHORT, LONG):
        times = max(size // len(pump), 12)
        try:
            once, twice = (counted.count(before + pump * n + behind, mode, BUDGET) for n in (times, 2 * times))
        except TooManyStepsError:
            return True
        if twice <= GROWTH * once:
            return False
    return True


def texts(counted: Counted) -> Iterator[tuple[str, str, str]]:
    """Yield what leads to a repeat, what it takes, and what it does not: each combination once."""
    walk = _Walk(counted)
    walk.sequence(counted.tree, "")
    places = [("", pump) for _, pumps in walk.repeats for pump in pumps]
    for at, (before, pumps) in enumerate(walk.repeats):
        following = [pump for _, later in walk.repeats[at + 1 : at + 2] for pump in later[:2]]
        places += [(before, pump) for pump in (*pumps, *following)]
    other = min(_CHARACTERS, key=lambda one: sum(test(one) for test in counted.tests.values()))
    for before, pump in dict.fromkeys(places):
        if pump:
            yield before, pump, other
        if pump.isspace():
            yield before, pump, "a"


class _Walk:
    """Goes through a tree and notes what leads to each repeat and what the repeat takes."""

    def __init__(self, counted: Counted) -> None:
        self._counted = counted
        self.repeats: list[tuple[str, list[str]]] = []
        self._kinds = _kinds(counted)
        self._since = ""

    def sequence(self, items: Iterable[Any], before: str) -> str:
        """Note the repeats of a sequence behind a text; return a text that the sequence matches."""
        made = ""
        for op, argument in items:
            made += self._item(op, argument, before + made)
        return made

    def _item(self, op: Any, argument: Any, before: str) -> str:
        if is_character(op):
            one = self._one(op, argument)
            self._since += one
            return one
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self._repeat(argument, before)
        if op is sre.SUBPATTERN:
            return self.sequence(argument[3], before)
        if op is sre.ATOMIC_GROUP:
            return self.sequence(argument, before)
        if op is sre.BRANCH:
            made = [self.sequence(items, before) for items in argument[1]]
            return made[0]
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            self.sequence(argument[1], before)
        return ""

    def _repeat(self, argument: Any, before: str) -> str:
        least, most, items = argument
        pumps = [self._since, before]
        if before[-1:].isalnum():
            pumps.append(f"{before} ")  # a word that has to end
        if most is sre.MAXREPEAT or most >= MANY:
            self.repeats.append((before, pumps))
            self._since = ""
        if len(items) == 1 and is_character(items[0][0]):
            test = self._counted.test(*items[0])
            pumps += [kind for kind in self._kinds if test(kind)]
        body = self.sequence(items, before)
        pumps.append(body)
        for alternatives in (argument[1] for op, argument in items if op is sre.BRANCH):
            pumps += [_Walk(self._counted).sequence(one, "") for one in alternatives]
        return body * max(least, 1)

    def _one(self, op: Any, argument: Any) -> str:
        test = self._counted.test(op, argument)
        if op is sre.LITERAL:
            return chr(argument)
        return next((one for one in "a1 x" if test(one)), next(filter(test, _CHARACTERS), ""))


def _kinds(counted: Counted) -> list[str]:
    """Return one character for each set of characters that the pattern tells apart."""
    literals = {chr(code) for code in _literals(counted.tree)}
    told = {tuple(test(one) for test in counted.tests.values()): one for one in [*_CHARACTERS[::-1], *sorted(literals)]}
    return list(told.values())


def _literals(items: Any) -> Iterator[int]:
    for op, argument in items:
        if op is sre.LITERAL:
            yield argument
        elif op is sre.IN:
            yield from (code for kind, code in argument if kind is sre.LITERAL)
