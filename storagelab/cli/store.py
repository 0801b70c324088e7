"""``storagelab store``: many logs in one store; `storagelab.cli` takes it in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storagelab.cli import command_output, console
from storagelab.cli.shared_options import MaxMemory, MaxTime, Scheduler, Workers, workers_or_scheduler

if TYPE_CHECKING:
    from storagelab.store import Appended

app = typer.Typer()


@app.command("store", epilog="Example: storagelab store census.store logs/")
def store_(
    folder: Annotated[Path, typer.Argument(help="The store; made where there is none.")],
    logs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="LOG", help="Logs, or folders of logs; none: finish what is planned, and tell.", readable=False
        ),
    ] = None,
    workers: Workers = 0,
    scheduler: Scheduler = "",
    retry: Annotated[bool, typer.Option("--retry", help="Try logs again that could not be read before.")] = False,
    max_time: MaxTime = 600.0,
    max_memory: MaxMemory = "8G",
    json: command_output.AsJson = False,
) -> None:
    """Add logs to a store of parquet files: what is there already is skipped, what was killed is gone on with.

    A log is known by its SHA-256. Several commands may add to one store at once, such as the tasks of an array of jobs.
    storagelab.open_store reads it; compare takes it as a campaign. Exit status: 1 where a log could not be read.
    """
    from storagelab.ingest import cost_bounds
    from storagelab.store import append, open_store

    if retry and not logs:
        raise typer.BadParameter("name the logs to try again: a store keeps none", param_hint="--retry")
    working = workers_or_scheduler(workers, scheduler)
    with console.progress("storing") as advance:
        wanted = cost_bounds.bounds(max_time, max_memory)
        found = append(folder, *(logs or ()), workers=working, retry=retry, bounds=wanted, progress=advance)
    if found.changed:
        many = "a log" if found.changed == 1 else f"{found.changed:,} logs"
        console.warn(f"{folder}: has {many} of the same name with other bytes: the rows of both count")
    for log, reason in found.unread:
        console.warn(reason if reason.startswith(log) else f"{log}: {reason}")
    counts = open_store(folder).counts()
    rows = [{"node": node, "rows": count} for node, count in counts.items()]
    counted = {"new": found.new, "known": found.known, "changed": found.changed, "unread": len(found.unread)}
    command_output.give(rows, _lines(folder, found, counts), as_json=json, store=str(folder), **counted)
    if found.unread:
        raise typer.Exit(1)


def _lines(folder: Path, found: Appended, counts: dict[str, int]) -> Iterator[str]:
    named = f"; of those named {found.new:,} are new, {found.known:,} known" if found.new or found.known else ""
    yield f"{folder}: {found.stored:,} logs stored, {found.incomplete:,} of them incomplete{named}"
    yield f"{folder}: {', '.join(f'{count:,} {node}' for node, count in counts.items()) or 'no logs yet'}"
