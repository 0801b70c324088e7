from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.analysis import rank_counts, until_slowest
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, shares

AGGREGATE = "until the slowest client is done"


@given(st.lists(st.floats(1e6, 1e8), min_size=1, max_size=12), st.floats(1e6, 1e9))
def test_it_is_all_bytes_over_the_time_of_the_slowest(rates: list[float], size: float) -> None:
    keys = {"run_id": "a", "repeat": 1, "layout": "distribute", "operation": "read", "clients": float(len(rates))}
    runs = node([{**keys, "throughput": sum(rates), "throughput_min": min(rates)}])
    found = frame(until_slowest(runs, ["layout"])).set_index("aggregate")["throughput"]
    by_hand = len(rates) * size / max(size / rate for rate in rates)
    assert found[AGGREGATE] == pytest.approx(by_hand)
    assert found[AGGREGATE] <= found["sum of the clients' rates"] * (1 + 1e-9)


def test_it_needs_the_slowest_rate() -> None:
    with pytest.raises(AnalysisError, match="no 'throughput_min'"):
        until_slowest(node([{"clients": 1.0, "throughput": 1.0, "run_id": "a", "repeat": 1}]), [])


def test_placings_count_runs() -> None:
    rates = {"a": (5.0, 1.0, 2.0), "b": (4.0, 3.0, 1.0)}
    rows = [
        {
            "run_id": run,
            "repeat": i,
            "client": f"cli{n}",
            "layout": "distribute",
            "operation": "read",
            "throughput": rate,
        }
        for i, (run, values) in enumerate(rates.items(), 1)
        for n, rate in enumerate(values, 1)
    ]
    found = frame(rank_counts(node(rows))).set_index("client")
    assert found["fastest"].to_dict() == {"cli1": 2, "cli2": 0, "cli3": 0}
    assert found["slowest"].to_dict() == {"cli1": 0, "cli2": 1, "cli3": 1}
    assert found["n"].unique().tolist() == [2]
    assert found.loc["cli1", "throughput"] == 4.5


def test_one_client_has_no_place() -> None:
    alone = select(shares(), client="cli0", run_id="a")
    with pytest.raises(AnalysisError, match="a has one client: a place needs two or more"):
        rank_counts(alone)
