"""What a study has of the runs that it planned, counted in words: also while runs are still missing."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from storagelab.study.sidecar import Plan, Sidecar

REPEAT = "repeat"
SHOWN = 8
"""Cells that are named; of more only how many."""

Level = Any
Cell = tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """A part of the design against the runs that there are.

    Attributes
    ----------
    name : str
    planned, there : int
        Planned runs, and how many of them there are.
    missing : mapping
        Cell in words -> repeats that it lacks; of a plan without repeats, none.
    unplanned : sequence of str
        Levels that runs have and the plan has not.
    """

    name: str
    planned: int
    there: int
    missing: Mapping[str, Sequence[str]]
    unplanned: Sequence[str]

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.there} of {self.planned} runs"]
        if self.missing:
            cells = [_missing(cell, repeats) for cell, repeats in itertools.islice(self.missing.items(), SHOWN)]
            more = [f"and {len(self.missing) - SHOWN} cells more"] if len(self.missing) > SHOWN else []
            parts.append(f"missing: {'; '.join([*cells, *more])}")
        if self.unplanned:
            parts.append(f"not planned: {'; '.join(self.unplanned)}")
        return "; ".join(parts)


def _missing(cell: str, repeats: Sequence[str]) -> str:
    return ", ".join(filter(None, (cell, f"{REPEAT} {' and '.join(repeats)}" if repeats else "")))


def designs(sidecar: Sidecar) -> list[Plan]:
    """Parts of the design of a study, the plan of its campaign among them."""
    own = sidecar.plan.design() if sidecar.plan else None
    return [*sidecar.design, *filter(None, [own])]


def counted(sidecar: Sidecar, rows: Sequence[Mapping[str, Any]]) -> list[Counted]:
    """Count the runs of each part of the design.

    Parameters
    ----------
    sidecar : Sidecar
    rows : sequence of mapping
        Rows of runs and clients, with their keys.
    """
    return [_count(plan, rows) for plan in designs(sidecar)]


def _count(plan: Plan, rows: Iterable[Mapping[str, Any]]) -> Counted:
    factors = list(plan.factors)
    own = [row for row in rows if all(_same(row.get(name)) == _same(level) for name, level in plan.where.items())]
    there = {tuple(_same(row[name]) for name in factors) for row in own if all(name in row for name in factors)}
    levels = {name: [_same(level) for level in plan.factors[name]] for name in factors}
    wanted = list(itertools.product(*levels.values()))
    lacking: dict[str, list[str]] = defaultdict(list)
    for cell in (cell for cell in wanted if cell not in there):
        said = dict(zip(factors, cell, strict=True))
        repeat = [_written(said.pop(REPEAT))] if REPEAT in said else []
        lacking[", ".join(f"{name} {_written(level)}" for name, level in said.items())] += repeat
    present = sum(cell in there for cell in wanted)
    return Counted(plan.name, len(wanted), present, lacking, list(_unplanned(levels, there)))


def _unplanned(levels: Mapping[str, Sequence[Level]], there: Iterable[Cell]) -> Iterator[str]:
    cells = list(there)
    for place, (name, planned) in enumerate(levels.items()):
        for level in sorted({cell[place] for cell in cells} - {*planned}, key=str):
            count = sum(cell[place] == level for cell in cells)
            yield f"{name} {_written(level)} ({count} run{'s' * (count > 1)})"


def _same(level: Level) -> Level:
    return level if isinstance(level, str) or level is None else float(level)


def _written(level: Level) -> str:
    return level if isinstance(level, str) else f"{level:.15g}"
