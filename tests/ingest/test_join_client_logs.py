"""Rows of several clients become one row of the run; every aggregate against a value computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from storagelab import schema
from storagelab.ingest.join_client_logs import clients_of, combine


def row(client: str, **more: Any) -> dict[str, Any]:
    return {"operation": "read", "run_id": "r", "client": client, "clients": 2.0, "log_id": 0, "line": 7, **more}


def timed(client: str, start: float, end: float, size: float) -> dict[str, Any]:
    return row(client, start_time=start, end_time=end, data_size=size, throughput=size / (end - start))


def test_rates_and_bytes_add_up_and_the_slowest_client_is_told() -> None:
    (run,) = combine([row("a", throughput=10.0, data_size=100.0), row("b", throughput=30.0, data_size=100.0)])
    assert run["throughput"] == 40.0
    assert (run["throughput_min"], run["throughput_max"]) == (10.0, 30.0)
    assert run["data_size"] == 200.0
    assert run["log_count"] == 2
    assert "client" not in run


def test_the_sum_of_rates_exceeds_the_span_where_clients_do_not_run_together() -> None:
    (run,) = combine([timed("a", 0.0, 10.0, 100.0), timed("b", 5.0, 15.0, 100.0)])
    assert run["throughput"] == pytest.approx(20.0)
    assert run["throughput_span"] == pytest.approx(200 / 15)
    assert run["throughput_common"] == pytest.approx(20.0)


def test_clients_that_never_run_together_have_no_common_window() -> None:
    (run,) = combine([timed("a", 0.0, 1.0, 100.0), timed("b", 2.0, 3.0, 100.0)])
    assert "throughput_common" not in run
    assert run["throughput_span"] == pytest.approx(200 / 3)


def test_without_start_and_end_only_the_sum_is_given() -> None:
    (run,) = combine([row("a", throughput=10.0, data_size=1.0), timed("b", 0.0, 1.0, 1.0)])
    assert "throughput_span" not in run
    assert "start_time" not in run


def test_a_value_that_one_client_lacks_is_not_added_up() -> None:
    (run,) = combine([row("a", throughput=10.0), row("b")])
    assert "throughput" not in run


def test_keys_on_which_clients_differ_are_not_keys_of_the_run() -> None:
    (run,) = combine([row("a", file_size=1.0, layout="x"), row("b", file_size=2.0, layout="x")])
    assert "file_size" not in run
    assert run["layout"] == "x"


def test_a_run_rests_on_the_weakest_of_its_clients() -> None:
    shares = [{"operation": "read", "client": f"c{i}", "log_id": i, "line": 1, "throughput": 1.0} for i in range(3)]
    bases = ("published", "model", "derived")
    (run,) = combine([{**row, "basis": basis} for row, basis in zip(shares, bases, strict=True)])
    assert run["basis"] == "model"
    (measured,) = combine(shares)
    assert "basis" not in measured


def test_percentiles_are_not_combined() -> None:
    (run,) = combine([row("a", latency_p99=1.0), row("b", latency_p99=2.0)])
    assert "latency_p99" not in run


def test_a_run_of_one_client_keeps_all_that_its_log_says() -> None:
    (run,) = combine([row("a", latency_p99=1.0, throughput=3.0)])
    assert run["latency_p99"] == 1.0
    assert "client" not in run


def test_operations_stay_apart() -> None:
    runs = combine([row("a", throughput=1.0), row("a", throughput=2.0) | {"operation": "reread"}])
    assert [(run["operation"], run["throughput"]) for run in runs] == [("read", 1.0), ("reread", 2.0)]


def test_the_share_of_a_client_says_so() -> None:
    assert clients_of([row("a")]) == [row("a") | {"share": "client"}]


def test_a_run_keeps_the_lines_of_its_first_client() -> None:
    shares = [row("a", throughput=1.0, throughput_line=9), row("b", throughput=2.0, throughput_line=11)]
    (run,) = combine(shares)
    assert (run["line"], run["throughput_line"], run["throughput_max_line"]) == (7, 9, schema.COMPUTED)


def test_lines_of_values_that_a_run_does_not_have_are_left_out() -> None:
    (run,) = combine([row("a", throughput_std=1.0, throughput_std_line=9, latency=2.0, latency_line=8)])
    assert (run["latency_line"], "throughput_std_line" in run) == (8, False)


def test_a_run_of_one_client_knows_where_its_counters_were_read() -> None:
    counted = {"network_received": 5.0, "counter_before": 1.0, "counter_before_line": 3, "counter_before_log_id": 4}
    (run,) = combine([row("a", **counted)])
    assert (run["counter_before_line"], run["counter_before_log_id"], "counter_before" in run) == (3, 4, False)
