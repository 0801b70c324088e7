"""Reconstructed logs on the face of a paper: one that hides them is found."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode

from storagelab.claims import Record, save
from storagelab.errors import PaperError
from storagelab.paper import build, build_paper, provenance_checks
from tests.paper.conftest import write_root


@pytest.fixture
def paper(built: Path, tmp_path: Path) -> Path:
    """A copy of the tiny paper of reconstructed logs, to be damaged."""
    return Path(shutil.copytree(built / "reports" / "tiny-2026", tmp_path / "paper"))


def change(path: Path, edit: Callable[[str], str]) -> None:
    before = path.read_text(encoding="utf-8")
    path.write_text(after := edit(before), encoding="utf-8")
    assert after != before


def test_a_paper_as_it_is_built_says_so_everywhere(paper: Path) -> None:
    assert list((paper / "figures").glob("*.svg"))
    assert provenance_checks.find_unlabelled(paper, "reconstructed") == []


def test_a_drawing_that_hides_it_is_found(paper: Path) -> None:
    drawing = next((paper / "figures").glob("*.svg"))
    change(drawing, lambda text: text.replace("reconstructed data</text>", "data</text>"))
    assert provenance_checks.find_unlabelled(paper, "reconstructed") == [f"figures/{drawing.name}"]


def test_a_drawing_without_a_watermark_is_found(paper: Path) -> None:
    drawing = next((paper / "figures").glob("*.svg"))
    assert "reconstructed data</text>" in drawing.read_text(encoding="utf-8")
    change(drawing, lambda text: text.replace("not measured</text>", "</text>"))
    assert provenance_checks.find_unlabelled(paper, "reconstructed") == [f"figures/{drawing.name}"]


@pytest.mark.parametrize("kind", ["figures", "tables"])
def test_data_that_hide_it_are_found(paper: Path, kind: str) -> None:
    data = next((paper / kind).glob("*.csv"))
    change(data, lambda text: text.replace("reconstructed", "measured"))
    assert f"{kind}/{data.name}" in provenance_checks.find_unlabelled(paper, "reconstructed")


def test_captions_that_hide_it_are_found(paper: Path) -> None:
    change(paper / "paper.html", lambda text: re.sub("reconstructed", "measured", text, flags=re.IGNORECASE))
    found = provenance_checks.find_unlabelled(paper, "reconstructed")
    shown = len(list((paper / "figures").glob("*.svg"))) + len(list((paper / "tables").glob("*.csv")))
    assert len([place for place in found if place.startswith("caption of ")]) == shown


def test_the_caption_of_a_folded_table_is_read_too(paper: Path) -> None:
    folded = r'<p class="caption">\1</p><details><summary>6 rows</summary>'
    change(paper / "paper.html", lambda text: re.sub(r"<caption>(.*?)</caption>", folded, text, flags=re.DOTALL))
    assert provenance_checks.find_unlabelled(paper, "reconstructed") == []
    silent = re.compile(r'(<p class="caption">[^\n]*)econstructed', re.DOTALL)
    change(paper / "paper.html", lambda text: silent.sub(r"\1", text))
    assert "caption of tab-" in " ".join(provenance_checks.find_unlabelled(paper, "reconstructed"))


def test_beside_measured_logs_only_what_rests_on_reconstructed_ones_has_to_say_so(paper: Path) -> None:
    for data in (paper / "tables").glob("*.csv"):
        change(data, lambda text: text.replace("reconstructed", "measured"))
    change(paper / "paper.html", lambda text: re.sub("reconstructed", "measured", text, flags=re.IGNORECASE))
    found = provenance_checks.find_unlabelled(paper, "measured and reconstructed")
    assert found
    assert all(place.startswith("caption of fig-") for place in found)


@pytest.mark.usefixtures("executed")
def test_such_a_paper_is_not_put_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_root(tmp_path / "root", origin="reconstructed")
    whole = build.write

    def hiding(document: object, html: str, folder: Path) -> None:
        whole(document, html, folder)  # type: ignore[arg-type]
        for drawing in (folder / "figures").glob("*.svg"):
            change(drawing, lambda text: text.replace("reconstructed data</text>", "data</text>"))

    monkeypatch.setattr(build, "write", hiding)
    with pytest.raises(PaperError, match=r"rests on reconstructed logs and does not say so: figures/\w+\.svg"):
        build_paper("tiny-2026", root)
    assert not (root / "reports" / "tiny-2026" / "paper.html").exists()


@pytest.mark.usefixtures("executed")
def test_figures_that_were_promised_and_not_drawn_are_named(tmp_path: Path) -> None:
    root = write_root(tmp_path / "root", origin="reconstructed")
    figures = [{"drawn": ["throughput", "nowhere"]}, {"drawn": []}, {"drawn": ["elsewhere", "nowhere"]}]
    save(Record("tiny-2026", "reconstructed", [], [], [], [], [], [], figures), root / "reports/tiny-2026/claims.json")
    with pytest.raises(PaperError, match="figures that the paper lacks: elsewhere, nowhere"):
        build_paper("tiny-2026", root)


def test_a_paper_as_it_is_built_counts_what_its_values_rest_on(paper: Path) -> None:
    assert list((paper / "figures").glob("*.csv"))
    assert provenance_checks.uncounted(paper, "reconstructed") == []


def test_a_caption_that_counts_nothing_is_found(paper: Path) -> None:
    change(paper / "paper.html", lambda text: text.replace("Points: 6 of a model (hollow).", ""))
    assert provenance_checks.uncounted(paper, "reconstructed") == ["caption of fig-throughput"]
    assert provenance_checks.uncounted(paper, "measured") == []


@pytest.mark.parametrize(("told", "found"), [("Points: 6.", True), ("Computed from its copies.", False)])
def test_data_without_a_basis_are_found_unless_they_are_computed_from_what_was_printed(
    paper: Path, told: str, found: bool
) -> None:
    change(paper / "figures" / "throughput.csv", lambda text: text.replace("basis", "b"))
    change(paper / "paper.html", lambda text: text.replace("Points: 6 of a model (hollow).", told))
    assert provenance_checks.uncounted(paper, "reconstructed") == ["figures/throughput.csv"] * found


def test_rows_that_are_published_need_no_basis(paper: Path) -> None:
    change(
        paper / "figures" / "throughput.csv",
        lambda text: text.replace("basis", "b").replace("reconstructed", "published"),
    )
    change(paper / "paper.html", lambda text: text.replace("Points: 6 of a model (hollow).", ""))
    assert provenance_checks.uncounted(paper, "reconstructed") == []


def test_a_paper_that_counts_nothing_is_not_put_in_place(executed: NotebookNode, tmp_path: Path) -> None:
    root = write_root(tmp_path / "root", origin="reconstructed")
    shown = [output.metadata for cell in executed.cells for output in cell.get("outputs", []) if "metadata" in output]
    (drawn,) = [one.storagelab for one in shown if one.get("storagelab", {}).get("kind") == "figure"]
    drawn.caption = drawn.caption.replace(" of a model (hollow)", "")
    with pytest.raises(PaperError, match="do not count what their values rest on: caption of fig-throughput"):
        build_paper("tiny-2026", root)
    assert not (root / "reports" / "tiny-2026" / "paper.html").exists()
