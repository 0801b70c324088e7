"""``storagelab compare``: two campaigns of the same plan, as a table, Markdown, HTML, JSON or JUnit."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from storagelab import dataset, store, writing
from storagelab.analysis.comparison import campaigns
from storagelab.analysis.comparison.campaigns import CampaignComparison, compare_campaigns
from storagelab.analysis.planning.interleaved_order import order_of_sides
from storagelab.cli import command_output
from storagelab.cli.console import campaign_path, require_campaign
from storagelab.cli.display import quantity
from storagelab.cli.row_selection import chosen
from storagelab.errors import AnalysisError, StoragelabError
from storagelab.ingest.logs_without_study import open_any
from storagelab.interactive import caveats, names_of_logs
from storagelab.interactive.default_variables import obvious_variable

if TYPE_CHECKING:
    import xarray as xr

EXIT = {campaigns.FINE: 0, campaigns.SLOWER: 1, campaigns.CANNOT_TELL: 3}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """A campaign, and which of its runs: a name as for `opened`, and choices such as ``release=A``."""

    name: str
    choices: Sequence[str] = ()

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.choices)})" if self.choices else self.name

    def campaign(self, option: str) -> Campaign:
        """Open the campaign and choose; `option` is where the choices were given, for messages."""
        whole = opened(self.name)
        return replace(whole, runs=chosen(whole.runs, self.choices, option))


@dataclass(frozen=True, slots=True)
class Campaign:
    """The runs of a campaign, and what is said of logs that are copies."""

    runs: xr.Dataset
    copies: str = ""

    def warnings(self, name: str) -> list[str]:
        """Say what speaks against its runs, under the name that the campaign was given by."""
        against = (caveats.incomplete(self.runs), self.copies, names_of_logs.not_said(self.runs))
        return [f"{name}: {sentence}" for sentence in against if sentence]


def left_out(campaigns: Iterable[Campaign], variable: str, statistic: str) -> list[str]:
    """Say which tools take no part, as they printed no such statistic, and the option that asks for another."""
    said = (caveats.without_statistic(campaign.runs, variable, statistic) for campaign in campaigns)
    return [f"{sentence}; see --statistic" for sentence in dict.fromkeys(said) if sentence]


@dataclass(frozen=True, slots=True)
class Report:
    """Two campaigns by the names under which they were given, what came out, and what speaks against their runs."""

    before: str
    after: str
    found: CampaignComparison
    warnings: Sequence[str] = ()
    order: str = ""
    """Whether the runs of both were made in turn, in the words of `order_of_sides`."""

    @property
    def unit(self) -> str:
        """What is counted: runs, or days or blocks over whose runs was averaged first."""
        return str(self.found.levels.attrs["unit"])

    @property
    def levels(self) -> list[tuple[Row, list[Row]]]:
        """Each level with its cells."""
        cells = _records(self.found.cells)
        names = list(map(str, self.found.levels.coords))
        return [
            (level, [cell for cell in cells if all(_alike(cell[name], level[name]) for name in names if name in cell)])
            for level in _records(self.found.levels)
        ]

    @property
    def sentence(self) -> str:
        """Return the answer in a sentence."""
        found = self.found
        good = "higher" if found.best == "highest" else "lower"
        counts = [f"{sum(level['verdict'] == word for level, _ in self.levels)} {word}" for word in ORDER]
        told = ", ".join(count for count in counts if not count.startswith("0 "))
        lacking = found.only_before + found.only_after
        missing = f" {lacking} cells that only one of them has are left out." if lacking else ""
        return (
            f"{self.after} against {self.before}: {found.answer}. {found.variable} ({good} is better), margin "
            f"{100 * found.margin:g} %: of {len(self.levels)} levels {told}.{missing}"
        )


def _alike(one: str | float, other: str | float) -> bool:
    """Whether two levels of a key are one; a key that does not apply to either is alike in both."""
    return one == other or (one != one and other != other)


ORDER = (
    campaigns.SLOWER, campaigns.IN_PART, campaigns.CANNOT_TELL, campaigns.NOT_SLOWER, campaigns.EQUAL, campaigns.FASTER,
)  # fmt: skip
IN_TURN = "The runs of both were made in turn: what changed with time changed for both."
PARTLY = "The runs of both were made only partly in turn: a difference may come from what changed with time."
APART = "The campaigns were made at different times: a difference says that they differ, and not why."
NOT_KNOWN = "When the runs were made is not known: unless both were made in turn, a difference does not say why."
BY_ORDER = {
    "interleaved": IN_TURN, "interleaved, in the same order in every round": IN_TURN,
    "partly one level after the other": PARTLY, "": NOT_KNOWN,
}  # fmt: skip
"""What the order of the runs of both sides lets a difference mean; whatever else is said of it, they were apart."""


def compare(
    before: Side, after: Side, *, variable: str = "", by: Sequence[str] = (), over: Sequence[str] = (),
    statistic: str = "single", margin: float,
) -> Report:  # fmt: skip
    """Open two campaigns and compare their runs.

    Parameters
    ----------
    before, after : Side
        A dataset, a study, a log or a folder of logs, or one of these at a revision of git, such as ``v1.2:logs``; and
        which of its runs.
    variable, by, over, statistic, margin
        See `storagelab.analysis.compare_campaigns`; the obvious variable where none is named.

    Raises
    ------
    StoragelabError
        If one cannot be opened, or as `storagelab.analysis.compare_campaigns`.
    """
    base, other = before.campaign("--before"), after.campaign("--after")
    asked = variable or the_variable(base.runs)
    found = compare_campaigns(base.runs, other.runs, asked, by or None, over=over, statistic=statistic, margin=margin)
    warnings = base.warnings(str(before)) + other.warnings(str(after)) + left_out((base, other), asked, statistic)
    return Report(str(before), str(after), found, warnings, order_of_sides(base.runs, other.runs))


def the_variable(ds: xr.Dataset) -> str:
    """Choose the obvious variable.

    Raises
    ------
    AnalysisError
        If there is none; names the option with which to say it.
    """
    try:
        return obvious_variable(ds)
    except AnalysisError as error:
        raise AnalysisError(f"{error}, with --variable") from None


def opened(name: str) -> Campaign:
    """Open a campaign.

    Raises
    ------
    StoragelabError
        If it has no runs, or if there is nothing of this name.
    """
    path = campaign_path(name)
    if path.exists():
        return _campaign(path, name)
    require_campaign(name)
    revision, _, inside = name.partition(":")
    with writing.scratch() as folder:
        _extract(revision, inside, folder)
        return _campaign(folder / inside, name)


def _campaign(path: Path, name: str) -> Campaign:
    if path.is_dir():
        with os.scandir(path):  # a folder that nobody may look into is named, and no file that it might hold
            pass
    if store.is_store(path):
        return Campaign(store.open_store(path).runs())
    tree = open_any(path)
    if "runs" not in tree.children:
        raise StoragelabError(f"{name}: has no runs to compare")
    return Campaign(tree["runs"].to_dataset(), caveats.copies(tree))


def _extract(revision: str, inside: str, folder: Path) -> None:
    """Lay files of a revision out below a folder."""
    asked = ["git", "archive", "--format=tar", "--end-of-options", revision, f":(literal){inside}"]
    try:
        done = subprocess.run(asked, capture_output=True, check=False)
    except FileNotFoundError:
        raise StoragelabError(f"{revision}:{inside}: git is not installed, so that no revision can be read") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise StoragelabError(f"{revision}:{inside}: {said[-1]}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:  # before 3.11.4: no links, which could lead elsewhere
            archive.extractall(folder, [member for member in archive if member.isreg() or member.isdir()])


def _records(ds: xr.Dataset) -> list[Row]:
    return [{str(name): value for name, value in row.items()} for row in dataset.frame(ds).to_dict("records")]


def _keys(ds: xr.Dataset) -> list[str]:
    return [str(name) for name in ds.coords if name not in ("origin", "basis", "study")]


def _told(row: Row, names: Sequence[str]) -> str:
    """Name a row by its keys: text as it is, numbers with their unit behind the name of their key."""
    known = [name for name in names if row[name] != "" and row[name] == row[name]]
    values = [row[name] if isinstance(row[name], str) else f"{name} {quantity(name, row[name])}" for name in known]
    return ", ".join(values) or "all"


def _columns(row: Row, unit: str) -> list[str]:
    ends = _ratio(row["ratio_low"]), _ratio(row["ratio_high"])
    interval = "none" if row["ratio_low"] != row["ratio_low"] else " to ".join(ends)
    return [_ratio(row["ratio"]), interval, f"{row['n_base']:g}, {row['n']:g}", _verdict(row, unit)]


def _ratio(value: float) -> str:
    return f"{value:.3f}" if value < 1000 else f"{value:.3g}"


def _verdict(row: Row, unit: str) -> str:
    more = row.get("more_runs", float("nan"))
    advice = f": about {more:g} more {unit}{'s' * (more != 1)} a cell and side" if more < float("inf") else ""
    return f"{row['verdict']}{advice}"


def _heads(report: Report) -> list[str]:
    return ["level", "ratio", "interval", f"{report.unit}s before, after", "verdict"]


def _table(report: Report) -> Iterator[list[str]]:
    """Rows for people: each level, and the cells of those that are not all alike."""
    names = _keys(report.found.levels)
    scales = [name for name in _keys(report.found.cells) if name not in names]
    for level, cells in report.levels:
        yield [_told(level, names), *_columns(level, report.unit)]
        if scales and level["verdict"] in (campaigns.SLOWER, campaigns.FASTER, campaigns.IN_PART):
            yield from ([f"  {_told(cell, scales)}", *_columns(cell, report.unit)] for cell in cells)


def text(report: Report) -> str:
    """Write a table for a terminal."""
    rows = [_heads(report), *_table(report)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([report.sentence, "", *lines, "", *_notes(report)]) + "\n"


def _notes(report: Report) -> list[str]:
    said = {f"{row['caveat']}" for row, _ in report.levels if row["caveat"]}
    return [
        f"{report.found.levels.attrs['method']}. {BY_ORDER.get(report.order, APART)}",
        *sorted(said),
        *report.warnings,
    ]


def markdown(report: Report) -> str:
    """Write a table for a code host."""
    heads = _heads(report)
    rows = [heads, ["---"] * len(heads), *_table(report)]
    lines = ["| " + " | ".join(_in_markdown(cell) for cell in row) + " |" for row in rows]
    return "\n".join([_in_markdown(report.sentence), "", *lines, "", *map(_in_markdown, _notes(report))]) + "\n"


def _in_markdown(cell: str) -> str:
    indent = len(cell) - len(cell.lstrip())
    safe = escape(cell.lstrip(), quote=False)
    for sign in "\\|*_[]`":
        safe = safe.replace(sign, f"\\{sign}")
    return "&nbsp;" * indent + (safe if cell != "---" else cell)


def json(report: Report) -> str:
    """Write all levels and cells, with all columns; a row a level."""
    found = report.found
    return command_output.text(
        [{**level, "cells": cells} for level, cells in report.levels],
        before=report.before, after=report.after, answer=found.answer, variable=found.variable, margin=found.margin,
        best=found.best, method=found.levels.attrs["method"], only_before=found.only_before,
        only_after=found.only_after, unit=report.unit, order=report.order, warnings=report.warnings,
    )  # fmt: skip


def junit(report: Report) -> str:
    """Write a test case a level: a slower one failed, an open one was skipped."""
    names = _keys(report.found.levels)
    bad = {campaigns.SLOWER, campaigns.IN_PART}
    verdicts = [level["verdict"] for level, _ in report.levels]
    suite = ET.Element(
        "testsuite", name=f"{report.after} against {report.before}", tests=str(len(verdicts)),
        failures=str(sum(map(bad.__contains__, verdicts))), skipped=str(verdicts.count(campaigns.CANNOT_TELL)),
    )  # fmt: skip
    for level, _ in report.levels:
        case = ET.SubElement(suite, "testcase", classname=report.found.variable, name=_told(level, names))
        message = ", ".join(_columns(level, report.unit))
        if level["verdict"] in bad:
            ET.SubElement(case, "failure", message=message)
        elif level["verdict"] == campaigns.CANNOT_TELL:
            ET.SubElement(case, "skipped", message=message)
    if report.warnings:
        ET.SubElement(suite, "system-err").text = "\n".join(report.warnings)
    ET.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def html(report: Report) -> str:
    """Write a page of its own: the answer, the effects as a figure, the table."""
    from storagelab import figures
    from storagelab.paper import svg

    drawn = figures.ratios(_named(report.found.levels), category="label")
    head, *rows = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in [_heads(report), *_table(report)]]
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    title = escape(f"{report.after} against {report.before}")
    notes = "\n".join(f"<p>{escape(note)}</p>" for note in _notes(report))
    picture = svg.inline(drawn.render("svg").decode(), "effects", drawn.alt)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n{STYLE}\n</head>\n'
        f"<body>\n<h1>{title}</h1>\n<p>{escape(report.sentence)}</p>\n"
        f"<figure>\n{picture}\n</figure>\n"
        f"<table>\n<thead><tr>{head.replace('td>', 'th>')}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n{notes}\n"
        "</body>\n</html>\n"
    )


STYLE = (
    "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "td,th{text-align:left;padding:.2em .8em .2em 0;white-space:pre}svg{max-width:100%;height:auto}</style>"
)


def _named(levels: xr.Dataset) -> xr.Dataset:
    """Give each level one name, for the rows of a figure."""
    names = _keys(levels)
    return levels.assign_coords(label=("obs", [_told(row, names) for row in _records(levels)]))


WRITERS: dict[str, Callable[[Report], str]] = {
    "text": text, "markdown": markdown, "html": html, "json": json, "junit": junit,
}  # fmt: skip
