"""Which levels are tried together, and on which studies.

Each level is tried at least once, in as few variants as the factor with the most levels needs. The first, which is the
furthest from the machine as it is (other kernels of BLAS and no newer instructions), rebuilds all studies, so that each
file of each paper is compared; the others, with the levels between, rebuild one each.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, repeat

from tests.machines.factors import FORKED, Level

EMULATOR = "qemu-x86_64"
PROCESSOR = "Nehalem"
EMULATED_STUDY = "virtual-2026"
"""Of those with measured repeats the one that takes least: an emulated processor is some ten times slower."""


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


def covering(
    factors: Mapping[str, Sequence[Level]], studies: Sequence[str] = (), in_turn: Sequence[str] = ()
) -> list[Variant]:
    """Give the levels of every factor out in turn, so that each is there at least once.

    The machine as it is needs no variant: the outputs in the repository are its own.

    Parameters
    ----------
    factors : mapping
    studies : sequence of str
        Those that the first variant builds, and all others too where none take turns; all where empty.
    in_turn : sequence of str
        Studies of which each variant but the first builds the next.
    """
    offered = [levels for levels in factors.values() if levels]
    turns = [tuple(levels[n % len(levels)] for levels in offered) for n in range(max(map(len, offered), default=0))]
    others = ((study,) for study in cycle(in_turn)) if in_turn else repeat(tuple(studies))
    parts = chain([tuple(studies)], others)
    return [Variant(f"machine {n}", *of_one) for n, of_one in enumerate(zip(turns, parts, strict=False), 1)]


def each(factors: Mapping[str, Sequence[Level]], studies: Sequence[str] = ()) -> list[Variant]:
    """One level a variant, to see which of them it is."""
    return [Variant(str(level), (level,), tuple(studies)) for levels in factors.values() for level in levels]


def emulated(studies: Sequence[str] = ()) -> Variant | None:
    """Build a small study on a processor without any of the newer instructions, so that no flag can be forgotten.

    Its commands are forked: an import takes an emulator ten times as long too.
    """
    if platform.machine() != "x86_64" or (studies and EMULATED_STUDY not in studies):
        return None
    return Variant("emulated", (FORKED,), (EMULATED_STUDY,), emulated=True)
