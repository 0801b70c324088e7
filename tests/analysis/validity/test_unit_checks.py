from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from storagelab import analysis
from storagelab.analysis.validity import clock_resolution
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from tests.analysis.tables import cluster, node, repeats

PREFIXES = "1.024 (KiB for kB), 1.049 (MiB for MB), 1.074 (GiB for GB)"


@pytest.mark.parametrize(
    ("rate", "share", "suspect"),
    [
        (2668e6, 1.1117, ""),  # no factor: a cache, or the nominal 2400 MB/s is not the limit
        (2286e6, 0.9525, ""),
        (2286e6 * 1.048576, 0.99878, ""),
        (2400e6 * 1.03, 1.03, "1.049 (MiB for MB), 1.074 (GiB for GB)"),
        (2400e6 * 1.01, 1.01, PREFIXES),
        (1600e6 * 8, 5.3333, "8 (bits for bytes)"),
        (1600e6 * 1024, 682.667, "1000, 1024"),
        (1600e6 * 1024**2, 699050.7, "1000^2, 1024^2"),
    ],
)
def test_a_rate_over_the_nominal_one(rate: float, share: float, suspect: str) -> None:
    found = analysis.above_nominal(node(repeats([rate])), 2400e6)
    assert found["nominal_share"].item() == pytest.approx(share, rel=1e-4)
    assert found["above_nominal"].item() == float(share > 1)
    assert found["suspect"].item() == suspect
    assert found["nominal"].attrs["units"] == found["throughput"].attrs["units"] == "B/s"
    assert found["nominal_share"].attrs["units"] == found["above_nominal"].attrs["units"] == "1"


@pytest.mark.parametrize("step", [1e-6, 1e-3, 0.01, 0.1, 1.0])
def test_the_step_in_which_a_tool_counts_time_is_found_and_no_finer_one(step: float) -> None:
    """A rate of three digits tells 30 steps from 31, and not a tenth of one from another."""
    counts = np.arange(30.0, 42.0)
    rows = pd.DataFrame({"throughput": np.rint(9000 / counts), "data_size": 9000 * step, "log_id": 0})
    found = clock_resolution._stepped(rows)
    assert found is not None
    assert found["steps"].to_numpy() == pytest.approx(counts, abs=0.1)


@pytest.mark.parametrize(("rates", "said"), [
    (9, ": another unit, or numbers that were not measured"), (10, ": too high by 1.024 (KiB for kB)"),
])  # fmt: skip
def test_a_factor_of_units_is_named_from_ten_rates_on(rates: int, said: str) -> None:
    assert clock_resolution._unit(np.arange(1000.0, 1000.0 + 37 * rates, 37) / 1.024) == said


def test_the_nominal_rate_of_each_row() -> None:
    rows = [{"client_link": 125e6, "throughput": 120e6}, {"client_link": np.nan, "throughput": 900e6}]
    found = analysis.above_nominal(node([*rows, {"client_link": 125e6, "throughput": 130e6}]), "client_link")
    assert found["above_nominal"].values.tolist() == pytest.approx([0, np.nan, 1], nan_ok=True)
    assert analysis.above_nominal(node(rows[:1]), "client_link", tolerance=0.05)["above_nominal"].item() == 0


@pytest.mark.parametrize(
    ("message", "nominal", "variable"),
    [
        ("clients is in '1', a nominal rate is in B/s", "clients", "throughput"),
        ("operation_rate is in '1/s', a nominal rate is in B/s", 1e6, "operation_rate"),
        ("a nominal rate of 0 B/s is not above zero", 0.0, "throughput"),
        ("no row has throughput and a nominal rate", np.nan, "throughput"),
    ],
)
def test_what_is_no_nominal_rate(message: str, nominal: Any, variable: str) -> None:
    ds = node([{"clients": 1.0, "throughput": 1.0, "operation_rate": 1.0}])
    with pytest.raises(AnalysisError, match=message):
        analysis.above_nominal(ds, nominal, variable)


@pytest.mark.parametrize(
    ("factor", "suspect"),
    [
        (1024.0, "too high by 1000 or 1024"),
        (1 / 1024, "too low by 1000 or 1024"),
        (8.0, "too high by 8 (bits for bytes)"),
        (1 / 1024**2, "too low by 1000^2 or 1024^2"),
    ],
)
def test_one_log_in_another_unit_is_found(factor: float, suspect: str) -> None:
    ds = cluster()
    ds["throughput"].values[4] *= factor
    found = analysis.factor_suspects(ds, "throughput", ["layout", "clients", "operation"])
    rows = frame(select(found, suspect=suspect))
    assert rows["run_id"].tolist() == [str(ds["run_id"].values[4])]
    assert found.attrs["suspects"] == "1"
    assert found["over_others"].attrs["units"] == "1"


def test_runs_as_they_are_raise_no_suspicion() -> None:
    found = analysis.factor_suspects(cluster(), "throughput", ["layout", "clients", "operation"])
    assert found.attrs["suspects"] == "0"
    by_three = analysis.factor_suspects(node(repeats([1.0, 1.1, 3.0], layout="a")), "throughput", ["layout"])
    assert by_three.attrs["suspects"] == "0", "apart, but by no factor of units"


def test_of_two_runs_both_are_suspects() -> None:
    found = frame(analysis.factor_suspects(node(repeats([1.0, 1024.0], layout="a")), "throughput", ["layout"]))
    assert found["suspect"].tolist() == ["too low by 1000 or 1024", "too high by 1000 or 1024"]
    assert found["caveat"].unique() == ["2 runs: which of them is off is not known"]
    with pytest.raises(AnalysisError, match="no cell of layout has two runs of throughput"):
        analysis.factor_suspects(node(repeats([1.0], layout="a")), "throughput", ["layout"])
