"""What a store says of a cell that was reduced chunk by chunk: the interval that `summarise` gives its mean."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab import analysis
from storagelab.analysis.cells import Rows
from storagelab.store.reduce import _described
from tests.analysis.tables import node, repeats


def test_the_mean_of_a_cell_has_the_interval_that_all_its_runs_at_once_give_it() -> None:
    values = np.array([4e6, 5e6, 7e6, 8e6])
    state = {
        "layout": "a", "n": 4.0, "mean": values.mean(), "squares": values.var() * 4, "low": 4e6, "high": 8e6,
    }  # fmt: skip
    found = _described(Rows({name: np.array([value]) for name, value in state.items()}, 1), "throughput", ["layout"])
    means = analysis.summarise(node(repeats(values.tolist(), layout="a")), "throughput", ["layout"])
    for name in ("throughput", "throughput_low", "throughput_high"):
        assert found[name].tolist() == pytest.approx(means[name].values.tolist()), name
