"""Figures of a paper in the column of a venue: names and widths, the command, and what the archive holds."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from storagelab import submission
from storagelab.errors import PaperError, UnknownNameError
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
    again = built("figures", STUDY, "--output", "made")
    assert again.code == 1
    assert "made is there already: expected a folder that is not, see --output" in again.err


@pytest.mark.slow
def test_an_archive_can_hold_them_and_has_the_same_bytes_each_time(handed_in: Path, tmp_path: Path) -> None:
    submission.bundle(STUDY, handed_in, tmp_path / "one.zip", "ieee")
    assert built("bundle", STUDY, "--width", "ieee", "--output", tmp_path / "two.zip").code == 0
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        held = [name for name in archive.namelist() if name.startswith("submission/figures/")]
        assert held
        assert all(name.encode() in archive.read("SHA256SUMS") for name in held)
