"""``storagelab record`` on a terminal: what the command prints goes where it would have gone."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import typer

from storagelab.cli import campaign_commands, console
from storagelab.errors import StoragelabError
from storagelab.recording import Order, process, randomised_order, slurm, table
from storagelab.recording import campaign as campaigns
from storagelab.recording import record as recording
from storagelab.recording.randomised_order import Run
from storagelab.study import read_sidecar
from storagelab.study.campaign_plan import Campaign
from storagelab.study.plan_yaml import NAME as PLAN


def record(
    command: Sequence[str], study: str, said: Sequence[str], target: Path | None, log: str, *, drop_caches: bool
) -> int:
    """Record a run; return the exit status."""
    try:
        folder = console.study_folder(study or campaign_commands.only_study("--study"))
        settings = table.settings(said, folder, read_sidecar(folder / "study.yaml"))
        order = Order(folder, command, settings, target, drop_caches, log)
        return recording(order, Raw(sys.stdout.buffer).write, Raw(sys.stderr.buffer).write, console.warn).status
    except FileNotFoundError as error:
        console.warn(console.format_oserror(error))
        return process.NOT_FOUND if error.filename == command[0] else campaign_commands.FAILED
    except PermissionError as error:
        console.warn(console.format_oserror(error))
        return process.NOT_RUN if error.filename == command[0] else campaign_commands.FAILED
    except (StoragelabError, OSError) as error:
        console.warn(console.format_oserror(error) if isinstance(error, OSError) else str(error))
        return campaign_commands.FAILED


def study_of(name: str) -> Path:
    """Find the folder of a study by its name, its path or the path of its plan.yaml."""
    path = Path(name)
    return console.study_folder(str(path.parent) if path.name == PLAN and path.is_file() else name)


def plan(folder: Path, repeats: str) -> Campaign:
    """Read the plan of a study; `repeats`, where it is given, is how many rounds there are.

    Raises
    ------
    SidecarError
        As `storagelab.recording.campaign.plan_of`.
    """
    found = campaigns.plan_of(folder)
    if not repeats:
        return found
    if repeats != "auto" and not (repeats.isdecimal() and int(repeats)):
        raise typer.BadParameter(f"expected a number of at least 1, or auto, found {repeats!r}", param_hint="--repeats")
    return found.model_copy(update={"repeats": repeats if repeats == "auto" else int(repeats)})


def listed(folder: Path, plan: Campaign) -> list[tuple[Run, str]]:
    """Tell what would be run: each run with its command, that of the first host where there are several."""
    rounds = plan.pilot.rounds if plan.repeats == "auto" else plan.repeats
    study = folder.resolve().name
    return [
        (run, shlex.join(randomised_order.command(plan, run, study, next(iter(run.group.hosts), ""))))
        for run in randomised_order.runs(plan, rounds)
    ]


def rows(listed: Sequence[tuple[Run, str]]) -> list[dict[str, Any]]:
    """Return what would be run, a row a run."""
    return [
        {"run": run.number, "round": run.round, "levels": dict(run.levels), "command": command}
        for run, command in listed
    ]


def lines(listed: Sequence[tuple[Run, str]], plan: Campaign) -> Iterator[str]:
    """Write what would be run, a run a line."""
    for run, command in listed:
        yield f"{run}: {command}"
    if plan.repeats == "auto":
        yield f"then as many rounds as the {plan.pilot.rounds} of this pilot ask for, at most {plan.pilot.most}"


def script(folder: Path, plan: Campaign) -> Iterator[str]:
    """Return the lines of a script for sbatch."""
    yield from slurm.script(folder, plan).splitlines()


def campaign(folder: Path, plan: Campaign, run: int) -> int:
    """Make the runs of a plan; return how many failed."""
    shown = campaigns.Shown(Raw(sys.stdout.buffer).write, Raw(sys.stderr.buffer).write, console.warn)
    return campaigns.carry_out(folder, plan, shown, run)


class Raw:
    """A stream to which bytes go at once; where nobody reads them any more, the run goes on."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO | None = stream

    def write(self, data: bytes) -> None:
        """Write and show bytes."""
        try:
            if self._stream is not None:
                self._stream.write(data)
                self._stream.flush()
        except BrokenPipeError:
            self._stream = None
