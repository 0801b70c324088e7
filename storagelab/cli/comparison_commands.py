"""Commands that compare campaigns: `plan`, `compare`, `history`; `storagelab.cli` takes them in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from storagelab.cli import command_output, console
from storagelab.cli.shared_options import Node, Output, studies
from storagelab.errors import StoragelabError

app = typer.Typer()

CHOICE = "KEY=VALUE"

By = Annotated[list[str] | None, typer.Option(help="Key that makes the cells; all that differ otherwise.")]
Over = Annotated[list[str] | None, typer.Option(help="Key that is averaged over.")]
Statistic = Annotated[
    str, typer.Option(help="Rows that count: single measurements, or what a tool printed over its own: mean, max, ...")
]
Margin = Annotated[float, typer.Option(help="Smallest change that matters: 0.05 is 5 %.")]


class Report(StrEnum):
    """What ``storagelab compare`` can write."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"
    JUNIT = "junit"


class Page(StrEnum):
    """What ``storagelab history`` can write."""

    TEXT = "text"
    JSON = "json"


@app.command(
    epilog="Example: storagelab plan reports/cluster-2026/dataset.nc throughput --where operation=write "
    "--where operation_group=write --where client_location=external --by layout --by clients --effect 1.1 --cells 60"
)
def plan(
    dataset: Annotated[Path, typer.Argument(help="A dataset that storagelab wrote: a pilot.")],
    variable: Annotated[str, typer.Argument(help="What the campaign compares, such as throughput.")],
    by: Annotated[list[str], typer.Option(help="Key that makes the cells of the pilot; may be given more than once.")],
    effect: Annotated[float, typer.Option(help="The ratio that is to be shown.")] = 1.1,
    cells: Annotated[int, typer.Option(min=0, help="Comparisons made together; 0: the cells of the pilot.")] = 0,
    margin: Annotated[float, typer.Option(help="Plan for equivalence within this share too; 0: do not.")] = 0.0,
    power: Annotated[float, typer.Option(help="How often the campaign is to show it.")] = 0.9,
    paired: Annotated[
        bool, typer.Option("--paired", help="Both sides stand in each round, compared by pairs.")
    ] = False,
    round_cost: Annotated[float, typer.Option(help="What a round costs before its first run, in runs.")] = 1.0,
    where: Annotated[
        list[str] | None, typer.Option(metavar=CHOICE, help="Only such rows; may be given more than once.")
    ] = None,
    over: Annotated[
        list[str] | None, typer.Option(help="Key that is averaged over in each run; may be given more than once.")
    ] = None,
    statistic: Statistic = "single",
    node: Annotated[Node, typer.Option(help="Node that holds the rows.")] = Node.RUNS,
    json: command_output.AsJson = False,
) -> None:
    """Say how many runs, in how many rounds, a campaign needs, given the noise of a pilot."""
    console.require_file(dataset)
    from storagelab.cli import plan

    asked = {
        "effect": effect,
        "cells": cells or None,
        "margin": margin or None,
        "power": power,
        "over": over or (),
        "statistic": statistic,
    }
    found = plan.planned(dataset, variable, by, where or (), node.value, paired=paired, round_cost=round_cost, **asked)
    command_output.give(plan.rows(found), plan.lines(dataset, found), as_json=json, **plan.about(found))


