"""What a campaign has done: a line before and after each run, on the disk before anything else happens.

A campaign that is killed at any moment is resumed from it. A run of which the journal says that it began, and not that
it ended, is whole if its row stands in runs.csv, which is the last thing that is written of it. Else it never was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from storagelab import writing
from storagelab.errors import SidecarError
from storagelab.study.campaign_plan import Campaign

NAME = f"{writing.OURS}campaign.jsonl"
LOCK = f"{writing.OURS}campaign-lock"


def identity(plan: Campaign) -> str:
    """Checksum of what makes the runs of a plan what they are; how many rounds there are is none of it."""
    said = plan.model_dump(mode="json", include={"seed", "factors", "set", "command", "target", "drop_caches", "hosts"})
    said |= plan.model_dump(mode="json", include={"groups", "blocks", "before", "monitors"}, exclude_defaults=True)
    return hashlib.sha256(orjson.dumps(said)).hexdigest()


@dataclass(slots=True)
class Journal:
    """The journal of a study's campaign.

    Attributes
    ----------
    ended : dict
        Number of a run -> what its last line says.
    begun : dict
        Number of a run that began and did not end -> what its first line says.
    rounds : int
        Rounds that a pilot asked for; 0 where none was asked.
    """

    path: Path
    ended: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    begun: dict[int, dict[str, Any]] = field(default_factory=dict)
    rounds: int = 0

    def begin(self, number: int, **said: Any) -> None:
        """Write that a run begins."""
        self._write({"begin": number, **said})
        self.begun[number] = dict(said)

    def end(self, number: int, **said: Any) -> None:
        """Write that a run has ended."""
        self._write({"end": number, **said})
        self.ended[number] = said
        self.begun.pop(number, None)

    def running(self, number: int, pid: int) -> None:
        """Write which process a run is."""
        self._write({"running": number, "pid": pid, "since": writing.start_of(pid)})

    def decide(self, rounds: int) -> None:
        """Write how many rounds a pilot asks for."""
        self._write({"rounds": rounds})
        self.rounds = rounds

    def _write(self, said: Mapping[str, Any]) -> None:
        writing.append_line(self.path, orjson.dumps(said).decode())


def opened(folder: Path, plan: Campaign) -> Journal:
    """Read the journal of a study, or begin one.

    Raises
    ------
    SidecarError
        If it is of another plan.
    """
    journal = Journal(folder / NAME)
    own = identity(plan)
    there = False
    for line in _lines(journal.path):
        if "plan" in line:
            there = True
            _refuse_other(folder, str(line["plan"]), own)
        elif "begin" in line:
            journal.begun[int(line["begin"])] = line
        elif "running" in line and int(line["running"]) in journal.begun:
            journal.begun[int(line["running"])].update(line)
        elif "end" in line:
            journal.ended[int(line["end"])] = line
            journal.begun.pop(int(line["end"]), None)
        journal.rounds = int(line.get("rounds", journal.rounds))
    if not there:
        writing.append_line(journal.path, orjson.dumps({"plan": own}).decode())
    return journal


def _refuse_other(folder: Path, plan: str, own: str) -> None:
    if plan != own:
        raise SidecarError(
            str(folder / NAME),
            "the campaign that began here has another plan (factors, set, seed, command, target or hosts were changed;"
            " repeats may be): take the change back, or begin another study",
        )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Lines of a journal; one that a kill cut off said nothing yet."""
    if not path.exists():
        return
    for text in path.read_bytes().splitlines():
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if isinstance(found, dict):
            yield found
