"""The command line: every command is a thin layer over a public function, and prints what that returns.

Exit codes: 0 fine, 1 the data are wrong or a file cannot be read or written, 2 the usage is wrong, 130 interrupted,
143 terminated. Every command that prints a table has ``--json`` (`storagelab.cli.command_output`). Heavy imports wait
for the command that needs them, so that ``--help`` is instant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from storagelab import __version__, pinned_environment, writing
from storagelab.cli import campaign_commands, command_output, comparison_commands, console, store, submission_commands
from storagelab.cli.shared_options import (
    MaxMemory,
    MaxTime,
    Node,
    Output,
    Scheduler,
    StudyName,
    StudyNames,
    Workers,
    studies,
    workers_or_scheduler,
)

app = typer.Typer(
    name="storagelab",
    help="From raw storage benchmark logs to labelled datasets, figures and HTML papers.",
    rich_markup_mode=None,
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


for more in (campaign_commands, comparison_commands, store, submission_commands):
    app.registered_commands += more.app.registered_commands


class Target(StrEnum):
    """What ``storagelab parse`` can write."""

    SUMMARY = "summary"
    TABLE = "table"
    CSV = "csv"
    JSONL = "jsonl"
    JSON = "json"
    NETCDF = "netcdf"
    PARQUET = "parquet"


def main() -> None:
    """Run the command line; the console script and ``python -m storagelab`` start here."""
    pinned_environment.pin()
    writing.sweep(Path("reports"))
    command_output.begin()
    console.exit_with(command_line(), command_output.end)


@cache
def command_line() -> Callable[[], object]:
    """Return all commands with their options: made once for all commands that are forked from one process."""
    return typer.main.get_command(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"storagelab {__version__}")
        raise typer.Exit


@app.callback(epilog="Start with: storagelab parse LOG")
def storagelab(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """From raw storage benchmark logs to labelled datasets, figures and HTML papers."""


@app.command("parse", epilog="Example: storagelab parse raw/loopback-2026 --output all.csv")
def parse_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Logs, folders of logs (with all below them), or - for standard input.", readable=False
        ),
    ],
    to: Annotated[
        Target | None, typer.Option(help="What to write; by the suffix of --output, else a summary of many logs.")
    ] = None,
    output: Output = None,
    format: Annotated[
        str, typer.Option(help="Format of the logs; recognised by content otherwise. See storagelab formats.")
    ] = "",
    node: Annotated[
        list[Node] | None, typer.Option(help="Only observations of this kind; may be given more than once.")
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Every row of a folder, and no summary.")] = False,
    wide: Annotated[bool, typer.Option("--wide", help="CSV with empty columns and each SHA-256 too.")] = False,
    by_line: Annotated[
        bool, typer.Option("--by-line", help="JSON lines with an object a line of the log: each value with its line.")
    ] = False,
    workers: Workers = 0,
    scheduler: Scheduler = "",
    json: command_output.AsJson = False,
    max_time: MaxTime = 600.0,
    max_memory: MaxMemory = "8G",
) -> None:
    """Read logs of any known format and print what they measured.

    Of a folder a summary: what is there by tool, format, key and level, and what was not read and why. --rows prints
    every row, --output FILE.csv (.csv.gz, .jsonl, .nc, .parquet) writes them. Numbers are in SI: bytes, seconds, bytes
    per second. Columns of CSV that are the same in every row are told and left out. A log that cannot be read is named
    on standard error and hides no other.
    """
    from storagelab.cli import parse
    from storagelab.ingest import cost_bounds

    rows_asked = {f"--to {to}": to not in (None, Target.JSON), "--rows": rows, "--node": node, "--wide": wide}
    if json and (other := next((option for option, said in rows_asked.items() if said), "")):
        raise typer.BadParameter(f"is the summary, and {other} is not", param_hint="--json")
    if by_line and (json or to not in (None, Target.JSONL)):
        raise typer.BadParameter(
            f"is JSON lines, and {'--json' if json else f'--to {to}'} is not", param_hint="--by-line"
        )
    to = to or (Target.JSON if json else Target.JSONL if by_line else None)
    to = to or Target(parse.target(files, output, rows or bool(node)))
    if to in (Target.NETCDF, Target.PARQUET) and output in (None, Path("-")):
        name, suffix = ("netCDF", "nc") if to is Target.NETCDF else ("Parquet", "parquet")
        raise typer.BadParameter(f"{name} is written to a file: say --output FILE.{suffix}", param_hint="--to")
    if to is Target.NETCDF and node:
        raise typer.BadParameter("netCDF holds all nodes of a study", param_hint="--node")
    working = workers_or_scheduler(workers, scheduler)
    with cost_bounds.of_each_log(cost_bounds.bounds(max_time, max_memory)):
        nodes = [one.value for one in node or ()]
        failed = parse.parse(files, to.value, output, format, nodes, wide=wide, by_line=by_line, workers=working)
    if failed:
        raise typer.Exit(1)


@app.command("formats", epilog="Example: storagelab formats ior.out")
def formats_(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="LOG",
            help="Logs, folders of logs, or - for standard input, whose format is to be told.",
            readable=False,
        ),
    ] = None,
    json: command_output.AsJson = False,
) -> None:
    """List the formats that can be read; of logs say which format each is, and why."""
    from storagelab.cli import formats

    failed = formats.told(logs, as_json=json) if logs else formats.listed(as_json=json)
    if failed:
        raise typer.Exit(1)


@app.command("keys", epilog="Example: storagelab keys loopback-2026")
def keys_(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="Name of a folder below raw/, its path, or a dataset (.nc).", autocompletion=studies
        ),
    ] = "",
    json: command_output.AsJson = False,
) -> None:
    """List the keys by which rows are selected, compared and drawn; of a study those it has, with their levels."""
    from storagelab.cli import keys

    keys.print_keys(study, as_json=json)


@app.command("check", epilog="Example: storagelab check raw/loopback-2026")
def check_(studies: StudyNames, json: command_output.AsJson = False) -> None:
    """Say all that is wrong with studies at once, and which planned runs they lack.

    For logs that nothing is said of, rules for study.yaml are proposed from their names, with the keys they would give.
    All studies are looked at, also behind one that is wrong.
    """
    if json and len(studies) > 1:
        raise typer.BadParameter(f"tells of one study, and {len(studies)} are named", param_hint="--json")
    from storagelab.cli import check

    if check.check_all([console.study_folder(study) for study in studies], as_json=json):
        raise typer.Exit(1)


@app.command(epilog="Example: storagelab checksums loopback-2026")
def checksums(study: StudyName) -> None:
    """Write SHA256SUMS of a study anew."""
    from storagelab.ingest import checksums as sums

    folder = console.study_folder(study)
    print(f"{folder / sums.NAME}: {sums.write(folder)} files")


@app.command("reconstruct", epilog="Example: storagelab reconstruct bnl-2007")
def reconstruct_(study: StudyName) -> None:
    """Render the logs of a published study from what it prints and a model of its test bed."""
    from storagelab.reconstruct import campaign

    folder = console.study_folder(study)
    logs = campaign.reconstruct(folder)
    print(f"{campaign.write(logs, folder)}: {len(logs)} logs, reconstructed, none of them measured")


@app.command("ingest", epilog="Example: storagelab ingest loopback-2026")
def ingest_(
    study: StudyName,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write instead of reports/STUDY/dataset.nc.")
    ] = None,
    max_time: MaxTime = 600.0,
    max_memory: MaxMemory = "8G",
    json: command_output.AsJson = False,
) -> None:
    """Make the tidy dataset of a study from its raw logs."""
    from storagelab import dataset, ingest
    from storagelab.dataset.selection import logs_of_tools
    from storagelab.ingest import cost_bounds

    folder = console.study_folder(study)
    path = output or Path("reports", folder.resolve().name, "dataset.nc")
    console.refuse_inside_study(path, folder)
    for unsealed in ingest.unsealed(folder):
        console.warn(unsealed)
    wanted = cost_bounds.bounds(max_time, max_memory)
    with cost_bounds.of_each_log(wanted), console.progress("reading") as advance:
        tree = ingest.ingest(folder, advance)
    dataset.save(tree, path)
    for missing in ingest.incomplete(tree):
        console.warn(missing)
    sizes = {str(name): child.sizes["obs"] for name, child in tree.children.items()}
    sizes["logs"] = logs_of_tools(tree["logs"].to_dataset()).sizes["obs"]
    told = f"{path}: {', '.join(f'{count} {name}' for name, count in sizes.items())}"
    command_output.give(_sizes(sizes), [told], as_json=json, file=str(path))


def _sizes(nodes: Mapping[str, int]) -> list[command_output.Row]:
    return [{"node": name, "rows": count} for name, count in nodes.items()]


@app.command("claims", epilog="Example: storagelab claims bnl-2007")
def claims_(
    study: StudyName,
    accept: Annotated[bool, typer.Option("--accept", help="Accept the verdicts as they are now.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write instead of reports/STUDY/claims.json.")
    ] = None,
    json: command_output.AsJson = False,
) -> None:
    """Hold the claims of a paper against its dataset, print the verdicts, and fail where one changed unaccepted."""
    folder = console.study_folder(study)
    path = output or Path("reports", folder.resolve().name, "claims.json")
    console.refuse_inside_study(path, folder)
    console.require_dataset(folder.resolve().name)
    from storagelab.claims import accepted_verdicts, save
    from storagelab.cli import claims

    record = claims.evaluate_study(folder, Path("reports"))
    if accept:
        accepted_verdicts.accept(folder, record.verdicts())
    changed = claims.changed(record, folder)
    for line in changed:
        console.warn(line)
    if changed:
        console.warn("verdicts changed: look at them, then accept them with --accept")
    command_output.give(claims.rows(record), claims.lines(record), as_json=json, **claims.about(record))
    if changed:
        raise typer.Exit(1)
    save(record, path)


@app.command("synthesis", epilog="Example: storagelab synthesis")
def synthesis_(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where extracts.yaml and figures.yaml are.")] = Path(
        "raw", "synthesis"
    ),
    json: command_output.AsJson = False,
) -> None:
    """Set numbers of several studies side by side, as extracts.yaml asks for them; nothing is averaged."""
    from storagelab.cli import synthesis

    tree = synthesis.compared(folder, Path("reports"))
    sizes = synthesis.write_synthesis(tree, folder, Path("reports"))
    file = str(Path("reports", folder.resolve().name, "dataset.nc"))
    told = f"{file}: {', '.join(f'{count} in {name}' for name, count in sizes.items())}"
    command_output.give(_sizes(sizes), [told], as_json=json, file=file)


@app.command(epilog="Example: storagelab paper loopback-2026")
def paper(study: StudyName) -> None:
    """Run the notebook of a study on its dataset and write its paper."""
    name = console.study_name(study)
    console.require_dataset(name)
    console.require_notebook(name)
    from storagelab.paper import build_paper

    build_paper(name, Path())
    print(Path("reports", name, "paper.html"))


@app.command(epilog="Example: storagelab index")
def index() -> None:
    """Write the page that lists all papers."""
    from storagelab.paper import build_index

    build_index(Path())
    print(Path("reports", "index.html"))


@app.command(epilog="Example: storagelab strip loopback-2026")
def strip(study: StudyName) -> None:
    """Copy the notebook of a study without what opening it in Jupyter changes.

    The pipeline rebuilds a paper when reports/STUDY/notebook.ipynb changes, not when outputs or cell ids do.
    """
    from storagelab.paper import notebooks

    name = console.study_name(study)
    console.require_notebook(name)
    path = Path("reports", name, "notebook.ipynb")
    with console.opened(path) as file:
        file.write(notebooks.stripped(console.notebook_of(name)))
    print(path)


@app.command("reports", epilog="Example: storagelab reports --jobs 4")
def reports_(
    jobs: Annotated[int, typer.Option(min=0, help="Commands that may run at once; 0: one more than cores.")] = 0,
) -> None:
    """Bring every dataset and paper up to date: what `dvc repro` does, with independent stages side by side."""
    from storagelab.cli import reports

    if status := reports.reports(jobs or reports.at_once()):
        raise typer.Exit(status)


@app.command("trace", epilog="Example: storagelab trace reports/cluster-2026/dataset.nc 12")
def trace_(
    dataset: Annotated[Path, typer.Argument(help="A dataset that storagelab wrote.")],
    row: Annotated[int, typer.Argument(help="Number of the observation, from 0.")],
    node: Annotated[Node, typer.Option(help="Node that holds it.")] = Node.RUNS,
    raw: Annotated[Path, typer.Option(help="Folder of the raw studies.")] = Path("raw"),
    context: Annotated[int, typer.Option(min=0, help="Lines to show before and after.")] = 3,
    json: command_output.AsJson = False,
) -> None:
    """Show the log lines behind an observation."""
    console.require_file(dataset)
    from storagelab.cli import trace

    found = trace.trace(dataset, row, node.value, raw, context)
    command_output.give(found.rows(), found.lines(), as_json=json, **found.about())
