"""One command, disturbed at each of its steps; what it leaves is asked once, however many steps leave the same.

What a kill leaves is on disk: see `tests.faults.states`. A command whose disk is full goes on, and says so. It begins
anew for each step, in a folder of its own, and all in one process: that has ended when the next run finds what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest

from storagelab import writing
from tests.faults import states, steps
from tests.faults.commands import Command
from tests.faults.states import contents


class Before(NamedTuple):
    """What an earlier run left, and where to try the next one."""

    command: Command
    old: Path
    folder: Path
    first: Callable[[], object]

    def killed(self) -> Iterator[tuple[Path, str]]:
        """Yield each state that a kill leaves, and before which steps."""
        root = states.copied(self.old, self.folder / "killed")
        run = partial(self.command.run, root)
        for state in states.left_by_kills(run, root, self.folder / "states", first=self.first):
            yield state.root, ", ".join(state.steps)

    def refused(self) -> Iterator[tuple[Path, str, steps.Ended]]:
        """Yield what the command left whose disk was full at a step, the step, and how it ended."""
        said = self.folder / "said"
        ended = steps.in_a_process(self._refuse_each, said, first=self.first)
        assert ended.status == 0, ended.said
        for at, (step, *end) in enumerate(orjson.loads((self.folder / "ends").read_bytes())):
            yield self.folder / f"{at}", f"{at} ({step})", steps.Ended(*end)

    def _refuse_each(self) -> None:
        whole = states.copied(self.old, self.folder / "whole")
        ends = []
        for at, step in enumerate(steps.undisturbed(partial(self.command.run, whole))):
            root, said = states.copied(self.old, self.folder / f"{at}"), self.folder / "said at a step"
            with pytest.MonkeyPatch.context() as patch:
                steps.Steps(at).in_place(patch)
                status = steps.as_a_command(partial(self.command.run, root), said)
            ends.append((step, status, said.read_text()))
        (self.folder / "ends").write_bytes(orjson.dumps(ends))


def tried(command: Command, tmp_path: Path, *, kill: bool, exchange: bool = True) -> list[str]:
    """Disturb a command at each of its steps; return what was wrong afterwards."""
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        command.before(folder)
    command.run(new)
    before = Before(command, old, tmp_path, (lambda: None) if exchange else states.not_exchanging)
    wrong, left = list[str](), dict[str, tuple[Path, list[str]]]()
    if kill:
        left = {where: (root, [where]) for root, where in before.killed()}
    else:
        for root, where, ended in before.refused():
            if not is_told(ended, command.together):
                wrong.append(f"step {where}: ended with {ended.status} and said {ended.said!r}")
            left.setdefault(states.identity(root), (root, []))[1].append(where)
    for root, wheres in left.values():
        wrong += [f"step {', '.join(wheres)}: {each}" for each in problems(command, root, old, new, swept=not exchange)]
    return wrong


def problems(command: Command, root: Path, old: Path, new: Path, *, swept: bool) -> Iterator[str]:
    """Say what is wrong with what a disturbed command left, beside what an old and a new run leave."""
    for path in command.together if swept else ():
        writing.sweep((root / path).parent)
    seen = [contents(root / path) for path in command.together]
    if seen not in [[contents(one / path) for path in command.together] for one in (old, new)]:
        yield "a reader finds neither the old nor the new"
    command.run(root)
    if contents(root) != contents(new):
        yield f"the next run leaves {sorted(map(str, root.rglob('*')))}"


def is_told(ended: steps.Ended, together: tuple[str, ...]) -> bool:
    """Whether a failure is one line with the file and exit status 1; one in tidying up need not be told."""
    if ended.status == 0:
        return not ended.said
    name = Path(together[0]).name if together else ""
    return (
        ended.status == 1
        and ended.said.count("\n") == 1
        and ended.said.startswith("storagelab: ")
        and name in ended.said
    )
