"""What sentences pick out of results, tables of plans, and what IOzone counts."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, dataset, figures
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError, UnknownNameError
from tests.analysis.tables import auto, cluster, fileop, node, repeats


def means() -> xr.Dataset:
    return analysis.summarise(cluster(), "throughput", ["layout", "operation", "clients"])


def test_extremes_and_the_middle() -> None:
    low = analysis.extreme(means(), "throughput", "lowest")
    assert (low["layout"].item(), low["operation"].item(), low["clients"].item()) == ("replicate", "write", 1)
    assert analysis.extreme(means(), "throughput", "highest")["clients"].item() == 3
    assert analysis.median(node(repeats((1e6, 2e6, 9e6))), "throughput") == 2e6


def test_nothing_has_neither_an_extreme_nor_a_middle() -> None:
    empty = means().assign(throughput=means()["throughput"] * np.nan)
    with pytest.raises(AnalysisError, match="no row has a value of throughput"):
        analysis.extreme(empty, "throughput", "lowest")
    with pytest.raises(AnalysisError, match="no row has a value of throughput"):
        analysis.median(empty, "throughput")


def test_verdicts_are_counted() -> None:
    found = analysis.compare(fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"])
    assert analysis.value_counts(found)["lower"] == 2
    assert analysis.value_counts(found)["higher"] == 0
    assert analysis.value_counts(found, operation="stat") == {"lower": 1}


def test_leaders_are_named_best_first() -> None:
    won = analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"])
    assert analysis.leaders(won, "filesystem", operation="stat") == "xfs (not told from ext4)"
    alone = analysis.winners(
        select(fileop(), filesystem=["xfs", "btrfs"]), "operation_rate", "filesystem", ["operation"]
    )
    assert analysis.leaders(alone, "filesystem", operation="stat") == "xfs"
    with pytest.raises(AnalysisError, match="expected one cell"):
        analysis.leaders(won, "filesystem")


def study() -> xr.DataTree:
    plan = {
        "name": "kernel",
        "where": {"mount": "kernel", "driver_disk": "loop-direct"},
        "factors": {"filesystem": ["ext4", "xfs"], "tool": ["fio"], "repeat": [1.0, 2.0]},
    }
    done = (("ext4", 1.0, 2), ("ext4", 2.0, 1), ("xfs", 1.0, 2))
    where = {"mount": "kernel", "driver_disk": "loop-direct"}
    rows = [
        {**where, "filesystem": system, "repeat": repeat, "run_id": f"{system}{i}"}
        for system, repeat, n in done
        for i in range(n)
    ]
    logs = dataset.from_rows(rows, origin="measured")
    return dataset.tree(
        {"logs": logs}, {"study": "test-2026", "design": [plan, {"name": "other", "factors": {"clients": [1]}}]}
    )


def test_plan_and_runs_side_by_side() -> None:
    table = analysis.pivot(analysis.runs_of_plan(study()), ["filesystem", "mount", "driver_disk"], "repeat", "n")
    assert table.columns.tolist() == ["repeat 1", "repeat 2"]
    assert table.loc[("ext4", "kernel", "loop-direct")].tolist() == [2, 1]
    assert table.loc[("xfs", "kernel", "loop-direct")].tolist() == [2, 0]


def test_a_study_without_a_plan() -> None:
    with pytest.raises(AnalysisError, match="no plan of the design names filesystem, mount, driver_disk and repeat"):
        analysis.runs_of_plan(dataset.tree({"logs": study()["logs"].to_dataset()}, {"study": "test-2026"}))


def test_two_rows_do_not_share_a_cell_of_a_table() -> None:
    with pytest.raises(AnalysisError, match="several rows of throughput have the same layout, clients"):
        analysis.pivot(means(), ["layout"], "clients", "throughput")


def test_datasets_put_together() -> None:
    write, read = (select(cluster(), operation=name) for name in ("write", "read"))
    both = analysis.concat(write, read)
    assert both.sizes["obs"] == cluster().sizes["obs"]
    assert both["throughput"].attrs["units"] == "B/s"
    assert both.attrs == write.attrs
    with pytest.raises(AnalysisError, match="dataset 2 of 2 lacks replicas"):
        analysis.concat(write, read.drop_vars("replicas"))
    with pytest.raises(AnalysisError, match="expected datasets of one study, got origins"):
        analysis.concat(write, node(repeats((1e6,), layout="disperse"), origin="published"))


def test_a_key_with_one_level_in_each_part_is_a_column_of_the_whole() -> None:
    """xarray warns where it will take the level of the first part for that of all in a later version."""
    write, read = (select(cluster(), operation=name).reset_coords("operation", drop=True) for name in ("write", "read"))
    both = analysis.concat(write.assign_coords(operation="write"), read.assign_coords(operation="read"))
    assert both["operation"].to_numpy().tolist() == ["write"] * write.sizes["obs"] + ["read"] * read.sizes["obs"]


def test_comparisons_put_together_hold_together_as_they_did_alone_and_no_more() -> None:
    runs = node([row for name in ("a", "b", "c") for row in repeats((1e6, 1.1e6, 0.9e6), layout=name)])
    two = [analysis.compare(runs, "throughput", "layout", "a", other) for other in ("b", "c")]
    assert "simultaneous over the table" in analysis.concat(two[0]).attrs["method"]
    both = analysis.concat(*two)
    assert "simultaneous over each of 2 tables (Sidak)" in both.attrs["method"]
    caption = figures.ratios(both, category="compared").caption
    assert "which hold for all rows of each of 2 comparisons together" in caption


def test_cases_join_keys() -> None:
    assert set(analysis.cases(cluster(), ["layout", "operation"])["case"].to_numpy()) == {
        "distribute, read", "distribute, write", "replicate, read", "replicate, write",
    }  # fmt: skip


def test_regimes_of_memory() -> None:
    found = frame(analysis.regimes(auto()))
    assert found.groupby("file_size")["case"].unique().map(list).to_dict() == {
        2.0**18: ["fits in memory"], 2.0**20: ["fits in memory"], 2.0**22: ["exceeds memory"],
    }  # fmt: skip
    unknown = auto()
    unknown["memory_limit"] = unknown["memory_limit"].where(unknown["file_size"] > 2.0**18)
    with pytest.raises(AnalysisError, match="of 4 rows it is not known"):
        analysis.regimes(unknown)


def test_what_stonewalling_leaves_uncounted() -> None:
    """Two writers of 10 MB: the second is stopped at 5 MB after 1 s, and done after 2 s, which the parent waits for."""
    run = {"operation": "write", "clients": 2.0, "processes": 2.0, "file_size": 10e6, "run_id": "a", "repeat": 1}
    found = analysis.stonewall(
        node([{**run, "throughput": 15e6, "throughput_parent": 7.5e6, "data_size": 15e6}]), ["operation", "clients"]
    )
    assert found["counted_share"].item() == 0.75
    assert found["children_over_parent"].item() == 2
    assert found["children_over_whole"].item() == 1.5
    with pytest.raises(AnalysisError, match="no row has both the children's and the parent's throughput"):
        analysis.stonewall(
            node([{**run, "throughput": 15e6, "throughput_parent": np.nan, "data_size": 15e6}]), ["operation"]
        )


def test_time_in_the_queue() -> None:
    rows = [{"job": "read", "run_id": "a", "latency": 15e-3, "submission_latency": 1e-3}]
    assert analysis.completion_over_submission(node(rows), ["job"])[
        "completion_over_submission"
    ].item() == pytest.approx(15)


def test_levels_of_keys() -> None:
    assert analysis.levels(cluster(), "clients") == [1, 3]
    assert all(isinstance(level, int) for level in analysis.levels(cluster(), "clients"))
    assert analysis.levels(cluster(), "layout") == ["distribute", "replicate"]
    assert analysis.levels(cluster(), "layout", replicas=3.0) == ["replicate"]
    assert analysis.level(cluster(), "client_link") == 25e6
    assert isinstance(analysis.level(cluster(), "client_link"), float)


def test_what_is_no_level() -> None:
    with pytest.raises(AnalysisError, match="throughput is measured and has no levels"):
        analysis.levels(cluster(), "throughput")
    with pytest.raises(AnalysisError, match=r"clients has 2 levels \(1, 3\), not one"):
        analysis.level(cluster(), "clients")
    with pytest.raises(AnalysisError, match="no row has a level of clients"):
        analysis.levels(cluster().assign_coords(clients=cluster()["clients"] * np.nan), "clients")


def test_rows_are_counted() -> None:
    assert analysis.count(cluster(), operation="write") == 12
    assert analysis.count(cluster(), "layout", operation="write") == 2
    won = analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"])
    assert analysis.count(won, winner=0.0) == 2
    assert analysis.count(won, winner=0.0, filesystem="xfs") == 0
    assert analysis.count(won, "operation", winner=0.0, filesystem="xfs") == 0
    with pytest.raises(UnknownNameError, match="writ"):
        analysis.count(cluster(), operation="writ")


def test_ranges_of_a_variable() -> None:
    ds = node(repeats((1e6, 2e6, 3e6, np.nan)))
    assert analysis.between(ds, "throughput", 2e6)["repeat"].to_numpy().tolist() == [2, 3]
    assert analysis.between(ds, "throughput", high=2e6, repeat=[2.0, 3.0])["repeat"].to_numpy().tolist() == [2]
    assert analysis.within(ds, "throughput", 1e6, 3e6, repeat=[1.0, 2.0, 3.0])
    assert analysis.within(ds, "throughput", 1e6, 3e6, repeat=1.0)
    assert not analysis.within(ds, "throughput", 1e6, 3e6)
    assert not analysis.within(ds, "throughput", 1.1e6, repeat=[1.0, 2.0])
    assert not analysis.within(ds.isel(obs=[]), "throughput")


def test_words_have_no_range() -> None:
    with pytest.raises(AnalysisError, match="layout is of words, which have no range: select them"):
        analysis.between(cluster(), "layout", 1.0)
