from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import run_values, summarise
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, UnknownNameError
from tests.analysis.tables import cluster, node, repeats


def test_rates_of_iterations_are_averaged_harmonically_inside_the_run() -> None:
    rows = [{"run_id": "a", "iteration": i, "clients": 1.0, "throughput": v} for i, v in enumerate((10.0, 30.0))]
    assert run_values(node(rows), "throughput", ["clients"])["throughput"].item() == pytest.approx(15)


def test_times_of_iterations_are_averaged_arithmetically() -> None:
    rows = [{"run_id": "a", "iteration": i, "clients": 1.0, "elapsed": v} for i, v in enumerate((10.0, 30.0))]
    assert run_values(node(rows), "elapsed", ["clients"])["elapsed"].item() == pytest.approx(20)


def test_a_rate_of_zero_stays_zero() -> None:
    rows = [{"run_id": "a", "iteration": i, "clients": 1.0, "throughput": v} for i, v in enumerate((0.0, 30.0))]
    assert run_values(node(rows), "throughput", ["clients"])["throughput"].item() == 0


def test_without_a_run_id_each_log_is_a_run() -> None:
    rows = [{"log_id": i, "line": 3, "clients": 1.0, "throughput": v} for i, v in enumerate((10.0, 10.0, 40.0))]
    assert summarise(node(rows), "throughput", ["clients"])["n"].item() == 3


def test_runs_of_one_block_are_no_repetitions() -> None:
    rows = [
        {"block": b, "repeat": b, "run_id": f"{b}{i}", "clients": 1.0, "elapsed": 10.0 * b + i}
        for b in (1, 2)
        for i in (0, 1)
    ]
    found = run_values(node(rows), "elapsed", ["clients"])
    assert found.attrs["unit"] == "block"
    assert found["elapsed"].values.tolist() == [10.5, 20.5]
    assert run_values(node(rows), "elapsed", ["clients"], blocks=False).sizes["obs"] == 4


def test_a_key_that_differs_inside_a_cell_is_an_error_until_it_is_named() -> None:
    ds = cluster()
    with pytest.raises(
        AnalysisError, match=r"rows of clients=1 differ in layout \(distribute, replicate\): name it in by or over"
    ):
        run_values(ds, "throughput", ["clients"], over=["operation", "replicas"])
    assert run_values(ds, "throughput", ["clients"], over=["operation", "replicas", "layout"]).sizes["obs"] == 24


def test_a_cell_is_named_by_the_keys_that_it_has() -> None:
    rows = [{"run_id": text, "layout": text, "clients": 1.0, "throughput": 1.0} for text in "ab"]
    known = [{"run_id": "c", "layout": "c", "clients": 2.0, "nodes": 3.0, "host": "n1", "throughput": 1.0}]
    with pytest.raises(AnalysisError, match=r"^rows of clients=1 differ in layout \(a, b\): name it in by or over"):
        run_values(node(rows + known), "throughput", ["clients", "nodes", "host"])


def test_a_cell_may_rest_on_several_bases() -> None:
    rows = [{"run_id": basis, "clients": 1.0, "throughput": 10.0, "basis": basis} for basis in ("published", "model")]
    assert run_values(node(rows), "throughput", ["clients"]).sizes["obs"] == 2


def test_the_tools_own_statistics_are_not_measurements() -> None:
    ds = node([*repeats((1.0, 2.0), clients=1.0), {"clients": 1.0, "throughput": 9.0, "statistic": "max"}])
    assert summarise(ds, "throughput", ["clients"])["throughput"].item() == 1.5
    assert summarise(ds, "throughput", ["clients"], statistic="max")["throughput"].item() == 9
    with pytest.raises(AnalysisError, match="no row of throughput is a 'median', there are: max, single; choose"):
        summarise(ds, "throughput", ["clients"], statistic="median")


def test_mixed_origins_are_refused() -> None:
    rows = [
        {**row, "origin": origin}
        for row, origin in zip(repeats((1.0, 2.0), clients=1.0), ("measured", "published"), strict=True)
    ]
    with pytest.raises(AnalysisError, match="mixes the origins measured, published: select one"):
        run_values(node(rows), "throughput", ["clients"])


def test_no_origin_is_refused() -> None:
    ds = node(repeats((1.0, 2.0), clients=1.0))
    ds.attrs.clear()
    with pytest.raises(AnalysisError, match="does not say its origin"):
        run_values(ds, "throughput", ["clients"])


def test_another_unit_is_refused() -> None:
    ds = node(repeats((1.0, 2.0), clients=1.0))
    ds["throughput"].attrs["units"] = "MB/s"
    with pytest.raises(AnalysisError, match="throughput is in 'MB/s', the contract says 'B/s'"):
        run_values(ds, "throughput", ["clients"])


def test_missing_names_are_errors() -> None:
    ds = node(repeats((1.0, np.nan), clients=1.0))
    with pytest.raises(UnknownNameError, match="unknown column 'troughput'; did you mean 'throughput'"):
        run_values(ds, "troughput", ["clients"])
    with pytest.raises(AnalysisError, match="the dataset has no 'layout'"):
        run_values(ds, "throughput", ["layout"])
    with pytest.raises(AnalysisError, match="no row has a value of throughput"):
        run_values(ds.isel(obs=[1]), "throughput", ["clients"])
    with pytest.raises(AnalysisError, match="one dimension obs"):
        run_values(ds.expand_dims("x"), "throughput", ["clients"])


def test_the_order_of_rows_does_not_matter() -> None:
    ds = cluster()
    keys = ["layout", "operation", "clients"]
    turned = ds.isel(obs=slice(None, None, -1))
    assert frame(run_values(ds, "throughput", keys)).equals(frame(run_values(turned, "throughput", keys)))
