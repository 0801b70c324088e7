"""Commands for a campaign of one's own: `new`, `record`, `campaign`, `history`; `storagelab.cli` takes them in."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from storagelab.cli import console

app = typer.Typer()

FAILED = 125
"""Exit status where a command could not even be tried, as of env, timeout and the like."""


@app.command(epilog="Example: storagelab new nfs-2026 && cd nfs-2026")
def new(
    path: Annotated[
        Path, typer.Argument(help="Folder that is to become a project; or of a project, or PROJECT/raw/STUDY.")
    ],
    study: Annotated[str, typer.Option(help="Name of the study; that of the folder otherwise.")] = "",
) -> None:
    """Make a project in a folder of its own, or add a study to one; nothing that is there is written over."""
    from storagelab import project

    made = project.make(path, study)
    for file in made.files:
        print(made.root / file)
    console.complain(f"describe the study in {made.root / 'raw' / made.study / 'study.yaml'}; README.md says what then")


@app.command(
    epilog="Example: storagelab record --set clients=4 -- fio --name=write --rw=write --size=1g --numjobs=4 "
    "--output-format=json"
)
def record(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND", help="What to run; stands behind --.")],
    study: Annotated[str, typer.Option(help="Name of a folder below raw/, or its path; the only one otherwise.")] = "",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Key of the run; may be given more than once."),
    ] = None,
    target: Annotated[
        Path | None, typer.Option(help="What is measured; otherwise what the tool's options say, or this folder.")
    ] = None,
    log: Annotated[str, typer.Option(help="Path of the log below the study; made from --set otherwise.")] = "",
    drop_caches: Annotated[
        bool, typer.Option("--drop-caches", help="Drop the caches of this host before (root).")
    ] = False,
) -> None:
    """Run a benchmark and keep what is always forgotten: output, times, host, mount, counters, a row of runs.csv.

    The exit status is that of the command; 125 where it was not run, 126 or 127 where it could not be started.
    """
    from storagelab.cli import recorded

    raise typer.Exit(recorded.record(command, study, set_ or (), target, log, drop_caches=drop_caches))


def only_study() -> str:
    """Name the study that is meant where none is named: the one here, or the only one below raw/."""
    if Path("study.yaml").is_file():
        return "."
    there = sorted(path.parent.name for path in Path("raw").glob("*/study.yaml"))
    if len(there) != 1:
        known = f"there are {', '.join(there)}" if there else "there is none; `storagelab new` makes one"
        raise typer.BadParameter(f"say which study: {known}", param_hint="--study")
    return there[0]


@app.command(epilog="Example: storagelab campaign nfs-2026 --dry-run")
def campaign(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="Study with a plan, or its plan.yaml; the only one otherwise.")
    ] = "",
    repeats: Annotated[
        str, typer.Option(help="Rounds instead of those of the plan; auto: as many as a pilot asks for.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the runs in their order, and make none.")] = False,
    run: Annotated[int, typer.Option(min=0, help="Make only the run of this number.")] = 0,
    slurm: Annotated[bool, typer.Option("--slurm", help="Print a script for sbatch instead of making runs.")] = False,
) -> None:
    """Make all runs of a plan in randomised rounds, each exactly once; called again, it goes on where it was stopped.

    Exit status: 0 all runs are made and none failed, 1 a command failed or the plan is wrong, 130 interrupted.
    """
    from storagelab.cli import recorded

    folder = recorded.study_of(study or only_study())
    plan = recorded.plan(folder, repeats)
    if slurm or dry_run:
        print("\n".join(recorded.script(folder, plan) if slurm else recorded.listed(folder, plan)))
    elif failed := recorded.campaign(folder, plan, run):
        console.complain(f"{failed} runs failed: their exit status is in runs.csv")
        raise typer.Exit(1)


class Page(StrEnum):
    """What ``storagelab history`` can write."""

    TEXT = "text"
    JSON = "json"


@app.command(epilog="Example: storagelab history v1.0:runs v1.1:runs v1.2:runs runs --variable throughput")
def history(
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE", help="Dataset, study, log or folder of logs, or REVISION:PATH; oldest first."
        ),
    ],
    variable: Annotated[str, typer.Option(help="What to follow; the obvious one otherwise.")] = "",
    by: Annotated[list[str] | None, typer.Option(help="Key that makes the cells; all that differ otherwise.")] = None,
    over: Annotated[list[str] | None, typer.Option(help="Key that is averaged over.")] = None,
    margin: Annotated[float, typer.Option(help="Smallest change that matters: 0.05 is 5 %.")] = 0.05,
    to: Annotated[Page, typer.Option(help="What to write.")] = Page.TEXT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write instead of standard output (-).")
    ] = None,
) -> None:
    """Say in which release the levels of a campaign changed, and which are slower now.

    Exit status: 0 no level is slower since its last change, 1 one is, 3 the runs are too few to tell; 2 the usage or
    the data are wrong.
    """
    from storagelab.analysis.comparison import campaigns
    from storagelab.cli import history as pages
    from storagelab.errors import StoragelabError

    try:
        found = pages.history(releases, variable=variable, by=by or (), over=over or (), margin=margin)
    except (StoragelabError, OSError) as error:
        console.complain(str(error))
        raise typer.Exit(2) from None
    with console.opened(output) as file:
        file.write(pages.WRITERS[to.value](found))
    raise typer.Exit({campaigns.SLOWER: 1, campaigns.CANNOT_TELL: 3}.get(found.answer, 0))
