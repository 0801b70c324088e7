"""One command, disturbed at each of its steps; a light one by ``python -m tests.faults.trial NAME FOLDER [--kill]``.

Prints what was wrong, as JSON.
"""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from storagelab import writing
from storagelab.writing import folders
from tests.faults import steps
from tests.faults.light import LIGHT, Command, contents


def tried(name: str, command: Command, tmp_path: Path, *, kill: bool, exchange: bool = True) -> list[str]:
    """Disturb a command at each of its steps; return what was wrong afterwards."""
    old, new, wrong = tmp_path / "old", tmp_path / "new", list[str]()
    for folder in (old, new):
        folder.mkdir()
        command.before(folder)
    with pytest.MonkeyPatch.context() as patch:
        if not exchange:
            patch.setattr(folders, "_exchange", lambda one, other: False)
        taken = steps.undisturbed(lambda: command.run(new))
    for at, step in enumerate(taken):
        root = shutil.copytree(old, tmp_path / f"{at}", symlinks=True)
        ended = steps.disturbed(partial(command.run, root), tmp_path / "said", at, kill=kill, exchange=exchange)
        found = problems(command, ended, kill=kill, roots=(root, old, new), swept=not exchange)
        wrong += [f"{name}, step {at} ({step}): {problem}" for problem in found]
    return wrong


def problems(
    command: Command, ended: steps.Ended, *, kill: bool, roots: tuple[Path, Path, Path], swept: bool
) -> Iterator[str]:
    """Say what is wrong with what a disturbed command left, beside what an old and a new run leave."""
    root, old, new = roots
    for path in command.together if swept else ():
        writing.sweep((root / path).parent)
    seen = [contents(root / path) for path in command.together]
    if seen not in [[contents(one / path) for path in command.together] for one in (old, new)]:
        yield "a reader finds neither the old nor the new"
    if kill and ended.status != steps.KILLED:
        yield f"ended with {ended.status}: {ended.said}"
    if not kill and not is_told(ended, command.together):
        yield f"ended with {ended.status} and said {ended.said!r}"
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


def main(name: str, folder: str, *options: str) -> None:
    """Try a light command, with warnings as errors, as in every test."""
    warnings.simplefilter("error")
    json.dump(tried(name, LIGHT[name], Path(folder), kill="--kill" in options), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
