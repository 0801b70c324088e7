"""Filled or hollow: where a value comes from shows on its marker, and in the caption."""

from __future__ import annotations

import re

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from storagelab import analysis, figures, schema
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from storagelab.figures import palette
from tests.analysis.comparison.test_pairs import MOUNTS, campaign
from tests.analysis.tables import auto, node, repeats, shares
from tests.figures.kinds import KINDS, drawn, faces, one_run, reconstructed

BLUE = palette.looks("layout", ["distribute"])["distribute"].colour


def curve(*bases: str) -> xr.Dataset:
    """A curve whose points rest on something else each, in a dataset that is reconstructed as a whole."""
    rows = [
        row
        for clients, basis in enumerate(bases, start=1)
        for row in repeats([1e6 * clients], layout="distribute", clients=float(clients), basis=basis)
    ]
    return node(rows, origin="reconstructed")


@pytest.mark.parametrize(
    ("basis", "fill"), [("published", BLUE.lower()), ("model", "#ffffff"), ("derived", "#80b8d8"), ("", "#ffffff")]
)
def test_a_row_says_more_than_the_origin_of_all(basis: str, fill: str) -> None:
    assert palette.face("reconstructed", BLUE, basis).replace("white", "#ffffff").lower() == fill
    if basis:
        assert faces(figures.scaling(curve(basis, basis)).axes) == {fill}


def test_published_points_are_filled_and_those_of_a_model_hollow() -> None:
    for one in (
        figures.scaling(curve("published", "model", "model")),
        figures.points(curve("published", "model"), over=["clients"]),
    ):
        assert faces(one.axes) == {BLUE.lower(), "#ffffff"}


def test_the_caption_counts_them() -> None:
    caption = figures.scaling(curve("published", "model", "model", "derived")).caption
    wanted = "Points: 1 as published (filled), 1 computed from what was published (tinted) and 2 of a model (hollow)."
    assert wanted in caption
    assert "Hollow markers" not in caption
    assert "Points:" not in figures.scaling(node(repeats([1e6], layout="distribute", clients=1.0))).caption


def test_a_mean_rests_on_the_weakest_of_its_runs() -> None:
    both = xr.concat([curve("published"), curve("model")], "obs")
    drawn = figures.scaling(both)
    assert drawn.data["basis"].values.tolist() == ["model"]
    assert drawn.data["n"].values.tolist() == [2.0]
    assert "Points: 1 as published (filled) and 1 of a model (hollow)." in drawn.caption


def resting(ds: xr.Dataset) -> xr.Dataset:
    """Reconstructed rows that rest on printed numbers and on a model by turns."""
    turns = np.resize(["published", "model"], ds.sizes["obs"])
    return reconstructed(ds).assign_coords(basis=("obs", turns, {"long_name": "basis"}))


OF_ONE_STUDY = [name for name in KINDS if not name.startswith(("curves", "side_by_side"))]
"""Kinds of one study; those of several take rows that already say their basis."""


@pytest.mark.parametrize("name", OF_ONE_STUDY)
def test_every_kind_counts_what_it_rests_on_and_draws_nothing_else_for_it(name: str) -> None:
    one, plain = drawn(name, resting), drawn(name, reconstructed)
    assert re.search(r"(Points|Cells|Levels|Bars|Means): .*\d+ (as published|computed from|of a model)", one.caption)
    assert "Hollow markers" not in one.caption
    assert set(one.data["basis"].values.tolist()) <= set(schema.BASES)
    xr.testing.assert_identical(one.data.drop_vars("basis"), plain.data)
    assert one.alt == plain.alt


def test_clients_in_order_are_one_line_with_a_fill_for_each_basis() -> None:
    ds = select(shares(), run_id="b")
    figure = figures.ordered_clients(reconstructed(ds).assign_coords(basis=("obs", ["published", *["model"] * 3])))
    lines = [line for line in figure.axes[0].lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 4]
    assert len(lines) == 1
    assert faces(figure.axes) == {BLUE.lower(), "#ffffff"}
    assert "Points: 1 as published (filled) and 3 of a model (hollow)." in figure.caption


