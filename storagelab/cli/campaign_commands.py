"""Commands for a campaign of one's own: `new`, `record`, `campaign`; `storagelab.cli` takes them in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storagelab.cli import command_output, console
from storagelab.cli.shared_options import studies

app = typer.Typer()

FAILED = 125
"""Exit status where a command could not even be tried, as of env, timeout and the like."""


@app.command(epilog="Example: storagelab new nfs-2026 && cd nfs-2026")
def new(
    path: Annotated[
        Path, typer.Argument(help="Folder that is to become a project; or of a project, or PROJECT/raw/STUDY.")
    ],
    study: Annotated[str, typer.Option(help="Name of the study; that of the folder otherwise.")] = "",
    like: Annotated[
        str,
        typer.Option(
            help="Study of the project whose study.yaml and notebook are taken: next year's.", autocompletion=studies
        ),
    ] = "",
    json: command_output.AsJson = False,
) -> None:
    """Make a project in a folder of its own, or add a study to one; nothing that is there is written over."""
    from storagelab import project

    made = project.make(path, study, like)
    files = [str(made.root / file) for file in made.files]
    console.warn(f"describe the study in {made.root / 'raw' / made.study / 'study.yaml'}; README.md says what then")
    command_output.give([{"file": file} for file in files], files, as_json=json, study=made.study)


@app.command(
    epilog="Example: storagelab record --set clients=4 -- fio --name=write --rw=write --size=1g --numjobs=4 "
    "--output-format=json"
)
def record(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND", help="What to run; stands behind --.")],
    study: Annotated[
        str,
        typer.Option(help="Name of a folder below raw/, or its path; the only one otherwise.", autocompletion=studies),
    ] = "",
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
    from storagelab.cli import record

    raise typer.Exit(record.record(command, study, set_ or (), target, log, drop_caches=drop_caches))


def only_study(hint: str) -> str:
    """Name the study that is meant where none is named: the one here, or the only one below raw/.

    Parameters
    ----------
    hint : str
        The argument or option that names it.
    """
    if Path("study.yaml").is_file():
        return "."
    there = sorted(path.parent.name for path in Path("raw").glob("*/study.yaml"))
    if len(there) != 1:
        known = f"there are {', '.join(there)}" if there else "there is none; `storagelab new` makes one"
        raise typer.BadParameter(f"say which study: {known}", param_hint=hint)
    return there[0]


@app.command(epilog="Example: storagelab campaign nfs-2026 --dry-run")
def campaign(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="Study with a plan, or its plan.yaml; the only one otherwise.", autocompletion=studies
        ),
    ] = "",
    repeats: Annotated[
        str, typer.Option(help="Rounds instead of those of the plan; auto: as many as a pilot asks for.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the runs in their order, and make none.")] = False,
    run: Annotated[int, typer.Option(min=0, help="Make only the run of this number.")] = 0,
    slurm: Annotated[bool, typer.Option("--slurm", help="Print a script for sbatch instead of making runs.")] = False,
    json: command_output.AsJson = False,
) -> None:
    """Make all runs of a plan in randomised rounds, each exactly once; called again, it goes on where it was stopped.

    Exit status: 0 all runs are made and none failed, 1 a command failed or the plan is wrong, 130 interrupted.
    """
    from storagelab.cli import record

    if json and (slurm or not dry_run):
        raise typer.BadParameter("lists the runs of --dry-run: name both", param_hint="--json")
    folder = record.study_of(study or only_study("STUDY"))
    plan = record.plan(folder, repeats)
    if slurm:
        print("\n".join(record.script(folder, plan)))
    elif dry_run:
        listed = record.listed(folder, plan)
        told = record.lines(listed, plan)
        command_output.give(record.rows(listed), told, as_json=json, repeats=plan.repeats, seed=plan.seed)
    elif failed := record.campaign(folder, plan, run):
        console.warn(f"{failed} runs failed: their exit status is in runs.csv")
        raise typer.Exit(1)
