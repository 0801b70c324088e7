"""Logs of a study that are the same: a copy would count a run twice, so somebody must say why they are.

A copy is one also where it is compressed or has other line ends, as rotated logs and those from another system are.
Some tools print so little that two runs give one text, and counters that nothing moved are read twice alike.
"""

from __future__ import annotations

import fnmatch
import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path

from storagelab.errors import ParseError, SidecarError
from storagelab.ingest import checksums
from storagelab.parsers.wrapping import compression
from storagelab.study import Study


def problems(loaded: Study) -> list[SidecarError]:
    """Say which logs of a study are the same though `identical` of study.yaml does not cover both, a problem a text."""
    paths = [entry.path for entry in loaded.entries]
    groups = [(same, "bytes") for same in _same(loaded.folder, paths)]
    groups += [(same, "text") for same in _same_inside(loaded.folder, paths)]
    return [
        _refused(loaded.folder, bare[-1], same, what)
        for same, what in groups
        if (bare := [path for path in same if not _covered(path, loaded.sidecar.identical)])
    ]


def _refused(folder: Path, path: str, same: Sequence[str], what: str) -> SidecarError:
    others = [other for other in same if other != path]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    said = (
        f"the same {what} as {others[0]}{more}: remove the copy, or say in `identical` of study.yaml why both are logs"
    )
    return SidecarError(str(folder / path), said)


def _covered(path: str, globs: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, glob) for glob in globs)


def _same(folder: Path, paths: Sequence[str]) -> Iterator[list[str]]:
    """Groups of logs with the same bytes; only logs of the same size are read."""
    for of_one_size in _alike(paths, lambda path: (folder / path).stat().st_size):
        yield from _alike(of_one_size, lambda path: checksums.sha256(folder / path))


def _same_inside(folder: Path, paths: Sequence[str]) -> Iterator[list[str]]:
    """Groups of logs with the same text and other bytes; of plain ones those are read that have the size of a text."""
    inside = {path: found for path in paths if _is_wrapped(folder / path) and (found := _inside(folder / path))}
    sizes = {size for size, _ in inside.values()}
    plain = [path for path in paths if path not in inside and (folder / path).stat().st_size in sizes]
    digests = {path: digest for path, (_, digest) in inside.items()}
    digests |= {path: checksums.sha256(folder / path) for path in plain}
    for same in _alike([path for path in paths if path in digests], lambda path: digests[path]):
        if len({checksums.sha256(folder / path) for path in same}) > 1:
            yield same


def _is_wrapped(path: Path) -> bool:
    """Whether a log is compressed, or has the line ends of another system."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return b"\r\n" in head or not compression.is_none(head)


def _inside(path: Path) -> tuple[int, str] | None:
    """Size and SHA-256 of what is in a log, without carriage returns; None where it cannot be read to its end."""
    found, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        try:
            stream = compression.Opened(file).stream()
            while block := stream.read(_BLOCK):
                data = block.replace(b"\r", b"")
                found.update(data)
                size += len(data)
        except (ParseError, OSError, EOFError, ValueError):  # reading the log says what is wrong with it
            return None
    return size, found.hexdigest()


_HEAD = 4096
_BLOCK = 2**20


def _alike(paths: Sequence[str], trait: Callable[[str], Hashable]) -> Iterator[list[str]]:
    """Groups of at least two paths that have a trait in common."""
    groups: dict[Hashable, list[str]] = defaultdict(list)
    for path in paths:
        groups[trait(path)].append(path)
    return (group for group in groups.values() if len(group) > 1)
