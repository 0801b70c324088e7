"""Failures of a server on a time axis, against numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, dataset
from storagelab.analysis.series.sample_intervals import Steps
from storagelab.errors import AnalysisError
from storagelab.lineage import sources_of

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
    with pytest.raises(AnalysisError, match="client=c1 has no sample between 2 s after its start and the failure"):
        analysis.failover(node(series(STALLED)), events(failed=2.0))


# --- series that cannot be judged -----------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Sequence[float | None], dict[str, float], str]] = {
    "no sample after the failure": ([10.0] * 10, {}, "run r1 has no sample after the return of the server"),
    "no sample after the return": ([10.0] * 15, {}, "when it ended is not known"),
    "failure before the first sample": (STALLED, {"failed": -3.0}, "no sample between 2 s after its start and"),
    "failure after the last sample": (STALLED, {"failed": 50.0, "restored": 60.0}, "no sample after the return"),
    "return before the failure": (STALLED, {"failed": 20.0, "restored": 10.0}, "is restored at 10 s, but failed at 20"),
    "one sample": ([10.0], {}, "run_id=r1, client=c1: a series of 1 samples does not say how long each holds"),
    "only zeros before": ([0.0] * 10 + [10.0] * 20, {}, "run_id=r1, client=c1 moved nothing before the failure"),
    "a rate that is not known": ([10.0] * 12 + [np.nan] + [10.0] * 17, {}, "no throughput at 13 s: what is unknown is"),
    "a rate without end": ([10.0] * 12 + [np.inf] + [10.0] * 17, {}, "a time or a rate is not a finite number"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_judged_is_refused(case: str) -> None:
    rates, moments, message = REFUSED[case]
    with pytest.raises(AnalysisError, match=message):
        analysis.failover(node(series(rates)), events(**moments))


def test_a_client_that_had_stopped_before_is_no_victim() -> None:
    rows = series([10.0] * 6, "c1") + series([10.0] * 30, "c2")
    with pytest.raises(AnalysisError, match="client=c1 had stopped at 6 s, before the failure at 10 s"):
        analysis.failover(node(rows), events())


def test_two_samples_of_one_time_are_two_series_in_one() -> None:
    rows = [*series(STALLED), *series([5.0])]
    with pytest.raises(AnalysisError, match="client=c1: the sample at 1 s does not come after that at 1 s"):
        analysis.failover(node(rows), events())


def test_the_order_of_samples_does_not_matter() -> None:
    found = [one(analysis.failover(node(rows), events())) for rows in (series(STALLED), series(STALLED)[::-1])]
    assert found[0] == pytest.approx(found[1], nan_ok=True)


def test_runs_are_judged_by_their_own_failures() -> None:
    rows = series(STALLED) + series([10.0] * 15 + [0.0] * 5 + [10.0] * 20, run_id="r2")
    both = analysis.concat(events(), events(failed=15.0, restored=18.0, run_id="r2"))
    found = analysis.failover(node(rows), both)
    alone = one(analysis.failover(node(series(STALLED)), events()))
    assert one(found, run_id="r1") == pytest.approx(alone, nan_ok=True)
    second = one(found, run_id="r2")
    assert (second["away_time"], second["stall_longest"], second["recovery_time"]) == (3.0, 5.0, 2.0)


def test_a_log_without_zeros_says_the_same_as_one_with_them() -> None:
    holes = [rate or None for rate in STALLED]
    found = [one(analysis.failover(node(series(rates)), events())) for rates in (STALLED, holes)]
    assert found[0] == pytest.approx(found[1], nan_ok=True)


def test_most_samples_may_be_missing() -> None:
    rates = [10.0, 10.0, 10.0, None, None] * 6 + [None, None, 10.0, None, None, 10.0] * 8
    found = one(analysis.volume_check(node(series(rates)), sizes(18 * 10 + 16 * 10)))
    assert (found["volume_ratio"], found["volume_agrees"]) == (1.0, 1.0)


def test_a_client_that_gives_up_in_between_is_down_to_nothing() -> None:
    rows = series([10.0] * 15, "c1") + series([10.0] * 30, "c2")
    dead = one(analysis.failover(node(rows), events()), client="c1")
    assert (dead["survived"], dead["lowest_share"], dead["away_share"], dead["after_share"]) == (0.0, 0.0, 0.5, 0.0)
    assert (dead["stall_delay"], dead["stall_longest"], dead["bytes_lost"]) == (5.0, 15.0, 150 * MB)
    assert np.isnan(dead["recovery_time"])


def test_a_run_that_ends_before_the_connection_is_up_has_no_rate_after() -> None:
    said = events({"event": "child_up", "severity": "info", "time": 40.0})
    found = one(analysis.failover(node(series(STALLED)), said))
    assert np.isnan(found["after_share"])
    assert found["away_share"] == pytest.approx(found["bytes_lost"] / (-10 * 20 * MB) + 1)


def test_the_rate_before_is_no_whole_number_of_blocks() -> None:
    quantised = [10.0, 12.0, 12.0] * 20 + [12.0] * 90
    found = one(analysis.failover(node(series(quantised, interval=0.25)), events(failed=15.0)))
    assert found["throughput_before"] == pytest.approx((12 * 52 - 2 * 17) / 52 * MB, rel=0.01)


def test_the_lowest_window_may_end_with_a_step() -> None:
    steps = Steps.of([0.5, 1.0, 1.5, 2.0, 2.5], [9.0, 4.0, 0.0, 9.0, 9.0])
    assert steps.lowest(0.0, 2.5, 0.8) == pytest.approx(0.3 * 4 / 0.8)
    late = Steps.of([1.0, 2.0, 3.0, 4.0], [9.0, 9.0, 9.0, 9.0])
    assert late.lowest(0.0, 8.0, 2.0) == 0.0


@pytest.mark.parametrize(
    ("times", "rates", "message"),
    [
        ([1.0, 3.0, 2.0], [1.0, 1.0, 1.0], "the sample at 2 s does not come after that at 3 s"),
        ([1.0, np.nan, 2.0], [1.0, 1.0, 1.0], "not a finite number"),
        ([], [], "a series of 0 samples"),
    ],
)
def test_steps_refuse_what_is_no_series(times: list[float], rates: list[float], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        Steps.of(times, rates)


# --- runs -----------------------------------------------------------------------------------------------------------


def test_clients_of_a_run_are_added_up() -> None:
    halved = [10.0] * 10 + [5.0] * 10 + [10.0] * 10
    rows = series(halved, "c1") + series([30.0] * 30, "c2")
    found = one(analysis.failed_runs(analysis.failover(node(rows), events())))
    assert (found["throughput_before"], found["n_clients"]) == (40 * MB, 2.0)
    assert (found["away_share"], found["after_share"], found["bytes_lost"]) == (0.875, 1.0, 50 * MB)


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
    assert rows["after"]["bytes_overhead"] == pytest.approx((180 - 50) * MB)
    assert found["bytes_overhead"].attrs["units"] == "B"


def test_a_client_that_mends_receives_what_it_reads() -> None:
    payload, network = node(series([10.0] * 30)), node(series([15.0] * 30, operation="transmit"))
    received = node(series([0.0] * 20 + [4.0] * 10, operation="receive"))
    healed = analysis.sent_over_payload(network, payload, events(), received=received)
    found = dataset.frame(healed)
    assert found["network_received"].tolist() == [0.0, 0.0, 40 * MB]
    assert any(source is received for source in sources_of(healed))
    assert np.isnan(analysis.sent_over_payload(network, payload, events())["network_received"]).all()
    with pytest.raises(AnalysisError, match="client=c1 has no series of its interface"):
        analysis.sent_over_payload(network, payload, events(), received=node(series([0.0] * 30, "c2", "receive")))


def test_times_cut_to_seconds_are_put_into_the_middle() -> None:
    cut = node(series([10.0] * 3))
    later = analysis.centred(cut)
    assert (later["time"] - cut["time"]).values.tolist() == [0.5] * 3
    assert later["time"].attrs == cut["time"].attrs
    with pytest.raises(AnalysisError, match="times are cut to 0 s, expected more than 0 s"):
        analysis.centred(cut, 0.0)


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
        analysis.volume_check(node(series([10.0] * 4)), analysis.concat(sizes(1.0), sizes(2.0)))
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


def test_messages_by_when_they_came() -> None:
    times = {"before": 9.9, "at once": 10.1, "away": 10.2, "after": 20.0}
    said = events(*({"event": "other", "event_class": phase, "time": at} for phase, at in times.items()))
    found = dataset.frame(analysis.with_phase(said)).query("event == 'other'")
    assert found["phase"].tolist() == found["event_class"].tolist() == list(times)


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
    with pytest.raises(AnalysisError, match="the dataset has no 'server_mode'"):
        analysis.with_keys_of(node(series([1.0, 2.0])), runs, ["server_mode"])


RESULTS = {
    "failover": lambda: analysis.failover(node(series(STALLED)), events()),
    "sent_over_payload": lambda: analysis.sent_over_payload(
        node(series(STALLED, operation="transmit")), node(series(STALLED)), events()
    ),
    "failed_runs": lambda: analysis.failed_runs(analysis.failover(node(series(STALLED)), events())),
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
    assert steps.below(35.0, 5.0, 5.5) == [(5.0, 5.5)]
    assert Steps.of([1.0, 2.0, 3.0], [10.0, 30.0, 30.0]).below(15.0, 1.0, 3.0) == [], "what ends there is no part of it"
