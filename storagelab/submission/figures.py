"""Figures in the column of a venue: the notebook of a paper runs again, and draws for that width and those letters."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from nbformat import NotebookNode

from storagelab import writing
from storagelab.errors import PaperError, UnknownNameError
from storagelab.figures.page_format import PageFormat
from storagelab.paper import figure_files, notebooks, published_items, run_notebook

LETTERS = 8.0
"""Size of all text in points, as IEEE asks for; others ask for no less than 6."""
TIMES = "STIXGeneral"
"""A font with the letters of Times that matplotlib brings along."""

FORMATS = {"pdf": figure_files.PDF, "pgf": figure_files.PGF, "svg": "image/svg+xml"}
_UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(in|cm|mm|pt)")
NARROWEST, WIDEST = 2.0, 20.0
"""Widths of figures in inches."""


@dataclass(frozen=True, slots=True)
class Venue:
    """Widths of a column and of the whole text, in inches."""

    column: float
    text: float
    family: str = TIMES
    serif: bool = True


VENUES: Mapping[str, Venue] = {
    "ieee": Venue(3.5, 7.16),
    "acm": Venue(3.33, 7.0),
    "lncs": Venue(4.8, 4.8),
}
"""IEEE: author guide for conference proceedings (figures one column wide are 3.5 in, two 7.16 in). ACM: acmart, format
sigconf. LNCS: Springer's instructions for authors, a text area of 12.2 cm."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure as files, by suffix; `width` in inches, and whether it `fits` there."""

    id: str
    width: float
    fits: bool
    files: Mapping[str, bytes]


def venue(said: str) -> Venue:
    """Look up a venue by name, or make one of a width.

    Parameters
    ----------
    said : str
        ``ieee``, ``acm``, ``lncs``, or a length: ``3.5in``, ``84mm``, ``8.4 cm``, ``252pt`` (of TeX).

    Raises
    ------
    UnknownNameError
        If it is neither.
    PaperError
        If no figure can be so wide.
    """
    if known := VENUES.get(said.lower()):
        return known
    length = _LENGTH.fullmatch(said.strip().lower())
    if length is None:
        raise UnknownNameError("venue or width", said, [*VENUES, "3.5in"])
    width = float(length[1]) * _UNITS[length[2]]
    if not NARROWEST <= width <= WIDEST:
        raise PaperError(f"width {said}: expected {NARROWEST:g}in to {WIDEST:g}in")
    return Venue(width, width, PageFormat().family, serif=False)


def printed(study: str, root: Path, where: Venue) -> list[Printed]:
    """Draw all figures of a paper for a venue: in its column, or over its whole text where a column is too narrow.

    Parameters
    ----------
    study : str
    root : Path
        Folder of the project.
    where : Venue

    Returns
    -------
    list of Printed
        In the order of the paper.

    Raises
    ------
    PaperError
        If the dataset or the notebook is missing, or a cell fails.
    """
    page_format = PageFormat(where.column, LETTERS, where.family, where.serif)
    found = list(_drawn(study, root, page_format))
    if where.text > where.column and not all(one.fits for one in found):
        wide = {one.id: one for one in _drawn(study, root, replace(page_format, width=where.text))}
        found = [one if one.fits else wide[one.id] for one in found]
    return found


def save(figures: list[Printed], formats: list[str], folder: Path) -> None:
    """Put figures into a folder, which appears whole or not at all."""
    with writing.new_folder(folder) as made:
        for name, data in named(figures, formats).items():
            writing.put(made / name, data)


def require_figures(folder: Path, figures: Sequence[Printed] = ()) -> None:
    """Refuse a folder that holds anything else than figures of a paper: it is about to be replaced.

    Parameters
    ----------
    folder : Path
        The folder, which may be missing.
    figures : sequence of Printed, optional
        Those of the paper; where none are given, all files in their formats may be some of them.

    Raises
    ------
    PaperError
        If there is another file; names it.
    """
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise PaperError(f"{folder}: expected a folder of figures, or none, found a file; see --output")
    known = {f"{one.id}.{suffix}" for one in figures for suffix in FORMATS}
    for path in sorted(folder.iterdir()):
        if not path.is_file() or (path.name not in known if figures else path.suffix[1:] not in FORMATS):
            raise PaperError(f"{folder}: expected nothing but figures of this paper, found {path.name}; see --output")


def named(figures: list[Printed], formats: list[str]) -> dict[str, bytes]:
    """Name the files of figures: ``scaling.pdf``."""
    return {f"{one.id}.{suffix}": one.files[suffix] for one in figures for suffix in formats}


def _drawn(study: str, root: Path, page_format: PageFormat) -> Iterator[Printed]:
    notebook = root / notebooks.file_of(study)
    dataset = root / "reports" / study / "dataset.nc"
    if not dataset.is_file():
        raise PaperError(f"no dataset reports/{study}/dataset.nc: run `storagelab ingest {study}` first")
    said = ", ".join(f"{name}={value!r}" for name, value in asdict(page_format).items())
    first = f"from storagelab.figures import page_format\n\npage_format.draw_for(page_format.PageFormat({said}))"
    where = os.path.relpath(dataset, notebook.parent)
    executed = run_notebook.run(notebook, {"study": study, "dataset": where}, first=first)
    yield from _published(executed, page_format.width)


def _published(executed: NotebookNode, width: float) -> Iterator[Printed]:
    for cell in executed.cells:
        for record, output in published_items.published(cell):
            if record["kind"] == "figure":
                files = {suffix: _bytes(mime, output.data[mime]) for suffix, mime in FORMATS.items()}
                yield Printed(record["id"], width, record["fits"], files)


def _bytes(mime: str, data: str) -> bytes:
    return base64.b64decode(data) if mime == figure_files.PDF else data.encode()
