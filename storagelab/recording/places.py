"""Where a run's log goes, which repeat it is, what it measures: claimed before it begins, so that no two share them."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from storagelab import writing
from storagelab.errors import SidecarError
from storagelab.study import RECORD
from storagelab.study.files import files_below

LONGEST = 80
"""Characters of a name that is made from settings; of more the rest becomes a checksum."""

TARGETS: Mapping[str, Sequence[str]] = {
    "fio": ("--directory", "--filename"), "ior": ("-o",), "mdtest": ("-d",), "iozone": ("-f", "-F"),
    "dd": ("of", "if"), "fileop": ("-d",), "dbench": ("-D",),
}  # fmt: skip
"""Tool -> options that say where its files are, the first that is there."""

LAUNCHERS = ("mpirun", "mpiexec", "srun", "taskset", "numactl", "env", "sudo", "time", "nice", "timeout", "systemd-run")


@dataclass(frozen=True, slots=True)
class Place:
    """A run that was claimed: its log, and the file that keeps what was seen of it."""

    log: Path
    repeat: int

    @property
    def record(self) -> Path:
        """Where what was seen of the run is kept."""
        return of_log(self.log)


def of_log(log: Path) -> Path:
    """Where what was seen of the run of a log is kept."""
    return log.with_name(log.name + RECORD)


def tool_of(command: Sequence[str]) -> str:
    """Name of the tool in a command, behind launchers such as mpirun; the first word where no tool is known."""
    names = [Path(word).name for word in command]
    if names[0] in LAUNCHERS:
        return next((name for name in names if name in TARGETS), names[0])
    return names[0]


def target_of(command: Sequence[str]) -> Path:
    """Folder or file that a command measures, as far as its tool's options tell; else where it is started."""
    for option in TARGETS.get(tool_of(command), ()):
        for word, following in zip(command, [*command[1:], ""], strict=True):
            name, sign, value = word.partition("=")
            if name == option and (value if sign else following):
                return Path(value if sign else following)
    return Path()


def claim(
    folder: Path, set_: Mapping[str, str], command: Sequence[str], name: str = "", *, exact: bool = False
) -> Place:
    """Choose log and repeat of a run, and write that it has begun.

    The repeat is what is set, else one more than the runs have that were set alike and ran the same command.

    Raises
    ------
    SidecarError
        If the name is to be exactly this and is taken, or leads out of the study.
    """
    with writing.locked(folder):
        repeat = _repeat(folder, set_, command)
        wanted = name or named(set_, command, repeat)
        log = _free(folder, wanted)
        if exact and log != folder / wanted:
            raise SidecarError(str(folder / wanted), "there is such a log already, and it is no run of this campaign")
        if not log.resolve().is_relative_to(folder.resolve()):
            raise SidecarError(str(log), "expected a log below the folder of its study")
        place = Place(log, repeat)
        begun = {"state": "begun", "set": dict(set_), "repeat": repeat, "command": list(command)}
        writing.write_bytes(place.record, orjson.dumps(begun))
        return place


def seen(folder: Path) -> Iterator[dict[str, Any]]:
    """What was seen of each run of a study; what a killed recorder had begun to write says nothing."""
    for path in files_below(folder, hidden=True):
        if not path.name.endswith(RECORD) or path.parent.name.startswith(writing.OURS):
            continue
        found = orjson.loads(path.read_bytes())
        if isinstance(found, dict):
            yield found


def _repeat(folder: Path, set_: Mapping[str, str], command: Sequence[str]) -> int:
    if "repeat" in set_:
        return int(float(set_["repeat"]))
    return 1 + max(_repeats(folder, set_, command), default=0)


def _repeats(folder: Path, set_: Mapping[str, str], command: Sequence[str]) -> Iterator[int]:
    """Repeats that runs have which were set alike and ran the same command."""
    wanted = {name: value for name, value in set_.items() if name != "repeat"}
    for run in seen(folder):
        own = {name: value for name, value in run.get("set", {}).items() if name != "repeat"}
        if own == wanted and run.get("command") == list(command):
            yield int(run.get("repeat", 0))


def named(set_: Mapping[str, str], command: Sequence[str], repeat: int, *, of_a_folder: bool = False) -> str:
    """Name the log of a run, or the folder of its logs, by tool, settings and repeat."""
    tool = slug(tool_of(command))
    said = {name: value for name, value in set_.items() if name != "repeat"}
    words = [slug(f"{name}{value}" if value[:1].isdigit() else value) for name, value in said.items()]
    text = "_".join(words)
    if len(text) > LONGEST:
        text = text[:LONGEST] + "-" + hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{tool}/{'_'.join(filter(None, (text, f'r{repeat}')))}" + ("" if of_a_folder else ".log")


def slug(text: str) -> str:
    """Write a text so that it can be part of a path."""
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", text).strip("-.") or "run"


def _free(folder: Path, name: str) -> Path:
    """Return the first of ``a.log``, ``a_2.log``, ... that no run has, and none that was begun."""
    first = folder / name
    others = (first.with_stem(f"{first.stem}_{number}") for number in itertools.count(2))
    return next(
        path
        for path in itertools.chain([first], others)
        if not any(one.exists() for one in (path, writing.begun(path), of_log(path)))
    )
