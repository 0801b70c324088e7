"""What a result rests on goes with it, and changes nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, schema
from storagelab.analysis.source_rows import rows_behind
from storagelab.dataset import select
from tests.analysis.calls import CALLS
from tests.analysis.efficiency import test_jobs as of_jobs
from tests.analysis.efficiency import test_useful_rate as of_useful
from tests.analysis.tables import in_logs, node, repeats
from tests.analysis.test_hostile import LABELLED, data, found

NOT_OF_ROWS = {"validity", "validity_findings", "validity_lines", "validity_report", "sent_over_payload"}
"""Analyses of a whole study, which rest on no rows of it; one of two nodes, of which here the other says nothing."""
COMPUTED = {"both_directions", "concat"}
"""Of those that mark rows, one that takes ratios, and one that takes its rows in another order."""


def resting(ds: xr.Dataset) -> xr.Dataset:
    """Rows that rest on printed numbers and on a model by turns, also inside each cell."""
    turns = np.resize(["published", "model"], ds.sizes["obs"])
    return ds.assign_coords(basis=("obs", turns, {"long_name": "basis"}))


def results(name: str) -> tuple[Any, Any]:
    return found(name), CALLS[name].run(resting(data(name)), 1.0)


@LABELLED
def test_basis_splits_no_cells_and_is_said_of_every_row(name: str) -> None:
    without, result = results(name)
    if not isinstance(result, xr.Dataset):
        return  # it gives no rows
    xr.testing.assert_identical(result.drop_vars("basis", errors="ignore"), without)
    if name not in NOT_OF_ROWS:
        assert set(result["basis"].values.tolist()) <= set(schema.BASES)
        assert result["basis"].dims == ("obs",)


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.marks and name not in COMPUTED])
def test_rows_with_something_added_keep_their_basis(name: str) -> None:
    _, result = results(name)
    rows = resting(data(name))
    if result.sizes["obs"] == rows.sizes["obs"]:
        assert result["basis"].values.tolist() == rows["basis"].values.tolist()


def rows(bases: Sequence[str], variable: str = "throughput", **keys: Any) -> list[dict[str, Any]]:
    """A run of 10 for each basis."""
    return [
        row | {"basis": one} for row, one in zip(repeats([10.0] * len(bases), variable, **keys), bases, strict=True)
    ]


def said(result: xr.Dataset, key: str = "") -> Any:
    """Bases of a result, by the levels of a key."""
    found = result["basis"].values.tolist()
    return dict(zip(result[key].values.tolist(), found, strict=True)) if key else found


def cells() -> xr.Dataset:
    """Cells that rest on one kind of rows, and one that rests on all."""
    each = [row for one in schema.BASES for row in rows([one, one], layout=one, clients=1.0)]
    return node([*each, *rows(["derived", "model", "published"], layout="all", clients=1.0)], "reconstructed")


OF_CELLS = {"published": "published", "derived": "derived", "model": "model", "all": "model"}


def test_a_value_rests_on_the_weakest_of_its_rows() -> None:
    assert said(analysis.summarise(cells(), "throughput", ["layout"]), "layout") == OF_CELLS
    assert said(analysis.best_of(cells(), "throughput", ["layout"]), "layout") == OF_CELLS
    assert said(analysis.winners(cells(), "throughput", "layout", ["clients"]), "layout") == OF_CELLS


def test_a_run_keeps_its_basis_and_a_block_has_the_weakest() -> None:
    ds = node(rows(["published", "model"], layout="a"))
    assert said(analysis.run_values(ds, "throughput", ["layout"])) == ["published", "model"]
    assert said(
        analysis.run_values(ds.assign_coords(block=("obs", [1.0, 1.0])).drop_vars("repeat"), "throughput", ["layout"])
    ) == ["model"]


def test_rows_without_the_variable_are_not_behind_it() -> None:
    ds = node([*rows(["published"], layout="a"), *rows(["model"], "elapsed", layout="a")])
    assert said(analysis.summarise(ds, "throughput", ["layout"])) == ["published"]
    assert said(analysis.summarise(ds, "elapsed", ["layout"])) == ["model"]
    means = analysis.totals(ds, ["elapsed"], ["layout"])
    assert said(means) == ["model"]
    [behind] = rows_behind(means, "elapsed", [in_logs(ds)])
    assert behind["basis"].values.tolist() == ["model"]


@pytest.mark.parametrize(("statistic", "basis"), [("single", "published"), ("mean", "model")])
def test_rows_of_another_statistic_are_not_behind_a_result(statistic: str, basis: str) -> None:
    said_of = {"single": "published", "mean": "model"}
    in_logs = [
        {**row, "statistic": one, "log_id": 0.0, "line": 1.0}
        for one, of in said_of.items()
        for row in rows([of], layout="a")
    ]
    ds = node(in_logs)
    result = analysis.summarise(ds, "throughput", ["layout"], statistic=statistic)
    assert said(result) == [basis]
    [behind] = rows_behind(result, "throughput", [ds])
    assert behind["statistic"].values.tolist() == [statistic]


def test_rows_without_names_of_runs_are_told_apart_by_their_other_keys() -> None:
    ds = cells().drop_vars("run_id")
    assert said(analysis.summarise(ds, "throughput", ["layout"]), "layout") == OF_CELLS


@pytest.mark.parametrize(
    ("base", "other", "basis"),
    [
        ("published", "published", "derived"),
        ("published", "derived", "derived"),
        ("derived", "model", "model"),
        ("model", "published", "model"),
    ],
)
def test_a_ratio_is_computed_and_rests_on_both_sides_and_on_no_other(base: str, other: str, basis: str) -> None:
    sides = [*rows([base, base], layout="base", clients=1.0), *rows([other, other], layout="other", clients=1.0)]
    scan = [row | {"clients": count, "run_id": f"{row['run_id']}-{count}"} for row in sides for count in (1.0, 2.0)]
    third = rows(["model"], layout="third", clients=1.0)
    ds, how = node([*scan, *third], "reconstructed"), ("throughput", "layout", "base", "other")
    assert said(analysis.compare(ds, *how, ["clients"])) == [basis, basis]
    assert said(analysis.mean_ratios(ds, *how, ["clients"])) == [basis, basis]
    assert said(analysis.largest_ratio(ds, *how, "clients")) == [basis]
    assert said(analysis.pair_ratios(ds, *how, ["clients"])) == [basis] * 4
    assert said(analysis.crossovers(ds, "throughput", "layout", "base", "other", x="clients")) == [basis]
    given = analysis.summarise(ds, "throughput", ["layout"], over=["clients"])
    assert said(analysis.compare_given(given, *how)) == [basis]
    assert said(analysis.both_directions(analysis.compare(ds, *how, ["clients"]))) == [basis, basis]


def test_one_cell_of_a_comparison_does_not_weaken_another() -> None:
    sides = [
        rows([one], layout=layout, operation=name)
        for layout in "ab"
        for name, one in (("read", "published"), ("write", "model"))
    ]
    found = analysis.compare(
        node(row for side in sides for row in side), "throughput", "layout", "a", "b", ["operation"]
    )
    assert said(found, "operation") == {"read": "derived", "write": "model"}


def test_a_step_of_a_curve_rests_on_both_its_ends() -> None:
    bases = {1.0: "model", 2.0: "published", 3.0: "published"}
    ds = node([row for count, one in bases.items() for row in rows([one, one], clients=count)])
    assert said(analysis.regressions(ds), "clients") == {2.0: "model", 3.0: "derived"}
    assert said(analysis.scaling_curve(ds), "clients") == bases


def test_what_is_held_against_a_line_rests_on_its_ends() -> None:
    bases = {1e6: "model", 2e6: "published", 3e6: "published"}
    ds = node([row for size, one in bases.items() for row in rows([one], "elapsed", file_size=size)])
    assert said(analysis.over_straight_line(ds, "elapsed", []), "file_size") == {2e6: "model"}


def shares(*bases: str) -> xr.Dataset:
    """A run of two clients for each pair of bases."""
    return node(
        {
            "layout": "a", "operation": "read", "clients": 2.0, "client": f"c{place % 2}", "run_id": f"r{place // 2}",
            "repeat": place // 2, "throughput": 1e6 * (1 + place), "basis": one, "share": "client",
        }
        for place, one in enumerate(bases)
    )  # fmt: skip


def test_clients_keep_their_basis_and_a_run_has_the_weakest() -> None:
    ds = shares("published", "published", "published", "model")
    assert said(analysis.client_values(ds, "throughput", ["layout"])) == [
        "published",
        "published",
        "published",
        "model",
    ]
    fair = analysis.fairness(ds)
    assert said(fair, "run_id") == {"r0": "published", "r1": "model"}
    assert said(analysis.summarise(fair, "jain", ["layout"])) == ["model"]


def test_jobs_rest_on_their_files() -> None:
    ds = of_jobs.clients()
    ds = ds.assign_coords(basis=("obs", np.where(ds["log_id"] == 0, "published", "model")))
    found = analysis.jobs(ds, of_jobs.logs())
    assert said(found, "client") == {"cli1": "published", "cli2": "model"}
    assert said(analysis.phases(found), "client") == {"cli1": "published", "cli2": "model"}
    assert said(analysis.cpu_efficiency(found)) == ["model"]
    assert said(analysis.cpu_efficiency(select(found, client="cli1"))) == ["published"]


def test_aggregates_and_quotients_rest_on_their_runs() -> None:
    sums = {"throughput": 3e6, "throughput_span": 2e6, "throughput_common": 3e6}
    ds = node(
        [
            {**row, **sums, "data_size": 8.0, "elapsed": 2.0}
            for layout in ("model", "published")
            for row in rows([layout], layout=layout)
        ]
    )
    three = analysis.aggregates(ds, ["layout"])
    assert said(three) == three["layout"].values.tolist()
    per_byte = analysis.quotient(ds, "data_size", "elapsed", ["layout"], name="throughput")
    assert said(per_byte, "layout") == {"model": "model", "published": "published"}


def test_a_rate_over_an_amplification_rests_on_both() -> None:
    rates = node(rows(["published", "published"], layout="a"))
    amplified = analysis.amplification(
        node(row | {"basis": "model"} for row in of_useful.amplified((1.6, 1.7), layout="a")), ["layout"]
    )
    assert said(amplified) == ["model", "model"]
    assert said(analysis.useful_throughput(rates, amplified, ["layout"])) == ["model"]
    assert said(analysis.useful_throughput(rates, 1.7, ["layout"])) == ["published"]


def test_what_is_computed_from_keys_alone_is_derived() -> None:
    ds = node(rows(["model", "model"], layout="a", erasure_code="4+2"))
    assert set(said(analysis.redundancy(ds))) == {"derived"}
    assert set(said(analysis.losses_survived(ds, most=20))) == {"derived"}


def test_keys_that_are_added_leave_the_basis_of_each_row() -> None:
    ds = node(rows(["published", "model"], layout="a", operation="read"))
    assert said(analysis.cases(ds, ["layout", "operation"])) == ["published", "model"]
    of = node({"run_id": name, "filesystem": "xfs", "basis": "derived"} for name in ds["run_id"].values.tolist())
    assert said(analysis.with_keys_of(ds, of, ["filesystem"])) == ["published", "model"]
    assert said(analysis.with_keys_of(ds, of, ["basis"])) == ["derived", "derived"], "where it is asked for"


def test_results_of_measured_rows_say_nothing() -> None:
    measured = node([*repeats([1.0, 2.0], layout="a"), *repeats([3.0, 4.0], layout="b")])
    assert "basis" not in analysis.summarise(measured, "throughput", ["layout"]).variables
    silent = measured.assign_coords(basis=("obs", [""] * 4))
    assert said(analysis.summarise(silent, "throughput", ["layout"])) == ["", ""]
    assert said(analysis.compare(silent, "throughput", "layout", "a", "b")) == [""]
