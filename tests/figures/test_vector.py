"""Figures for venues: a width, one size of letters, no date in a PDF, and PGF that LaTeX can read."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from storagelab import figures
from storagelab.figures import Drawn, page_format, vector
from storagelab.figures.page_format import PageFormat
from storagelab.paper.latex import escape
from tests.figures.kinds import ten

COLUMN = PageFormat(3.5, 8.0, "STIXGeneral", serif=True)
HOSTILE = r"a\b{c}$d&e#f%g~h^i"


def drawn(layout: str = "distribute") -> Drawn:
    ds = ten()
    ds["layout"] = ds["layout"].where(ds["layout"] != "distribute", layout)
    return figures.distribution(ds, facet="layout", category="layout")


def whole(figure: Drawn) -> Bbox:
    width, height = figure.figure.get_size_inches()
    return Bbox.from_extents(0, 0, width, height)


def pgf(figure: Drawn) -> str:
    with figures.style():
        return vector.pgf(figure.figure, whole(figure), escape)


def test_a_page_format_says_width_letters_and_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_page = drawn()
    monkeypatch.setattr(page_format, "_current", COLUMN)
    in_a_column = drawn()
    assert on_a_page.figure.get_size_inches()[0] == 7.2
    assert in_a_column.figure.get_size_inches()[0] == 3.5
    lefts = {round(axes.get_position().x0, 3) for axes in in_a_column.axes}
    assert len(in_a_column.axes) == 2
    assert len(lefts) == 1
    sizes = {text.get_fontsize() for text in in_a_column.figure.findobj(Text) if text.get_text().strip()}
    assert sizes == {8.0}


@pytest.mark.parametrize("size", [6.0, 6.5, 7.0, 8.0])
def test_no_letter_of_a_page_is_smaller_than_seven_points(size: float) -> None:
    assert page_format.letters(size) == max(7.0, size)


def test_a_pdf_has_no_date_no_type_3_and_the_same_bytes_whenever_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(vector.EPOCH, "1000000000")
    one = drawn().render("pdf")
    monkeypatch.setenv(vector.EPOCH, "1700000000")
    assert drawn().render("pdf") == one
    assert one.startswith(b"%PDF-")
    assert b"CreationDate" not in one
    assert b"Type3" not in one
    assert b"/FontFile2" in one


def test_the_coordinates_of_a_pdf_are_rounded() -> None:
    figure = drawn()
    before = figure.render("pdf")
    figure.axes[0].set_position(figure.axes[0].get_position().translated(1e-12, 1e-12))
    assert figure.render("pdf") == before


def test_pgf_is_whole_and_its_text_is_escaped() -> None:
    text = pgf(drawn(HOSTILE))
    assert text.count(r"\begin{pgfscope}") == text.count(r"\end{pgfscope}") > 10
    assert text.count(r"\begin{pgfpicture}") == text.count(r"\end{pgfpicture}") == 1
    assert escape(HOSTILE) in text
    assert HOSTILE not in text
    assert text == pgf(drawn(HOSTILE))
    unescaped = re.sub(r"\\[{}]", "", text)
    assert unescaped.count("{") == unescaped.count("}")


def test_a_part_of_a_figure_begins_where_its_box_does() -> None:
    figure = drawn()
    with figures.style():
        part = Bbox.from_extents(0.5, 0.25, *figure.figure.get_size_inches())
        all_, moved = (vector.pgf(figure.figure, box, escape) for box in (whole(figure), part))
    before, after = (
        np.array(re.findall(r"\\pgftext\[x=(-?[\d.]+)in,y=(-?[\d.]+)in", text), dtype=float) for text in (all_, moved)
    )
    assert len(before) > 5
    assert before - after == pytest.approx(np.tile([0.5, 0.25], (len(before), 1)), abs=1e-4)


class Page:
    """A backend that keeps where it was to write."""

    def __init__(self) -> None:
        self.places: list[tuple[float, float]] = []

    def new_gc(self) -> Any:
        return SimpleNamespace(copy_properties=lambda gc: None)

    def draw_text(self, gc: Any, x: float, y: float, *_: Any, mtext: Any) -> None:
        self.places.append((x, y))


def test_text_stands_in_a_part_of_a_figure_counted_from_its_lower_left() -> None:
    page = Page()
    vector._Vector(page, Bbox.from_extents(0.5, 0.25, 4.0, 3.0)).draw_text(None, 100, 50, "x", FontProperties(), 0.0)
    assert page.places == [(100 - 36, 2.75 * 72 - 50)]


def has_pgf() -> bool:
    found = shutil.which("kpsewhich")
    return bool(found and subprocess.run([found, "pgf.sty"], capture_output=True, check=False).stdout)


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("pdflatex") and has_pgf()),
    reason="pdflatex or its package pgf is not installed (on Debian: apt install texlive-pictures)",
)
def test_pgf_compiles(tmp_path: Path) -> None:
    (tmp_path / "one.pgf").write_text(pgf(drawn(HOSTILE)), encoding="utf-8")
    head = r"\documentclass{article}\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp,pgf}"
    (tmp_path / "main.tex").write_text(head + "\n\\begin{document}\\input{one.pgf}\\end{document}\n")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
