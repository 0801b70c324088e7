"""What the reader of PDF sees in a page that is written as Chromium writes it."""

from __future__ import annotations

import zlib

import pytest

from tests.pages import measure
from tests.pages.pdf import Document, Page

FONT = (
    b"<</Type /Font\n/Subtype /Type0\n/DescendantFonts [6 0 R]\n/ToUnicode 7 0 R>>",
    b"<</Type /Font\n/Subtype /CIDFontType2\n/W [3 [300] 36 [700 650] 40 42 500]>>",
    b"<<>>\nstream\n2 beginbfchar\n<0003> <0020>\n<0028> <03A9>\nendbfchar\n"
    b"1 beginbfrange\n<0024> <0025> <0041>\nendbfrange\nendstream",
)
A_SQUARE = "10 20 30 40 re f"


def printed(content: str, *more: bytes) -> Document:
    stream = zlib.compress(content.encode())
    objects = [
        b"<</Type /Catalog\n/Pages 2 0 R>>",
        b"<</Type /Pages\n/Kids [3 0 R]>>",
        b"<</Type /Page\n/Resources <</Font <</F4 5 0 R>>\n/XObject <</X8 8 0 R>>>>\n/MediaBox [0 0 200 100]"
        b"\n/Contents 4 0 R>>",
        b"<</Filter /FlateDecode\n/Length 1>>\nstream\n" + stream + b"\nendstream",
        *FONT,
        *more,
    ]
    return Document(
        b"".join(b"\n%d 0 obj\n%b\nendobj" % (number, body) for number, body in enumerate(objects, start=1))
    )


def page(content: str, *more: bytes) -> Page:
    (only,) = printed(content, *more).pages
    return only


def test_text_has_its_place_its_size_and_its_letters() -> None:
    (mark,) = page(".5 0 0 -.5 0 100 cm BT /F4 20 Tf 1 0 0 -1 40 60 Tm <002400250003> Tj ET").marks
    assert (mark.text, mark.size) == ("AB ", 10.0)
    assert mark.box == pytest.approx((20.0, 70.0, 36.5, 77.0))


@pytest.mark.parametrize("matrix", ["1 0 .25 1 40 60", "0 1 -1 .25 40 60"], ids=["level", "upwards"])
def test_letters_that_lean_are_as_large_as_others(matrix: str) -> None:
    (leaning,) = page(f"BT /F4 10 Tf {matrix} Tm <00240025> Tj ET").marks
    (straight,) = page(f"BT /F4 10 Tf {matrix.replace('.25', '0')} Tm <00240025> Tj ET").marks
    assert leaning == straight


def test_letters_follow_each_other_as_they_are_moved() -> None:
    content = "BT /F4 10 Tf 1 0 0 1 5 5 Tm <0024> Tj 7 0 Td <0028> Tj ET"
    assert [(mark.text, mark.box[0]) for mark in page(content).marks] == [("A", 5.0), ("Ω", 12.0)]


def test_shapes_are_seen_as_far_as_they_are_not_clipped() -> None:
    assert [mark.box for mark in page(f"0 0 0 rg {A_SQUARE}").marks] == [(10, 20, 40, 60)]
    assert [mark.box for mark in page(f"0 0 20 100 re W n 0 0 0 rg {A_SQUARE}").marks] == [(10, 20, 20, 60)]
    assert page(f"0 0 5 100 re W n 0 0 0 rg {A_SQUARE}").marks == ()


@pytest.mark.parametrize("content", [f"1 1 1 rg {A_SQUARE}", "10 20 30 40 re n", "BT /F4 9 Tf <0003> Tj ET"])
def test_what_leaves_no_ink_is_no_mark(content: str) -> None:
    assert page(content).marks == ()


def test_what_was_saved_comes_back() -> None:
    content = f"q 2 0 0 2 0 0 cm 0 0 5 5 re W n Q 0 0 0 rg {A_SQUARE}"
    assert [mark.box for mark in page(content).marks] == [(10, 20, 40, 60)]


def test_a_form_is_drawn_where_it_stands() -> None:
    form = b"<</Type /XObject\n/Subtype /Form\n/Matrix [1 0 0 1 3 4]>>\nstream\n0 0 0 rg 0 0 1 1 re f\nendstream"
    assert [mark.box for mark in page("2 0 0 2 10 10 cm /X8 Do", form).marks] == [(16, 18, 18, 20)]


def test_a_figure_on_two_pages_is_told() -> None:
    figure = b"<</Type /StructElem\n/S /Figure\n/Alt (A curve)\n/K [9 0 R 10 0 R]>>"
    parts = [b"<</Type /StructElem\n/S /NonStruct\n/Pg 3 0 R\n/K 1>>", b"<</Type /StructElem\n/Pg 12 0 R\n/K 2>>"]
    whole = printed("", figure, parts[0], parts[0])
    assert whole.figures() == [{1}]
    torn = printed("", figure, *parts)
    torn.objects[2] = b"<</Type /Pages\n/Kids [3 0 R 12 0 R]>>"
    torn.objects[12] = torn.objects[3]
    assert torn.figures() == [{1, 2}]


@pytest.mark.parametrize(
    ("left", "cut"), [(60, []), (149, ["'A' from 149 to 156 of 200"]), (10, ["'A' from 10 to 17 of 200"])]
)
def test_text_beyond_the_margins_is_cut(left: int, cut: list[str]) -> None:
    assert list(measure._cut(page(f"BT /F4 10 Tf 1 0 0 1 {left} 60 Tm <0024> Tj ET"))) == cut
