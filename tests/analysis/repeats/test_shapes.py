"""The shape of noise, from datasets."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import cluster, node, repeats
from tests.simulations.shape import NOISES


def table_of(noise: str, cells: int = 20, n: int = 5, variable: str = "throughput") -> xr.Dataset:
    values = NOISES[noise][0](np.random.default_rng(4), (cells, n))
    if variable == "elapsed":
        values = 1 / values
    return node([row for i, runs in enumerate(values) for row in repeats(runs, variable, clients=float(i))])


def test_stalls_are_seen_and_clean_runs_are_left_alone() -> None:
    found = frame(analysis.noise_shape(table_of("stalls of one run in twenty"), "throughput", ["clients"])).iloc[0]
    assert found["caveat"].startswith("runs have a tail to the slow side and some runs are far slower than the rest")
    assert (found["n"], found["cells"], found["stall_missed"]) == (100, 20, pytest.approx(0.95**5))
    assert found["skewness"] < 0
    clean = analysis.noise_shape(table_of("normal"), "throughput", ["clients"])
    assert clean["caveat"].item() == ""
    assert clean["skewness"].attrs["units"] == "1"


def test_slow_is_long_of_times() -> None:
    found = analysis.noise_shape(table_of("stalls of one run in twenty", variable="elapsed"), "elapsed", ["clients"])
    assert found["caveat"].item() != ""


def test_tables_apart() -> None:
    found = analysis.noise_shape(cluster(), "throughput", ["layout", "operation", "clients"], ["layout"])
    assert found["cells"].values.tolist() == [4, 4]
    with pytest.raises(AnalysisError, match="clients of within is not in by: layout"):
        analysis.noise_shape(cluster(), "throughput", ["layout"], ["clients"])


def test_one_run_a_cell_shows_nothing() -> None:
    ds = node([{"layout": name, "run_id": name, "throughput": 1.0} for name in "ab"])
    assert analysis.noise_shape(ds, "throughput", ["layout"])["caveat"].item() == "no cell has three runs that spread"


def test_below_a_limit_by_hand() -> None:
    ds = node(repeats((9.0, 8.0, 9.5, 7.0), layout="a") + repeats((9.0,), layout="b"))
    found = frame(analysis.below_limit(ds, "throughput", ["layout"], limit=10.0)).set_index("layout")
    assert found.loc["a", "throughput"] == pytest.approx(10 - 3 ** (1 / 4))
    assert found["throughput_low"]["a"] < found["throughput"]["a"] < found["throughput_high"]["a"] < 10
    assert found["caveat"].tolist() == [NOT_EXCLUDED, "one value: no interval"]
    assert analysis.below_limit(ds, "throughput", ["layout"], limit=10.0)["throughput"].attrs["units"] == "B/s"
    with pytest.raises(AnalysisError, match="1 of 5 runs reach the limit of 9.5".replace(".", r"\.")):
        analysis.below_limit(ds, "throughput", ["layout"], limit=9.5)
