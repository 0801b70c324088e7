"""Questions that have no answer, and data on which a number would be plausible and wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.analysis import table
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.efficiency.test_jobs import clients, logs
from tests.analysis.tables import cluster, node, repeats

SIDES = ("throughput", "layout", "a", "b")
LINK = {"operation": "read", "clients": 1.0, "client_link": 1.0, "server_link": 1.0, "throughput": 1.0}


def two(a: list[float], b: list[float], **keys: Any) -> xr.Dataset:
    return node(repeats(a, layout="a", **keys) + repeats(b, layout="b", **keys))


def given(errors: tuple[float, float], n: tuple[float, float]) -> xr.Dataset:
    values = {"a": 10.0, "b": 12.0}
    ds = node(
        {"layout": name, "throughput": value, "samples": runs}
        for (name, value), runs in zip(values.items(), n, strict=True)
    )
    return ds.assign(throughput_error=("obs", list(errors), {"units": "B/s"}))


def clients_without_runs() -> xr.Dataset:
    """Two clients of one run, each with a log of its own, that nobody grouped."""
    return node({"layout": "a", "client": f"c{i}", "log_id": i, "throughput": 1.0 + i} for i in range(2))


BOTH = two([1.0, 2.0], [3.0, 5.0])
REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "a level against itself": (
        "the same level of layout twice, a: nothing to compare",
        lambda: analysis.compare(BOTH, "throughput", "layout", "a", "a"),
    ),
    "a difference of a level and itself": (
        "the same level of layout twice",
        lambda: analysis.group_differences(BOTH, "throughput", "layout", "a", "a"),
    ),
    "two studies": (
        "expected datasets of one study, got studies a-2025, b-2026: analyse each alone",
        lambda: analysis.concat(BOTH.assign_attrs(study="a-2025"), BOTH.assign_attrs(study="b-2026")),
    ),
    "no dataset": ("no dataset is given: nothing to put together", analysis.concat),
    "unlike columns": (
        "dataset 2 of 2 lacks throughput, which another has: leave these columns out of all of them, or add them",
        lambda: analysis.concat(BOTH, BOTH.drop_vars("throughput")),
    ),
    "a key that another node has": (
        "the dataset has no 'filesystem'.*where another node of the study has it: `with_keys_of",
        lambda: analysis.summarise(BOTH, "throughput", ["filesystem"]),
    ),
    "latencies that are columns": (
        "the dataset has no 'percentile'.*`percentiles` makes it of the columns",
        lambda: analysis.summarise(BOTH, "throughput", ["percentile"]),
    ),
    "a margin above one": (
        "a margin lies between 0 and 1, not at 5",
        lambda: analysis.compare(BOTH, *SIDES, margin=5),
    ),
    "a margin of all": ("a margin lies between 0 and 1, not at 1", lambda: analysis.compare(BOTH, *SIDES, margin=1)),
    "no margin": ("a margin lies between 0 and 1, not at 0", lambda: analysis.compare(BOTH, *SIDES, margin=0)),
    "a confidence of all": (
        "a confidence lies between 0 and 1, not at 1",
        lambda: analysis.summarise(BOTH, "throughput", ["layout"], confidence=1.0),
    ),
    "no confidence": (
        "a confidence lies between 0 and 1, not at 0",
        lambda: analysis.summarise(BOTH, "throughput", ["layout"], confidence=0.0),
    ),
    "a margin below zero": (
        r"a margin lies between 0 and 1, not at -0\.1",
        lambda: analysis.mean_ratios(BOTH, *SIDES, margin=-0.1),
    ),
    "an infinite rate": (
        "throughput is infinite in 1 rows",
        lambda: analysis.summarise(two([1.0, np.inf], [3.0]), "throughput", ["layout"]),
    ),
    "a rate below zero": (
        "throughput is -1 in a row: no rate is below zero",
        lambda: analysis.summarise(two([1.0, -1.0], [3.0]), "throughput", ["layout"]),
    ),
    "a negative error": (
        r"throughput_error is -0\.1 in a row: a standard error is not negative",
        lambda: analysis.compare_given(given((-0.1, 0.2), (3, 3)), *SIDES),
    ),
    "clients that would count as runs": (
        "some rows do not say their run_id: each client would count as a run",
        lambda: analysis.summarise(clients_without_runs(), "throughput", ["layout"], over=["client"]),
    ),
    "pairs that are not known": (
        "some rows do not say their repeat: what is a pair cannot be told",
        lambda: analysis.compare(_unnumbered(), *SIDES, pair=["repeat"]),
    ),
    "pairs of two comparisons": (
        "the pairs are of b / a and c / a: select one",
        lambda: analysis.pooled_ratios(_two_comparisons(), ["clients"], blocks=["repeat"]),
    ),
    "a scale that makes cells too": (
        "clients is named in by and in x: a key is one of them",
        lambda: analysis.over_peak(cluster(), by=["clients"]),
    ),
    "a job of no log": (
        "a row does not say its log_id: which job it belongs to is not known",
        lambda: analysis.jobs(clients().assign_coords(log_id=("obs", [np.nan] * clients().sizes["obs"])), logs()),
    ),
    "samples without a time": (
        "no sample has a time and a throughput",
        lambda: analysis.plateaus(node([{"time": np.nan, "throughput": 1.0}, {"time": 1.0}]), by=()),
    ),
    "pairs without a ratio": (
        "the pairs have no ratios above zero to average",
        lambda: analysis.pooled_ratios(_two_comparisons() * 0.0, ["clients"], blocks=["repeat"]),
    ),
    "a node of two dimensions": (
        r"an analysis takes a dataset with the one dimension obs, got \('obs', 'side'\)",
        lambda: analysis.summarise(BOTH.assign(wide=(("obs", "side"), np.ones((4, 2)))), "throughput", ["layout"]),
    ),
    "a node as xarray alone opens it": (
        r"got \('obs', 'value_of'\), as xarray alone opens it: use storagelab\.open_study, or engine='storagelab'$",
        lambda: analysis.summarise(BOTH.assign(far=(("obs", "value_of"), np.ones((4, 2)))), "throughput", ["layout"]),
    ),
    "runs of two studies as repetitions": (
        r"^rows of layout=a differ in study \(x, y\): name it in by or over, or select one$",
        lambda: analysis.summarise(
            BOTH.assign_coords(study=("obs", np.array(["x", "y"] * 2))), "throughput", ["layout"]
        ),
    ),
    "validity of a node": (
        "^validity is asked of a whole study, as open_study and open_logs give it, not of a Dataset$",
        lambda: analysis.validity(cast("Any", BOTH)),
    ),
    "no server": ("data lie on one server or more, not on 0", lambda: analysis.bounds(node([LINK]), 0)),
    "no server behind a gateway": (
        "data lie on one server or more", lambda: analysis.behind_gateway(node([LINK]), 0, 1.0),
    ),
    "a gateway without a link": (
        "a gateway has a link above zero", lambda: analysis.behind_gateway(node([LINK]), 1, 0.0),
    ),
    "no byte on the links": (
        "an amplification of 0 is none", lambda: analysis.bounds(node([LINK]), 3, amplification=0.0),
    ),
    "keys of another origin": (
        "rows are measured, the keys come from rows that are published",
        lambda: analysis.with_keys_of(
            node([{"run_id": "r"}]), node([{"run_id": "r", "layout": "a"}], origin="published"), ["layout"]
        ),
    ),
}  # fmt: skip


def _unnumbered() -> xr.Dataset:
    ds = two([1.0, 2.0], [3.0, 5.0])
    return ds.assign_coords(repeat=("obs", [1.0, np.nan, 1.0, np.nan], ds["repeat"].attrs))


def _two_comparisons() -> xr.Dataset:
    ds = node([row for layout in "abc" for row in repeats([1.0, 2.0], layout=layout, clients=1.0)])
    return analysis.concat(
        *(analysis.pair_ratios(ds, "throughput", "layout", "a", other, ["clients"]) for other in "bc")
    )


@pytest.mark.parametrize("case", REFUSED)
def test_one_clear_error(case: str) -> None:
    message, call = REFUSED[case]
    with pytest.raises(AnalysisError, match=message):
        call()


def test_an_error_of_one_run_is_no_spread() -> None:
    found = frame(analysis.compare_given(given((0.1, 0.2), (1.0, 3.0)), *SIDES)).iloc[0]
    assert np.isnan([found["ratio_low"], found["p"]]).all()
    assert (found["caveat"], found["verdict"]) == ("one run a side: no interval", "undecided")
    assert np.isnan(analysis.compatibility(given((0.1, 0.2), (1.0, 3.0)), *SIDES)["p"].item())


def test_a_constant_ratio_is_no_proof() -> None:
    """Pairs whose ratio is the same but for rounding have no spread to judge it by."""
    rates = [0.1, 0.7, 1.3]
    ds = two(rates, [3 * rate for rate in rates])
    found = frame(analysis.compare(ds, *SIDES, pair=["repeat"])).iloc[0]
    assert found["ratio"] == pytest.approx(3)
    assert (np.isnan(found["p"]), found["caveat"]) == (True, "no spread: no interval")
    assert np.isnan(analysis.winners(ds, "throughput", "layout", [], blocks="repeat")["p"]).all()


def test_averages_of_equal_values_have_no_spread() -> None:
    """Runs of 1, 2 and 3 iterations at the same rate: their means differ in the last bit."""
    rows = [
        {"layout": layout, "run_id": f"{layout}{n}", "iteration": float(i), "throughput": rate}
        for layout, rate in (("a", 0.1), ("b", 0.3))
        for n in (1, 3, 6)
        for i in range(n)
    ]
    found = analysis.compare(node(rows), *SIDES)
    assert (found["n"].item(), found["caveat"].item()) == (3, "no spread: no interval")
    assert np.isnan(found["p"].item())


def test_a_file_of_unknown_cpu_time_makes_that_of_its_job_unknown() -> None:
    ds = clients()
    values = ds["cpu_time"].to_numpy().copy()
    values[0] = np.nan
    found = frame(analysis.jobs(ds.assign(cpu_time=("obs", values, ds["cpu_time"].attrs)), logs())).set_index("client")
    assert np.isnan(found.loc["cli1", ["cpu_time", "cpu_utilisation"]].to_numpy(dtype=float)).all()
    assert found.loc["cli2", "cpu_utilisation"] == pytest.approx(1 / 6)


def test_processes_have_places_too() -> None:
    rows = [
        {"layout": "a", "operation": "read", "process": str(i), "share": "process", "run_id": run, "throughput": v + i}
        for run, v in (("r1", 1.0), ("r2", 5.0))
        for i in range(2)
    ]
    found = frame(analysis.rank_counts(node(rows))).set_index("process")
    assert found["fastest"].to_dict() == {"0": 0, "1": 2}


def test_a_study_without_results_is_not_checked_and_no_crash() -> None:
    tree = xr.DataTree(xr.Dataset(attrs={"study": "test-2026", "origin": "measured"}))
    outcomes = frame(analysis.validity(tree))["outcome"]
    assert outcomes.str.startswith("not checked").sum() > 15


def test_a_sound_dataset_stays_as_it_is() -> None:
    ds = cluster()
    assert table.validate(ds) is ds
