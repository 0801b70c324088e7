"""The plan of a campaign, as study.yaml or plan.yaml says it: what is run, how often, in what order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated

import pydantic

from storagelab.study.fields import Factors, KeyName, Repeats, Said
from storagelab.study.validation import Strict, doc
from storagelab.study.value_checks import Key, checked, written
from storagelab.study.yaml_reading import Steps

Check = Callable[[], object]


class Plan(Strict):
    """A part of the design: what was planned, as factors and their levels."""

    name: str = doc(..., "what this part of the design is called")
    where: Mapping[KeyName, Said] = doc({}, "rows that it speaks of: key -> level")
    factors: Factors = doc(..., "key -> planned levels; each combination is a cell")


class Pilot(Strict):
    """What decides on `repeats: auto`: how many rounds come first, and what the campaign is to show after them."""

    rounds: Annotated[int, pydantic.Field(ge=2)] = doc(3, "rounds that are run first")
    variable: str = doc("throughput", "what they are judged by")
    effect: Annotated[float, pydantic.Field(gt=0)] = doc(1.1, "ratio of two cells that is to be shown")
    power: Annotated[float, pydantic.Field(gt=0.05, lt=1)] = doc(0.9, "how likely it is to be shown")
    most: Annotated[int, pydantic.Field(ge=2)] = doc(30, "rounds that are not exceeded, however much the pilot spreads")


class Group(Strict):
    """Runs of a kind in a campaign: their own factors and command."""

    set: Mapping[KeyName, Said] = doc({}, "key -> level that all runs of the group have alike")
    factors: Factors = doc({}, "key -> levels; each combination is a cell")
    before: str = doc("", "command that is run on this host before each run, and is no part of it")
    command: str = doc(..., "what a run is; {clients} stands for the level of that factor, {{ for a brace")
    hosts: tuple[str, ...] = doc((), "where the command is started at once; else on this host")


class Blocks(Strict):
    """What a campaign changes least often, such as the server: within each block the runs have a random order."""

    levels: Annotated[tuple[Mapping[KeyName, Said], ...], pydantic.Field(min_length=1)] = doc(
        ..., "key -> level, a line for each block; each round has each of them once, in random order"
    )
    before: str = doc("", "command that begins a block, on this host, such as one that starts the server")
    after: str = doc("", "command that ends a block, also where a run of it failed")


class Campaign(Strict):
    """What `storagelab campaign` runs: each combination of levels once in each round, in random order."""

    seed: int = doc(1, "where the random order begins")
    repeats: Repeats = doc(..., "rounds, or auto: as a pilot decides")
    factors: Factors = doc({}, "key -> levels; each combination is a cell")
    set: Mapping[KeyName, Said] = doc({}, "key -> level that all runs have alike")
    before: str = doc("", "command that is run on this host before each run, and is no part of it")
    command: str = doc("", "what a run is; {clients} stands for the level of that factor, {{ for a brace")
    groups: tuple[Group, ...] = doc(
        (), "runs of several kinds, each with its own factors and command, instead of these"
    )
    blocks: Blocks | None = doc(None, "what is changed least often")
    monitors: Mapping[str, str] = doc({}, "name -> command that runs on this host beside each run, such as sar -u 1")
    target: str = doc("", "file or folder whose file system is recorded")
    drop_caches: bool = doc(False, "whether caches are dropped before each run")
    hosts: tuple[str, ...] = doc((), "where the command of each run is started at once, over ssh; else on this host")
    ssh: tuple[str, ...] = doc(("ssh", "-o", "BatchMode=yes"), "how a host is reached")
    slurm: tuple[str, ...] = doc((), "lines behind #SBATCH in the script that --slurm writes")
    pilot: Pilot = doc(Pilot(), "what decides on repeats: auto")

    @pydantic.model_validator(mode="after")
    def _one_way_to_say_it(self) -> Campaign:
        own = [name for name in ("factors", "before", "command", "hosts") if getattr(self, name)]
        if self.groups and own:
            raise ValueError(f"{own[0]}: with `groups` each group says its own")
        if not self.groups and not self.factors:
            raise ValueError("expected `factors`, or `groups` that have theirs")
        for group in self.kinds:
            for name, levels in group.factors.items():
                if len(set(levels)) < len(levels):
                    found = ", ".join(f"{level}" for level in levels)
                    raise ValueError(f"factors.{name}: expected each level once, found {found}")
            for block in self.starts:
                counts = Counter(["repeat", *self.set, *block, *group.set, *group.factors])
                if taken := [name for name, count in counts.items() if count > 1]:
                    raise ValueError(f"{taken[0]}: one of `repeats`, `set`, `blocks` and `factors` says it already")
        return self

    @property
    def kinds(self) -> tuple[Group, ...]:
        """Groups of runs: the one that the plan itself says, where it has no others."""
        own = {name: getattr(self, name) for name in ("factors", "before", "command", "hosts")}
        return self.groups or (Group.model_construct(set={}, **own),)

    @property
    def starts(self) -> tuple[Mapping[str, Key], ...]:
        """Levels of each block; one block without any where the plan has none."""
        return self.blocks.levels if self.blocks else ({},)

    def design(self) -> tuple[Plan, ...]:
        """Return the plan as parts of the design; none while nobody knows how many repeats there will be."""
        if self.repeats == "auto":
            return ()
        rounds = tuple(float(number) for number in range(1, self.repeats + 1))
        return tuple(
            Plan(
                name=_name({**block, **group.set}),
                where={**self.set, **block, **group.set},
                factors={**group.factors, "repeat": rounds},
            )
            for block in self.starts
            for group in self.kinds
        )


def _name(levels: Mapping[str, Key]) -> str:
    """Name a part of the design by the levels that its runs have alike."""
    words = [written(level) for level in levels.values()]
    return f"plan: {', '.join(words)}" if words else "plan"


def of_campaign(plan: Campaign, place: Steps = ()) -> Iterator[tuple[Steps, Check]]:
    """What the contract says of each level of a campaign."""
    for steps, levels in levels_of_campaign(plan):
        name = str(steps[-1])
        if isinstance(levels, tuple):
            yield from (((*place, *steps, j), partial(checked, name, level)) for j, level in enumerate(levels))
        else:
            yield (*place, *steps), partial(checked, name, levels)


def levels_of_campaign(plan: Campaign) -> Iterator[tuple[Steps, Key | tuple[Key, ...]]]:
    """Each place of a plan that names a key, and its level or levels."""
    yield from ((("set", name), level) for name, level in plan.set.items())
    yield from ((("factors", name), levels) for name, levels in plan.factors.items())
    for i, block in enumerate(plan.blocks.levels if plan.blocks else ()):
        yield from ((("blocks", "levels", i, name), level) for name, level in block.items())
    for i, group in enumerate(plan.groups):
        yield from ((("groups", i, "set", name), level) for name, level in group.set.items())
        yield from ((("groups", i, "factors", name), levels) for name, levels in group.factors.items())


def of_values(place: Steps, values: Mapping[str, Key]) -> Iterator[tuple[Steps, Check]]:
    """What the contract says of each level of a mapping."""
    for name, value in values.items():
        yield (*place, name), partial(checked, name, value)
