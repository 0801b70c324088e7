from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from storagelab.analysis import bandwidth_delay, bottlenecks, bounds, stage_table, summarise
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import LINKS, node, repeats

LIKE = node([{"operation": "read", "throughput": 1.0}], origin="published")


def bound(capacities: dict[str, float], **link_bytes: float) -> tuple[float, str]:
    stages = stage_table(capacities, LIKE, link_bytes={k.replace("_", " "): v for k, v in link_bytes.items()})
    found = bottlenecks(stages)
    return float(found["bound"].values[0]), str(found["bottleneck"].values[0])


def test_a_remote_site_is_bound_by_its_uplink() -> None:
    way = {"site uplink": 75e6, "TCP window": 16e6 / 0.016, "far uplink": 2.5e9, "storage": 1e9}
    assert bound(way) == (75e6, "site uplink")


def test_three_copies_of_a_write_share_the_links() -> None:
    value, stage = bound({"client links": 21 * 125e6, "server links": 350e6, "disks": 900e6}, server_links=3.0)
    assert (value, stage) == (pytest.approx(350e6 / 3), "server links")


def test_the_controller_binds() -> None:
    assert bound({"client links": 64 * 250e6, "controller": 2.4e9, "disks": 480 * 50e6}) == (2.4e9, "controller")


def test_each_stage_has_its_limit() -> None:
    found = bottlenecks(stage_table({"links": 30.0, "disks": 40.0, "cache": np.nan}, LIKE, link_bytes={"disks": 2.0}))
    assert found["limit"].values.tolist()[:2] == [30.0, 20.0]
    assert found["limit_share"].values.tolist()[:2] == [1.5, 1.0]
    assert np.isnan(found["limit"].values[2])
    units = [found[name].attrs["units"] for name in ("capacity", "link_bytes", "limit", "bound", "limit_share")]
    assert units == ["B/s", "1", "B/s", "B/s", "1"]
    assert found.attrs["origin"] == "published"


def test_the_general_rule_agrees_with_that_of_the_links() -> None:
    row = {"operation": "write", "clients": 4.0, "replicas": 3.0, "throughput": 1.0, **LINKS}
    found = bounds(node([row]), servers=3)
    stages = {"client links": 4 * 25e6, "server links": 3 * 25e6}
    assert bound(stages, client_links=3.0, server_links=3.0) == (found["bound"].item(), found["bottleneck"].item())


@pytest.mark.parametrize(
    ("message", "capacities", "link_bytes"),
    [
        ("no such stage: disk; there are disks", {"disks": 1.0}, {"disk": 2.0}),
        ("no stage is named", {}, {}),
        ("capacity of stage disks is 0, expected above zero", {"disks": 0.0}, {}),
        ("link_bytes of stage disks is -1, expected above zero", {"disks": 1.0}, {"disks": -1.0}),
        ("no capacity is known of the stages disks", {"disks": np.nan}, {}),
    ],
)
def test_what_is_no_way(message: str, capacities: dict[str, float], link_bytes: dict[str, float]) -> None:
    with pytest.raises(AnalysisError, match=message):
        bottlenecks(stage_table(capacities, LIKE, link_bytes=link_bytes))


def test_a_stage_stands_once_in_a_cell_and_units_are_kept() -> None:
    once = stage_table({"disks": 1.0}, LIKE)
    with pytest.raises(AnalysisError, match="stage disks stands twice in a cell"):
        bottlenecks(xr.concat([once, once], "obs"))
    once["capacity"].attrs["units"] = "MB/s"
    with pytest.raises(AnalysisError, match="capacity is in 'MB/s', the contract says 'B/s'"):
        bottlenecks(once)


def test_bytes_under_way_by_hand() -> None:
    # 600 Mbit/s and 16 ms: 1.2 MB under way; a window of 16 MB allows 1000 MB/s
    found = bandwidth_delay(node([{"throughput": 600e6 / 8}]), 0.016, window=16e6)
    row = frame(found).iloc[0]
    assert row["bandwidth_delay"] == pytest.approx(1.2e6)
    assert row["window_bound"] == pytest.approx(1000e6)
    assert row["window_share"] == pytest.approx(0.075)
    names = ("round_trip", "bandwidth_delay", "window", "window_bound", "window_share")
    assert [found[name].attrs["units"] for name in names] == ["s", "B", "B", "B/s", "1"]


def test_the_window_of_the_log_and_the_interval_of_the_rate() -> None:
    rows = repeats([70e6, 75e6, 80e6], socket_buffer=1e6)
    means = summarise(node(rows), "throughput", ["socket_buffer"])
    row = frame(bandwidth_delay(means, 0.01)).iloc[0]
    assert row["window_bound"] == 100e6
    assert row["window_share_low"] == pytest.approx(row["throughput_low"] / 100e6)
    assert row["bandwidth_delay_high"] == pytest.approx(row["throughput_high"] * 0.01)
    assert np.isnan(frame(bandwidth_delay(node(repeats([1.0])), 0.01))["window_share"].item())


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("a round trip takes longer than nothing, got 0 s", {"round_trip": 0.0}),
        ("window: expected a number above 0, got -1", {"round_trip": 1.0, "window": -1.0}),
        ("need a rate in B/s, elapsed is in s", {"round_trip": 1.0, "variable": "elapsed"}),
    ],
)
def test_what_is_not_under_way(message: str, arguments: dict[str, object]) -> None:
    with pytest.raises(AnalysisError, match=message):
        bandwidth_delay(node([{"throughput": 1.0, "elapsed": 1.0}]), **arguments)  # type: ignore[arg-type]
