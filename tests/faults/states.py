"""What a process that is killed at any of its steps leaves on disk, without a process for each step.

A process that is gone leaves what is on disk at that moment. So one process runs a command, and looks at a folder
before each step, and where the step is half done; each state is copied once, however many steps leave it. Who asks what
the next run makes of a state does so when that process has ended: what it left is named after it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from storagelab.writing import OURS, folders
from tests.faults import steps

OF_A_PROCESS = re.compile(rf"(?<={re.escape(OURS)}).*-\d+-\d*(?=-\d+\Z)")
"""What names the process in the name of a folder of its own."""


class State(NamedTuple):
    """A copy of a folder as a kill leaves it, and before which steps it is so."""

    root: Path
    steps: Sequence[str]


def left_by_kills(
    command: Callable[[], object],
    root: Path,
    to: Path,
    *,
    first: Callable[[], object] = lambda: None,
    in_place: Callable[[steps.Steps], object] = lambda seen: seen.in_place(pytest.MonkeyPatch()),
) -> list[State]:
    """Run a command in a process of its own; return each state below `root` in which a kill at a step leaves it.

    The process begins with `first`, and `in_place` stands between it and the system. The last state is the one at its
    end.
    """
    seen = _Seen(root, to)

    def watched() -> None:
        command()
        seen.look("the end")
        (to / "said.json").write_bytes(orjson.dumps([*seen.states.values()]))

    def begun() -> None:
        first()
        in_place(seen)

    to.mkdir()
    ended = steps.in_a_process(watched, to / "said", first=begun)
    assert ended.status == 0, ended.said
    found = orjson.loads((to / "said.json").read_bytes())
    return [State(to / f"{number}" / root.name, names) for number, names in enumerate(found)]


class _Seen(steps.Steps):
    """Copies each state of a folder that a step, or half of it, is about to change."""

    def __init__(self, root: Path, to: Path) -> None:
        super().__init__()
        self.root, self.to, self.states = root, to, dict[str, list[str]]()

    def here(self, name: str, half: Callable[[], object] | None = None) -> None:
        self.look(f"{len(self.names)} ({name})")
        if half:
            half()
            self.look(f"{len(self.names)} (half of {name})")
        super().here(name)

    def look(self, name: str) -> None:
        state = identity(self.root)
        if state not in self.states:
            copied(self.root, self.to / f"{len(self.states)}" / self.root.name)
        self.states.setdefault(state, []).append(name)


def copied(root: Path, to: Path) -> Path:
    """Copy a folder with its links and times; files that are one stay one."""
    ones: dict[tuple[int, int], str] = {}

    def copy(there: str, here: str) -> None:
        found = os.lstat(there)
        one = ones.setdefault((found.st_dev, found.st_ino), here)
        if one != here:
            os.link(one, here, follow_symlinks=False)
        else:
            shutil.copy2(there, here, follow_symlinks=False)

    return Path(shutil.copytree(root, to, symlinks=True, copy_function=copy))


def identity(root: Path, but: Collection[str] = ()) -> str:
    """Sum of all that is below a folder: names, modes, bytes, and which files are one; whoever made it, and when.

    Of the files `but` it is the same whatever their bytes are.
    """
    ones: dict[tuple[int, int], int] = {}
    found = hashlib.sha256()
    for path in _below(root):
        about = path.lstat()
        one = ones.setdefault((about.st_dev, about.st_ino), len(ones))
        name = "/".join(OF_A_PROCESS.sub("", part) for part in path.relative_to(root).parts)
        found.update(f"{name}\0{about.st_mode}\0{one}\0".encode())
        if path.is_symlink():
            found.update(os.fsencode(path.readlink()))
        elif path.is_file() and path.relative_to(root).as_posix() not in but:
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def contents(path: Path) -> Any:
    """Everything below a path, byte by byte: what a reader finds there."""
    if path.is_dir():
        return {each.name: contents(each) for each in sorted(path.iterdir())}
    return path.read_bytes() if path.exists() else None


def _below(root: Path) -> Iterator[Path]:
    for folder, within, names in os.walk(root):
        within.sort()
        yield from (Path(folder, name) for name in sorted([*within, *names]))


def not_exchanging() -> None:
    """Have this process find no way to exchange two folders in one step, as on some file systems."""
    pytest.MonkeyPatch().setattr(folders, "_exchange", lambda one, other: False)
