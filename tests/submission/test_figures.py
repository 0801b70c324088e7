"""Figures of a paper in the column of a venue: names and widths, the command, and what the archive holds."""

from __future__ import annotations

import base64
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import nbformat.v4
import pytest
from nbformat import NotebookNode

from storagelab import submission
from storagelab.errors import PaperError, UnknownNameError
from storagelab.paper import figure_files, published_items, run_notebook
from storagelab.submission import figures
from storagelab.submission.figures import VENUES, Printed, Venue
from tests.submission.conftest import STUDY, built

FORMATS = ("pdf", "pgf", "svg")
BOX = re.compile(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]")


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("ieee", 3.5),
        ("ACM", 3.33),
        ("lncs", 4.8),
        ("3.5in", 3.5),
        ("88.9mm", 3.5),
        ("8.89 cm", 3.5),
        ("252.945pt", 3.5),
    ],
)
def test_a_venue_is_a_name_or_a_width(said: str, column: float) -> None:
    assert submission.venue(said).column == pytest.approx(column)


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown venue or width 'ieeee'; did you mean 'ieee'\?$"):
        submission.venue("ieeee")
    with pytest.raises(PaperError, match=r"^width 1in: expected 2in to 20in$"):
        submission.venue("1in")


def output(kind: str, id: str, fits: bool) -> NotebookNode:
    """What a cell publishes: a figure drawn for a column, or a table."""
    data = {
        figure_files.PDF: base64.b64encode(f"{id} pdf".encode()).decode(),
        figure_files.PGF: f"{id} pgf",
        "image/svg+xml": f"{id} svg",
    }
    record = {"kind": kind, "id": id, "fits": fits}
    return nbformat.v4.new_output("display_data", data, metadata={published_items.NAMESPACE: record})


class Runs:
    """Stands for a run of the notebook: two figures and a table, of which one figure needs six inches."""

    def __init__(self) -> None:
        self.asked: list[tuple[Path, object, str]] = []

    def __call__(self, notebook: Path, parameters: object, *, first: str) -> NotebookNode:
        self.asked.append((notebook, parameters, first))
        width = float(first.partition("width=")[2].partition(",")[0])
        made = [output("figure", "narrow", True), output("table", "numbers", True), output("figure", "wide", width > 6)]
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[one]) for one in made])


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    (tmp_path / "reports" / STUDY).mkdir(parents=True)
    (tmp_path / "reports" / STUDY / "dataset.nc").touch()
    monkeypatch.setattr(run_notebook, "run", found := Runs())
    return found


def test_a_figure_too_wide_for_a_column_takes_the_whole_text(runs: Runs, tmp_path: Path) -> None:
    drawn = figures.printed(STUDY, tmp_path, VENUES["ieee"])
    assert [(one.id, one.width, one.fits) for one in drawn] == [("narrow", 3.5, True), ("wide", 7.16, True)]
    assert drawn[1].files == {"pdf": b"wide pdf", "pgf": b"wide pgf", "svg": b"wide svg"}
    notebook = tmp_path / "notebooks" / "disk_2026.ipynb"
    wanted = {"study": STUDY, "dataset": f"../reports/{STUDY}/dataset.nc"}
    assert [asked[:2] for asked in runs.asked] == [(notebook, wanted)] * 2
    said = "page_format.draw_for(page_format.PageFormat(width={}, letters=8.0, family='STIXGeneral', serif=True))"
    for (_, _, first), width in zip(runs.asked, (3.5, 7.16), strict=True):
        assert first == f"from storagelab.figures import page_format\n\n{said.format(width)}"


@pytest.mark.parametrize("where", [Venue(6.5, 7.0), Venue(3.5, 3.5)])
def test_where_a_column_is_wide_enough_or_all_there_is_they_are_drawn_once(
    where: Venue, runs: Runs, tmp_path: Path
) -> None:
    assert {one.width for one in figures.printed(STUDY, tmp_path, where)} == {where.column}
    assert len(runs.asked) == 1


def test_without_a_dataset_it_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(
        PaperError, match=r"^no dataset reports/disk-2026/dataset\.nc: run `storagelab ingest disk-2026`"
    ):
        figures.printed(STUDY, tmp_path, VENUES["acm"])


def test_files_of_figures_have_their_names_and_what_was_asked_for(tmp_path: Path) -> None:
    one = Printed("scaling", 3.5, True, {"pdf": b"1", "svg": b"2"})
    figures.save([one, replace(one, id="knee")], ["svg"], tmp_path / "made")
    assert {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()} == {
        "scaling.svg": b"2",
        "knee.svg": b"2",
    }


def test_only_a_folder_of_figures_of_this_paper_is_replaced(tmp_path: Path) -> None:
    one = Printed("scaling", 3.5, True, {"pdf": b"1"})
    folder = tmp_path / "made"
    figures.require_figures(folder)
    figures.save([one], ["pdf"], folder)
    figures.require_figures(folder)
    figures.require_figures(folder, [one])
    with pytest.raises(PaperError, match=r"made: expected nothing but figures of this paper, found scaling\.pdf; see"):
        figures.require_figures(folder, [replace(one, id="knee")])
    with pytest.raises(
        PaperError, match=r"scaling\.pdf: expected a folder of figures, or none, found a file; see --out"
    ):
        figures.require_figures(folder / "scaling.pdf")
    (folder / "paper.tex").write_text("mine")
    with pytest.raises(
        PaperError, match=r"made: expected nothing but figures of this paper, found paper\.tex; see --out"
    ):
        figures.require_figures(folder)


@pytest.mark.slow
def test_the_command_draws_each_figure_in_the_column(handed_in: Path) -> None:
    made = built("figures", STUDY, "--width", "acm", "--to", "pdf", "--to", "pgf", "--to", "svg", "--output", "made")
    names = {path.stem for path in (handed_in / "reports" / STUDY / "figures").glob("*.svg")}
    assert names
    assert {path.name for path in Path("made").iterdir()} == {f"{name}.{to}" for name in names for to in FORMATS}
    for name in names:
        assert f"{name}: 3.33 in wide" in made.out
        box = BOX.search(Path(f"made/{name}.pdf").read_bytes())
        assert box
        assert float(box[1]) == pytest.approx(3.33 * 72, abs=0.01)
    Path("made/mine.txt").write_text("mine")
    again = built("figures", STUDY, "--output", "made")
    assert again.code == 1
    assert "made: expected nothing but figures of this paper, found mine.txt; see --output" in again.err


@pytest.mark.slow
def test_an_archive_can_hold_them_and_has_the_same_bytes_each_time(handed_in: Path, tmp_path: Path) -> None:
    submission.bundle(STUDY, handed_in, tmp_path / "one.zip", "ieee")
    assert built("bundle", STUDY, "--width", "ieee", "--output", tmp_path / "two.zip").code == 0
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        held = [name for name in archive.namelist() if name.startswith("submission/figures/")]
        assert held
        assert all(name.encode() in archive.read("SHA256SUMS") for name in held)
