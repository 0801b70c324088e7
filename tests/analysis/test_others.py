"""Fairness, caches, percentiles, designs; and that every public result is labelled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, schema
from storagelab.analysis import columns
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, UnknownNameError
from tests.analysis.tables import auto, cluster, fileop, latencies, node, repeats, shares, skim


def test_fairness_by_hand() -> None:
    found = frame(analysis.fairness(shares())).set_index("run_id")
    # (1 + 3)^2 / (2 (1 + 9)) = 0.8; s = sqrt(2), mean 2; (3 - 1) / 2 / 2
    uneven = found.loc["a", ["jain", "variation", "half_range", "spread", "n_clients"]].tolist()
    assert uneven == pytest.approx([0.8, np.sqrt(2) / 2, 0.5, 3, 2])
    even = found.loc["b", ["jain", "variation", "half_range", "spread", "n_clients"]].tolist()
    assert even == pytest.approx([1, 0, 0, 1, 4])


def test_a_client_that_gets_nothing() -> None:
    assert analysis.fairness_of(np.array([0.0, 4.0]))["jain"] == 0.5
    assert np.isnan(analysis.fairness_of(np.array([0.0, 4.0]))["spread"])
    nothing = analysis.fairness_of(np.array([0.0, 0.0]))
    assert nothing.pop("n_clients") == 2
    assert np.isnan(list(nothing.values())).all()


def test_processes_share_a_run_too() -> None:
    rows = [
        {"share": "process", "process": str(i), "run_id": "a", "clients": 2.0, "throughput": v}
        for i, v in enumerate((1.0, 3.0))
    ]
    assert analysis.fairness(node(rows), by=["clients"])["jain"].item() == pytest.approx(0.8)


def test_one_client_shares_with_nobody() -> None:
    with pytest.raises(AnalysisError, match="two or more clients"):
        analysis.fairness(shares().isel(obs=[0]))
    with pytest.raises(AnalysisError, match="name neither clients nor processes"):
        analysis.fairness(cluster())


def test_places_of_clients() -> None:
    found = frame(analysis.client_values(shares(), "throughput", ["clients"]))
    assert found[found["run_id"] == "a"].sort_values("place")["throughput"].tolist() == [1e6, 3e6]


def test_files_that_fit_in_memory_are_marked() -> None:
    found = frame(analysis.mark_cached(auto()))
    assert found.groupby("file_size")["cached"].unique().map(list).to_dict() == {
        2.0**18: [1],
        2.0**20: [1],
        2.0**22: [0],
    }
    assert found["memory_share"].max() == 4


def test_all_processes_count_against_memory() -> None:
    rows = [
        {"memory_limit": 100.0, "file_size": 30.0, "processes": 4.0},
        {"memory_limit": 100.0, "block_size": 10.0, "segments": 2.0, "clients": 2.0},
        {"memory_limit": 100.0, "record_size": 1.0},
    ]
    assert analysis.mark_cached(node(rows))["memory_share"].values.tolist() == pytest.approx(
        [1.2, 0.4, np.nan], nan_ok=True
    )
    with pytest.raises(AnalysisError, match="the effect of caches is not known"):
        analysis.mark_cached(node(rows).isel(obs=[2]))


def test_the_files_of_all_processes_are_the_working_set() -> None:
    rows = [
        {"memory_limit": 100.0, "file_size": 30.0, "processes": 4.0},
        {"memory_limit": 100.0, "block_size": 10.0, "segments": 2.0, "clients": 2.0},
    ]
    assert analysis.working_sets(node(rows))["working_set"].values.tolist() == [120.0, 40.0]
    with pytest.raises(AnalysisError, match="of 1 rows the bytes of their files are not known"):
        analysis.working_sets(node([*rows, {"memory_limit": 100.0, "record_size": 1.0}]))


def test_percentiles_become_rows() -> None:
    found = frame(analysis.percentiles(latencies(), ["filesystem"]))
    first = found[found["run_id"] == "ext41"].sort_values("percentile")
    assert first["percentile"].tolist() == pytest.approx([0.5, 0.99, 0.999])
    assert first["latency_at"].tolist() == pytest.approx([1.1e-3, 1.1e-2, 1.1e-1])
    with pytest.raises(AnalysisError, match="no row has a percentile"):
        analysis.percentiles(cluster(), ["layout"])


def test_planned_cells_without_data() -> None:
    rows = [
        *repeats((1.0, 2.0, 3.0), clients=1.0, layout="disperse"),
        *repeats((1.0, np.nan), clients=3.0, layout="disperse"),
    ]
    plan = {"layout": ["disperse"], "clients": [1, 3, 6], "repeat": [1, 2, 3]}
    found = analysis.design_counts(node(rows), "throughput", plan)
    assert found["n"].values.tolist() == [3, 1, 0]
    assert found["missing"].values.tolist() == [0, 2, 3]
    assert found["planned"].values.tolist() == [3, 3, 3]
    assert analysis.design_counts(node(rows), "", plan)["n"].values.tolist() == [3, 2, 0], (
        "without a variable rows count"
    )


def test_a_design_without_repeats_plans_one_run_a_cell() -> None:
    found = analysis.design_counts(
        cluster(), "throughput", {"layout": ["distribute", "disperse"]}, where={"operation": "read"}
    )
    assert found["n"].values.tolist() == [1, 0]


def test_names_of_columns() -> None:
    assert columns.field("throughput_low").unit == "B/s"
    assert columns.field("ratio_high").long_name == "upper end of the 95 % interval of ratio to the base"
    assert columns.field("throughput_min") is schema.field("throughput_min")
    with pytest.raises(UnknownNameError, match="did you mean 'amplification'"):
        columns.field("amplificaton")


def test_derived_names_are_not_those_of_the_contract() -> None:
    assert not set(columns.DERIVED) & set(schema.FIELDS)


RESULTS: dict[str, Callable[[], xr.Dataset]] = {
    "aggregates": lambda: analysis.aggregates(skim(), ["client_location"]),
    "amplification": lambda: analysis.amplification(skim()),
    "bounds": lambda: analysis.bounds(cluster(), servers=3),
    "client_values": lambda: analysis.client_values(shares(), "throughput", ["clients"]),
    "compare": lambda: analysis.compare(
        fileop(), "operation_rate", "filesystem", "xfs", "btrfs", ["operation"], margin=0.1
    ),
    "design_counts": lambda: analysis.design_counts(cluster(), "throughput", {"layout": ["distribute"]}),
    "fairness": lambda: analysis.fairness(shares()),
    "faster_than_links": lambda: analysis.faster_than_links(cluster(), servers=3),
    "mark_cached": lambda: analysis.mark_cached(auto()),
    "percentiles": lambda: analysis.percentiles(latencies(), ["filesystem"]),
    "run_values": lambda: analysis.run_values(fileop(), "operation_rate", ["filesystem", "operation"]),
    "summarise": lambda: analysis.summarise(fileop(), "operation_rate", ["filesystem", "operation"]),
    "working_sets": lambda: analysis.working_sets(auto()),
    "winners": lambda: analysis.winners(fileop(), "operation_rate", "filesystem", ["operation"]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_labelled(name: str) -> None:
    found = RESULTS[name]()
    assert set(found.dims) == {"obs"}
    assert (found.attrs["origin"], found.attrs["study"]) == ("measured", "test-2026")
    for column, values in found.variables.items():
        field = columns.field(str(column))
        assert values.attrs["long_name"] == field.long_name
        assert values.attrs.get("units") == field.unit
        assert values.dtype.kind == ("U" if field.unit is None else "f")


@pytest.mark.parametrize("origin", schema.ORIGINS)
def test_the_origin_is_never_lost(origin: str) -> None:
    ds = node(repeats((1.0, 2.0), clients=1.0), origin=origin)
    assert analysis.summarise(ds, "throughput", ["clients"]).attrs["origin"] == origin


def test_a_case_is_brought_along_like_any_other_key() -> None:
    runs = analysis.cases(
        node([{"run_id": "r", "driver_net": "virtio", "driver_disk": "ide"}]), ["driver_net", "driver_disk"]
    )
    found = analysis.with_keys_of(node([{"run_id": "r"}]), runs, ["case"])
    assert found["case"].values.tolist() == ["virtio, ide"]
