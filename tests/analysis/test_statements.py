from __future__ import annotations

import numpy as np
import pytest

from storagelab import paper
from storagelab.analysis import assert_claim, compare, set_apart, stated, summarise, verdict
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, UnknownNameError
from tests.analysis.tables import cluster, fileop, node, repeats

MEANS = summarise(cluster(), "throughput", ["layout", "operation", "clients"])
KEYS = {"layout": "distribute", "operation": "read", "clients": 1.0}


def test_a_number_comes_with_unit_interval_and_n() -> None:
    found = stated(MEANS, "throughput", **KEYS)
    assert found["value"] == pytest.approx(24e6 * 3.01 / 3)
    assert found["unit"] == "B/s"
    assert found["n"] == 3
    assert found["interval"][0] < found["value"] < found["interval"][1]
    assert set(found) <= set(paper.fact.__annotations__), "what a fact takes"


def test_a_run_alone_has_no_interval() -> None:
    means = summarise(node(repeats([5.0], layout="distribute")), "throughput", ["layout"])
    assert stated(means, "throughput") == {"value": 5.0, "unit": "B/s", "n": 1}


def test_several_rows_are_no_statement() -> None:
    with pytest.raises(AnalysisError, match="4 rows have operation=read: name the keys that choose one"):
        stated(MEANS, "throughput", operation="read")
    with pytest.raises(UnknownNameError, match="did you mean 'distribute'"):
        stated(MEANS, "throughput", layout="distribut")


def test_no_value_is_no_statement() -> None:
    alone = summarise(node(repeats([5.0], layout="distribute")), "throughput", ["layout"])
    with pytest.raises(AnalysisError, match="throughput_low has no value at layout=distribute"):
        stated(alone, "throughput_low", layout="distribute")


def test_a_sentence_that_turned_untrue_fails() -> None:
    assert_claim(True, "true")
    assert_claim(np.array([True, True]), "true of all")
    with pytest.raises(AnalysisError, match="the data no longer say that stripes are faster"):
        assert_claim(np.array([True, False]), "stripes are faster")


@pytest.mark.parametrize(
    ("other", "margin", "words"),
    [
        ("btrfs", None, "lower"),
        ("ext4", None, "not shown to differ"),
        ("ext4", 0.15, "equivalent within 15 %"),
    ],
)
def test_verdicts_in_words(other: str, margin: float | None, words: str) -> None:
    found = compare(fileop(), "operation_rate", "filesystem", "xfs", other, ["operation"], margin=margin)
    assert verdict(found, operation="mkdir") == words


def test_shown_and_small_is_both() -> None:
    rows = repeats([100.0, 100.1, 99.9], layout="a") + repeats([103.0, 103.1, 102.9], layout="b")
    found = compare(node(rows), "throughput", "layout", "a", "b", margin=0.1)
    assert verdict(found) == "higher, but within 10 %"


def test_one_verdict_a_sentence() -> None:
    found = compare(fileop(), "operation_rate", "filesystem", "xfs", "ext4", ["operation"])
    with pytest.raises(AnalysisError, match="2 rows: name the keys that choose one"):
        verdict(found)


def test_marked_rows_are_a_level_of_their_own() -> None:
    rows = repeats([1.0, 2.0, 30.0], client_location="on-board")
    ds = node(rows)
    marked = ds.assign(served_from_cache=("obs", [0.0, np.nan, 1.0]))
    apart = set_apart(marked, "served_from_cache", "client_location", "without a link")
    assert frame(apart)["client_location"].tolist() == ["on-board", "on-board", "on-board, without a link"]
    assert apart.sizes == ds.sizes
    means = frame(summarise(apart, "throughput", ["client_location"])).set_index("client_location")["throughput"]
    assert means.to_dict() == {"on-board": 1.5, "on-board, without a link": 30.0}


def test_setting_apart_needs_the_mark() -> None:
    with pytest.raises(AnalysisError, match="no 'served_from_cache'"):
        set_apart(cluster(), "served_from_cache", "client_location", "without a link")
