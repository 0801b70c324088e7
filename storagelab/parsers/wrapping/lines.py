"""A text while it is unwrapped: some lines of a log, each with the number that it has there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a log as they are left once some of what was put around them is taken away.

    Attributes
    ----------
    texts : sequence of str
        The lines, without what was taken away.
    numbers : sequence of int
        For each the number, from 1, that it has in the log.
    steps : tuple of str
        What was taken away, the outermost first.
    everywhere : bool
        Whether it stood on every line (or nearly, and empty lines apart).
    foreign : bool
        Whether it was nothing that a tool prints itself.
    """

    texts: Sequence[str]
    numbers: Sequence[int]
    steps: tuple[str, ...] = ()
    everywhere: bool = True
    foreign: bool = True

    @classmethod
    def of(cls, text: str) -> Lines:
        """Return all lines of a text."""
        texts = text.split("\n")
        return cls(texts, range(1, len(texts) + 1))

    @property
    def size(self) -> int:
        """Characters that are left."""
        return sum(map(len, self.texts))

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.texts)

    def changed(self, texts: Iterable[str], step: str, *, everywhere: bool = False, foreign: bool = True) -> Lines:
        """Return the lines with other texts, in the same order."""
        steps = (*self.steps, step)
        return Lines(list(texts), self.numbers, steps, self.everywhere and everywhere, self.foreign and foreign)

    def chosen(self, places: Iterable[int], step: str = "") -> Lines:
        """Return some of the lines, by their places from 0, in the order in which they are asked for."""
        places = list(places)
        steps = (*self.steps, step) if step else self.steps
        texts = [self.texts[place] for place in places]
        return Lines(
            texts, [self.numbers[place] for place in places], steps, self.everywhere and not step, self.foreign
        )
