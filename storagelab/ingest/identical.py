"""Logs of a study that are the same, byte by byte: a copy would count a run twice, so somebody must say why they are.

Some tools print so little that two runs give one text, and counters that nothing moved are read twice alike.
"""

from __future__ import annotations

import fnmatch
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path

from storagelab.errors import SidecarError
from storagelab.ingest import checksums
from storagelab.study import Study


def problems(loaded: Study) -> list[SidecarError]:
    """Say which logs of a study are the same though `identical` of study.yaml does not cover both, a problem a text."""
    groups = _same(loaded.folder, [entry.path for entry in loaded.entries])
    return [
        _refused(loaded.folder, bare[-1], same)
        for same in groups
        if (bare := [path for path in same if not _covered(path, loaded.sidecar.identical)])
    ]


def _refused(folder: Path, path: str, same: Sequence[str]) -> SidecarError:
    others = [other for other in same if other != path]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    said = (
        f"the same bytes as {others[0]}{more}: remove the copy, or say in `identical` of study.yaml why both are logs"
    )
    return SidecarError(str(folder / path), said)


def _covered(path: str, globs: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, glob) for glob in globs)


def _same(folder: Path, paths: Sequence[str]) -> Iterator[list[str]]:
    """Groups of logs with the same bytes; only logs of the same size are read."""
    for of_one_size in _alike(paths, lambda path: (folder / path).stat().st_size):
        yield from _alike(of_one_size, lambda path: checksums.sha256(folder / path))


def _alike(paths: Sequence[str], trait: Callable[[str], Hashable]) -> Iterator[list[str]]:
    """Groups of at least two paths that have a trait in common."""
    groups: dict[Hashable, list[str]] = defaultdict(list)
    for path in paths:
        groups[trait(path)].append(path)
    return (group for group in groups.values() if len(group) > 1)
