"""What a result was computed from is remembered while it lives, and followed back to rows that stand in a log."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import xarray as xr

from storagelab import analysis, dataset, lineage, schema, select
from storagelab.analysis import columns
from storagelab.analysis.source_rows import rows_behind, rows_behind_value
from storagelab.analysis.traces import Logs, traced
from storagelab.lineage import key_of, rows_of, sources_of
from tests.analysis.tables import cluster, in_logs, node, repeats, shares


def lines(found: list[xr.Dataset]) -> set[tuple[int, int]]:
    return {(int(log), int(line)) for rows in found for log, line in zip(rows["log_id"], rows["line"], strict=True)}


@pytest.fixture
def runs() -> xr.Dataset:
    """Runs of a campaign, each on a line of its own."""
    return in_logs(cluster())


def test_the_end_of_the_program_waits_for_no_result_to_be_forgotten(
    runs: xr.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def finalize(*arguments: Any) -> Any:
        made.append(keeping(*arguments))
        return made[-1]

    keeping = weakref.finalize
    monkeypatch.setattr(lineage.weakref, "finalize", finalize)
    result = lineage.remember(runs.copy(), runs)
    assert lineage.remember(result, runs) is result
    assert [one.atexit for one in made] == [False]


def test_a_row_of_a_summary_leads_to_the_rows_of_its_cell(runs: xr.Dataset) -> None:
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    row = select(means, layout="replicate", operation="write", clients=3.0)
    own = select(runs, layout="replicate", operation="write", clients=3.0)
    assert lines(rows_behind(row, "throughput")) == lines([own])
    assert 0 < own.sizes["obs"] < runs.sizes["obs"]


def test_a_ratio_leads_to_both_sides_and_to_no_third(runs: xr.Dataset) -> None:
    of_write = select(runs, operation="write", clients=1.0)
    third = select(of_write, layout="replicate").assign_coords(layout=("obs", ["disperse"] * 3))
    ds = in_logs(xr.concat([of_write, third], "obs"))
    ratio = analysis.compare(ds, "throughput", "layout", "distribute", "replicate", ["operation"])
    for source in (None, [ds]):
        assert lines(rows_behind(ratio, "ratio", source)) == lines([select(ds, layout=["distribute", "replicate"])])


def test_a_missing_level_leads_to_the_rows_that_miss_it_and_to_no_other() -> None:
    runs = in_logs(node([*repeats([1.0, 2.0], layout="a", block_size=4096.0), *repeats([3.0, 4.0], layout="a")]))
    means = analysis.summarise(runs, "throughput", ["block_size"])
    behind = [lines(rows_behind(means.isel(obs=[row]), "throughput", [runs])) for row in range(2)]
    found = dict(zip(means["throughput"].values.tolist(), behind, strict=True))
    assert found == {1.5: lines([runs.isel(obs=[0, 1])]), 3.5: lines([runs.isel(obs=[2, 3])])}


def test_a_result_of_a_result_leads_to_the_logs_too(runs: xr.Dataset) -> None:
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    best = analysis.extreme(select(means, operation="write"), "throughput", "highest")
    keys = {name: best[name].item() for name in ("layout", "operation", "clients")}
    assert lines(rows_behind(best, "throughput")) == lines([select(runs, **keys)])


def test_a_count_knows_the_rows_that_it_counts(runs: xr.Dataset) -> None:
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    number = analysis.count(means, operation="write")
    assert (number, type(number) is int, isinstance(number, int)) == (int(number), False, True)
    assert lines(rows_behind_value(number)) == lines([select(runs, operation="write")])


def test_a_level_leads_to_the_line_that_states_it(runs: xr.Dataset) -> None:
    said = runs.assign_coords(file_size=("obs", [2.0**30] * runs.sizes["obs"]))
    said = said.assign_coords(file_size_line=("obs", [7.0] * runs.sizes["obs"]))
    (size,) = analysis.levels(said, "file_size")
    logs = Logs(
        "test-2026", xr.DataTree.from_dict({"logs": dataset.from_rows([{"log": "a.log"}] * 999, origin="measured")})
    )
    assert {line for found in traced(rows_behind_value(size), logs).values() for line in found} == {7}


def test_the_sum_of_processes_that_a_log_does_not_print_leads_to_each(runs: xr.Dataset) -> None:
    """fio prints each of several processes of a job; the run has the line of the first."""
    alike = {"run_id": "a", "operation": "read", "log_id": 0}
    shares = [
        {**alike, "share": "process", "process": str(number), "line": line, "throughput": 1e6}
        for number, line in enumerate((27, 278), 1)
    ]
    for line, wanted in ((27, [27, 278]), (5, [5])):
        tree = xr.DataTree.from_dict({
            "runs": node([{**alike, "line": line, "log_count": 1, "throughput": 2e6}]),
            "clients": node(shares),
            "logs": dataset.from_rows([{"log": "a.log"}], origin="measured"),
        })  # fmt: skip
        found = traced(tree["runs"].to_dataset(), Logs("test-2026", tree))
        assert found == {"raw/test-2026/a.log": wanted}, "where the log prints the sum, its line is enough"


def test_a_level_knows_its_key(runs: xr.Dataset) -> None:
    (one, *_) = analysis.levels(runs, "clients")
    assert (one, key_of(one)) == (1, "clients")
    assert key_of(analysis.count(runs, of="layout")) == "layout"
    assert (key_of(3), rows_of("word")) == ("", None)


def test_two_parts_put_together_lead_to_both(runs: xr.Dataset) -> None:
    cell = ["operation", "layout", "clients"]
    parts = [analysis.summarise(select(runs, operation=name), "throughput", cell) for name in ("write", "read")]
    assert lines(rows_behind(analysis.concat(*parts))) == lines([select(runs, operation=["write", "read"])])


def test_each_part_leads_to_the_statistic_that_it_was_made_of(runs: xr.Dataset) -> None:
    """What holds for the first part, such as what it compares of which statistic, does not hold for the second."""
    means = runs.assign_coords(statistic=("obs", ["mean"] * runs.sizes["obs"]))
    parts = [
        analysis.pair_ratios(ds, "throughput", "layout", "distribute", "replicate", ["operation", "clients"], **how)
        for ds, how in (
            (select(runs, operation="write"), {"pair": ["repeat"]}),
            (select(means, operation="read"), {"pair": ["repeat"], "statistic": "mean"}),
        )
    ]
    joined = analysis.concat(*parts)
    sides = select(runs, layout=["distribute", "replicate"])
    for operation in ("write", "read"):
        found = rows_behind(select(joined, operation=operation), "ratio")
        assert lines(found) == lines([select(sides, operation=operation)])


def test_runs_without_a_name_are_found_by_their_other_keys(runs: xr.Dataset) -> None:
    nameless = runs.assign_coords(run_id=("obs", [""] * runs.sizes["obs"]))
    cell = ["operation", "layout", "clients"]
    deviations = analysis.drift(nameless, "throughput", cell, cell)
    chosen = {"operation": "write", "layout": "replicate", "clients": 3.0, "repeat": 2.0}
    assert lines(rows_behind(select(deviations, **chosen), "deviation")) == lines([select(nameless, **chosen)])


def test_lineage_ends_with_the_result(runs: xr.Dataset) -> None:
    gc.collect()
    before = len(lineage._sources)
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    assert len(sources_of(means)) == 1
    assert len(lineage._sources) > before
    del means
    gc.collect()
    assert len(lineage._sources) == before


def test_what_nobody_remembers_leads_nowhere() -> None:
    assert rows_behind(xr.Dataset({"ratio": ("obs", [1.0])})) == []
    assert rows_behind_value(2.5) == []


def logs_of(study: dict[str, list[dict[str, object]]]) -> Logs:
    """Logs a, b and c of a study with these rows."""
    names: list[dict[str, object]] = [{"log": name} for name in ("a.log", "b.log", "c.log")]
    nodes = {name: dataset.from_rows(rows, origin="measured") for name, rows in {**study, "logs": names}.items()}
    return Logs("tiny", dataset.tree(nodes, {}))


ROW = {"operation": "read", "run_id": "r", "log_id": 0, "line": 4, "log_count": 1}


@pytest.mark.parametrize(
    ("values", "variable", "found"),
    [
        ({"throughput": 1.0, "latency": 2.0, "latency_line": 9}, "latency", {"a.log": [9]}),
        ({"throughput": 1.0, "latency": 2.0, "latency_line": 9}, "throughput", {"a.log": [4]}),
        ({"stripe_size": 1.0, "stripe_size_line": 2, "stripe_size_log_id": 2}, "stripe_size", {"c.log": [2]}),
        (
            {"throughput": 1.0, "throughput_line": 0, "data_size": 2.0, "data_size_line": 5, "elapsed": 2.0},
            "throughput",
            {"a.log": [4, 5]},
        ),
        (
            {"network_sent": 1.0, "network_sent_line": 0, "counter_before_line": 3, "counter_before_log_id": 1},
            "network_sent",
            {"a.log": [4], "b.log": [3]},
        ),
        ({"score": 1.0, "score_line": 0}, "score", {"a.log": [4]}),
        ({"access_pattern": "random", "latency_line": 9}, "access_pattern", {"a.log": [4]}),
        (
            {"throughput_line": 0, "elapsed_line": 0, "data_size_line": 5, "end_time_line": 7, "throughput": 1.0},
            "throughput",
            {"a.log": [4, 5, 7]},
        ),
    ],
    ids=[
        "below",
        "on the row's",
        "of another log",
        "computed",
        "a difference",
        "computed from nothing known",
        "a word",
        "computed of computed",
    ],
)
def test_a_quoted_value_leads_to_its_own_line(
    values: dict[str, float], variable: str, found: dict[str, list[int]]
) -> None:
    rows: list[dict[str, object]] = [{**ROW, **values}]
    logs = logs_of({"runs": rows})
    quoted = rows_behind(logs.tree["runs"].to_dataset(), variable)
    assert traced(quoted, logs) == {f"raw/tiny/{log}": lines for log, lines in found.items()}


@pytest.mark.parametrize("keys", [{}, {"part": 1.0, "statistic": "single"}], ids=["alike", "runs say more"])
def test_a_quoted_value_of_several_clients_leads_to_its_line_in_each_log(keys: dict[str, object]) -> None:
    share = {**ROW, "share": "client", "throughput": 1.0}
    shares = [share | {"client": "x", "throughput_line": 7}, share | {"client": "y", "log_id": 1, "throughput_line": 8}]
    whole = {**ROW, **keys, "log_count": 2, "throughput": 2.0, "throughput_line": 7, "throughput_max": 1.0}
    logs = logs_of({"runs": [whole | {"throughput_max_line": 0}], "clients": [dict(row) for row in shares]})
    runs = logs.tree["runs"].to_dataset()
    for variable in ("throughput", "throughput_max"):
        assert traced(rows_behind(runs, variable), logs) == {"raw/tiny/a.log": [7], "raw/tiny/b.log": [8]}


def test_the_line_of_a_value_goes_through_a_summary_a_ratio_and_a_number() -> None:
    runs = in_logs(cluster())
    runs = runs.assign_coords(throughput_line=("obs", runs["line"].to_numpy() + 1000))
    logs = Logs("test-2026", dataset.tree({"runs": runs}, {}))
    logs.paths = {int(log): f"{log:.0f}.log" for log in runs["log_id"].to_numpy()}
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    row = select(means, layout="replicate", operation="write", clients=3.0)
    own = select(runs, layout="replicate", operation="write", clients=3.0)
    wanted = {line for lines in traced([own], logs).values() for line in lines}

    def lines_of_values(found: list[xr.Dataset]) -> set[int]:
        return {line for lines in traced(found, logs).values() for line in lines}

    assert lines_of_values(rows_behind(row, "throughput")) == {line + 1000 for line in wanted}
    assert lines_of_values(rows_behind_value(analysis.stated(row, "throughput")["value"])) == {
        line + 1000 for line in wanted
    }
    sides = select(runs, layout=["distribute", "replicate"], operation="write", clients=1.0)
    ratio = analysis.compare(sides, "throughput", "layout", "distribute", "replicate", ["operation"])
    assert min(lines_of_values(rows_behind(ratio, "ratio"))) > 1000


def test_a_quotient_of_two_columns_leads_to_the_lines_of_both() -> None:
    values = {"data_size": 9.0, "data_size_line": 6, "packets_sent": 3.0, "packets_sent_line": 8}
    logs = logs_of({"runs": [{**ROW, **values}, {**ROW, "log_id": 1, "operation": "write", "throughput": 1.0}]})
    runs = logs.tree["runs"].to_dataset()
    found = analysis.quotient(select(runs, operation="read"), "data_size", "packets_sent", name="packet_size")
    assert traced(rows_behind(found, "packet_size"), logs) == {"raw/tiny/a.log": [6, 8]}


def test_what_an_analysis_works_out_leads_to_the_columns_that_it_takes() -> None:
    values = {"latency": 9.0, "latency_line": 6, "submission_latency": 3.0, "submission_latency_line": 8}
    logs = logs_of({"runs": [{**ROW, **values}]})
    found = analysis.completion_over_submission(logs.tree["runs"].to_dataset(), [])
    assert traced(rows_behind(found, "completion_over_submission"), logs) == {"raw/tiny/a.log": [6, 8]}


def with_lines_of(ds: xr.Dataset, *names: str) -> xr.Dataset:
    """Let values of some columns stand on lines of their own: a thousand below those of their rows, or further."""
    own = {schema.LINE_OF[name]: ("obs", ds["line"].to_numpy() + 1000 * i) for i, name in enumerate(names, 1)}
    return ds.assign_coords(own)


BY = ["layout", "operation"]
MADE_OF_A_RATE = {
    "jain": lambda: analysis.fairness(with_lines_of(in_logs(shares()), "throughput"), "throughput", [*BY, "clients"]),
    "over_mean": lambda: analysis.client_shares(
        with_lines_of(in_logs(shares()), "throughput"), "throughput", [*BY, "clients"]
    ),
    "run_spread": lambda: analysis.run_spread(
        with_lines_of(in_logs(cluster()), "throughput"), "throughput", [*BY, "clients"]
    ),
    "curve_share": lambda: analysis.over_peak(
        with_lines_of(in_logs(cluster()), "throughput"), "throughput", BY, x="clients"
    ),
    "bound_share": lambda: analysis.behind_gateway(with_lines_of(in_logs(cluster()), "throughput"), 3, 25e6),
}


@pytest.mark.parametrize("variable", MADE_OF_A_RATE)
def test_what_is_worked_out_of_a_rate_leads_to_the_line_of_the_rate(variable: str) -> None:
    logs = Logs("tiny", xr.DataTree())
    logs.paths = {log: f"{log}.log" for log in range(100)}
    found = traced(rows_behind(MADE_OF_A_RATE[variable](), variable), logs)
    assert min(line for lines in found.values() for line in lines) > 1000


def test_a_percentile_leads_to_its_own_line_and_not_to_that_of_another() -> None:
    names = ("latency_p50", "latency_p99")
    logs = logs_of({"runs": [{**ROW, "latency_p50": 1e-3, "latency_p99": 9e-3}]})
    runs = with_lines_of(logs.tree["runs"].to_dataset(), *names)
    row = select(analysis.percentiles(runs, ["operation"]), percentile=0.99)
    assert traced(rows_behind(row, "latency_at"), logs) == {"raw/tiny/a.log": [ROW["line"] + 2000]}


def test_a_rate_over_real_time_leads_to_bytes_and_time_and_what_was_printed_to_its_own_line() -> None:
    values = {"data_size": 4e6, "data_size_line": 6, "elapsed": 0.25, "elapsed_line": 8, "throughput": 4e6}
    logs = logs_of({"runs": [{**ROW, **values}]})
    found = analysis.over_real_time(logs.tree["runs"].to_dataset())
    assert traced(rows_behind(found, "throughput"), logs) == {"raw/tiny/a.log": [6, 8]}
    assert traced(rows_behind(found, "printed_share"), logs) == {"raw/tiny/a.log": sorted([6, 8, int(ROW["line"])])}


def test_every_column_that_is_worked_out_is_known_and_so_is_what_it_is_made_of() -> None:
    for name, made_of in columns.MADE_OF.items():
        assert columns.known(name)
        assert all(name in schema.LINE_OF or name in columns.DERIVED for name in made_of)
    assert set(schema.MADE_OF) | {name for names in schema.MADE_OF.values() for name in names} <= set(schema.LINE_OF)


def test_a_number_is_compared_with_columns_as_any_other(runs: xr.Dataset) -> None:
    """Of an attribute called ``variable`` xarray would take that for the number."""
    most = analysis.stated(analysis.extreme(runs, "throughput", "highest"), "throughput")["value"]
    assert lineage.variable_of(most) == "throughput"
    assert bool((runs["throughput"] <= most).all())
    assert bool((runs["clients"] <= analysis.levels(runs, "clients")[-1]).all())
