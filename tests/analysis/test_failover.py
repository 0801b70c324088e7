"""Failures of a server on a time axis, against numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, dataset
from storagelab.analysis.steps import Steps
from storagelab.errors import AnalysisError

MB = 1e6


def node(rows: Iterable[Mapping[str, Any]]) -> xr.Dataset:
    return dataset.from_rows(rows, origin="measured", study="test-2026")


def series(
    rates: Sequence[float | None],
    client: str = "c1",
    operation: str = "write",
    interval: float = 1.0,
    run_id: str = "r1",
    **keys: object,
) -> list[dict[str, Any]]:
    """One sample an interval, its end as its time; None is a sample that is not there. In MB/s."""
    of: dict[str, Any] = {"run_id": run_id, "client": client, "operation": operation, "log_id": 0, **keys}
    return [
        {**of, "time": (place + 1) * interval, "throughput": rate * MB, "line": place + 1}
        for place, rate in enumerate(rates)
        if rate is not None
    ]


def events(*more: dict[str, Any], failed: float = 10.0, restored: float = 20.0, run_id: str = "r1") -> xr.Dataset:
    done = [
        {"run_id": run_id, "client": "", "event": event, "time": time, "severity": "notice", "message": ""}
        for event, time in (("server_failed", failed), ("server_restored", restored))
    ]
    said = [{"run_id": run_id, "client": "c1", "message": "said", **row} for row in more]
    return node([*done, *said])


def one(result: xr.Dataset, **keys: object) -> dict[str, Any]:
    (row,) = dataset.frame(dataset.select(result, **keys) if keys else result).to_dict("records")
    return {str(name): value for name, value in row.items()}


STALLED = [10.0] * 10 + [0.0] * 4 + [5.0] * 6 + [8.0] * 4 + [10.0] * 6


def test_a_stall_by_hand() -> None:
    found = one(analysis.failover(node(series(STALLED)), events()))
    assert found["throughput_before"] == 10 * MB
    assert found["stall_delay"] == 0.0
    assert (found["stall_time"], found["stall_longest"], found["silence_longest"]) == (4.0, 4.0, 4.0)
    assert found["lowest_share"] == 0.0
    assert found["away_share"] == pytest.approx((4 * 0 + 6 * 0.5) / 10)
    assert found["after_share"] == pytest.approx((4 * 0.8 + 6 * 1.0) / 10)
    assert found["bytes_lost"] == pytest.approx((4 * 10 + 6 * 5 + 4 * 2) * MB)
    assert (found["recovery_time"], found["survived"]) == (0.0, 1.0)


def test_recovery_is_for_good_and_by_the_threshold() -> None:
    strict = analysis.Thresholds(recovered=0.9, hold=2.0)
    found = one(analysis.failover(node(series(STALLED)), events(), strict))
    assert found["recovery_time"] == 3.0  # from 23 s on a mean of 9 over two seconds
    falls_again = [*STALLED[:-2], 1.0, 1.0]
    assert np.isnan(one(analysis.failover(node(series(falls_again)), events()))["recovery_time"])


def test_messages_tell_when_it_was_noticed_and_when_it_was_over() -> None:
    said = events(
        {"event": "connection_lost", "severity": "info", "time": 10.25},
        {"event": "connection_lost", "severity": "info", "time": 3.0},
        {"event": "request_failed", "severity": "error", "time": 10.5},
        {"event": "connected", "severity": "info", "time": 21.0},
        {"event": "child_up", "severity": "info", "time": 22.0},
    )
    found = one(analysis.failover(node(series(STALLED)), said))
    assert found["detection_time"] == 0.25
    assert found["reconnection_time"] == 2.0
    assert found["away_share"] == pytest.approx((6 * 0.5 + 2 * 0.8) / 12)
    assert found["after_share"] == pytest.approx((2 * 0.8 + 6 * 1.0) / 8)


def test_a_client_that_gives_up_moves_nothing_until_the_end_of_the_run() -> None:
    rows = series([10.0] * 10, "c1") + series([20.0] * 30, "c2")
    found = analysis.failover(node(rows), events())
    dead, alive = one(found, client="c1"), one(found, client="c2")
    assert (dead["survived"], dead["stall_longest"], dead["bytes_lost"]) == (0.0, 20.0, 200 * MB)
    assert (alive["survived"], alive["stall_time"], alive["bytes_lost"]) == (1.0, 0.0, 0.0)
    assert np.isnan(dead["recovery_time"])
    assert np.isnan(alive["stall_delay"])


def test_faster_without_the_server_is_a_negative_loss() -> None:
    found = one(analysis.failover(node(series([10.0] * 10 + [15.0] * 10 + [10.0] * 10)), events()))
    assert (found["bytes_lost"], found["away_share"]) == (-50 * MB, 1.5)


def test_a_dip_within_the_noise_is_no_stall() -> None:
    rates = [10.0] * 60 + [None] + [10.0] * 89
    found = one(analysis.failover(node(series(rates, interval=0.2)), events()))
    assert found["stall_time"] == 0.0
    assert found["silence_longest"] == pytest.approx(0.2)


@pytest.mark.parametrize("missing", ["server_failed", "server_restored"])
def test_failure_and_return_must_be_known(missing: str) -> None:
    said = events()
    with pytest.raises(AnalysisError, match=rf"run r1 has 0 events {missing}, expected one"):
        analysis.failover(node(series(STALLED)), said.isel(obs=said["event"].values != missing))


def test_without_samples_before_there_is_no_rate_before() -> None:
    with pytest.raises(AnalysisError, match="no sample between 2 s after the start and the failure"):
        analysis.failover(node(series(STALLED)), events(failed=2.0))


def test_two_interfaces_are_not_one_series() -> None:
    rows = series(STALLED, interface="lo") + series(STALLED, interface="eth0")
    with pytest.raises(AnalysisError, match="has several series: interface is eth0, lo; select one"):
        analysis.failover(node(rows), events())


# --- bytes sent against payload -------------------------------------------------------------------------------------


def test_healing_by_hand() -> None:
    payload = node(series([10.0] * 10 + [10.0] * 10 + [5.0] * 10))
    network = node(series([30.0] * 10 + [20.0] * 10 + [18.0] * 10, operation="transmit", interface="eth0"))
    found = analysis.sent_over_payload(network, payload, events())
    rows = {row["phase"]: row for row in dataset.frame(found).to_dict("records")}
    assert [rows[phase]["amplification"] for phase in ("before", "away", "after")] == [3.0, 2.0, 3.6]
    assert rows["before"]["network_sent"] == 8 * 30 * MB  # the first two seconds are settling
    assert rows["away"]["bytes_beyond"] == pytest.approx(-100 * MB)
    assert rows["after"]["bytes_beyond"] == pytest.approx((180 - 150) * MB)


def test_every_client_needs_its_interface() -> None:
    payload, network = node(series(STALLED, "c1")), node(series(STALLED, "c2", "transmit"))
    with pytest.raises(AnalysisError, match="client=c1 has no series of its interface"):
        analysis.sent_over_payload(network, payload, events())


# --- volume ---------------------------------------------------------------------------------------------------------


def sizes(size: float) -> xr.Dataset:
    return node([{"run_id": "r1", "client": "c1", "operation": "write", "data_size": size * MB, "line": 1}])


def test_volume_by_hand() -> None:
    rates = [10.0, 10.0, None, 10.0, None, None, 10.0, 10.0, 10.0, 10.0, 10.0]
    found = one(analysis.volume_check(node(series(rates)), sizes(100.0)))
    assert found["bytes_integrated"] == 80 * MB
    assert (found["volume_ratio"], found["volume_ratio_held"]) == (0.8, 1.1)
    assert (found["holes"], found["hole_time"], found["volume_agrees"]) == (2.0, 3.0, 1.0)


@pytest.mark.parametrize(("said", "agrees"), [(39.0, 0.0), (39.9, 1.0), (40.0, 1.0), (40.1, 1.0), (41.0, 0.0)])
def test_volume_agrees_within_the_tolerance(said: float, agrees: float) -> None:
    found = one(analysis.volume_check(node(series([10.0] * 4)), sizes(said), tolerance=0.01))
    assert found["volume_agrees"] == agrees


def test_volume_needs_one_size() -> None:
    with pytest.raises(AnalysisError, match="several data sizes for one run_id, client"):
        analysis.volume_check(node(series([10.0] * 4)), analysis.together(sizes(1.0), sizes(2.0)))
    with pytest.raises(AnalysisError, match="no series has the bytes that its tool moved"):
        analysis.volume_check(node(series([10.0] * 4, "c2")), sizes(1.0))


# --- plateaus, counters ---------------------------------------------------------------------------------------------


def test_plateaus_by_hand() -> None:
    rates = [0.0] * 3 + [10.0] * 6 + [0.0] * 5 + [8.0, 9.0] * 4 + [1.0] + [8.0] * 3 + [0.0] * 4 + [10.0] * 2
    found = dataset.frame(analysis.plateaus(node(series(rates))))
    assert found[["part", "segment_start", "segment_end"]].to_numpy().tolist() == [[1, 3, 9], [2, 14, 26]]
    assert found["throughput"].tolist() == [10 * MB, pytest.approx((8 * 4 + 9 * 4 + 1 + 24) / 12 * MB)]
    assert found["bytes_integrated"].tolist() == pytest.approx([60 * MB, 93 * MB])
    assert found["samples"].tolist() == [6, 12]


def test_without_a_plateau() -> None:
    with pytest.raises(AnalysisError, match=r"no series stays above 0\.5 of its height for 5 s"):
        analysis.plateaus(node(series([10.0, 0.0, 0.0, 10.0, 0.0])))


def counted(*readings: tuple[float, float, float], interface: str = "eth0") -> list[dict[str, Any]]:
    return [
        {
            "run_id": "r1",
            "interface": interface,
            "operation": operation,
            "time": time,
            "counter_bytes": value,
            "counter_packets": value / 1000,
            "line": 1,
        }
        for time, received, sent in readings
        for operation, value in (("receive", received), ("transmit", sent))
    ]


def test_rates_of_counters_by_hand() -> None:
    rows = counted((0.0, 1e6, 5e6), (2.0, 3e6, 9e6), (3.0, 4e6, 9e6)) + counted((0.0, 1.0, 1.0), interface="lo")
    found = analysis.counter_rates(node(rows))
    sent = dataset.frame(dataset.select(found, operation="transmit"))
    assert sent[["time", "elapsed", "throughput", "packet_rate"]].to_numpy().tolist() == [
        [2.0, 2.0, 2e6, 2e3],
        [3.0, 1.0, 0.0, 0.0],
    ]
    assert found.attrs["resets"] == "0"


def test_a_counter_that_ran_over_is_mended_and_a_reset_left_out() -> None:
    word = 2.0**32
    found = analysis.counter_rates(
        node(counted((0.0, word - 1e6, 1e6), (1.0, 1e6, 2e6), (2.0, 0.0, 0.0), (3.0, 5.0, 5.0)))
    )
    received = dataset.frame(dataset.select(found, operation="receive"))
    assert received[["time", "data_size"]].to_numpy().tolist() == [[1.0, 2e6], [3.0, 5.0]]
    assert found.attrs["resets"] == "1"


def test_rates_need_two_readings_of_one_interface() -> None:
    with pytest.raises(AnalysisError, match="no two readings of counters with a time between them"):
        analysis.counter_rates(node(counted((0.0, 1.0, 1.0))))
    both = counted((0.0, 1.0, 1.0), (1.0, 2.0, 2.0)) + counted((0.0, 1.0, 1.0), (1.0, 2.0, 2.0), interface="eth1")
    with pytest.raises(AnalysisError, match="expected one interface besides loopback"):
        analysis.counter_rates(node(both))


# --- messages, keys, units ------------------------------------------------------------------------------------------


def messages() -> xr.Dataset:
    words = [
        ("server", "plain", "error", np.nan),
        ("server", "plain", "warning", 3.0),
        ("network", "source", "error", np.nan),
    ]
    rows = [
        {"run_id": "r1", "event": "other", "event_class": who, "legibility": how, "severity": bad, "message": "x"}
        | ({"messages": times} if times == times else {})
        for who, how, bad, times in [*words, ("nobody", "plain", "info", np.nan)]
    ]
    return node(rows)


def test_messages_are_counted_as_often_as_the_log_says() -> None:
    found = dataset.frame(analysis.message_classes(messages(), by=["event_class"]))
    assert dict(zip(found["event_class"], found["message_count"], strict=True)) == {"network": 1.0, "server": 4.0}
    assert found["share_of_messages"].tolist() == [0.2, 0.8]


def test_shares_within_a_level_add_up_to_one() -> None:
    found = dataset.frame(analysis.message_classes(messages(), by=["severity"], within=["event_class"]))
    assert found.groupby("event_class")["share_of_messages"].sum().tolist() == [1.0, 1.0]


def test_no_message_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="no message is of severity alert"):
        analysis.message_classes(messages(), severities=["alert"])


def test_keys_of_the_run_are_added_to_its_samples() -> None:
    runs = node([{"run_id": "r1", "layout": "disperse", "repeat": 2, "operation": "write", "line": 1}])
    found = analysis.with_keys_of(node(series([1.0, 2.0])), runs, ["layout", "repeat"])
    assert found["layout"].values.tolist() == ["disperse", "disperse"]
    assert found["repeat"].values.tolist() == [2.0, 2.0]
    with pytest.raises(AnalysisError, match="no row has run_id=r2"):
        analysis.with_keys_of(node(series([1.0, 2.0], run_id="r2")), runs, ["layout"])
    doubled = node([{"run_id": "r1", "layout": layout, "line": 1} for layout in ("disperse", "replicate")])
    with pytest.raises(AnalysisError, match="rows with run_id=r1 differ in layout"):
        analysis.with_keys_of(node(series([1.0, 2.0])), doubled, ["layout"])


RESULTS = {
    "failover": lambda: analysis.failover(node(series(STALLED)), events()),
    "sent_over_payload": lambda: analysis.sent_over_payload(
        node(series(STALLED, operation="transmit")), node(series(STALLED)), events()
    ),
    "volume_check": lambda: analysis.volume_check(node(series(STALLED)), sizes(1.0)),
    "plateaus": lambda: analysis.plateaus(node(series(STALLED))),
    "counter_rates": lambda: analysis.counter_rates(node(counted((0.0, 1.0, 1.0), (1.0, 2.0, 2.0)))),
    "message_classes": lambda: analysis.message_classes(messages()),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_units_origin_and_method(name: str) -> None:
    found = RESULTS[name]()
    assert found.attrs["origin"] == "measured"
    assert found.attrs["method"]
    for column, values in found.variables.items():
        field = analysis.columns.field(str(column))
        assert values.attrs.get("units") == field.unit
        assert values.attrs["long_name"] == field.long_name


def test_steps_need_two_samples() -> None:
    with pytest.raises(AnalysisError, match="a series of 1 samples does not say how long each holds"):
        Steps.of([1.0], [1.0])


def test_steps_cover_their_holes() -> None:
    steps = Steps.of([1.0, 2.0, 5.0, 6.0, 7.0], [10.0, 20.0, 30.0, 0.0, 0.0])
    assert steps.integral() == 60.0
    assert steps.integral(0.5, 1.5) == 15.0
    assert steps.holes.tolist() == [2.0]
    assert steps.below(15.0, -1.0, 6.0) == [(-1.0, 1.0), (2.0, 4.0), (5.0, 6.0)]
