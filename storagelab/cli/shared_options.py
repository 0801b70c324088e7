"""Options and arguments that several commands have."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from storagelab import units
from storagelab.errors import UnknownNameError

STANDARD_INPUT = Path("-")
"""How a log that comes from standard input is named."""


class Node(StrEnum):
    """The nodes of a study; the contract's words (a test holds the two together)."""

    RUNS = "runs"
    CLIENTS = "clients"
    SERIES = "series"
    EVENTS = "events"
    LOGS = "logs"
    CONDITIONS = "conditions"


def studies(incomplete: str) -> list[str]:
    """Names of studies below raw/ that begin so, for the completion of shells."""
    names = sorted(path.parent.name for path in Path("raw").glob("*/study.yaml"))
    return [name for name in names if name.startswith(incomplete)]


_STUDY = {"help": "Name of a folder below raw/, or its path.", "autocompletion": studies}
StudyName = Annotated[str, typer.Argument(metavar="STUDY", **_STUDY)]
StudyNames = Annotated[list[str], typer.Argument(metavar="STUDY", **_STUDY)]


def seconds(wanted: float) -> float:
    """Return a time that is one: no range leaves out NaN with every version of typer.

    Raises
    ------
    typer.BadParameter
        If it is NaN.
    """
    if math.isnan(wanted):
        raise typer.BadParameter(f"expected seconds, found {wanted}")
    return wanted


def a_size(text: str) -> str:
    """Return a size as it is written, such as ``8G``.

    Raises
    ------
    typer.BadParameter
        If it is none.
    """
    try:
        units.binary_size(text)
    except UnknownNameError as error:
        raise typer.BadParameter(str(error)) from None
    return text


MaxTime = Annotated[
    float,
    typer.Option(metavar="SECONDS", min=0, callback=seconds, help="A log that takes longer is refused; 0: none is."),
]
MaxMemory = Annotated[
    str, typer.Option(metavar="SIZE", callback=a_size, help="A log that needs more memory is refused; 0: none is.")
]
Workers = Annotated[int, typer.Option(min=0, help="Processes that read logs; 0: as many as there are cores and work.")]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Scheduler of dask whose workers read logs: tcp://login1:8786.")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write instead of standard output (-).")]


def workers_or_scheduler(workers: int, scheduler: str) -> int | str:
    """Return who reads logs: processes of this machine, or the workers of a scheduler.

    Raises
    ------
    typer.BadParameter
        If both are said.
    """
    if workers and scheduler:
        raise typer.BadParameter("the scheduler has workers of its own: leave out --workers", param_hint="--scheduler")
    return scheduler or workers
