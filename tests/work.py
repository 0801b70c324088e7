"""Work that is counted and not timed: the same on every machine, however slow or busy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def calls(function: Callable[[], object]) -> int:
    """Return how many functions are called, Python's own and others', until a function has answered."""
    count = 0

    def tell(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


class Scanned(str):
    """A text that counts the characters that are taken out of it, or looked through for others."""

    characters = 0

    def __getitem__(self, place: object) -> str:
        part = super().__getitem__(place)  # type: ignore[index]
        self.characters += len(part)
        return part

    def count(self, part: str, start: int = 0, end: int = sys.maxsize) -> int:  # type: ignore[override]
        self.characters += min(end, len(self)) - start
        return super().count(part, start, end)


def lines(function: Callable[[], object]) -> int:
    """Return how many lines of Python are run, and how many functions called, until a function has answered.

    Functions of C are counted too: one line may call one for each line of a log.
    """
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        nonlocal count
        count += 1
        return trace

    def tell(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "c_call"

    before, told_before = sys.gettrace(), sys.getprofile()
    sys.settrace(trace)
    sys.setprofile(tell)
    try:
        function()
    finally:
        sys.settrace(before)
        sys.setprofile(told_before)
    return count
