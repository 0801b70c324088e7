"""Commands for what stands beside a paper, `appendix`, `bundle`, `figures`, `verify`; `cli` takes them in."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storagelab.cli import command_output, console
from storagelab.cli.shared_options import Output, StudyName

if TYPE_CHECKING:
    from storagelab.submission import Printed, Verified

app = typer.Typer()

CANNOT_TELL = 3
"""Exit status where what a page is made from is not here."""
SHOWN = 16
"""Digits of a checksum that a line shows; --json has them all."""
SAME = "the same, byte by byte"


@app.command(epilog="Example: storagelab appendix loopback-2026 --output appendix.tex")
def appendix(study: StudyName, output: Output = None) -> None:
    """Write the Artifact Description that SC and ACM ask for, in LaTeX, from study.yaml, dataset and paper."""
    from storagelab import submission

    text = submission.appendix(console.study_name(study), Path())
    with console.opened(output) as file:
        file.write(text)


@app.command(epilog="Example: storagelab bundle loopback-2026 --output loopback-2026.zip")
def bundle(
    study: StudyName,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The zip to write instead of STUDY.zip here.")
    ] = None,
    width: Annotated[
        str, typer.Option(metavar="WIDTH", help="Draw its figures for a venue too: ieee, acm, lncs, or 3.5in.")
    ] = "",
    json: command_output.AsJson = False,
) -> None:
    """Put a paper and all that it is made from into one zip, for an archive: logs, dataset, notebook, checksums.

    It is a research object (RO-Crate), has the same bytes each time, and unpacked it is a project in which `storagelab
    verify` builds the paper anew.
    """
    from storagelab import submission

    name = console.study_name(study)
    path = output or Path(f"{name}.zip")
    count = submission.bundle(name, Path(), path, width)
    command_output.give([{"file": str(path), "files": count}], [f"{path}: {count} files"], as_json=json, study=name)


class Target(StrEnum):
    """Formats of figures for a venue."""

    PDF = "pdf"
    PGF = "pgf"
    SVG = "svg"


@app.command(epilog="Example: storagelab figures loopback-2026 --width ieee --to pdf --to pgf --output figures")
def figures(
    study: StudyName,
    width: Annotated[
        str,
        typer.Option(metavar="WIDTH", help="Column of a venue (ieee, acm, lncs), or a width: 3.5in, 84mm, 252pt."),
    ] = "ieee",
    to: Annotated[list[Target] | None, typer.Option(help="Format, as often as there are formats; pdf if none.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder, instead of STUDY-figures here; an earlier one is replaced."),
    ] = None,
    json: command_output.AsJson = False,
) -> None:
    """Draw all figures of a paper anew in the column of a venue, all text in 8 points, as PDF, PGF or SVG.

    The notebook runs again, so that panels and labels are laid out for that width. A figure that a column is too narrow
    for is as wide as the whole text of the venue. The bytes are the same each time.
    """
    from storagelab import submission

    name = console.study_name(study)
    folder = output or Path(f"{name}-figures")
    submission.require_figures(folder)
    drawn = submission.printed(name, Path(), submission.venue(width))
    submission.require_figures(folder, drawn)
    submission.save(drawn, [str(one) for one in to or [Target.PDF]], folder)
    rows = [{"figure": one.id, "width": one.width, "fits": one.fits} for one in drawn]
    command_output.give(rows, [_placed(one) for one in drawn], as_json=json, study=name, folder=str(folder))


def _placed(figure: Printed) -> str:
    tight = "" if figure.fits else ", too narrow for its labels"
    return f"{figure.id}: {figure.width:g} in wide{tight}"


@app.command(epilog="Example: storagelab verify reports/loopback-2026/paper.html")
def verify(
    page: Annotated[Path, typer.Argument(metavar="PAPER", help="A paper.html, wherever it is.")],
    rebuild: Annotated[
        bool, typer.Option("--rebuild/--no-rebuild", help="Make dataset and page anew, and compare them.")
    ] = True,
    json: command_output.AsJson = False,
) -> None:
    """Say which data and which code a paper is made from, build it anew from them, and compare.

    Exit status 0 where all is the same, 1 where anything differs, 3 where the study of the paper is not here.
    """
    console.require_file(page)
    from storagelab import submission

    found = submission.verify(page, Path(), rebuild=rebuild)
    command_output.give(_rows(found), _lines(found), as_json=json, **_about(found))
    if not found.compared:
        console.warn(f"raw/{found.said.study} is not here: nothing was compared")
        raise typer.Exit(CANNOT_TELL)
    if found.differs:
        raise typer.Exit(1)


def _rows(found: Verified) -> list[command_output.Row]:
    here = {one.part: one.here for one in found.compared}
    return [
        {"kind": part.kind, "name": part.name, "sha256": part.sha256, "sha256_here": here.get(part, "")}
        for part in found.said.parts
    ]


def _about(found: Verified) -> dict[str, object]:
    return {
        "study": found.said.study,
        "title": found.said.title,
        "difference": found.difference,
        "differing_files": found.differing_files,
    }


def _lines(found: Verified) -> Iterator[str]:
    yield f"{found.said.study}: {found.said.title}"
    here = {one.part: one for one in found.compared}
    for part in found.said.parts:
        one = here.get(part)
        told = "" if one is None else ", the same here" if one.same else f", here {one.here[:SHOWN] or 'missing'}"
        yield f"{part.kind}: {part.name}, SHA-256 {part.sha256[:SHOWN]}{told}"
    if found.difference is not None:
        yield f"page, built anew: {found.difference or SAME}"
        if found.beside:
            others = ", ".join(found.differing_files)
            yield f"files beside it, built anew: {f'not the same: {others}' if others else SAME}"
    elif found.compared:
        yield "page, not built anew: neither its numbers nor the raw logs were looked at"
