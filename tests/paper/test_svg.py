"""A drawing inside a page."""

from __future__ import annotations

import re

import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from storagelab.errors import PaperError
from storagelab.paper import figure_files, svg

DRAWING = """<?xml version="1.0"?>
<!DOCTYPE svg>
<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt" viewBox="0 0 72 36" version="1.1">
 <metadata><x/></metadata>
 <!-- a comment -->
 <g id="figure_1"><defs><style type="text/css">*{stroke-linejoin: round}
.c1{fill: red}</style><clipPath id="c1"><rect x="0.123456" y="1" width="2"/></clipPath><path id="m1" d="M 1.23456
L 2.34567 3"/></defs>
 <g clip-path="url(#c1)"><use xlink:href="#m1" style="fill: #0072b2"/><text class="c1" x="1">n = 1.23456</text></g></g>
</svg>
"""


def test_a_drawing_fits_into_a_page() -> None:
    inlined = svg.inline(DRAWING, "fig-a", 'Up & "down" <here>')
    head, _, body = inlined.partition(">")
    assert 'aria-label="Up &amp; &quot;down&quot; &lt;here&gt;"' in head
    assert 'viewBox="0 0 72 36" width="96" role="img"' in head
    assert "metadata" not in inlined
    assert "<!" not in inlined
    assert 'id="fig-a-c1"' in body
    assert "url(#fig-a-c1)" in body
    assert 'xlink:href="#fig-a-m1"' in body
    assert "n = 1.23456" in body
    assert '<style type="text/css">:where(#fig-a) *{stroke-linejoin: round}\n.fig-a-c1{fill: red}</style>' in body
    assert '<text class="fig-a-c1" x="1">' in body
    assert "#0072b2" in body
    assert body.endswith("</svg>")


def test_coordinates_are_cut_and_nothing_else() -> None:
    figure = Figure(figsize=(1, 1))
    figure.text(1 / 3, 1 / 3, "1.23456")
    figure.add_subplot().plot([0, 1 / 3, 1], [0, 1 / 7, 1])
    drawn = figure_files.draw(figure, "measured")["image/svg+xml"]
    assert not re.search(r'\b(?:d|x|y)="[^"]*\.\d{3}', drawn)
    assert "1.23456</text>" in drawn


def test_a_drawing_of_pyplot_is_not_shown_again_at_the_end_of_its_cell() -> None:
    figure = pyplot.figure(figsize=(1, 1))
    figure_files.draw(figure, "measured")
    assert not pyplot.fignum_exists(figure.number)


def test_styles_that_repeat_are_classes() -> None:
    often = '<path style="fill: red"/>' * 3
    made = figure_files.classed(f'<svg><style>*{{a: b}}</style>{often}<path style="fill: blue"/></svg>')
    assert made == (
        "<svg><style>*{a: b}\n.c1{fill: red}</style>" + '<path class="c1"/>' * 3 + '<path style="fill: blue"/></svg>'
    )


def test_parts_of_a_drawing_stand_below_each_other_on_a_phone() -> None:
    side_by_side = [(10.0, 5.0, 30.0, 20.0), (50.0, 5.0, 40.0, 25.0)]
    below = [(10.0, 5.0, 30.0, 20.0), (10.0, 40.0, 30.0, 20.0), (20.0, 70.0, 40.0, 6.0)]
    first, second = re.findall(r"<svg .*?</svg></svg>", svg.stacked("<svg ...", "fig-a", [side_by_side, below]))
    assert 'viewBox="0 0 70 25" width="93"' in first
    assert 'viewBox="0 0 40 71" width="53"' in second
    found = re.findall(
        r'<svg x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)" viewBox="(.*?)"><use.*?#fig-a-all', first
    )
    assert found == [("0", "0", "30", "20", "10 5 30 20"), ("30", "0", "40", "25", "50 5 40 25")]
    found = re.findall(r'<svg x="(.*?)" y="(.*?)" width="(.*?)"', second)
    assert found == [("0", "0", "30"), ("0", "35", "30"), ("0", "65", "40")]
    assert svg.stacked("<img ...", "fig-a", [below]) == ""


@pytest.mark.parametrize(
    ("place", "text_at", "label", "fit"),
    [
        ((0.2, 0.2, 0.6, 0.6), 0.5, "", True),
        ((0.2, 0.2, 0.6, 0.6), -0.2, "", False),
        ((0.2, 0.2, 0.6, 0.6), 1.2, "", False),
        ((0.4, 0.2, 0.1, 0.6), 0.5, "", False),
        ((0.4, 0.2, 0.1, 0.6), 0.5, "<colorbar>", True),
    ],
)
def test_a_figure_fits_with_its_text_inside_and_panels_that_can_be_read(
    place: tuple[float, float, float, float], text_at: float, label: str, fit: bool
) -> None:
    figure = Figure(figsize=(4, 3))
    figure.add_axes(place, label=label, xticks=[], yticks=[])
    figure.text(text_at, 0.5, "x", ha="center")
    assert figure_files.fits(figure) is fit


@pytest.mark.parametrize(
    ("said", "visible"), [("", True), ("reconstructed, not measured", False), ("not measured", True)]
)
def test_a_panel_that_could_be_taken_for_a_measurement_is_refused(said: str, visible: bool) -> None:
    figure = Figure()
    panels = figure.subplots(1, 2)
    panels[0].text(0, 0, "reconstructed,\n not measured")
    panels[1].text(0, 0, said, visible=visible)
    wrong = "panel 2 of a figure of reconstructed data does not say 'reconstructed, not measured'"
    with pytest.raises(PaperError, match=f"^{wrong}$"):
        figure_files._check_marked(figure, "reconstructed")
    figure_files._check_marked(figure, "measured")
    panels[1].set_label("<colorbar>")
    figure_files._check_marked(figure, "reconstructed")
