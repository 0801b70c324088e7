"""Which levels are tried together: each at least once, in as few rebuilds as the factor with the most levels needs."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.machines.factors import Level

EMULATOR = "qemu-x86_64"
PROCESSOR = "Nehalem"
EMULATED_STUDY = "cern-kinetic-2015"
"""The smallest: an emulated processor is some ten times slower."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A machine to build on.

    Attributes
    ----------
    name : str
    levels : tuple of Level
    studies : tuple of str
        Those to build; all where empty.
    emulated : bool
        Whether every process runs on a processor that a program plays.
    """

    name: str
    levels: tuple[Level, ...]
    studies: tuple[str, ...] = ()
    emulated: bool = False

    def __str__(self) -> str:
        played = [f"processor: {PROCESSOR}, played by {EMULATOR}"] if self.emulated else []
        only = [f"only {', '.join(self.studies)}"] if self.studies else []
        return f"{self.name} ({'; '.join([*played, *map(str, self.levels), *only])})"


def covering(factors: Mapping[str, Sequence[Level]], studies: Sequence[str] = ()) -> list[Variant]:
    """Give the levels of every factor out in turn, so that each is there at least once.

    The machine as it is needs no variant: the outputs in the repository are its own.
    """
    offered = [levels for levels in factors.values() if levels]
    turns = [tuple(levels[n % len(levels)] for levels in offered) for n in range(max(map(len, offered), default=0))]
    return [Variant(f"machine {n}", levels, tuple(studies)) for n, levels in enumerate(turns, 1)]


def each(factors: Mapping[str, Sequence[Level]], studies: Sequence[str] = ()) -> list[Variant]:
    """One level a variant, to see which of them it is."""
    return [Variant(str(level), (level,), tuple(studies)) for levels in factors.values() for level in levels]


def emulated(studies: Sequence[str] = ()) -> Variant | None:
    """Build a small study on a processor without any of the newer instructions, so that no flag can be forgotten."""
    if platform.machine() != "x86_64" or (studies and EMULATED_STUDY not in studies):
        return None
    return Variant("emulated", (), (EMULATED_STUDY,), emulated=True)
