"""Which options of IOzone run some operations and no others: ``-i`` chooses tests, ``-+n`` leaves out repetitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from storagelab.errors import ReconstructError

REPEATED = {"write": "rewrite", "read": "reread", "fwrite": "frewrite", "fread": "freread"}
"""Operations, and what they are called when the same test runs them again."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Numbers for ``-i``, and whether ``-+n`` is needed."""

    numbers: tuple[int, ...]
    once: bool

    def options(self) -> list[str]:
        """Return the options of the command line."""
        return [*(f"-i {number}" for number in self.numbers), *(["-+n"] if self.once else [])]

    def said(self) -> list[str]:
        """Return what IOzone says of them."""
        return ["No retest option selected"] if self.once else []


def choose(operations: Sequence[str], tests: Mapping[int, tuple[str, ...]]) -> Choice:
    """Return how to run these operations, of which each is one of a test.

    Raises
    ------
    ReconstructError
        If an operation is none of the tests', stands twice, or never runs without another; names it.
    """
    known = [operation for pair in tests.values() for operation in pair]
    for operation in operations:
        if operation not in known or operations.count(operation) > 1:
            raise ReconstructError(f"operation: expected one of {', '.join(known)}, once, found {operation!r}")
    once = _run_once(operations, tests)
    numbers = tuple(number for number, pair in tests.items() if set(operations) & set(pair))
    printed = {operation for number in numbers for operation in tests[number]}
    if missing := printed - set(operations) - (set(REPEATED.values()) if once else set()):
        raise ReconstructError(f"tests: {', '.join(sorted(missing))} always runs with {', '.join(sorted(operations))}")
    return Choice(numbers, once)


def _run_once(operations: Sequence[str], tests: Mapping[int, tuple[str, ...]]) -> bool:
    """Whether a test that repeats its operation stands here without the repetition, and none does with it."""
    repeatable = {pair[0] for pair in tests.values() if REPEATED.get(pair[0]) in pair}
    return bool(repeatable & set(operations)) and not set(REPEATED.values()) & set(operations)
