"""The best of N runs, and what N alone explains of it."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import best_of, best_runs
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.errors import AnalysisError
from tests.analysis.tables import cluster, node, repeats


def test_best_and_excess_of_three_by_hand() -> None:
    row = best_of(node(repeats((9.0, 10.0, 11.0), clients=1.0)), "throughput", ["clients"]).isel(obs=0)
    assert (row["throughput_best"], row["throughput"], row["n"]) == (11, 10, 3)
    assert row["excess"] == pytest.approx(0.1)
    # s = 1, c4(3) = sqrt(pi) / 2, 1.5 / sqrt(pi) standard deviations: 1.5 / sqrt(pi) / (sqrt(pi) / 2) = 3 / pi
    assert row["excess_expected"] == pytest.approx(3 / np.pi / 10)
    assert row["excess_normal"] == pytest.approx(1.5 / np.sqrt(np.pi))
    assert row["caveat"] == NOT_EXCLUDED
    assert (row["throughput_low"], row["throughput_high"]) == pytest.approx((7.515862, 12.484138), abs=1e-6)


def test_units() -> None:
    found = best_of(cluster(), "throughput", ["layout", "clients", "operation"])
    units = {name: found[name].attrs["units"] for name in ("throughput_best", "throughput_error")}
    assert units == {"throughput_best": "B/s", "throughput_error": "B/s"}
    assert {found[name].attrs["units"] for name in ("excess", "excess_expected", "excess_normal", "n")} == {"1"}


def test_the_best_time_is_the_shortest() -> None:
    found = best_of(node(repeats((9.0, 10.0, 11.0), "elapsed", clients=1.0)), "elapsed", ["clients"])
    assert found["elapsed_best"].item() == 9
    assert found["excess"].item() == pytest.approx(0.1)


def test_of_two_runs_nothing_is_learnt() -> None:
    row = best_of(node(repeats((9.0, 11.0), clients=1.0)), "throughput", ["clients"]).isel(obs=0)
    assert row["excess"] == pytest.approx(row["excess_expected"].item())
    assert row["caveat"] == f"{NOT_EXCLUDED}; 2 values: found and expected excess are the same number"


def test_the_best_of_more_runs_is_no_match() -> None:
    rows = [*repeats((9.0, 10.0, 11.0), clients=1.0), *repeats((9.0, 10.0, 11.0, 10.0), clients=2.0)]
    found = best_of(node(rows), "throughput", ["clients"])
    assert found["caveat"].values.tolist() == [f"{NOT_EXCLUDED}; best of 3, of 4 in other cells", NOT_EXCLUDED]


def test_runs_that_differ_by_factors_are_not_normal() -> None:
    found = best_of(node(repeats((1.0, 2.0, 40.0), clients=1.0)), "throughput", ["clients"])["caveat"].item()
    assert found == "values differ by factors: use scale='log'; excess expected of normal values only"


def test_one_run_has_no_expected_excess() -> None:
    row = best_of(node(repeats((9.0,), clients=1.0)), "throughput", ["clients"]).isel(obs=0)
    assert row["excess"] == 0
    assert np.isnan([row["excess_expected"], row["excess_normal"]]).all()
    assert row["caveat"] == "one value: no interval"


def test_it_must_be_known_what_is_best() -> None:
    ds = node(repeats((2.0, 3.0, 4.0), "cpu_utilisation", clients=1.0))
    with pytest.raises(AnalysisError, match="whether a high or a low cpu_utilisation is best is not known: give best"):
        best_of(ds, "cpu_utilisation", ["clients"])
    assert best_of(ds, "cpu_utilisation", ["clients"], best="lowest")["cpu_utilisation_best"].item() == 2


def test_an_excess_over_nothing() -> None:
    with pytest.raises(AnalysisError, match="the mean of throughput is 0: an excess over it needs a positive one"):
        best_of(node(repeats((0.0, 0.0), clients=1.0)), "throughput", ["clients"])


def test_the_best_run_of_each_cell_stays_whole() -> None:
    rows = [*repeats((9.0, 11.0, 10.0), clients=1.0), *repeats((5.0, 4.0), clients=2.0)]
    kept = best_runs(node(rows), "throughput", ["clients"])
    assert kept["throughput"].values.tolist() == [11.0, 5.0]
    assert kept["repeat"].values.tolist() == [2.0, 1.0]


def test_without_keys_one_run_is_the_best_and_of_times_the_shortest() -> None:
    assert best_runs(node(repeats((9.0, 11.0), clients=1.0)), "throughput", [])["throughput"].values.tolist() == [11.0]
    kept = best_runs(node(repeats((9.0, 11.0), "elapsed", clients=1.0)), "elapsed", ["clients"])
    assert kept["elapsed"].values.tolist() == [9.0]


def test_the_best_of_iterations_is_the_run_with_the_best_mean() -> None:
    rows = [{"run_id": run, "throughput": value, "clients": 1.0} for run, value in (("a", 1.0), ("a", 9.0), ("b", 4.0))]
    kept = best_runs(node(rows), "throughput", ["clients"])
    assert set(kept["run_id"].values) == {"b"}


def test_a_best_run_is_not_sought_among_hidden_differences() -> None:
    rows = [*repeats((9.0,), clients=1.0), *repeats((5.0,), clients=2.0)]
    with pytest.raises(AnalysisError, match="differ in clients"):
        best_runs(node(rows), "throughput", [])
