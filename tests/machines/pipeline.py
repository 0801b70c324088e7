"""The stages of dvc.yaml, run without DVC: what each runs, needs and makes, and whose it is."""

from __future__ import annotations

import graphlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class Stage:
    """A command with the files and folders that it reads and makes, as paths from the root."""

    name: str
    command: str
    needs: tuple[str, ...]
    makes: tuple[str, ...]

    @property
    def study(self) -> str:
        """Whose outputs it makes; empty for what belongs to none."""
        folders = {PurePosixPath(path).parts[1] for path in self.makes if len(PurePosixPath(path).parts) > 2}
        return folders.pop() if len(folders) == 1 else ""


def stages(text: str) -> list[Stage]:
    """Read dvc.yaml, and put its stages into an order in which each finds what it needs."""
    document = yaml.safe_load(text)
    values = {name: value for part in document.get("vars", []) for name, value in part.items()}
    found = [stage for name, entry in document["stages"].items() for stage in _expanded(name, entry, values)]
    by_name = {stage.name: stage for stage in found}
    needed = {stage.name: [other.name for other in found if _feeds(other, stage)] for stage in found}
    return [by_name[name] for name in graphlib.TopologicalSorter(needed).static_order()]


def wanted(all_stages: Sequence[Stage], studies: Collection[str]) -> list[Stage]:
    """Choose the stages of some studies; of all studies, and what belongs to none, where none is named."""
    known = {stage.study for stage in all_stages} - {""}
    if unknown := set(studies) - known:
        raise ValueError(f"no study {', '.join(sorted(unknown))}: dvc.yaml has {', '.join(sorted(known))}")
    return [stage for stage in all_stages if not studies or stage.study in studies]


def given(all_stages: Sequence[Stage], chosen: Sequence[Stage]) -> list[str]:
    """Name what the chosen stages need and others make."""
    needs = {path for stage in chosen for path in stage.needs}
    others = [path for stage in all_stages if stage not in chosen for path in stage.makes]
    return sorted(path for path in others if any(_overlap(path, need) for need in needs))


def _expanded(name: str, entry: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[Stage]:
    if "foreach" not in entry:
        yield _stage(name, entry, {})
        return
    over = values[entry["foreach"].strip("${}")] if isinstance(entry["foreach"], str) else entry["foreach"]
    for key, item in over.items() if isinstance(over, Mapping) else ((item, item) for item in over):
        yield _stage(f"{name}@{key}", entry["do"], {"key": str(key), "item": str(item)})


def _stage(name: str, entry: Mapping[str, Any], values: Mapping[str, str]) -> Stage:
    def filled(text: str) -> str:
        return re.sub(r"\$\{(\w+)\}", lambda found: values[found[1]], text)

    makes = [path for kind in ("outs", "metrics", "plots") for path in _paths(entry.get(kind, []))]
    return Stage(
        name, filled(entry["cmd"]), tuple(map(filled, _paths(entry.get("deps", [])))), tuple(map(filled, makes))
    )


def _paths(entries: Sequence[str | Mapping[str, Any]]) -> list[str]:
    """Paths of entries that may carry options."""
    return [entry if isinstance(entry, str) else next(iter(entry)) for entry in entries]


def _feeds(first: Stage, second: Stage) -> bool:
    return first is not second and any(_overlap(made, need) for made in first.makes for need in second.needs)


def _overlap(first: str, second: str) -> bool:
    """Whether one path is the other, or lies in it."""
    a, b = f"{first}/", f"{second}/"
    return a.startswith(b) or b.startswith(a)


def files(root: Path, paths: Sequence[str]) -> dict[str, Path]:
    """All files at and below some paths, by their names from the root."""
    found = [below for path in paths for below in [root / path, *(root / path).rglob("*")] if below.is_file()]
    return {path.relative_to(root).as_posix(): path for path in found}
