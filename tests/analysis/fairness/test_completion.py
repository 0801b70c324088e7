from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.analysis import (
    completion_factors,
    completion_spread,
    repetition_units,
    summarise,
    time_against_bandwidth,
)
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, run, runs


def published() -> list[dict[str, object]]:
    """49 clients of one run: the fastest outside, the slowest on board, group means 1.41 and 1.48."""
    outside = np.r_[1.0, np.full(20, (1.41 * 21 - 1) / 20)]
    inside = np.r_[1.77, np.full(27, (1.48 * 28 - 1.77) / 27)]
    rows = run(outside * 900, "a", "elapsed", client_location="external")
    return rows + [
        {**row, "client": f"fcl{i}"}
        for i, row in enumerate(run(inside * 900, "a", "elapsed", client_location="on-board"))
    ]


def test_the_published_pattern() -> None:
    found = frame(completion_spread(clients(published()), [], groups=["client_location"])).set_index("client_location")
    assert found["completion_factor"].to_dict() == pytest.approx({"external": 1.41, "on-board": 1.48})
    assert found.loc["on-board", "completion_slowest"] == pytest.approx(1.77)
    assert found["n_clients"].to_dict() == {"external": 21, "on-board": 28}
    whole = completion_spread(clients(published()), [])
    assert whole["completion_slowest"].item() == pytest.approx(1.77)
    assert whole["completion_factor"].item() == pytest.approx((21 * 1.41 + 28 * 1.48) / 49)
    assert {whole[name].attrs["units"] for name in ("completion_factor", "completion_slowest", "n_clients")} == {"1"}


def test_the_error_over_clients_of_a_group() -> None:
    factors = completion_factors(clients(published()), [], groups=["client_location"])
    assert factors.sizes["obs"] == 49
    assert factors["completion_factor"].min().item() == 1
    found = repetition_units(factors, "completion_factor", ["client_location"], units=[["client"]])
    rows = frame(found).set_index("client_location")
    assert rows["n"].to_dict() == {"external": 21, "on-board": 28}
    assert rows.loc["external", "completion_factor_error"] == pytest.approx(0.4305 / 21)


def test_one_run_of_many_clients_has_no_interval() -> None:
    found = summarise(completion_spread(clients(published()), []), "completion_factor", [])
    assert found["n"].item() == 1
    assert np.isnan(found["completion_factor_low"].item())


@given(st.lists(st.floats(1, 1e3), min_size=2, max_size=8))
@settings(max_examples=20)
def test_factors_are_free_of_units_and_order(times: list[float]) -> None:
    one, other = (
        completion_spread(clients(run(t, "a", "elapsed")), []) for t in (times, [1024 * x for x in times[::-1]])
    )
    for name in ("completion_factor", "completion_slowest"):
        assert other[name].item() == pytest.approx(one[name].item())


def test_completion_is_of_times_of_two_clients_or_more() -> None:
    with pytest.raises(AnalysisError, match="a completion spread is of times, throughput is in B/s"):
        completion_spread(clients(run([1.0, 2.0], "a")), [], variable="throughput")
    with pytest.raises(AnalysisError, match="no run has elapsed of two or more clients"):
        completion_spread(clients(run([1.0], "a", "elapsed")), [])
    with pytest.raises(AnalysisError, match="a client of b1 took no time: elapsed"):
        completion_spread(clients(run([1.0, 0.0], "b1", "elapsed")), [])


def windows(times: list[float], rates: list[float], size: float = 9e9) -> list[dict[str, object]]:
    both = zip(run(times, "a", "elapsed"), run(rates, "a"), strict=True)
    return [{**time, **rate, "data_size": size} for time, rate in both]


def test_the_same_window_gives_the_same_product() -> None:
    times = [900.0, 1000.0, 1200.0]
    found = time_against_bandwidth(clients(windows(times, [9e9 / t for t in times])), [])
    assert found["window_spread"].item() == pytest.approx(1)
    assert found["window_bytes"].item() == pytest.approx(9e9)
    assert found["window_over_size"].item() == pytest.approx(1)
    assert found["time_spread"].item() == found["rate_spread"].item() == pytest.approx(4 / 3)
    assert (found["window_bytes"].attrs["units"], found["window_spread"].attrs["units"]) == ("B", "1")
    assert (found["time_spread"].attrs["units"], found["rate_spread"].attrs["units"]) == ("1", "1")
    assert found["window_over_size"].attrs["units"] == "1"


def test_spreads_that_differ_show_that_the_windows_do() -> None:
    # the slowest took 1.77 times as long, but its rate is 1.375 times lower
    found = time_against_bandwidth(clients(windows([1000.0, 1770.0], [11e6, 8e6])), [])
    assert found["time_spread"].item() == pytest.approx(1.77)
    assert found["rate_spread"].item() == pytest.approx(1.375)
    assert found["window_spread"].item() == pytest.approx(1.77 / 1.375)


def test_bytes_that_are_not_known_are_not_compared() -> None:
    rows = windows([1.0, 2.0], [2.0, 1.0])
    found = time_against_bandwidth(clients([{**row, "data_size": np.nan} for row in rows]), [])
    assert np.isnan(found["window_over_size"].item())
    assert found["window_spread"].item() == 1


def test_products_need_both() -> None:
    rows = run([1.0, 2.0], "a", "elapsed") + run([1.0, 2.0], "b")
    with pytest.raises(AnalysisError, match="no positive elapsed and throughput of the same run"):
        time_against_bandwidth(clients(rows), [])
    rows = runs([[1.0, 2.0]], "elapsed") + run([1.0], "-1")
    with pytest.raises(AnalysisError, match="no run has elapsed and throughput of two or more clients"):
        time_against_bandwidth(clients(rows), [])


def test_times_and_rates_of_two_operations() -> None:
    jobs = [{**row, "operation": "job"} for row in run([100.0, 177.0], "a", "elapsed")]
    moved = [{**row, "operation": "receive", "elapsed": 90.0} for row in run([11e6, 8e6], "a")]
    found = time_against_bandwidth(clients(jobs, moved), [], times="job", rates="receive")
    assert found["time_spread"].item() == pytest.approx(1.77)
    assert found["rate_spread"].item() == pytest.approx(1.375)
    assert found["window_spread"].item() == pytest.approx(1.77 / 1.375)
