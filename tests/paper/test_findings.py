"""Facts that come straight out of results."""

from __future__ import annotations

from typing import Any

import pytest
import xarray as xr

from storagelab import analysis, dataset, paper
from storagelab.errors import AnalysisError, PaperError
from storagelab.paper import data_provenance, findings, publish
from tests.analysis.tables import cluster, fileop, in_logs


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What `fact` was asked to state."""
    records: list[dict[str, Any]] = []
    monkeypatch.setattr(publish, "_show", lambda kind, text, record, bundle=None: records.append(record))
    monkeypatch.setattr(publish, "traced", lambda trace, _: {"rows": rows} if (rows := _count(trace)) else {})
    monkeypatch.setattr(publish, "_opened", data_provenance.Opened("test-2026"))
    publish._opened.origin = "measured"
    return records


def _count(trace: Any) -> int:
    """Rows that a fact is traced to."""
    return sum(int(rows.sizes["obs"]) for rows in ([trace] if isinstance(trace, xr.Dataset) else trace))


def test_a_number_brings_its_interval_n_and_lines(shown: list[dict[str, Any]]) -> None:
    runs = in_logs(cluster())
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    paper.finding("one", means, "throughput", of=runs, layout="replicate", operation="write", clients=3.0)
    (record,) = shown
    assert record["value"] == pytest.approx(24.08e6, rel=1e-3)
    assert record["unit"] == "B/s"
    assert record["n"] == 3
    assert record["interval"][0] < record["value"] < record["interval"][1]
    assert record["trace"] == {"rows": 3}


def test_a_row_of_the_data_rests_on_itself_whatever_it_lacks(shown: list[dict[str, Any]]) -> None:
    """A row of raw data has keys without a level, such as the replicas of a layout that has none."""
    runs = in_logs(cluster())
    runs = runs.assign_coords(replicas=runs["replicas"].where(runs["replicas"] > 1))
    writes = dataset.select(runs, operation="write", layout="distribute", clients=1.0)
    paper.finding("most", analysis.extreme(writes, "throughput", "highest"), "throughput", of=runs)
    assert shown[0]["trace"] == {"rows": 1}


def test_of_what_lineage_and_author_say_the_fewer_rows_count(shown: list[dict[str, Any]]) -> None:
    runs = in_logs(cluster())
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    wider, narrower = runs.drop_vars("layout"), dataset.select(runs, repeat=1.0)
    for of in (wider, narrower, [narrower, narrower]):
        paper.finding("one", means, "throughput", of=of, layout="replicate", operation="write", clients=3.0)
    rows = [record["trace"]["rows"] for record in shown]
    assert rows == [3, 1, 2], "rows that are not behind the number are named"


def test_a_ratio_rests_on_both_sides(shown: list[dict[str, Any]]) -> None:
    runs = in_logs(fileop())
    found = analysis.compare(runs, "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    paper.finding("slow", found, "ratio", of=analysis.concat(runs), display="%", operation="stat")
    (record,) = shown
    assert record["display"] == "%"
    assert record["trace"] == {"rows": 6}, "three runs of each side, and none of the third file system"


def test_words_too(shown: list[dict[str, Any]]) -> None:
    found = analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    paper.finding("slow", found, "verdict", operation="stat")
    assert shown[0]["value"] == "lower"
    with pytest.raises(PaperError, match="fact 'slow': expected one row, found 2"):
        paper.finding("slow", found, "verdict")


def test_not_one_row(shown: list[dict[str, Any]]) -> None:
    found = analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    with pytest.raises(AnalysisError, match="2 rows"):
        paper.finding("slow", found, "ratio")
    assert findings.finding is paper.finding


def test_a_row_that_says_its_origin_makes_a_fact_of_that_origin(shown: list[dict[str, Any]]) -> None:
    means = analysis.summarise(cluster(), "throughput", ["layout", "operation", "clients"])
    origins = ["reconstructed" if layout == "replicate" else "measured" for layout in means["layout"].values]
    both = means.assign_coords(origin=("obs", origins)).drop_attrs(deep=False)
    for name, layout in (("seen", "distribute"), ("made", "replicate")):
        paper.finding(name, dataset.select(both, layout=layout, operation="read", clients=3.0), "throughput")
    assert [record["origin"] for record in shown] == ["measured", "reconstructed"]


def test_a_comparison_says_its_verdict_and_the_keys_over_which_it_changes(shown: list[dict[str, Any]]) -> None:
    found = analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    (other,) = {*found["operation"].values.tolist()} - {"stat"}
    words = ["lower" if operation == "stat" else "undecided" for operation in found["operation"].values]
    paper.finding("slow", found.assign(verdict=("obs", words)), "ratio", operation="stat")
    paper.finding("same", found.assign(verdict=("obs", ["lower"] * 2)), "ratio", operation="stat")
    slow, same = (record["source"] for record in shown)
    assert slow["verdict"] == "lower"
    assert slow["keys"]["operation"] == "stat"
    assert slow["changes"] == {"operation": {"stat": "lower", other: "undecided"}}
    assert "changes" not in same


def test_a_row_that_is_quoted_brings_what_its_source_demands(shown: list[dict[str, Any]]) -> None:
    demands = '[{"one_of":["not shown"],"because":"its source leaves it undecided"}]'
    found = analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    row = dataset.select(found, operation="stat").assign_coords(demands=("obs", [demands]), study=("obs", ["far-2026"]))
    paper.finding("slow", row, "ratio")
    assert shown[0]["source"]["study"] == "far-2026"
    assert shown[0]["source"]["demands"][0]["one_of"] == ["not shown"]


def test_what_is_no_comparison_carries_nothing(shown: list[dict[str, Any]]) -> None:
    means = analysis.summarise(cluster(), "throughput", ["layout", "operation", "clients"])
    paper.finding("one", means, "throughput", layout="replicate", operation="write", clients=3.0)
    assert shown[0]["source"] == {}


def test_what_a_model_drew_has_no_interval(shown: list[dict[str, Any]]) -> None:
    runs = cluster().assign_attrs(origin="reconstructed")
    for basis in ("model", "published"):
        rows = runs.assign_coords(basis=("obs", [basis] * runs.sizes["obs"]))
        means = analysis.summarise(rows, "throughput", ["layout", "operation", "clients"])
        paper.finding(basis, means, "throughput", layout="replicate", operation="write", clients=3.0)
    drawn, printed = shown
    assert drawn["value"] == printed["value"]
    assert drawn["interval"] is None
    assert printed["interval"] is not None


def test_a_comparison_does_not_cite_logs_of_a_third_level(shown: list[dict[str, Any]]) -> None:
    runs = in_logs(fileop())
    assert set(runs["filesystem"].values) > {"xfs", "btrfs"}
    found = analysis.compare(runs, "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    paper.finding("slow", found, "ratio", of=runs, operation="stat")
    entered = dataset.select(runs, operation="stat", filesystem=["xfs", "btrfs"])
    assert shown[0]["trace"] == {"rows": entered.sizes["obs"]}
    assert entered.sizes["obs"] < dataset.select(runs, operation="stat").sizes["obs"]