@app.command(epilog="Example: storagelab compare runs-2025/ runs-2026/ --margin 0.05 --to junit -o report.xml")
def compare(
    before: Annotated[
        str,
        typer.Argument(
            help="Study, dataset, log or folder of logs; REVISION:PATH for one in the history of git.",
            autocompletion=studies,
        ),
    ],
    after: Annotated[
        str,
        typer.Argument(help="The same, later; BEFORE itself where --before and --after say.", autocompletion=studies),
    ] = "",
    variable: Annotated[str, typer.Option(help="What to compare; the obvious one otherwise.")] = "",
    by: By = None,
    over: Over = None,
    statistic: Statistic = "single",
    margin: Margin = 0.05,
    of_before: Annotated[
        list[str] | None,
        typer.Option("--before", metavar=CHOICE, help="Only such runs of BEFORE; may be given more than once."),
    ] = None,
    of_after: Annotated[
        list[str] | None,
        typer.Option("--after", metavar=CHOICE, help="Only such runs of AFTER; may be given more than once."),
    ] = None,
    to: Annotated[Report, typer.Option(help="What to write.")] = Report.TEXT,
    json: command_output.AsJson = False,
    output: Output = None,
) -> None:
    """Say which levels of a campaign became slower or faster since another one, and which of their cells.

    Two releases in one study are told apart by a key: storagelab compare scratch-2026 --before release=A
    --after release=B.

    Exit status: 0 nothing is slower, 1 something is, 3 the runs are too few to tell; 2 the usage or the data are wrong.
    """
    if not (after or (of_before and of_after)):
        raise typer.BadParameter(
            "expected the later campaign, or --before KEY=VALUE and --after KEY=VALUE of one", param_hint="AFTER"
        )
    shape = _shape(to, json=json)
    with _wrong_with_2():
        after = after or before
        for name in (before, after):
            console.require_campaign(name)
        from storagelab.cli import compare

        sides = compare.Side(before, of_before or ()), compare.Side(after, of_after or ())
        if sides[0] == sides[1]:
            raise StoragelabError(f"{before} is both before and after: nothing can have changed")
        report = compare.compare(
            *sides, variable=variable, by=by or (), over=over or (), statistic=statistic, margin=margin
        )
    with console.opened(output) as file:
        file.write(compare.WRITERS[shape](report))
    raise typer.Exit(compare.EXIT[report.found.answer])


@app.command(epilog="Example: storagelab history v1.0:runs v1.1:runs v1.2:runs runs --variable throughput")
def history(
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE",
            help="Study, dataset, log or folder of logs, or REVISION:PATH; oldest first.",
            autocompletion=studies,
        ),
    ],
    variable: Annotated[str, typer.Option(help="What to follow; the obvious one otherwise.")] = "",
    by: By = None,
    over: Over = None,
    statistic: Statistic = "single",
    margin: Margin = 0.05,
    to: Annotated[Page, typer.Option(help="What to write.")] = Page.TEXT,
    json: command_output.AsJson = False,
    output: Output = None,
) -> None:
    """Say in which release the levels of a campaign changed, and which are slower now.

    Exit status: 0 no level is slower since its last change, 1 one is, 3 the runs are too few to tell; 2 the usage or
    the data are wrong.
    """
    with _wrong_with_2():
        for name in releases:
            console.require_campaign(name)
        from storagelab.analysis.comparison import campaigns
        from storagelab.cli import history as pages

        found = pages.history(
            releases, variable=variable, by=by or (), over=over or (), statistic=statistic, margin=margin
        )
    with console.opened(output) as file:
        file.write(pages.WRITERS[_shape(to, json=json)](found))
    raise typer.Exit({campaigns.SLOWER: 1, campaigns.CANNOT_TELL: 3}.get(found.answer, 0))


@contextmanager
def _wrong_with_2() -> Iterator[None]:
    """End with exit status 2 where the data are wrong: 1 says that something is slower."""
    try:
        yield
    except (StoragelabError, OSError) as error:
        if isinstance(error, OSError):
            console.warn(console.format_oserror(error))
        else:
            console.warn_of(error)
        raise typer.Exit(2) from None


def _shape(to: StrEnum, *, json: bool) -> str:
    """Tell what to write; --json is --to json."""
    if json and to.value not in (Report.TEXT.value, Report.JSON.value):
        raise typer.BadParameter(f"is not --to {to}: name one of both", param_hint="--json")
    return Report.JSON.value if json else to.value
