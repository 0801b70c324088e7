"""A curve over its own peak."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import over_peak
from storagelab.analysis.table import frame
from storagelab.errors import AnalysisError
from tests.analysis.scaling.campaigns import curve_of, curves_of, noisy
from tests.analysis.tables import node, repeats


def test_each_curve_is_divided_by_its_own_highest_mean() -> None:
    small, large = noisy((1.0, 2.0, 4.0), (10e6, 20e6, 18e6)), noisy((1.0, 2.0, 4.0), (100e6, 300e6, 400e6))
    rows = frame(over_peak(curves_of({"a": small, "b": large}), by=["layout"])).set_index(["layout", "clients"])
    assert rows.loc["a", "curve_share"].tolist() == pytest.approx([0.5, 1.0, 0.9])
    assert rows.loc["b", "curve_share"].tolist() == pytest.approx([0.25, 0.75, 1.0])
    assert set(rows["n"]) == {3.0}


def test_intervals_are_of_the_mean_over_the_peak_and_stay_positive() -> None:
    rows = frame(over_peak(curve_of({1.0: [1e6, 9e6, 20e6], 2.0: [30e6, 31e6, 32e6]})))
    wide = rows.iloc[0]
    means = [np.prod(values) ** (1 / 3) for values in ((1, 9, 20), (30, 31, 32))]
    assert wide["curve_share"] == pytest.approx(means[0] / means[1])
    assert 0 < wide["curve_share_low"] < wide["curve_share"]
    assert wide["curve_share_high"] / wide["curve_share"] == pytest.approx(
        wide["curve_share"] / wide["curve_share_low"]
    )


def test_one_run_a_level_has_no_interval() -> None:
    found = over_peak(node([row for n in (1.0, 2.0) for row in repeats([n * 1e6], clients=n)]))
    assert found["curve_share"].values.tolist() == pytest.approx([0.5, 1.0])
    assert np.isnan(found["curve_share_low"].values).all()


def test_another_scale_and_a_key_that_differs() -> None:
    rows = [row for n in (1.0, 4.0) for row in repeats([n * 1e6], nodes=n, processes=8 * n)]
    found = over_peak(node(rows), x="nodes", over=["processes"])
    assert found["curve_share"].values.tolist() == pytest.approx([0.25, 1.0])
    with pytest.raises(AnalysisError, match="processes"):
        over_peak(node([*rows, *repeats([5e6], nodes=1.0, processes=16.0)]), x="nodes")
