from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import demand, saturation
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.analysis.scaling.capacity import saturation_word
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

LINK = 125e6


@pytest.mark.parametrize(
    ("rate", "capacity", "share", "word"),
    [
        (350e6, 375e6, 0.9333, "saturated"),
        (270e6, 375e6, 0.72, "near saturation"),
        (400e6, 500e6, 0.8, "near saturation"),
        (350e6, 1250e6, 0.28, "below saturation"),
        (2668e6, 2400e6, 1.1117, "above capacity: a cache or a wrong unit"),
    ],
)
def test_shares_that_studies_print(rate: float, capacity: float, share: float, word: str) -> None:
    row = frame(saturation(node(repeats([rate])), capacity=capacity)).iloc[0]
    assert row["saturation"] == pytest.approx(share, abs=5e-5)
    assert (row["verdict"], row["caveat"]) == (word, "one value: no interval")


def test_thresholds_belong_to_near() -> None:
    assert [saturation_word(share) for share in (0.7, 0.9, 1.0)] == ["near saturation"] * 2 + ["saturated"]
    assert saturation_word(np.nan) == "unknown"


def test_links_of_the_servers_and_the_interval() -> None:
    found = saturation(node(repeats([340e6, 350e6, 360e6], server_link=LINK, clients=21.0)), by=["clients"], servers=3)
    row = frame(found).iloc[0]
    half = 4.302653 * 10e6 / np.sqrt(3)
    assert row["capacity"] == 375e6
    assert row["saturation_low"] == pytest.approx((350e6 - half) / 375e6)
    assert row["saturation_high"] == pytest.approx((350e6 + half) / 375e6)
    assert row["caveat"] == f"{NOT_EXCLUDED}; may be: near saturation, saturated"
    assert [found[name].attrs["units"] for name in ("saturation", "saturation_low", "capacity")] == ["1", "1", "B/s"]


def test_a_narrow_interval_leaves_one_word() -> None:
    row = frame(saturation(node(repeats([349e6, 350e6, 351e6])), capacity=375e6)).iloc[0]
    assert (row["verdict"], row["caveat"]) == ("saturated", NOT_EXCLUDED)


def test_a_wide_interval_names_all_words_between() -> None:
    row = frame(saturation(node(repeats([100e6, 300e6, 500e6])), capacity=375e6)).iloc[0]
    words = "below saturation, near saturation, saturated, above capacity: a cache or a wrong unit"
    assert row["caveat"].startswith("values differ by factors: use scale='log'; the interval reaches below zero")
    assert row["caveat"].endswith(f"; may be: {words}")


def test_demand_of_clients_that_do_not_slow_each_other() -> None:
    # 21 clients of 15.3 MB/s ask for 321 MB/s of 350; 49 of 15 for 735 of 375
    below = frame(demand(node(repeats([15.3e6], clients=1.0)), [21], capacity=350e6)).iloc[0]
    assert below["demand"] == pytest.approx(321.3e6)
    assert (below["verdict"], below["caveat"]) == ("cannot saturate", "one value: no interval")
    found = demand(node(repeats([14.9e6, 15e6, 15.1e6], clients=1.0, server_link=LINK)), [49, 25], servers=3)
    above = frame(found)
    assert above["demand"].tolist() == pytest.approx([735e6, 375e6])
    assert above["demand_share"].tolist() == pytest.approx([1.96, 1.0])
    assert above["verdict"].tolist() == ["saturates", "undecided"]
    assert above["demand_share_low"][0] == pytest.approx(49 * (15e6 - 4.302653 * 0.1e6 / np.sqrt(3)) / 375e6)
    assert [found[name].attrs["units"] for name in ("demand", "demand_low", "demand_share")] == ["B/s", "B/s", "1"]


def test_what_is_not_known() -> None:
    ds = node(repeats([1.0], clients=2.0))
    with pytest.raises(AnalysisError, match=r"no row has a single client \(clients=1\)"):
        demand(ds, [21], capacity=1.0)
    with pytest.raises(AnalysisError, match="a number of servers, or a capacity: give one of the two"):
        saturation(ds, servers=1, capacity=1.0)
    with pytest.raises(AnalysisError, match="the dataset has no 'server_link'"):
        saturation(ds, servers=3)
    with pytest.raises(AnalysisError, match="a capacity is above zero and known"):
        saturation(ds, capacity=0.0)
    with pytest.raises(AnalysisError, match="what is carried is in B/s, elapsed is in s"):
        saturation(node(repeats([1.0], "elapsed")), "elapsed", capacity=1.0)
