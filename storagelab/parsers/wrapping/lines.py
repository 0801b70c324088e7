"""A text while it is unwrapped: some lines of a log, each with the number that it has there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a log as they are left once some of what was put around them is taken away.

    Attributes
    ----------
    texts : sequence of str
        The lines, without what was taken away.
    numbers : sequence of int
        For each the number, from 1, that it has in the log.
    count : int
        Lines of the log.
    steps : tuple of str
        What was taken away, the outermost first.
    everywhere : bool
        Whether it stood on every line (or nearly, and empty lines apart).
    foreign : bool
        Whether it was nothing that a tool prints itself.
    sure : bool
        Whether it could not be anything else.
    rests : dict of int to int
        Of lines of the log that go on with one above them, the number of that one.
    known_text : str, optional
        The lines as one text, where it is there already.
    """

    texts: Sequence[str]
    numbers: Sequence[int]
    count: int
    steps: tuple[str, ...] = ()
    everywhere: bool = True
    foreign: bool = True
    sure: bool = True
    rests: dict[int, int] = field(default_factory=dict, repr=False, compare=False)
    known_text: str | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, text: str, *steps: str) -> Lines:
        """Return all lines of a text."""
        texts = text.split("\n")
        return cls(texts, range(1, len(texts) + 1), len(texts), steps, known_text=text)

    @property
    def size(self) -> int:
        """Characters that are left."""
        if self.known_text is not None:
            return len(self.known_text) - len(self.texts) + 1
        return sum(map(len, self.texts))

    @property
    def text(self) -> str:
        """The lines as one text; a line that others follow in the log has an end here too."""
        if self.known_text is not None:
            return self.known_text
        ended = self.numbers and self.numbers[-1] != self.count
        return "\n".join(self.texts) + ("\n" if ended else "")

    @property
    def kept(self) -> tuple[str, bool, bool, bool]:
        """What is left, and how sure it is that the rest is no part of the log: readings of equals are equal."""
        return self.text, self.everywhere, self.foreign, self.sure

    def without(self, texts: Iterable[str], step: str, *, everywhere: bool, foreign: bool, sure: bool) -> Lines:
        """Return the lines, in the same order, without something that stood on them."""
        return replace(
            self,
            texts=list(texts),
            steps=(*self.steps, step),
            everywhere=self.everywhere and everywhere,
            foreign=self.foreign and foreign,
            sure=self.sure and sure,
            known_text=None,
        )

    def shown(self, texts: Iterable[str], step: str) -> Lines:
        """Return the lines as they are shown once marks between their characters are taken away that no tool prints."""
        return self.without(texts, step, everywhere=False, foreign=True, sure=True)

    def block(self, inside: Mapping[int, str], step: str) -> Lines | None:
        """Return the lines of blocks, by their places from 0, as they stand there; None where there are none.

        What stands around them may be of the tool too, as the command above what it printed.
        """
        if not inside:
            return None
        return self.chosen(inside).without(inside.values(), step, everywhere=False, foreign=False, sure=True)

    def chosen(self, places: Iterable[int]) -> Lines:
        """Return some of the lines, by their places from 0, in the order in which they are asked for."""
        places = list(places)
        texts, numbers = [self.texts[place] for place in places], [self.numbers[place] for place in places]
        return replace(self, texts=texts, numbers=numbers, known_text=None)

    def with_rests(self, rests: Mapping[int, int]) -> Lines:
        """Return the lines, of which some are joined of several lines of the log."""
        return replace(self, rests={**self.rests, **rests})
