"""A mark of a drawing says which row of the data it stands for, and no mark says a wrong one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from storagelab.dataset import frame
from storagelab.figures import data_behind_marks
from storagelab.figures.rendering import POINTS, draw_once, on_white
from storagelab.figures.style import canvas, style
from tests.figures.kinds import KINDS, drawn

CLIENTS, RATES = [1.0, 2.0, 4.0, 8.0], [21.4567e6, 39.8765e6, 70.1234e6, 71.5432e6]


def panel(xs: Sequence[float] = CLIENTS, ys: Sequence[float] = RATES) -> Figure:
    with style():
        figure = canvas(2.0)
        axes = figure.subplots()
        axes.plot(xs, ys, marker="o", linestyle="none")
        axes.set_xlim(-1, 10)
    return figure


def box_of(figure: Figure) -> Bbox:
    return Bbox.from_extents(0, 0, *figure.get_size_inches())


def numbered(figure: Figure, rows: pd.DataFrame) -> str:
    with style():
        svg, _ = draw_once(figure, box_of(figure))
        return data_behind_marks.numbered(svg, figure, box_of(figure), rows)


def rows_in(svg: str) -> list[int]:
    return [int(row) for row in re.findall(r'data-row="(\d+)"', svg)]


def places_in(svg: str) -> dict[int, tuple[float, float]]:
    tags = re.findall(r"<use[^<>]*data-row[^<>]*>", svg)
    read = [dict(re.findall(r'([\w-]+)="([^"]*)"', tag)) for tag in tags]
    return {int(one["data-row"]): (float(one["x"]), float(one["y"])) for one in read}


def test_each_mark_has_the_row_that_is_drawn_there() -> None:
    rows = pd.DataFrame({"clients": CLIENTS, "throughput": RATES}).iloc[::-1].reset_index(drop=True)
    figure = panel()
    found = places_in(numbered(figure, rows))
    with on_white(figure, box_of(figure)):
        (axes,) = figure.axes
        for place, row in rows.iterrows():
            x, y = axes.transData.transform(row.to_numpy())
            height = figure.get_size_inches()[1] * POINTS
            assert found[int(str(place))] == pytest.approx((x, height - y), abs=0.02)
    assert len(found) == len(rows)


def test_ticks_and_samples_of_a_legend_have_no_row() -> None:
    figure = panel()
    figure.axes[0].lines[0].set_label("a")
    figure.legend()
    svg = numbered(figure, pd.DataFrame({"clients": CLIENTS, "throughput": RATES}))
    assert sorted(rows_in(svg)) == [0, 1, 2, 3]
    assert svg.count("<use ") > 4, "ticks and samples are drawn as marks are"


def test_a_number_that_several_rows_have_says_nothing() -> None:
    rows = pd.DataFrame({"throughput": [*RATES[:2], RATES[1], RATES[3]]})
    assert sorted(rows_in(numbered(panel(), rows))) == [0, 3]


def test_several_rows_with_a_number_are_told_apart_by_the_other() -> None:
    rows = pd.DataFrame({"clients": [1.0, 2.0, 4.0, 8.0], "throughput": [*RATES[:2], RATES[1], RATES[3]]})
    assert sorted(rows_in(numbered(panel(ys=rows["throughput"].tolist()), rows))) == [0, 1, 2, 3]


@pytest.mark.parametrize("value", [2.0, 0.5, 12.5])
def test_a_round_number_alone_may_be_a_place_among_levels(value: float) -> None:
    assert rows_in(numbered(panel([value], [RATES[0]]), pd.DataFrame({"ratio": [value]}))) == []


def test_ends_of_intervals_and_extremes_are_no_values_of_a_row() -> None:
    rows = pd.DataFrame({"throughput": [50.5555e6], "throughput_low": [RATES[0]], "throughput_max": [RATES[3]]})
    assert rows_in(numbered(panel(), rows)) == []


def test_a_run_is_taken_for_itself_and_not_for_the_mean_of_one_run() -> None:
    both = {
        data_behind_marks.DRAWN_AS: [data_behind_marks.MEAN, data_behind_marks.RUN],
        "throughput": [RATES[0], RATES[0]],
    }
    assert rows_in(numbered(panel([1.0], RATES[:1]), pd.DataFrame(both))) == [1]


def test_marks_at_one_place_have_each_their_row() -> None:
    near = [RATES[0], RATES[0] * (1 + 1e-6)]
    assert rows_in(numbered(panel([1.0, 1.0], near), pd.DataFrame({"throughput": near}))) == [0, 1]


def test_cells_of_colours_have_the_row_of_their_value() -> None:
    values = np.array([[1.2345, 2.3456], [3.4567, np.nan]])
    with style():
        figure = canvas(2.0)
        figure.subplots().pcolormesh(values)
    rows = pd.DataFrame({"ratio": [3.4567, 2.3456, 1.2345]})
    assert sorted(rows_in(numbered(figure, rows))) == [0, 1, 2]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_figure_is_drawn_alike_with_and_without_rows(kind: str) -> None:
    figure = drawn(kind)
    rows = frame(figure.runs if figure.runs is not None else figure.data)
    with style():
        svg, _ = draw_once(figure.figure, box_of(figure.figure))
        found = data_behind_marks.numbered(svg, figure.figure, box_of(figure.figure), rows)
    assert re.sub(r' data-row="\d+"', "", found) == svg
    assert {*rows_in(found)} <= {*range(len(rows))}
