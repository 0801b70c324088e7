"""Commands that import little, cut down to their writing: a process that holds no more is forked ten times as fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import jinja2

from storagelab.errors import StoragelabError
from storagelab.project import making
from storagelab.reconstruct import campaign
from storagelab.reconstruct.log import Log


class Command(NamedTuple):
    """What a command does in a folder, and which paths below it change together: what a reader may not see mixed."""

    write: Callable[[Path, str], object]
    together: tuple[str, ...]

    def before(self, root: Path) -> None:
        """Leave what an earlier run wrote."""
        self.write(root, "old")

    def run(self, root: Path) -> None:
        """Write what is to be there."""
        self.write(root, "new")


def reconstruct(root: Path, word: str) -> None:
    (root / "study").mkdir(parents=True, exist_ok=True)
    logs = [Log(f"{folder}/{word}.log", word, {"basis": "model"}) for folder in "ab"]
    campaign.write(logs, root / "study")


def new_project(root: Path, word: str) -> None:
    """A project in a folder that is there, which nothing was made in before."""
    (root / "project").mkdir(parents=True, exist_ok=True)
    if word == "new":
        made(root / "project", "nfs-2026")


def new_study(root: Path, word: str) -> None:
    made(root / "project", "nfs-2026" if word == "old" else "lustre-2026")


def made(project: Path, study: str) -> None:
    """Make a study, unless a call that was disturbed afterwards had made it: then that is said."""
    try:
        with patch.object(making._ENVIRONMENT, "from_string", template):
            making.make(project, study)
    except StoragelabError as error:
        if "is there already" not in str(error):
            raise


@cache
def template(text: str) -> jinja2.Template:
    """Compile a template once, which is half of the work of `new` and no part of its writing."""
    return jinja2.Environment.from_string(making._ENVIRONMENT, text)


LIGHT: Mapping[str, Command] = {
    "reconstruct": Command(reconstruct, ("study/logs",)),
    "new": Command(new_project, ()),
    "new --study": Command(new_study, ()),
}


def contents(path: Path) -> Any:
    """Everything below a path, byte by byte: what a reader finds there."""
    if path.is_dir():
        return {each.name: contents(each) for each in sorted(path.iterdir())}
    return path.read_bytes() if path.exists() else None
