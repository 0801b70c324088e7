"""What was not measured says so in every panel, and what its markers are stands under it."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from PIL import Image

from storagelab import figures
from storagelab.errors import PaperError
from storagelab.figures import watermark as marks
from storagelab.paper import figure_files
from tests.figures.kinds import KINDS, drawn, reconstructed, same
from tests.figures.test_origin import OF_ONE_STUDY, curve


def marked(figure: Figure) -> list[int]:
    """How often the words stand in each panel."""
    return [
        sum(marks.NOT_MEASURED in text.get_text() for text in axes.texts)
        for axes in figure.axes
        if axes.get_label() != "<colorbar>"
    ]


@pytest.mark.parametrize("name", OF_ONE_STUDY)
def test_every_panel_of_what_is_reconstructed_says_so_and_no_panel_of_what_was_measured(name: str) -> None:
    assert min(marked(drawn(name, reconstructed).figure)) >= 1
    assert not any(marked(drawn(name, same).figure)), "measured"


def test_the_words_come_from_the_origin() -> None:
    assert marks.words_of("measured") == ""
    assert marks.words_of("") == ""
    assert marks.words_of("reconstructed") == "reconstructed,\nnot measured"
    assert marks.words_of("published and reconstructed") == "reconstructed,\nnot measured"
    assert marks.words_of("published") == "from printed numbers,\nnot measured"
    assert marks.words_of("measured and reconstructed") == "in part reconstructed,\nnot all measured"


def test_measured_panels_beside_reconstructed_ones_stay_clean() -> None:
    figure = Figure()
    measured, invented = figure.subplots(1, 2)
    measured.set_gid("measured")
    invented.set_gid("reconstructed")
    marks.watermark(figure, "measured and reconstructed")
    counts = marked(figure)
    assert counts[0] == 0
    assert counts[1] >= 1


def test_asking_twice_writes_once() -> None:
    one = figures.scaling(curve("model", "model"))
    before = marked(one.figure)
    marks.watermark(one.figure, "reconstructed")
    assert marked(one.figure) == before


def test_every_quarter_of_a_panel_carries_the_words() -> None:
    one = figures.scaling(curve("model", "model"))
    axes = one.axes[0]
    places = {
        (x > 0.5, y > 0.5)
        for x, y in (text.get_position() for text in axes.texts if text.get_label() == marks.LABEL)
    }  # fmt: skip
    assert {high for _, high in places} == {True, False}
    assert {right for right, _ in places} == {True, False}


@pytest.mark.parametrize("name", ["scaling", "points with bars", "distribution"])
def test_the_words_lie_below_the_data(name: str) -> None:
    for axes in drawn(name, reconstructed).figure.axes:
        words = [text.get_zorder() for text in axes.texts if text.get_label() == marks.LABEL]
        assert max(words) < min(one.get_zorder() for one in (*axes.lines, *axes.collections, *axes.patches))


def test_the_words_survive_a_photocopier() -> None:
    """Black or white, nothing between: with a threshold at three quarters the words are still there."""
    with_words, without = (
        np.asarray(Image.open(io.BytesIO(figures.scaling(change).render("png"))).convert("L"))
        for change in (curve("model", "model"), curve("model", "model").assign_attrs(origin="measured"))
    )
    assert (with_words < 192).sum() > 1.3 * (without < 192).sum()


def test_a_figure_that_lacks_the_words_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    one = figures.scaling(curve("model", "model"))
    assert marks.NOT_MEASURED in figure_files.draw(one.figure, "reconstructed")["image/svg+xml"]
    monkeypatch.setattr(figure_files, "watermark", lambda *_: None)
    for text in [text for text in one.axes[0].texts if text.get_label() == marks.LABEL]:
        text.remove()
    with pytest.raises(PaperError, match="panel 1 of a figure of reconstructed data does not say 'reconstructed, not"):
        figure_files.draw(one.figure, "reconstructed")
    figure_files.draw(figures.scaling(curve("", "").assign_attrs(origin="measured")).figure, "measured")


def test_the_image_says_what_filled_and_hollow_markers_are() -> None:
    said = figure_files.draw(figures.scaling(curve("published", "model", "derived")).figure, "reconstructed")
    for words in (marks.FILLED, marks.TINTED, marks.HOLLOW):
        assert words in said["image/svg+xml"]
    assert len(base64.b64decode(said["image/png"])) > 0
    alone = figure_files.draw(figures.scaling(curve("model", "model")).figure, "reconstructed")["image/svg+xml"]
    assert marks.HOLLOW in alone
    assert marks.FILLED not in alone


def test_beside_measured_data_a_filled_marker_is_measured_and_not_printed() -> None:
    both = figure_files.draw(figures.scaling(curve("published", "model")).figure, "measured and reconstructed")[
        "image/svg+xml"
    ]
    assert marks.FILLED not in both
    assert marks.HOLLOW not in both
    assert ">measured<" in both
    assert ">reconstructed<" in both


def test_a_measured_figure_needs_no_key() -> None:
    one = figures.scaling(curve("", "").assign_attrs(origin="measured"))
    assert marks.FILLED not in figure_files.draw(one.figure, "measured")["image/svg+xml"]


def test_cells_without_gaps_carry_the_words_on_top() -> None:
    one = KINDS["heatmap"](reconstructed)
    words, numbers = (
        [text for text in one.axes[0].texts if (text.get_label() == marks.LABEL) is is_mark]
        for is_mark in (True, False)
    )
    assert min(text.get_zorder() for text in words) > max(mesh.get_zorder() for mesh in one.axes[0].collections)
    assert max(text.get_zorder() for text in words) < min(text.get_zorder() for text in numbers), "numbers stay legible"


def test_the_key_is_one_line_at_the_left_below_its_height() -> None:
    figure = figures.scaling(curve("published", "model", "derived")).figure
    marks.key_of_fills(figure, 0.25)
    legend = figure.legends[-1]
    assert len(legend.get_texts()) == 3
    place = legend.get_window_extent(FigureCanvasAgg(figure).get_renderer())
    assert (place.x0, place.y1) == pytest.approx((0.0, 0.25 * figure.bbox.height))
    assert place.height < 1.5 * legend.get_texts()[0].get_fontsize() * figure.dpi / 72


def test_a_legend_that_says_what_is_measured_is_the_only_key() -> None:
    figure = figures.scaling(curve("published", "model", "derived")).figure
    figure.legend(handles=[Line2D([], [], label="measured")])
    before = list(figure.legends)
    marks.key_of_fills(figure, 0.25, "measured and reconstructed")
    assert figure.legends == before
