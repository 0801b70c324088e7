"""Figures over several studies: what was measured is filled, what was not is hollow, and captions count both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex

from storagelab import figures
from storagelab.errors import AnalysisError
from storagelab.figures.side_by_side import percent
from tests.figures.kinds import faces, texts

BASES = ("", "published", "derived", "model")


def several(variable: str = "ratio", values: Sequence[float] = (0.5, 1.2, 0.28, 3.0)) -> xr.Dataset:
    """A number of a campaign, and three of a published study that rest on different things."""
    names = {
        "study": ["cluster-2026", *["bnl-2007"] * 3],
        "origin": ["measured", *["reconstructed"] * 3],
        "basis": BASES,
        "case": ["replicas", "replicas", "virtual servers", "virtual servers"],
        "label": ["three over one", "two over one", "writes", "reads"],
    }
    low, high = 0.9 * np.array(values), 1.1 * np.array(values)
    low[3] = high[3] = np.nan
    columns = {variable: values, f"{variable}_low": low, f"{variable}_high": high, "n": (3.0, 5.0, np.nan, 1.0)}
    return xr.Dataset(
        {name: ("obs", np.array(column), {"units": "1", "long_name": name}) for name, column in columns.items()},
        {name: ("obs", np.array(column), {"long_name": name}) for name, column in names.items()},
    )


def test_an_axis_of_ratios_shows_how_far_a_tenth_is() -> None:
    """Ratios that are all one would else seem to differ."""
    alike = several(values=(0.99, 1.0, 1.01, 1.0))
    drawn = figures.side_by_side(
        alike.assign(ratio_low=alike["ratio"], ratio_high=alike["ratio"]), "ratio", scale="log"
    )
    assert drawn.axes[0].get_xlim() == pytest.approx((0.9 / 1.1, 1.1 * 1.1))


def lines(origin: str = "reconstructed") -> xr.Dataset:
    """A measured curve of three points, and one that is not, of a printed point and two of the model."""
    rows = {
        "study": ["cluster-2026"] * 3 + ["llnl-2010"] * 3,
        "origin": ["measured"] * 3 + [origin] * 3,
        "basis": [""] * 3 + (["model", "published", "model"] if origin == "reconstructed" else [""] * 3),
        "label": ["reads"] * 3 + ["writes"] * 3,
        "run_id": ["a"] * 3 + ["b"] * 3,
    }
    share = np.array([0.2, 0.7, 1.0, 0.5, 1.0, 0.9])
    columns = {"curve_share": share, "curve_share_low": 0.9 * share, "curve_share_high": 1.1 * share, "n": [3.0] * 6}
    clients = ("obs", [1.0, 2.0, 4.0, 1.0, 4.0, 16.0], {"units": "1", "long_name": "clients"})
    return xr.Dataset(
        {name: ("obs", np.array(column), {"units": "1", "long_name": name}) for name, column in columns.items()},
        {name: ("obs", np.array(column), {"long_name": name}) for name, column in rows.items()} | {"clients": clients},
    )


@pytest.mark.parametrize("scale", ["linear", "log", "percent"])
def test_what_was_measured_is_filled_and_what_was_not_is_hollow(scale: str) -> None:
    drawn = figures.side_by_side(several(), "ratio", scale=scale)  # type: ignore[arg-type]
    markers = [line for line in drawn.axes[0].lines if line.get_marker() in ("o", "D", "s")]
    assert [line.get_marker() for line in markers] == ["o", "o", "D", "s"]
    fills = [to_hex(str(line.get_markerfacecolor())) for line in markers]
    assert fills[1:] == ["#ffffff"] * 3
    assert fills[0] != "#ffffff"


def test_the_caption_counts_what_the_points_rest_on_and_names_the_logs() -> None:
    caption = figures.side_by_side(several(), "ratio", of="change").caption
    assert caption.startswith("Change of 4 configurations of 2 studies side by side, by study; nothing is averaged")
    assert (
        "Points: 1 measured, 1 as published, 1 computed from what was published and 1 of a model."
        " Hollow markers: reconstructed. Logs: measured (cluster-2026); reconstructed (bnl-2007)." in caption
    )
    assert "n = 1 to 5 runs" in caption
    assert "Intervals of hollow markers come out of the reconstruction, too." in caption


def test_headings_say_the_origin_of_a_study_and_rows_under_a_question_say_the_study() -> None:
    by_study = texts(figures.side_by_side(several(), "ratio"))
    assert {"cluster-2026 (measured)", "bnl-2007 (reconstructed)"} <= set(by_study)
    drawn = figures.side_by_side(several(), "ratio", group="case")
    labels = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert labels == ["cluster: three over one", "bnl: two over one", "bnl: writes", "bnl: reads"]
    assert {"replicas", "virtual servers"} <= set(texts(drawn))


def test_each_row_says_its_number_with_its_interval_where_there_is_one() -> None:
    said = texts(figures.side_by_side(several(), "ratio", scale="percent"))
    assert {"\N{MINUS SIGN}50 % (\N{MINUS SIGN}55 to \N{MINUS SIGN}45 %)", "+200 %"} <= set(said)
    assert {"0.5 (0.45 to 0.55)", "3"} <= set(texts(figures.side_by_side(several(), "ratio", scale="log")))


@pytest.mark.parametrize(
    ("ratio", "words"), [(0.28, "\N{MINUS SIGN}72 %"), (1.044, "+4.4 %"), (1.0, "0 %"), (3.6, "+260 %")]
)
def test_a_ratio_is_written_as_a_change(ratio: float, words: str) -> None:
    assert percent(ratio) == words


def test_rates_have_their_unit() -> None:
    rates = several("throughput", (5e7, 4e7, 3e7, 2e7))
    rates["throughput"].attrs["units"] = "B/s"
    drawn = figures.side_by_side(rates, "throughput")
    assert drawn.axes[0].get_xlabel() == "throughput (MB/s)"
    assert "50 MB/s (45 MB/s to 55 MB/s)" in texts(drawn)


def test_measured_and_reconstructed_curves_have_panels_of_their_own() -> None:
    drawn = figures.curves(lines(), "curve_share", log=True)
    assert [axes.get_title(loc="left") or axes.get_title() for axes in drawn.axes] == ["measured", "reconstructed"]
    measured, other = drawn.axes
    assert "#ffffff" not in faces([measured])
    assert faces([other]) == {"#ffffff"}
    styles = [{str(line.get_linestyle()) for line in axes.lines[:1]} for axes in drawn.axes]
    assert styles == [{"-"}, {"--"}]
    assert "Points: 3 measured, 1 as published and 2 of a model." in drawn.caption


def test_runs_that_are_apart_are_counted_and_have_no_intervals() -> None:
    drawn = figures.curves(lines("measured"), "curve_share", runs=["run_id"])
    assert len(drawn.axes) == 1
    assert "A line is a run (n = 1 run, " in drawn.caption
    assert "runs are apart, so there are no intervals" in drawn.caption
    assert not [group for axes in drawn.axes for group in axes.collections]


def test_the_data_say_their_origins_and_what_is_missing_is_named() -> None:
    assert figures.side_by_side(several(), "ratio").data.attrs["origin"] == "measured and reconstructed"
    with pytest.raises(AnalysisError, match="no 'study'"):
        figures.side_by_side(several().drop_vars("study"), "ratio")
    with pytest.raises(AnalysisError, match="no 'clients'"):
        figures.curves(lines().drop_vars("clients"), "curve_share")
