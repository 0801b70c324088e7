"""Filled or hollow: where a value comes from shows on its marker, and in the caption."""

from __future__ import annotations

import pytest
import xarray as xr

from storagelab import figures
from storagelab.errors import AnalysisError
from storagelab.figures import palette
from tests.analysis.tables import node, repeats
from tests.figures.kinds import faces

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
    for drawn in (
        figures.scaling(curve("published", "model", "model")),
        figures.points(curve("published", "model"), over=["clients"]),
    ):
        assert faces(drawn.axes) == {BLUE.lower(), "#ffffff"}


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
