"""Runs that are enough, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab import analysis
from storagelab.analysis.inference.dependence import NOT_EXCLUDED, TAKEN_FOR_INDEPENDENT
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

RUNS = {"quiet": (100.0, 101.0, 99.5, 100.2, 100.4, 99.8), "noisy": (100.0, 140.0, 80.0, 110.0, 95.0, 121.0)}


def test_cells_stop_by_themselves() -> None:
    ds = node([row for name, values in RUNS.items() for row in repeats(values, layout=name)])
    found = frame(analysis.enough_runs(ds, "throughput", ["layout"], width=0.05)).set_index("layout")
    assert found["enough"].to_dict() == {"quiet": 1, "noisy": 0}
    assert found.loc["quiet", "half_width"] <= 0.05 < found.loc["noisy", "half_width"]
    ends = found.loc["quiet", ["throughput_low", "throughput", "throughput_high"]].tolist()
    assert ends == sorted(ends)
    assert found["caveat"].tolist() == [NOT_EXCLUDED] * 2
    assert analysis.enough_runs(ds, "throughput", ["layout"], width=0.05)["half_width"].attrs["units"] == "1"


def test_few_runs_are_never_enough() -> None:
    ds = node(repeats((100.0, 100.1, 99.9), layout="a"))
    row = frame(analysis.enough_runs(ds, "throughput", ["layout"], width=0.5)).iloc[0]
    assert (row["enough"], row["caveat"]) == (0, "fewer than 4 runs, or runs without spread: no interval yet")


def test_runs_that_depend_on_the_ones_before_are_never_enough() -> None:
    drifting = 100 + np.cumsum(np.random.default_rng(1).normal(0, 0.05, 40))
    row = frame(analysis.enough_runs(node(repeats(drifting, layout="a")), "throughput", ["layout"], width=0.05)).iloc[0]
    assert row["half_width"] < 0.05
    assert (row["enough"], row["caveat"]) == (0, TAKEN_FOR_INDEPENDENT)


def test_a_width_that_is_none() -> None:
    with pytest.raises(AnalysisError, match=r"narrower than a share above 0, not 0: 0\.05 is 5 %"):
        analysis.enough_runs(node(repeats((1.0, 2.0), layout="a")), "throughput", ["layout"], width=0.0)
    with pytest.raises(AnalysisError, match="1 of 2 runs are not positive"):
        analysis.enough_runs(node(repeats((1.0, 0.0), layout="a")), "throughput", ["layout"], width=0.1)
