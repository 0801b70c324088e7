"""Every command that writes, cut down to its writing: `before` leaves what was there, `run` writes anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import jinja2
import nbformat
import orjson
import xarray as xr

from storagelab import cli, dataset, writing
from storagelab.claims import Record, accepted_verdicts, save
from storagelab.cli import console
from storagelab.cli import parse as parse_command
from storagelab.cli.synthesis import write_synthesis
from storagelab.errors import StoragelabError
from storagelab.ingest import checksums
from storagelab.paper import build, run_notebook
from storagelab.paper.document import Document, compose
from storagelab.paper.index import build_index
from storagelab.project import listing, making
from storagelab.reconstruct import campaign
from storagelab.reconstruct.log import Log
from storagelab.store import append
from storagelab.submission import archive, figures
from tests.conftest import LOGS
from tests.paper import conftest as papers

DD = LOGS / "dd" / "gnu-9.1-512-bytes.txt"
REPORTS = Path("reports", papers.STUDY)


UNREAD = "a log could not be read"
"""What a store holds from then on, until ``--retry``: no fault of its writer."""


class Command(NamedTuple):
    """What a command does in a folder, and which paths below it change together: what a reader may not see mixed."""

    write: Callable[[Path, str], object]
    together: tuple[str, ...]

    def before(self, root: Path) -> None:
        """Leave what an earlier run wrote."""
        self.write(root, "old")

    def run(self, root: Path) -> None:
        """Write what is to be there."""
        self.write(root, "new")


@cache
def study(title: str) -> xr.DataTree:
    tree = papers.study()
    tree.attrs["title"] = title
    return tree


def seal(root: Path, word: str) -> None:
    (root / "study").mkdir(parents=True, exist_ok=True)
    (root / "study" / "a.log").write_text(word)
    checksums.write(root / "study")


def ingest(root: Path, word: str) -> None:
    dataset.save(study(word), root / REPORTS / "dataset.nc")


def claims(root: Path, word: str) -> None:
    save(Record(word, "measured", *([] for _ in range(7))), root / REPORTS / "claims.json")


def accept(root: Path, word: str) -> None:
    (root / "study").mkdir(parents=True, exist_ok=True)
    accepted_verdicts.accept(root / "study", {"c1": word})


def index(root: Path, word: str) -> None:
    about = {"study": "tiny", "title": word, "abstract": "All.", "origin": "measured", "counts": {}, "authors": []}
    (root / REPORTS).mkdir(parents=True, exist_ok=True)
    (root / REPORTS / "summary.json").write_bytes(
        orjson.dumps({**about, "dates": [], "notes": [], "lead": "", "answers": [], "figures": [], "thumbnail": ""})
    )
    build_index(root)


def strip(root: Path, word: str) -> None:
    (root / "notebooks").mkdir(exist_ok=True)
    book = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": [word]}], "metadata": {}}
    (root / "notebooks" / "tiny_2026.ipynb").write_bytes(orjson.dumps(book))
    with chdir(root):
        cli.strip(papers.STUDY)


def _parsed(logs: list[Path], to: str, output: Path) -> None:
    if parse_command.parse(logs, to, output, "", ()):
        raise StoragelabError(UNREAD)


def parse(root: Path, word: str) -> None:
    with chdir(root):
        shutil.copy(DD, f"{word}.log")
        _parsed([Path(f"{word}.log")], "csv", Path("out", "all.csv"))


def parse_to_netcdf(root: Path, word: str) -> None:
    with chdir(root):
        shutil.copy(DD, f"{word}.log")
        _parsed([Path(f"{word}.log")], "netcdf", Path("out", "all.nc"))


def parse_to_parquet(root: Path, word: str) -> None:
    with chdir(root):
        shutil.copy(DD, f"{word}.log")
        _parsed([Path(f"{word}.log")], "parquet", Path("out", "all.parquet"))


def compressed(root: Path, word: str) -> None:
    with console.opened(root / "all.csv.gz") as file:
        file.write(word * 1000)


def lists(root: Path, word: str) -> None:
    """The lists that `storagelab reports` renews first."""
    (root / "raw" / word).mkdir(parents=True, exist_ok=True)
    (root / "raw" / word / "study.yaml").touch()
    if word == "old":
        (root / "dvc.yaml").write_text("# for each study: - {study}\n# end\n")
    listing.renew(root)


def bundle(root: Path, word: str) -> None:
    ours = root / REPORTS
    ours.mkdir(parents=True, exist_ok=True)
    (ours / "paper.html").write_text(word)
    about = {"study": "tiny", "title": word, "abstract": "All.", "origin": "measured", "authors": []}
    (ours / "summary.json").write_bytes(orjson.dumps({**about, "dates": [], "counts": {}, "notes": []}))
    archive.bundle(papers.STUDY, root, root / "tiny.zip")


def figures_for_a_venue(root: Path, word: str) -> None:
    drawn = [figures.Printed(name, 3.5, True, {"svg": word.encode()}) for name in ("one", "two")]
    figures.save(drawn, ["svg"], root / "figures")


def synthesis(root: Path, word: str) -> None:
    folder = root / "raw" / "both"
    folder.mkdir(parents=True, exist_ok=True)
    figure = f"{{id: one, origin: proposed, status: new, shows: {word}, drawn: [one], claims: []}}"
    (folder / "figures.yaml").write_text(f"figures: [{figure}]\n")
    write_synthesis(study(word), folder, root / "reports")


def compare(root: Path, word: str) -> None:
    with console.opened(root / "report.xml") as file:
        file.write(word)


def paper_that_fails(root: Path, word: str) -> None:
    (root / "notebooks").mkdir(exist_ok=True)
    cell = nbformat.v4.new_markdown_cell(word, id="one")
    run_notebook.keep_failed(root / "notebooks" / "tiny.ipynb", nbformat.v4.new_notebook(cells=[cell]))


def store(root: Path, word: str) -> None:
    (root / "logs").mkdir(parents=True, exist_ok=True)
    (root / "logs" / f"{word}.txt").write_text(f"{word}\n{DD.read_text()}")
    with chdir(root):
        found = append("store", "logs", workers=1)
    if found.unread:
        raise StoragelabError(UNREAD)


@cache
def paper_of(word: str) -> Document:
    executed = papers.paper_of(
        ("figure()", [papers.drawn("shape", word)]),
        ("table()", [papers.tabled("cases", word)]),
        f"[@fig:shape] and [@tab:cases]: {word}",
    )
    return compose(executed, Path("references.bib"), "tiny.ipynb")


def paper(root: Path, word: str) -> None:
    (root / REPORTS).mkdir(parents=True, exist_ok=True)
    if not (root / REPORTS / "dataset.nc").exists():
        (root / REPORTS / "dataset.nc").write_text("stays")
    build.install(paper_of(word), f"<p>{word}</p>", root / REPORTS)


def reconstruct(root: Path, word: str) -> None:
    (root / "study").mkdir(parents=True, exist_ok=True)
    logs = [Log(f"{folder}/{word}.log", word, {"basis": "model"}) for folder in "ab"]
    campaign.write(logs, root / "study")


def new_project(root: Path, word: str) -> None:
    """A project in a folder that is there, which nothing was made in before."""
    (root / "project").mkdir(parents=True, exist_ok=True)
    if word == "new":
        made(root / "project", "nfs-2026")


def new_study(root: Path, word: str) -> None:
    made(root / "project", "nfs-2026" if word == "old" else "lustre-2026")


def made(project: Path, study: str) -> None:
    """Make a study, unless a call that was disturbed afterwards had made it: then that is said."""
    try:
        with patch.object(making._ENVIRONMENT, "from_string", template):
            making.make(project, study)
    except StoragelabError as error:
        if "is there already" not in str(error):
            raise


@cache
def template(text: str) -> jinja2.Template:
    """Compile a template once, which is half of the work of `new` and no part of its writing."""
    return jinja2.Environment.from_string(making._ENVIRONMENT, text)


COMMANDS: Mapping[str, Command] = {
    "reconstruct": Command(reconstruct, ("study/logs",)),
    "new": Command(new_project, ()),
    "new --study": Command(new_study, ()),
    "checksums": Command(seal, ("study/SHA256SUMS",)),
    "ingest": Command(ingest, (str(REPORTS / "dataset.nc"),)),
    "store": Command(store, ()),
    "claims": Command(claims, (str(REPORTS / "claims.json"),)),
    "claims --accept": Command(accept, ("study/verdicts.yaml",)),
    "index": Command(index, ("reports/index.html",)),
    "strip": Command(strip, (str(REPORTS / "notebook.ipynb"),)),
    "synthesis": Command(synthesis, ("reports/both",)),
    "parse": Command(parse, ("out/all.csv",)),
    "parse --to netcdf": Command(parse_to_netcdf, ("out/all.nc",)),
    "parse --to parquet": Command(parse_to_parquet, ("out/all.parquet",)),
    "parse --output x.gz": Command(compressed, ("all.csv.gz",)),
    "reports, its lists": Command(lists, ("dvc.yaml",)),
    "bundle": Command(bundle, ("tiny.zip",)),
    "figures": Command(figures_for_a_venue, ("figures",)),
    "compare --output": Command(compare, ("report.xml",)),
    "paper": Command(paper, (str(REPORTS),)),
    "paper that fails": Command(paper_that_fails, ("notebooks/tiny.failed.ipynb",)),
}


def without_ours(found: Any) -> Any:
    """Leave out what the next writer there removes: folders of our own, and empty ones."""
    if not isinstance(found, dict):
        return found
    kept = {name: without_ours(each) for name, each in found.items() if not name.startswith(writing.OURS)}
    return {name: each for name, each in kept.items() if each != {}}
