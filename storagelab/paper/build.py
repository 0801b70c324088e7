"""A study's dataset and notebook in, a folder that a reader can open out; all of it or nothing."""

from __future__ import annotations

import base64
import csv
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from storagelab import claims, writing
from storagelab.dataset import declare_keys
from storagelab.errors import PaperError
from storagelab.paper import (
    facts_and_metrics_json,
    latex,
    made_from,
    notebooks,
    numbers_in_sidecars,
    provenance_checks,
    run_notebook,
)
from storagelab.paper.document import Document, compose
from storagelab.paper.exporter import exporter

NUMBERS = "numbers.tex"
OUTPUTS = ("figures", "tables", "facts.json", "metrics.json", "summary.json", NUMBERS, "paper.html")
"""What a paper consists of."""


def build_paper(study: str, root: Path) -> None:
    """Run the notebook of a study and write its paper.

    Parameters
    ----------
    study : str
        Reads ``notebooks/<study with underscores>.ipynb``, ``notebooks/references.bib`` and
        ``reports/<study>/dataset.nc``; writes `OUTPUTS` into ``reports/<study>/``.
    root : Path
        Folder that holds notebooks/ and reports/.

    Raises
    ------
    PaperError
        If notebook or dataset is missing, a cell fails, or the paper breaks its own references. What stood in the
        folder before is then still there, and the notebook is kept as ``<name>.failed.ipynb``.
    """
    notebook = root / notebooks.file_of(study)
    reports = root / "reports" / study
    dataset = reports / "dataset.nc"
    if not dataset.is_file():
        raise PaperError(f"no dataset reports/{study}/dataset.nc: run `storagelab ingest {study}` first")
    where = os.path.relpath(dataset, notebook.parent)
    executed = run_notebook.run(notebook, {"study": study, "dataset": where})
    declare_keys(dataset)  # what its notebook loaded in a process of its own has names here, too
    try:
        document = compose(executed, notebook.with_name("references.bib"), notebook.name)
        numbers_in_sidecars.find(document.registry.facts, root, study)
        numbers_in_sidecars.find_stated(document.tables, root, study)
        document.made_from = made_from.parts(root, study)
        document.source = notebooks.stripped(notebook)
        html, _ = exporter().from_notebook_node(executed, {"paper": document, "root": root})
    except PaperError:
        run_notebook.keep_failed(notebook, executed)
        raise
    install(document, html, reports)


def install(document: Document, html: str, reports: Path) -> None:
    """Put a paper into the folder of its study: all of it in one step, or nothing.

    Raises
    ------
    PaperError
        If it lacks what the record of its study promises, or does not say what it rests on.
    """
    study = reports.name
    with writing.renewed_folder(reports, OUTPUTS) as made:
        write(document, html, made)
        if absent := not_drawn(reports / "claims.json", {figure.id for figure in document.figures}):
            raise PaperError(f"{study}: figures.yaml promises figures that the paper lacks: {', '.join(absent)}")
        if lacking := list(lacking_tables(reports / "claims.json", made / "tables")):
            raise PaperError(f"{study}: tables.yaml promises tables that the paper lacks: {'; '.join(lacking)}")
        if unmarked := provenance_checks.find_unlabelled(made, str(document.provenance["origin"])):
            raise PaperError(f"{study}: rests on reconstructed logs and does not say so: {', '.join(unmarked)}")
        if uncounted := provenance_checks.uncounted(made, str(document.provenance["origin"])):
            raise PaperError(f"{study}: figures do not count what their values rest on: {', '.join(uncounted)}")


def not_drawn(record: Path, drawn: Collection[str]) -> list[str]:
    """Return the figures that the record of a study says are drawn, and that are not; of a study without one, none."""
    if not record.exists():
        return []
    promised = [name for figure in claims.read(record).figures for name in figure["drawn"]]
    return sorted({name for name in promised if name not in drawn})


def lacking_tables(record: Path, made: Path) -> Iterator[str]:
    """Name each table that the record of a study says is there, and that is not, or lacks a column or all rows."""
    for table in claims.read(record).tables if record.exists() else ():
        data = made / f"{table['drawn']}.csv"
        if not data.exists():
            yield f"{table['id']} ({table['drawn']})"
            continue
        with data.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if columns := [name for name in table["columns"] if not rows or name not in rows[0]]:
            yield f"{table['id']} ({table['drawn']}) without {', '.join(columns)}"


def write(document: Document, html: str, folder: Path) -> None:
    """Write everything a paper consists of into an empty folder."""
    for kind in ("figures", "tables"):
        writing.make(folder / kind)
    for item in [*document.figures, *document.tables]:
        for mime, (suffix, decode) in _FILES.items():
            if mime in item.data:
                writing.put(folder / f"{item.kind}s" / f"{item.id}.{suffix}", decode(item.data[mime]))
    for table in document.tables:
        text = latex.table(table.data["text/latex"], table.id, table.caption, table.badge)
        writing.put(folder / "tables" / f"{table.id}.tex", text.encode("utf-8"))
    numbers = latex.numbers(
        document.registry.facts.values(), *(str(document.provenance[name]) for name in ("study", "origin"))
    )
    writing.put(folder / NUMBERS, numbers.encode("utf-8"))
    for name, content in facts_and_metrics_json.FILES.items():
        writing.put(folder / name, facts_and_metrics_json.as_json(content(document)))
    writing.put(folder / "paper.html", html.encode("utf-8"))


_FILES: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "image/svg+xml": ("svg", str.encode),
    "image/png": ("png", base64.b64decode),
    "text/csv": ("csv", str.encode),
}
