"""Two configurations by their quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

SIDES = ("throughput", "layout", "a", "b")


def sides(n: int, **keys: Any) -> xr.Dataset:
    rng = np.random.default_rng(n)
    values = {"a": rng.lognormal(0, 0.1, n), "b": 1.5 * rng.lognormal(0, 0.1, n)}
    return node([row for name, runs in values.items() for row in repeats(runs, layout=name, **keys)])


def test_a_ratio_of_medians() -> None:
    ds = sides(11)
    row = frame(analysis.quantile_ratios(ds, *SIDES)).iloc[0]
    medians = frame(ds).groupby("layout")["throughput"].median()
    assert row["ratio"] == pytest.approx(medians["b"] / medians["a"])
    assert 1 < row["ratio_low"] < row["ratio"] < row["ratio_high"]
    assert (row["n"], row["n_base"], row["compared"], row["caveat"]) == (11, 11, "b / a", "")
    assert analysis.quantile_ratios(ds, *SIDES)["ratio"].attrs["units"] == "1"


def test_a_decile_needs_more_runs() -> None:
    found = frame(analysis.quantile_ratios(sides(30), *SIDES, q=0.1)).iloc[0]
    assert (found["caveat"], found["quantile"]) == ("30 runs a side: an interval needs 36", 0.1)
    equal = node([row for name in "ab" for row in repeats([1.0] * 8, layout=name)])
    assert frame(analysis.quantile_ratios(equal, *SIDES)).iloc[0]["caveat"] == "no spread: no interval"


def test_all_deciles() -> None:
    found = frame(analysis.shift_functions(sides(30, clients=1.0), *SIDES, by=["clients"]))
    assert found["quantile"].tolist() == pytest.approx([i / 10 for i in range(1, 10)])
    assert found["ratio"].tolist() == pytest.approx([1.5] * 9, rel=0.15)
    assert ((found["ratio_low"] < 1.5) & (found["ratio_high"] > 1.5)).all()
    assert analysis.shift_functions(sides(30), *SIDES)["ratio"].attrs["units"] == "1"


def test_refusals() -> None:
    for end in (0.0, 1.0):
        with pytest.raises(
            AnalysisError, match=rf"a quantile lies between 0 and 1, not at {end:g}: 0\.5 is the median"
        ):
            analysis.quantile_ratios(sides(7), *SIDES, q=end)
    with pytest.raises(AnalysisError, match="7 runs a side that spread at most: a shift function needs 30"):
        analysis.shift_functions(sides(7), *SIDES)
    apart = node([*repeats((1.0, 2.0), layout="a", clients=1.0), *repeats((1.0, 2.0), layout="b", clients=2.0)])
    with pytest.raises(AnalysisError, match="no cell has throughput of both layout=a and layout=b"):
        analysis.quantile_ratios(apart, *SIDES, by=["clients"])
