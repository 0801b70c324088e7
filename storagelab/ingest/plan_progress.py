"""What a study has of the runs that it planned, counted in words: also while runs are still missing."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from storagelab.study.campaign_plan import Plan
from storagelab.study.study_yaml import Sidecar
from storagelab.study.value_checks import written

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
    return [*sidecar.design, *(sidecar.plan.design() if sidecar.plan else ())]


def counted(sidecar: Sidecar, rows: Sequence[Mapping[str, Any]]) -> list[Counted]:
    """Count the runs of each part of the design.

    Parameters
    ----------
    sidecar : Sidecar
    rows : sequence of mapping
        Rows of runs and clients, with their keys.
    """
    parts = [_Part.of(plan) for plan in designs(sidecar)]
    planned = [any(part.cell(row) in part.wanted for part in parts) for row in rows]
    stray = [row for row, is_planned in zip(rows, planned, strict=True) if not is_planned]
    return [_count(part, rows, stray) for part in parts]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the design: its levels, and each of its cells, in order."""

    plan: Plan
    levels: Mapping[str, Sequence[Level]]
    wanted: Mapping[Cell, None]

    @classmethod
    def of(cls, plan: Plan) -> _Part:
        levels = {name: [_same(level) for level in own] for name, own in plan.factors.items()}
        return cls(plan, levels, dict.fromkeys(itertools.product(*levels.values())))

    def cell(self, row: Mapping[str, Any]) -> Cell | None:
        """Return the cell of a row; None where it is none of this part."""
        if any(_same(row.get(name)) != _same(level) for name, level in self.plan.where.items()):
            return None
        return tuple(_same(row[name]) for name in self.levels) if all(name in row for name in self.levels) else None


def _count(part: _Part, rows: Iterable[Mapping[str, Any]], stray: Iterable[Mapping[str, Any]]) -> Counted:
    there = {part.cell(row) for row in rows}
    factors, wanted = list(part.levels), part.wanted
    lacking: dict[str, list[str]] = defaultdict(list)
    for cell in (cell for cell in wanted if cell not in there):
        said = dict(zip(factors, cell, strict=True))
        repeat = [written(said.pop(REPEAT))] if REPEAT in said else []
        lacking[", ".join(f"{name} {written(level)}" for name, level in said.items())] += repeat
    present = sum(cell in there for cell in wanted)
    cells = {part.cell(row) for row in stray}
    unplanned = list(_unplanned(part.levels, filter(None, cells)))
    return Counted(part.plan.name, len(wanted), present, dict(lacking), unplanned)


def _unplanned(levels: Mapping[str, Sequence[Level]], stray: Iterable[Cell]) -> Iterator[str]:
    """Name the levels of runs that no part of the design planned."""
    cells = list(stray)
    for place, (name, planned) in enumerate(levels.items()):
        for level in sorted({cell[place] for cell in cells} - {*planned}, key=str):
            count = sum(cell[place] == level for cell in cells)
            yield f"{name} {written(level)} ({count} run{'s' * (count > 1)})"


def _same(level: Level) -> Level:
    return level if isinstance(level, str) or level is None else float(level)
