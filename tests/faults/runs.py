"""``record`` and ``campaign``, whose runs take time: what a disturbed one leaves, and what the next one makes.

No two runs give the same bytes, so what must hold is said in words: each run that stands in runs.csv is whole, and each
that was planned stands there once. Only what the recorder itself asks of the system is disturbed, not the command that
it runs: one that fails is a run that failed.
"""

from __future__ import annotations

import csv
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import orjson

from storagelab import writing
from storagelab.errors import StoragelabError
from storagelab.parsers import parse
from storagelab.recording import campaign, journal, places
from storagelab.recording.record import Order, record
from storagelab.study import RECORD
from tests.faults import syscalls
from tests.recording.standin import SHAPE

STUDY = "id: mine\ntitle: Mine\norigin: measured\n"
PLAN = "plan: {seed: 7, repeats: 1, factors: {clients: [1]}, command: 'fio --numjobs={clients}'}\n"


class Recorder(NamedTuple):
    """A command that records runs in a study, and how many rows it leaves when it is called again after a disturbance.

    `rows` gets how many there were before.
    """

    run: Callable[[Path], object]
    rows: Callable[[int], int]


def recorded(study: Path) -> None:
    """Record one run."""
    order = Order(study, ["fio", "--numjobs=1"], {"clients": "1"}, None, drop_caches=False, name="")
    _refuse_failed(record(order, _nothing, _nothing, _nothing).status)


def carried_out(study: Path) -> None:
    """Carry out a campaign of one run."""
    plan = campaign.plan_of(study)
    _refuse_failed(campaign.carry_out(study, plan, campaign.Shown(_nothing, _nothing, _nothing)))


RECORDERS = {
    "record": Recorder(recorded, lambda before: before + 1),
    "campaign": Recorder(carried_out, lambda before: 1),
}


def _nothing(_: object) -> None:
    pass


def _refuse_failed(status: int) -> None:
    if status:
        raise StoragelabError("the run failed")


def each_call(name: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Disturb each system call of a recorder once in each way; yield how, where, and what is wrong afterwards."""
    recorder = RECORDERS[name]
    with _study(folder) as study:
        recorder.run(study)  # what is imported late is imported then, and no file of the study
    with _study(folder) as study:
        calls = syscalls.system_calls(partial(recorder.run, study), folder, follow=False)
    for call, count in calls.items():
        for number in range(1, count + 1):
            for what in (syscalls.refused, syscalls.killed_at):
                with _study(folder) as study:
                    ended = what(partial(recorder.run, study), folder, call, number, follow=False)
                    yield what.__name__, f"at {call} {number}", _wrong(recorder, study, ended.status)


def _wrong(recorder: Recorder, study: Path, status: int) -> str:
    """Say what does not hold after a disturbance, or after the next call; "" where all does."""
    before = len(_rows(study))
    found = [_not_whole(study)]
    if status == 0 and before != 1:
        found.append(f"succeeded, and left {before} rows")
    try:
        recorder.run(study)
    except StoragelabError as error:
        return "; ".join(filter(None, [*found, f"the next call is refused: {error}"]))
    found.append(_not_whole(study))
    if (after := len(_rows(study))) != (wanted := recorder.rows(before)):
        found.append(f"{after} rows instead of {wanted} after the next call")
    return "; ".join(filter(None, found))


def _not_whole(study: Path) -> str:
    """Say which row of runs.csv has no whole log and no account of its run, and which file is none of ours."""
    for row in _rows(study):
        log = study / row["file"]
        about = places.of_log(log)
        said = orjson.loads(about.read_bytes()) if about.exists() else {}
        if not parse(log.read_text(), name=log.name).complete or said.get("state") != "ended":
            return f"{row['file']} is not whole"
    strange = [path for path in study.rglob("*") if path.is_file() and not _expected(path.relative_to(study))]
    return f"there is {', '.join(map(str, strange))}" if strange else ""


def _expected(path: Path) -> bool:
    """Whether a file is one that a recorder leaves, or what is left of a run that was cut off."""
    ours = path.name in {"study.yaml", "runs.csv"} or path.parts[0] in {journal.NAME, campaign.ASIDE}
    of_run = path.parts[0] == "fio" and path.name.endswith((".log", RECORD, writing.BEGUN))
    return ours or of_run or any(part.startswith(writing.OURS) for part in path.parts)


def _rows(study: Path) -> list[dict[str, str]]:
    path = study / "runs.csv"
    return list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []


@contextmanager
def _study(folder: Path) -> Iterator[Path]:
    """A study in an empty folder that is the working directory, and a benchmark that prints the same each time."""
    root = folder / "recorder"
    study = root / "raw" / "mine"
    study.mkdir(parents=True)
    (study / "study.yaml").write_text(STUDY + PLAN)
    tool = root / "bin" / "fio"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\nexec cat {shlex.quote(str(SHAPE))}\n")
    tool.chmod(0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{tool.parent}{os.pathsep}{path}"
    try:
        with chdir(root):
            yield Path("raw", "mine")
    finally:
        os.environ["PATH"] = path
        shutil.rmtree(root)
