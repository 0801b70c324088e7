"""The runs of a plan in their order: rounds that have each cell once, each shuffled by the seed and its own number.

A round depends on no other, so that more rounds leave those before as they are.
"""

from __future__ import annotations

import itertools
import random
import shlex
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from storagelab.errors import SidecarError
from storagelab.study.sidecar import Campaign
from storagelab.study.values import Key

HOST = "host"
GIVEN = ("repeat", "target", "study", HOST)
"""Fields that a command may have besides the factors and what is set."""


@dataclass(frozen=True, slots=True)
class Run:
    """A planned run: its number from 1, its round, and the levels of its cell."""

    number: int
    round: int
    levels: Mapping[str, Key]

    def words(self) -> dict[str, str]:
        """Levels as they are written in tables and commands."""
        return {name: written(level) for name, level in self.levels.items()}

    def __str__(self) -> str:
        cell = ", ".join(f"{name} {level}" for name, level in self.words().items())
        return f"run {self.number}, round {self.round}: {cell}"


def written(level: Key) -> str:
    """Write a level: whole numbers without a decimal point."""
    return level if isinstance(level, str) else f"{level:.15g}"


def cells(plan: Campaign) -> list[dict[str, Key]]:
    """Every combination of levels."""
    return [dict(zip(plan.factors, levels, strict=True)) for levels in itertools.product(*plan.factors.values())]


def runs(plan: Campaign, rounds: int) -> Iterator[Run]:
    """Runs of a plan in the order in which they are made."""
    of_a_round = cells(plan)
    for number in range(1, rounds + 1):
        places = list(range(len(of_a_round)))
        random.Random(f"{plan.seed} {number}").shuffle(places)
        for turn, place in enumerate(places, start=1 + (number - 1) * len(places)):
            yield Run(turn, number, of_a_round[place])


def check_command(plan: Campaign, place: str, line: int = 0) -> None:
    """Refuse a command with a field that nobody fills.

    Raises
    ------
    SidecarError
        If there is no command, it is no template, or a field is none of the plan.
    """
    known = [*plan.factors, *plan.set, *GIVEN]
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(plan.command) if field is not None]
    except ValueError as error:
        raise SidecarError(place, f"command: {error}; a brace that is one is written twice", line) from None
    if unknown := [field for field in fields if field not in known]:
        raise SidecarError(place, f"command: {{{unknown[0]}}} is no field; known: {', '.join(known)}", line)
    if not plan.command.strip():
        raise SidecarError(place, "command: expected what a run is, found nothing", line)
    if HOST in fields and not plan.hosts:
        raise SidecarError(place, "command: {host} stands there, but `hosts` names none", line)


def command(plan: Campaign, run: Run, study: str, host: str = "") -> list[str]:
    """Return the words of a run's command; a level with blanks or signs of a shell stays one word, as it is."""
    fill = {
        **{name: written(value) for name, value in plan.set.items()}, **run.words(), "repeat": str(run.round),
        "target": plan.target, "study": study, HOST: host,
    }  # fmt: skip
    return [word.format(**fill) for word in _words(plan.command)]


def _words(template: str) -> Sequence[str]:
    """Cut a template into words as a shell does, before anything is filled in."""
    return shlex.split(template)
