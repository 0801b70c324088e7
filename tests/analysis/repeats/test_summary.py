from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import summarise
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats


def test_mean_and_interval_by_hand() -> None:
    found = summarise(node(repeats((1.0, 2.0, 3.0), clients=1.0)), "throughput", ["clients"]).isel(obs=0)
    assert found["throughput"] == 2
    assert (found["throughput_low"], found["throughput_high"]) == pytest.approx((-0.484138, 4.484138), abs=1e-6)
    assert (found["throughput_min"], found["throughput_max"], found["throughput_std"]) == (1, 3, 1)
    assert found["n"] == 3


def test_one_run_has_no_interval() -> None:
    found = summarise(node(repeats((5.0,), clients=1.0)), "throughput", ["clients"]).isel(obs=0)
    assert (found["throughput"], found["n"]) == (5, 1)
    assert np.isnan([found["throughput_low"], found["throughput_high"], found["throughput_std"]]).all()


def test_geometric_mean() -> None:
    found = summarise(node(repeats((1.0, 100.0), clients=1.0)), "throughput", ["clients"], scale="log").isel(obs=0)
    assert found["throughput"] == pytest.approx(10)
    assert found["throughput_low"] * found["throughput_high"] == pytest.approx(100)


def test_no_logs_of_zero() -> None:
    with pytest.raises(AnalysisError, match="throughput: 1 of 2 runs are not positive"):
        summarise(node(repeats((0.0, 1.0), clients=1.0)), "throughput", ["clients"], scale="log")


def test_missing_keys_are_cells_of_their_own() -> None:
    rows = [*repeats((1.0, 2.0), clients=1.0), *repeats((5.0, 6.0), layout="disperse")]
    found = summarise(node(rows), "throughput", ["clients", "layout"])
    assert found["n"].values.tolist() == [2, 2]
    assert np.isnan(found["clients"]).sum() == 1


def test_no_keys_is_one_cell() -> None:
    assert summarise(node(repeats((1.0, 2.0), clients=1.0)), "throughput", [])["throughput"].values.tolist() == [1.5]
