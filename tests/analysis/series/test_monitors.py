"""Segments, dates and memory of what monitors say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, dataset
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.conftest import LOGS

MB, GIB = 1e6, 2.0**30


def node(rows: Sequence[dict[str, Any]]) -> xr.Dataset:
    return dataset.from_rows(rows, origin="measured", study="test-2026")


def samples(rates: Sequence[float], start: float = 1.0, **keys: Any) -> list[dict[str, Any]]:
    of = {"run_id": "r1", "client": "c1", "operation": "receive", "log_id": 0.0, **keys}
    return [{**of, "time": start + place, "throughput": rate} for place, rate in enumerate(rates)]


def test_a_test_between_two_rests_by_hand() -> None:
    noise = np.random.default_rng(8).normal(0, 1 * MB, 90)
    rates = np.array([2.0] * 30 + [400.0] * 40 + [2.0] * 20) * MB + noise
    found = analysis.change_segments(node(samples(rates)))
    rows = frame(found)
    assert rows["segment_start"].tolist() == pytest.approx([0, 30, 70])
    assert rows["segment_end"].tolist() == pytest.approx([30, 70, 90])
    assert rows["throughput"].tolist() == pytest.approx([rates[:30].mean(), rates[30:70].mean(), rates[70:].mean()])
    assert rows["bytes_integrated"].sum() == pytest.approx(rates.sum())
    assert rows["changes"].tolist() == [2, 2, 2]
    assert rows["caveat"].tolist() == [""] * 3
    units = [found[name].attrs["units"] for name in ("segment_start", "throughput", "throughput_std", "changes")]
    assert units == ["s", "B/s", "B/s", "1"]


def test_both_ways_are_added_moment_by_moment_by_hand() -> None:
    received, sent = samples([1.0, 2.0, 4.0]), samples([10.0, 20.0], operation="transmit")
    rows = frame(analysis.both_ways(node([*received, *sent])))
    assert rows["time"].tolist() == [1.0, 2.0]
    assert rows["throughput"].tolist() == [11.0, 22.0]
    assert frame(analysis.plateaus(analysis.both_ways(node([*received, *sent])), ["run_id"], shortest=0))[
        "throughput"
    ].tolist() == [16.5]


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([*samples([1.0]), *samples([2.0], operation="transmit", log_id=1.0), *samples([3.0])], "two samples"),
        (samples([1.0, 2.0]), "no moment has a sample of what was received and one of what was sent"),
        ([*samples([1.0]), *samples([1.0], start=5.0, operation="transmit")], "no moment has"),
    ],
)
def test_both_ways_refuses(rows: list[dict[str, Any]], match: str) -> None:
    with pytest.raises(AnalysisError, match=match):
        analysis.both_ways(node(rows))


def test_means_over_steps_are_steps_where_only_means_were_selected() -> None:
    means = samples([0.0, 4.0, 4.0, 0.0], statistic="mean")
    last = samples([9.0], start=4.0, statistic="single", log_id=1.0)
    rows = frame(analysis.plateaus(node(means), shortest=0))
    assert rows["throughput"].tolist() == [4.0]
    with pytest.raises(AnalysisError, match="1 samples does not say how long"):
        analysis.plateaus(node([*means, *last]), shortest=0)


def test_a_hole_is_time_in_which_nothing_moved() -> None:
    noise = np.random.default_rng(9).normal(0, 1 * MB, 60)
    rates = 100 * MB + noise
    rows = frame(analysis.change_segments(node([*samples(rates[:30]), *samples(rates[30:], start=41.0)])))
    assert rows["segment_start"].tolist() == pytest.approx([0, 30, 40], abs=1)
    assert rows["throughput"].iloc[1] == pytest.approx(0.0, abs=10 * MB)


def test_slow_noise_is_flagged() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=400)
    for i in range(1, x.size):
        x[i] += 0.7 * x[i - 1]
    rows = frame(analysis.change_segments(node(samples(100 * MB + x * MB))))
    assert "neighbouring samples are alike (r = 0." in rows["caveat"].iloc[0]


def page(boot: float, days: float, hours: float, minutes: float, log_id: float = 0.0) -> list[dict[str, Any]]:
    of = {"log_id": log_id, "host": "thumper", "time": 0.0, "unit": "s"}
    up = 86400 * days + 3600 * hours + 60 * minutes
    return [{**of, "metric": "boottime", "value": boot}, {**of, "metric": "uptime", "value": up}]


def test_dates_of_four_pages() -> None:
    boot = 1165607833.0 + 5 * 3600  # 2006-12-08 19:57:13 at five hours behind UTC
    pages = [(11, 20, 37), (11, 21, 9), (18, 20, 36), (41, 19, 32)]
    found = analysis.snapshot_dates(node([row for i, at in enumerate(pages) for row in page(boot, *at, float(i))]))
    local = np.datetime_as_string((found["snapshot_time"].values - 5 * 3600).astype("datetime64[s]"), unit="m")
    assert local.tolist() == ["2006-12-20T16:34", "2006-12-20T17:06", "2006-12-27T16:33", "2007-01-19T15:29"]
    assert found["snapshot"].values[0] == "2006-12-20T21:34:13Z"
    assert [found[name].attrs["units"] for name in ("boot_time", "uptime", "snapshot_time")] == ["s"] * 3


def test_the_date_of_a_page_as_a_monitor_wrote_it() -> None:
    from storagelab.parsers import PARSERS

    text = (LOGS / "ganglia_host_page" / "host-excerpt-3.7.5.html").read_text(encoding="utf-8")
    (parser,) = (parser for parser in PARSERS if parser.sniff(text[:4096]))
    parsed = parser.parse(text)
    rows = [{**row, "log_id": 0.0} for row in _rows(parsed.series)]
    found = analysis.snapshot_dates(node(rows))
    assert found["snapshot"].item()[:16] == str(np.datetime64(_utc(str(parsed.header["started"])), "m"))


def _rows(columns: Any) -> list[dict[str, Any]]:
    names = ("metric", "value", "unit", "time")
    return [dict(zip(names, values, strict=True)) for values in zip(*(columns[name] for name in names), strict=True)]


def _utc(stamp: str) -> Any:
    import pandas as pd

    return pd.Timestamp(stamp).tz_convert("UTC").tz_localize(None)


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        ("no snapshot has both the metrics boottime and uptime", page(1e9, 1, 0, 0)[:1]),
        ("an uptime of -60 s is negative", page(1e9, 0, 0, -1)),
        ("a snapshot says uptime twice", [*page(1e9, 1, 0, 0), *page(1e9, 2, 0, 0)]),
    ],
)
def test_what_gives_no_date(message: str, rows: list[dict[str, Any]]) -> None:
    with pytest.raises(AnalysisError, match=message):
        analysis.snapshot_dates(node(rows))


def host(free: Sequence[float], rates: Sequence[float], asked: Sequence[float] = ()) -> xr.Dataset:
    """Free memory in GiB, rates in MB/s, load, at 10 s."""
    of = {"run_id": "r1", "host": "thumper"}
    both = [{**of, "time": 10.0 * i, "memory_free": f * GIB, "throughput": r * MB}
            for i, (f, r) in enumerate(zip(free, rates, strict=True))]  # fmt: skip
    return node([*both, *({**of, "time": 10.0 * i, "load_1": a} for i, a in enumerate(asked))])


def test_memory_that_is_kept_by_hand() -> None:
    found = analysis.memory_release(host([12, 12, 8, 2, 3, 3], [0, 0, 300, 300, 0, 0]))
    names = ("free_before", "free_active", "free_lowest", "free_after")
    assert [found[name].item() / GIB for name in names] == [12, 5, 2, 3]
    assert found["kept_share"].item() == pytest.approx((12 - 3) / (12 - 2))
    assert [found[name].attrs["units"] for name in (*names, "kept_share", "activity_tau")] == ["B"] * 4 + ["1"] * 2
    back = analysis.memory_release(host([12, 12, 8, 2, 12, 12], [0, 0, 300, 300, 0, 0]))
    assert back["kept_share"].item() == 0


def test_memory_that_is_given_back_when_others_ask() -> None:
    free, asked = [12, 2, 2, 2, 6, 9], [0.0, 0.0, 0.0, 0.0, 4.0, 8.0]
    found = analysis.memory_release(host(free, [0, 300, 300, 0, 0, 0], asked), demand="load_1")
    # of 15 pairs: free against load; tied in load 6 pairs of the first four, in free 3 pairs of the three 2
    # concordant: (12, 6), (12, 9) fall; the three 2 against 6 and 9 rise: 6; 6 against 9: 1. S = 7 - 2
    assert found["demand_tau"].item() == pytest.approx(5 / np.sqrt((15 - 6) * (15 - 3)))
    assert found["demand_tau"].attrs["units"] == "1"


@pytest.mark.parametrize(
    ("free", "rates", "caveat"),
    [
        ([12, 8, 2], [0, 300, 300], "no sample after: what is kept is not known"),
        ([8, 2, 12], [300, 300, 0], "no sample before: what is kept is not known"),
        ([12, 12, 12], [0, 300, 0], "no memory was taken"),
    ],
)
def test_what_is_not_known_of_memory(free: list[float], rates: list[float], caveat: str) -> None:
    found = analysis.memory_release(host(free, rates))
    assert np.isnan(found["kept_share"].item())
    assert found["caveat"].item() == caveat


def test_series_that_do_not_fit() -> None:
    twice = xr.concat([host([1, 2], [0, 1]), host([1, 2], [0, 1])], "obs")
    with pytest.raises(AnalysisError, match="several samples of memory_free at 0 s: select one series"):
        analysis.memory_release(twice)
    with pytest.raises(AnalysisError, match="host=thumper has 1 samples of memory_free, expected two or more"):
        analysis.memory_release(host([1], [0]))
    with pytest.raises(AnalysisError, match="no row has memory_free"):
        analysis.memory_release(host([np.nan, np.nan], [0, 1]))


def test_shares_of_messages_with_wilsons_interval() -> None:
    rows = [{"message": "m", "severity": "error", "event_class": "client", "legibility": word, "run_id": "r"}
            for word in ["plain"] * 8 + ["source"] * 2]  # fmt: skip
    found = analysis.message_classes(node(rows), by=["legibility"], interval=True)
    z, n, p = 1.959964, 10, 0.8
    middle, half = (p + z**2 / 2 / n), z * np.sqrt(p * (1 - p) / n + z**2 / 4 / n**2)
    assert found["share_of_messages"].values.tolist() == pytest.approx([0.8, 0.2])
    assert found["share_of_messages_low"].values[0] == pytest.approx((middle - half) / (1 + z**2 / n), abs=1e-6)
    assert found["share_of_messages_high"].values[0] == pytest.approx((middle + half) / (1 + z**2 / n), abs=1e-6)
    assert found["n"].values.tolist() == [10, 10]
    assert found["caveat"].values[0] == "unit is the message: too narrow where messages come in bursts"
    assert found["share_of_messages_low"].attrs["units"] == "1"


def disk_samples(**more: Sequence[object]) -> xr.Dataset:
    """Three samples of one run of iostat, of which the first is said to be since boot."""
    read = [("since boot", 900.0), ("", 10.0), ("", 20.0)]
    return node([
        {"run_id": "r", "phase": phase, "device": "sda", "time": float(at), "throughput": value}
        | {key: values[at] for key, values in more.items()}
        for at, (phase, value) in enumerate(read)
    ])  # fmt: skip


def test_what_a_monitor_says_of_the_time_since_boot_is_no_sample_of_a_run() -> None:
    with pytest.raises(AnalysisError, match=r"rows of run_id=r.* differ in phase \(, since boot\): name it in by, or"):
        analysis.sample_means(disk_samples(), "throughput")
    seen = analysis.sample_means(dataset.select(disk_samples(), phase=""), "throughput")
    assert seen["throughput"].values.tolist() == [15.0]


def test_samples_of_several_devices_are_not_averaged_together() -> None:
    disks = disk_samples(device=["sda", "sda", "sdb"], phase=["", "", ""])
    with pytest.raises(AnalysisError, match=r"differ in device \(sda, sdb\): name it in by, or select one"):
        analysis.sample_means(disks, "throughput")
    assert analysis.sample_means(disks, "throughput", "device")["throughput"].values.tolist() == [455.0, 20.0]
