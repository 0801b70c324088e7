"""The runs of a plan in their order: rounds that have each cell once, each shuffled by the seed and its own number.

A round depends on no other, so that more rounds leave those before as they are. Where the plan has blocks, a round has
each of them once, in random order, and within each its runs have a random order.
"""

from __future__ import annotations

import itertools
import random
import shlex
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from storagelab.errors import SidecarError
from storagelab.study.campaign_plan import Campaign, Group
from storagelab.study.value_checks import Key, written

T = TypeVar("T")
HOST = "host"
OF_A_RUN = ("repeat", "target", "study")
"""Fields that a command beside or around a run may have besides the factors and what is set."""
GIVEN = (*OF_A_RUN, HOST)
"""Fields that the command of a run may have."""


@dataclass(frozen=True, slots=True)
class Run:
    """A planned run.

    Attributes
    ----------
    number, round : int
        From 1.
    levels : mapping
        Of its cell, its block and its group.
    group : Group
        What it is a run of.
    block : int
        Number of the start of what its block begins, from 1 over all rounds.
    """

    number: int
    round: int
    levels: Mapping[str, Key]
    group: Group
    block: int

    def words(self) -> dict[str, str]:
        """Levels as they are written in tables and commands."""
        return {name: written(level) for name, level in self.levels.items()}

    def __str__(self) -> str:
        cell = ", ".join(f"{name} {level}" for name, level in self.words().items())
        return f"run {self.number}, round {self.round}: {cell}"


def cells(plan: Campaign, block: Mapping[str, Key]) -> list[tuple[Group, dict[str, Key]]]:
    """Every combination of levels in a block, group by group."""
    return [
        (group, {**block, **group.set, **dict(zip(group.factors, levels, strict=True))})
        for group in plan.kinds
        for levels in itertools.product(*group.factors.values())
    ]


def runs(plan: Campaign, rounds: int) -> Iterator[Run]:
    """Runs of a plan in the order in which they are made."""
    number = itertools.count(1)
    for round_ in range(1, rounds + 1):
        chance = random.Random(f"{plan.seed} {round_}")
        starts = _shuffled(plan.starts, chance)
        for turn, start in enumerate(starts, start=1 + (round_ - 1) * len(starts)):
            for group, levels in _shuffled(cells(plan, start), chance):
                yield Run(next(number), round_, levels, group, turn)


def _shuffled(things: Sequence[T], chance: random.Random) -> list[T]:
    found = list(things)
    chance.shuffle(found)
    return found


def check_commands(plan: Campaign, place: str) -> None:
    """Refuse a command with a field that nobody fills.

    Raises
    ------
    SidecarError
        If a run has no command, one is no template, or a field is none of the plan.
    """
    shared = [*plan.set, "study", "target"]
    of_block = list(dict.fromkeys(name for block in plan.starts for name in block))
    for name, monitor in plan.monitors.items():
        _check(place, f"monitors.{name}", monitor, [*plan.set, *of_block, *OF_A_RUN], needed=True)
    if plan.blocks:
        _check(place, "blocks.before", plan.blocks.before, [*shared, *of_block])
        _check(place, "blocks.after", plan.blocks.after, [*shared, *of_block])
    for number, group in enumerate(plan.kinds):
        where = f"groups.{number}." if plan.groups else ""
        known = [*group.factors, *group.set, *of_block, *plan.set, *GIVEN]
        _check(place, f"{where}before", group.before, [name for name in known if name != HOST])
        _check(place, f"{where}command", group.command, known, needed=True)
        if HOST in _fields(group.command) and not group.hosts:
            raise SidecarError(place, f"{where}command: {{host}} stands there, but `hosts` names none")


def _check(place: str, name: str, template: str, known: Sequence[str], *, needed: bool = False) -> None:
    try:
        fields = _fields(template)
    except ValueError as error:
        raise SidecarError(place, f"{name}: {error}; a brace that is one is written twice") from None
    try:
        words = _words(template)
    except ValueError as error:
        raise SidecarError(place, f"{name}: {error}") from None
    if unknown := [field for field in fields if field not in known]:
        raise SidecarError(place, f"{name}: {{{unknown[0]}}} is no field; known: {', '.join(known)}")
    if needed and not words:
        raise SidecarError(place, f"{name}: expected what a run is, found nothing")


def _fields(template: str) -> list[str]:
    return [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]


def command(plan: Campaign, run: Run, study: str, host: str = "") -> list[str]:
    """Return the words of a run's command; a level with blanks or signs of a shell stays one word, as it is."""
    return filled(run.group.command, plan, run, study, host)


def filled(template: str, plan: Campaign, run: Run, study: str, host: str = "") -> list[str]:
    """Return the words of a command of the plan, with the levels of a run; none where the template is empty."""
    fill = {
        **{name: written(value) for name, value in plan.set.items()}, **run.words(), "repeat": str(run.round),
        "target": plan.target, "study": study, HOST: host,
    }  # fmt: skip
    return [word.format(**fill) for word in _words(template)]


def _words(template: str) -> Sequence[str]:
    """Cut a template into words as a shell does, before anything is filled in."""
    return shlex.split(template)
