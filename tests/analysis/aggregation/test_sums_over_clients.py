"""Three aggregates of the same clients, from start, end and bytes, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import aggregates, summarise
from storagelab.dataset import frame
from tests.analysis.tables import node

# Two clients of 100 B: one from 0 to 10 s, one from 5 to 25 s. Rates 10 and 5 B/s; both ran from 5 to 10 s.
STAGGERED = {"throughput": 15.0, "throughput_span": 200 / 25, "throughput_common": 5 * (10 + 5) / 5}


def runs(scale: float = 1.0, repeat: float = 1.0) -> dict[str, object]:
    rates = {name: scale * value for name, value in STAGGERED.items()}
    return {"run_id": f"r{repeat:g}", "repeat": repeat, "clients": 2.0, **rates}


def test_each_aggregate_is_a_row_of_the_run() -> None:
    found = aggregates(node([runs()]), ["clients"])
    rates = dict(zip(found["aggregate"].values.tolist(), found["throughput"].values.tolist(), strict=True))
    assert rates == {"sum of the clients' rates": 15, "while all clients ran": 15, "first start to last end": 8}
    assert found["throughput"].attrs["units"] == "B/s"
    assert found["run_id"].values.tolist() == ["r1"] * 3


def test_only_runs_that_have_all_three_take_part() -> None:
    lacking = {**runs(9.0, 2.0), "throughput_common": np.nan}
    assert set(aggregates(node([runs(), lacking]), ["clients"])["run_id"].values.tolist()) == {"r1"}


def test_their_intervals_are_those_of_summarise() -> None:
    three = aggregates(node([runs(scale, i) for i, scale in enumerate((0.9, 1.0, 1.1), 1)]), ["clients"])
    found = frame(summarise(three, "throughput", ["aggregate"])).set_index("aggregate")
    span = found.loc["first start to last end"]
    # s = 0.8, t(0.975, 2) = 4.302653
    assert (span["throughput"], span["n"]) == (pytest.approx(8), 3)
    assert span["throughput_high"] == pytest.approx(8 + 4.302653 * 0.8 / np.sqrt(3), abs=1e-5)
