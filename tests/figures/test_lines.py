"""Bands, fits and runs beyond a log axis."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, PolyCollection

from storagelab import figures
from storagelab.dataset import select
from storagelab.figures import panels
from storagelab.wording import quantities
from tests.analysis.tables import cluster, node, repeats
from tests.figures.kinds import texts


def write() -> xr.Dataset:
    return select(cluster(), operation="write", layout="distribute")


def test_a_band_is_the_interval() -> None:
    drawn = figures.scaling(write(), band=True)
    (band,) = [one for one in drawn.axes[0].collections if isinstance(one, PolyCollection)]
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(drawn.data["throughput_low"].min().item())
    assert heights.max() == pytest.approx(drawn.data["throughput_high"].max().item())
    assert "bands its 95 % t interval (n = 3 runs a point)" in drawn.caption
    assert "bars its 95 % t interval" in figures.scaling(write()).caption


def test_a_lone_interval_keeps_its_bar() -> None:
    rows = [*repeats((1e6,), clients=1.0), *repeats((2e6, 2.2e6), clients=2.0), *repeats((3e6,), clients=4.0)]
    (axes,) = figures.scaling(node([{"layout": "disperse", **row} for row in rows]), band=True).axes
    (bars,) = [one for one in axes.collections if isinstance(one, LineCollection)]
    assert len(bars.get_segments()) == 1


def fit() -> xr.Dataset:
    """Columns of `analysis.scaling_fits`."""
    ends = {"throughput": 70e6, "throughput_low": 66e6, "throughput_high": 74e6}
    knee = {"clients_knee": 2.5, "clients_knee_low": 2.0, "clients_knee_high": 3.0}
    variables = {name: ("obs", [value], {"units": "B/s"}) for name, value in ends.items()}
    variables |= {name: ("obs", [value], {"units": "1"}) for name, value in knee.items()}
    return xr.Dataset(variables, {"layout": ("obs", ["distribute"])}, {"method": "P min(1, n / n0)"})


def test_a_fit_marks_plateau_and_knee() -> None:
    drawn = figures.scaling(write(), fit=fit())
    (cross,) = [line for line in drawn.axes[0].lines if line.get_marker() == "x"]
    assert (list(cross.get_xdata()), list(cross.get_ydata())) == ([2.5], [70e6])
    assert "plateau 70 MB/s" in texts(drawn)
    said = (
        "plateau of a fitted model (P min(1, n / n0)). Shaded: its interval. Cross: its knee, where the plateau begins"
    )
    assert f"Dash-dotted: {said}, and its interval." in drawn.caption


def test_a_fit_may_be_a_curve() -> None:
    curve = {"throughput": ("obs", [20e6, 40e6, 70e6], {"units": "B/s"})}
    keys = {"layout": ("obs", ["distribute"] * 3), "clients": ("obs", [1.0, 2.0, 3.0])}
    ways = "least squares, pointwise 95 % band", "least squares, 95 % profile intervals"
    fitted = [xr.Dataset(curve, keys, {"method": ways[0]}), fit().assign_attrs(method=ways[1])]
    drawn = figures.scaling(write(), fit=fitted)
    assert any(list(line.get_ydata()) == [20e6, 40e6, 70e6] for line in drawn.axes[0].lines)
    assert (
        "Dash-dotted: curve and plateau of a fitted model (least squares). Shaded: its pointwise 95 % band."
        in drawn.caption
    )


def test_of_several_models_the_preferred_is_drawn() -> None:
    two = xr.concat(
        [fit().assign(preferred=("obs", [share])) * factor for share, factor in ((0.0, 2.0), (1.0, 1.0))], "obs"
    )
    two["throughput"].attrs = {"units": "B/s"}
    assert [text for text in texts(figures.scaling(write(), fit=two)) if "plateau" in text] == ["plateau 70 MB/s"]


def stray(value: float) -> xr.Dataset:
    rows = [
        {"layout": "disperse", "file_size": 2.0**place, "throughput": rate, "run_id": f"{place}"}
        for place, rate in enumerate([*np.linspace(1e9, 2e9, 11), value], start=10)
    ]
    return node(rows)


def test_a_run_far_below_a_log_axis_is_an_arrow_with_its_value() -> None:
    drawn = figures.scaling(stray(10e6), x="file_size", log=True)
    assert drawn.axes[0].get_ylim()[0] > 5e8
    assert "10 MB/s" in texts(drawn)
    assert "An arrow is a run beyond the axis, with the value." in drawn.caption
    near = figures.scaling(stray(0.8e9), x="file_size", log=True)
    assert near.axes[0].get_ylim()[0] < 0.8e9
    assert "arrow" not in near.caption


@given(st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=40))
def test_at_most_one_value_of_forty_is_left_out_at_either_end(values: list[float]) -> None:
    low, high = panels.robust_log_limits(values)
    ordered = sorted(values)
    assert min(low, high) > 0
    assert low <= ordered[min(1, len(values) - 1)] * (1 + 1e-9)
    assert high >= ordered[max(-2, -len(values))] * (1 - 1e-9)


def test_a_value_is_left_out_only_where_those_that_stay_spread() -> None:
    assert panels.robust_log_limits([1.0, *[5.0] * 9]) == (1.0, 5.0)
    assert panels.robust_log_limits([1.0, *[5.0, 5.5] * 5]) == (5.0, 5.5)


def test_a_long_log_axis_writes_units_on_its_ticks() -> None:
    wide = quantities.for_axis("1/s", 1e3, 1e7, log=True)
    assert (wide.symbol, wide.each) == ("", "1/s")
    assert quantities.for_axis("1/s", 1e3, 1e5, log=True).symbol == "kops/s"
    assert quantities.for_axis("B/s", 1.0, 1e9).symbol == "GB/s", "not on a linear axis"


def test_long_names_break_into_even_lines() -> None:
    assert panels.wrapped("short", 30) == "short"
    broken = panels.wrapped("throughput over what the links can carry", 34).split("\n")
    assert len(broken) == 2
    assert min(map(len, broken)) > 12