def test_bars_of_clients_are_filled_one_by_one() -> None:
    ds = reconstructed(one_run()).assign_coords(basis=("obs", ["published", "model"]))
    figure = figures.timeline(ds)
    bars = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    assert [to_hex(bar.get_facecolor()) for bar in bars] == ["#ffffff", BLUE.lower()], "cli2 ends first"
    assert "Bars: 1 as published (filled) and 1 of a model (hollow)." in figure.caption


def test_pairs_and_their_means_are_counted_apart() -> None:
    ds = campaign().assign_attrs(origin="reconstructed")
    ds = ds.assign_coords(basis=("obs", np.where(ds["repeat"] == 1, "published", "model")))
    pairs = analysis.pair_ratios(ds, *MOUNTS, ["operation", "clients", "filesystem"])
    means = analysis.compare(ds, *MOUNTS, ["operation", "clients"], pair=["filesystem", "repeat"])
    caption = figures.pairs(pairs, means, category="clients", hue="filesystem", facet="operation").caption
    of_pairs = (pairs["basis"] == "derived").sum().item()
    assert of_pairs == (pairs["repeat"] == 1).sum().item()
    assert f"Points: {of_pairs} computed from what was published (tinted) and " in caption
    assert f"Diamonds: {means.sizes['obs']} of a model (hollow)." in caption


def test_heat_maps_count_cells_and_name_no_fill() -> None:
    ds = reconstructed(auto())
    largest = ds["file_size"].values.max()
    ds = ds.assign_coords(basis=("obs", np.where(ds["file_size"] == largest, "derived", "model")))
    caption = figures.heatmap(ds).caption
    cells = len({(row.file_size, row.record_size) for row in frame(ds).itertuples() if row.file_size == largest})
    assert f"Cells: {cells} computed from what was published and " in caption
    assert "hollow" not in caption


def test_rows_that_say_nothing_are_reconstructed() -> None:
    assert "Points: 1 as published (filled) and 1 reconstructed." in figures.scaling(curve("published", "")).caption


def test_a_caption_that_is_written_anew_can_say_what_its_values_rest_on() -> None:
    twice = figures.points(curve("published", "model", "model"), over=["clients"])
    assert twice.rests == "Points: 1 as published (filled) and 2 of a model (hollow)."
    assert figures.scaling(node(repeats([1e6], layout="distribute", clients=1.0))).rests == ""


def test_a_line_joins_points_of_all_kinds() -> None:
    (axes,) = figures.scaling(curve("published", "model", "published")).axes
    lines = [line for line in axes.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 3]
    assert [list(line.get_ydata()) for line in lines] == [[1e6, 2e6, 3e6]]


def test_systems_ways_cuts_and_numbers_have_colours_of_their_own() -> None:
    keys = {
        "layout": ["distribute", "distribute+shard", "replicate", "disperse", "single"],
        "protocol": ["mount", "xrootd"],
        "case": ["all", "50 % of entries", "50 % of branches"],
        "client_link": [25e6, 250e6],
    }
    colours = [look.colour for key, levels in keys.items() for look in palette.looks(key, levels).values()]
    assert len(colours) == len(set(colours))


def test_numbers_are_shades_from_light_to_dark() -> None:
    found = palette.looks("clients", [12.0, 1.0, 3.0])
    greens = [int(found[level].colour[3:5], 16) for level in (1.0, 3.0, 12.0)]
    assert greens == sorted(greens, reverse=True)
    assert len({look.marker for look in found.values()}) == 3


def test_a_fit_must_fit() -> None:
    ds = curve("model", "model")
    with pytest.raises(AnalysisError, match="the dataset has no 'throughput'"):
        figures.scaling(ds, fit=xr.Dataset({"clients_knee": ("obs", [2.0])}))
    with pytest.raises(AnalysisError, match="throughput is in 'MB/s', the contract says 'B/s'"):
        figures.scaling(ds, fit=xr.Dataset({"throughput": ("obs", [2.0], {"units": "MB/s"})}))
