"""The lines behind a number are enough to work it out: what was set, both sides of a share, when something happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from storagelab import analysis, dataset, schema, select
from storagelab.analysis.source_rows import rows_behind, rows_behind_value
from storagelab.analysis.traces import SET_BY, Logs, traced
from storagelab.analysis.validity.limits import SET_BY_OF_CHECK
from storagelab.errors import AnalysisError
from storagelab.paper import numbers_in_sidecars
from tests.analysis.series.test_failover import STALLED, events, series
from tests.analysis.tables import cluster, fileop, in_logs, node, repeats

KEYS = ["operation", "clients", "client_link", "server_link"]
ROW = {"operation": "read", "run_id": "r", "log_id": 0, "line": 4, "log_count": 1}


def lines(found: Sequence[xr.Dataset]) -> set[tuple[int, int]]:
    return {(int(log), int(line)) for rows in found for log, line in zip(rows["log_id"], rows["line"], strict=True)}


def logs_of(**study: Sequence[Mapping[str, Any]]) -> Logs:
    nodes = {name: dataset.from_rows(rows, origin="measured") for name, rows in study.items()}
    names = [{"log": f"{letter}.log"} for letter in "abc"]
    about = {"origin": "measured"}
    return Logs("tiny", dataset.tree({**nodes, "logs": dataset.from_rows(names, origin="measured")}, about))


# --- keys ------------------------------------------------------------------------------------------------------------


def test_an_object_of_what_is_measured_keeps_the_keys_that_stand_on_lines_of_their_own() -> None:
    row = {"operation": "read", "record_size": 4.0, "record_size_line": 2, "throughput": 9.0, "line": 7}
    assert schema.by_line(row) == [
        {"operation": "read", "record_size": 4.0, "line": 2},
        {"operation": "read", "record_size": 4.0, "throughput": 9.0, "line": 7},
    ]


def test_a_number_that_tells_measurements_apart_and_has_no_line_of_its_own_stands_on_all_of_them() -> None:
    row = {"operation": "read", "clients": 2.0, "record_size": 4.0, "record_size_line": 2, "throughput": 9.0, "line": 7}
    assert [(found["line"], found["clients"]) for found in schema.by_line(row)] == [(2, 2.0), (7, 2.0)]


def test_what_a_tool_rounds_comes_before_the_line_of_its_row_and_what_was_computed_last() -> None:
    computed = {"elapsed": 2.0, "elapsed_line": schema.COMPUTED}
    row = {**computed, "throughput": 9.04, "line": 7, "throughput_rounded": 9.0, "throughput_rounded_line": 8}
    assert [found["line"] for found in schema.by_line(row)] == [8, 7, schema.COMPUTED]


def test_a_level_leads_to_rows_of_that_level_alone() -> None:
    runs = in_logs(cluster())
    few, many = analysis.levels(runs, "clients")
    assert lines(rows_behind_value(few)) == lines([select(runs, clients=1.0)])
    assert lines(rows_behind_value(many)) == lines([select(runs, clients=3.0)])


ROWS = "file,tool,client_link\na.log,iozone,25000000\nb.log,iozone,25000000\n"
SIDECAR = """\
id: tiny
title: Tiny
authors: [A]
origin: measured
date: "2026-11-20"
description: Two logs.
testbed:
  servers: 3
  server_link_mbit: 200
columns:
  behind: {key: server_link, unit: Mbit/s, words: {a: "200", b: "200"}}
defaults:
  client_memory: 1024
match:
  - regex: '(?P<behind>[ab])\\.(?P<run_id>log)'
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "raw" / "tiny"
    folder.mkdir(parents=True)
    for name, text in {"study.yaml": SIDECAR, "runs.csv": ROWS, "a.log": "x\n", "b.log": "x\n"}.items():
        (folder / name).write_text(text)
    return tmp_path


def fact(**more: Any) -> dict[str, dict[str, Any]]:
    return {"a": {"name": "a", "key": "", "set_by": [], "trace": {"raw/tiny/b.log": [7]}, "comes_from": {}, **more}}


@pytest.mark.parametrize(
    ("key", "trace"),
    [
        ("client_link", {"raw/tiny/runs.csv": [3]}),
        ("server_link", {"raw/tiny/study.yaml": [11]}),
        ("client_memory", {"raw/tiny/study.yaml": [13]}),
        ("run_id", {"raw/tiny/study.yaml": [15]}),
    ],
)
def test_a_level_leads_to_the_sidecar_that_sets_it(root: Path, key: str, trace: dict[str, list[int]]) -> None:
    facts = fact(key=key)
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == trace


def test_what_was_set_behind_a_number_stands_beside_its_lines(root: Path) -> None:
    facts = fact(set_by=["client_link", "server_link", "testbed.servers", "testbed.gateway_link_mbit", "file_size"])
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == {
        "raw/tiny/b.log": [7],
        "raw/tiny/runs.csv": [3],
        "raw/tiny/study.yaml": [8, 11],
    }


@pytest.mark.parametrize(
    ("made", "variable", "names"),
    [
        (lambda: analysis.behind_gateway(in_logs(cluster()), 3, 25e6), "bound_share", {"client_link", "server_link"}),
        (lambda: analysis.bounds(in_logs(cluster()), 3), "bound", {"client_link", "testbed.servers"}),
        (
            lambda: analysis.summarise(
                analysis.faster_than_links(in_logs(cluster()), 3), "bound_share", ["layout", "operation", "clients"]
            ),
            "bound_share",
            {"client_link", "server_link"},
        ),
    ],
    ids=["gateway", "bounds", "summary"],
)
def test_a_share_of_a_limit_names_what_sets_the_limit(made: Any, variable: str, names: set[str]) -> None:
    found = rows_behind(made(), variable)
    assert names <= set(" ".join(rows.attrs.get(SET_BY, "") for rows in found).split())


def test_a_rate_names_nothing_that_was_set() -> None:
    means = analysis.summarise(in_logs(cluster()), "throughput", ["layout", "operation", "clients"])
    assert not any(SET_BY in rows.attrs for rows in rows_behind(means, "throughput"))


# --- both sides ------------------------------------------------------------------------------------------------------


def test_who_wins_rests_on_all_that_compete_and_a_mean_on_its_own_runs() -> None:
    runs = in_logs(fileop())
    won = analysis.winners(runs, "operation_rate", "filesystem", ["operation"])
    losses = analysis.count(won, filesystem="btrfs", winner=0.0)
    assert (losses, lines(rows_behind_value(losses))) == (2, lines([runs]))
    row = select(won, filesystem="btrfs", operation="stat")
    assert lines(rows_behind(row, "ratio")) == lines([select(runs, operation="stat")])
    assert lines(rows_behind(row, "operation_rate")) == lines([select(runs, filesystem="btrfs", operation="stat")])


def said() -> xr.Dataset:
    more = [
        {"severity": severity, "event": "other", "time": time, "legibility": words}
        for severity, time, words in (("error", 5.0, "plain"), ("error", 10.1, "source"), ("info", 12.0, "plain"))
    ]
    return in_logs(events(*more))


def test_a_share_of_messages_rests_on_all_that_were_counted_and_on_no_other() -> None:
    happened = said()
    shares = analysis.message_classes(happened, by=["legibility"])
    loud = select(happened, severity="error")
    assert lines(rows_behind(select(shares, legibility="plain"), "share_of_messages")) == lines([loud])
    own = select(loud, legibility="plain")
    assert lines(rows_behind(select(shares, legibility="plain"), "message_count")) == lines([own])


def test_when_messages_came_rests_on_the_failure_and_the_return_too() -> None:
    happened = said()
    when = analysis.message_classes(analysis.with_phase(happened), by=["phase"])
    turns = select(happened, event=["server_failed", "server_restored"])
    found = lines(rows_behind(select(when, phase="before"), "share_of_messages"))
    assert found == lines([select(happened, severity="error"), turns])


# --- failures --------------------------------------------------------------------------------------------------------


def samples(client: str, log: int, operation: str = "write") -> list[dict[str, Any]]:
    return [row | {"log_id": log} for row in series(STALLED, client, operation)]


def test_what_a_failure_does_rests_on_when_it_began_and_ended_and_on_when_the_run_ended() -> None:
    rates = node([*samples("c1", 7), *samples("c2", 8)])
    happened = in_logs(events({"event": "child_up", "time": 21.0, "severity": "info"}))
    found = analysis.failover(rates, happened)
    behind = lines(rows_behind(select(found, client="c1"), "after_share"))
    last = (8, len(STALLED))
    assert behind == lines([select(rates, client="c1"), happened]) | {last}
    assert (8, 1) not in behind, "of another client its end alone"


def test_what_was_sent_in_a_phase_rests_on_when_it_began_and_ended() -> None:
    rates, sent = node([*samples("c1", 7)]), node(samples("c1", 9, "transmit"))
    happened = in_logs(events())
    found = analysis.sent_over_payload(sent, rates, happened)
    assert lines([happened]) <= lines(rows_behind(select(found, phase="after"), "bytes_beyond"))


# --- what a number is made of ----------------------------------------------------------------------------------------


def test_samples_of_a_monitor_are_no_averages_that_it_prints_below() -> None:
    keys = {"run_id": "r", "cpu": "all", "log_id": 0}
    seen = node([
        *({**keys, "cpu_idle": 0.5, "time": float(at), "line": at} for at in (1, 2)),
        {**keys, "cpu_idle": 0.5, "time": np.nan, "line": 9, "statistic": "mean"},
    ])  # fmt: skip
    means = analysis.sample_means(seen, "cpu_idle")
    assert lines(rows_behind_value(analysis.count(means))) == {(0, 1), (0, 2)}


def test_bytes_of_entries_rest_on_the_lines_of_the_entries() -> None:
    values = {"data_size": 9.0, "data_size_line": 6, "entries": 1.0, "entries_line": 5, "entries_total": 2.0}
    alike = {**ROW, "entries_fraction": 0.5, "client_location": "external", "clients": 1.0, "repeat": 1}
    received = {**alike, "operation": "receive", "log_id": 1, "network_received": 9.0}
    logs = logs_of(runs=[{**alike, **values, "entries_total_line": 3, "throughput": 1.0}, received])
    used = analysis.of_entries_read(logs.tree["runs"].to_dataset())
    found = analysis.amplification(used, ["clients"])
    assert traced(rows_behind(found, "amplification"), logs) == {"raw/tiny/a.log": [3, 5, 6], "raw/tiny/b.log": [4]}


def test_bytes_that_no_line_states_lead_to_those_of_the_slowest_process() -> None:
    """IOzone prints how much its slowest process moved: times processes, that is all."""
    row = {
        **ROW,
        "data_size": 8.0,
        "data_size_line": 0,
        "data_size_min": 4.0,
        "data_size_min_line": 6,
        "processes": 2.0,
    }
    logs = logs_of(runs=[row])
    assert traced(rows_behind(logs.tree["runs"].to_dataset(), "data_size"), logs) == {"raw/tiny/a.log": [4, 6]}


def test_a_sum_over_processes_leads_to_the_line_of_each() -> None:
    row = {**ROW, "data_size": 8.0, "data_size_line": 0, "throughput": 1.0}
    shares = [{**ROW, "share": "process", "process": str(at), "line": at, "data_size": 4.0} for at in (7, 8)]
    logs = logs_of(runs=[row], clients=shares)
    runs = logs.tree["runs"].to_dataset()
    assert {7, 8} <= set(traced(rows_behind(runs, "data_size"), logs)["raw/tiny/a.log"])
    assert traced(rows_behind(runs, "throughput"), logs) == {"raw/tiny/a.log": [4]}


def test_a_sum_over_processes_leads_to_those_of_its_own_measurement() -> None:
    both = ("read", "write")
    runs = [
        {**ROW, "operation": name, "line": at, "data_size": 8.0, "data_size_line": 0} for at, name in enumerate(both, 2)
    ]
    shares = [
        {**ROW, "operation": name, "share": "process", "process": "1", "line": at, "data_size": 4.0}
        for at, name in enumerate(both, 7)
    ]
    logs = logs_of(runs=runs, clients=shares)
    written = select(logs.tree["runs"].to_dataset(), operation="write")
    assert traced(rows_behind(written, "data_size"), logs) == {"raw/tiny/a.log": [3, 8]}


def test_rows_of_a_log_and_a_line_are_enough_and_those_without_either_lead_nowhere() -> None:
    logs = logs_of(runs=[ROW])
    rows = pd.DataFrame({"log_id": [0, 1, 99, 1], "line": [4.0, np.nan, 5.0, 6.0]})
    assert traced(rows, logs) == {"raw/tiny/a.log": [4], "raw/tiny/b.log": [6]}
    with pytest.raises(AnalysisError, match="trace: expected rows with log_id and line"):
        traced(rows[["line"]], logs)


def test_a_run_without_the_number_is_not_behind_a_mean_of_it() -> None:
    rows = [
        {**ROW, "run_id": str(at), "line": at, "throughput": rate} for at, rate in ((4, 9.0), (5, np.nan), (6, 10.0))
    ]
    logs = logs_of(runs=rows)
    means = analysis.summarise(logs.tree["runs"].to_dataset(), "throughput", ["operation"])
    assert traced(rows_behind(means, "throughput"), logs) == {"raw/tiny/a.log": [4, 6]}


def test_a_share_that_a_tool_prints_leads_to_its_own_line_and_not_to_the_times_it_could_be_made_of() -> None:
    times = {"cpu_time": 1.0, "cpu_time_line": 5, "elapsed": 2.0, "elapsed_line": 6}
    logs = logs_of(runs=[{**ROW, **times, "cpu_utilisation": 0.5, "cpu_utilisation_line": 9}])
    assert traced(rows_behind(logs.tree["runs"].to_dataset(), "cpu_utilisation"), logs) == {"raw/tiny/a.log": [9]}


def test_no_row_of_a_result_leads_to_no_line() -> None:
    logs = logs_of(runs=[{**ROW, "throughput": 9.0}])
    means = analysis.summarise(logs.tree["runs"].to_dataset(), "throughput", ["operation"])
    assert rows_behind(means.isel(obs=slice(0)), "throughput", [logs.tree["runs"].to_dataset()]) == []


def test_the_rate_of_a_job_leads_to_its_bytes_and_its_time_and_not_to_the_rates_of_its_files() -> None:
    times = {"elapsed": 2.0, "elapsed_line": 6, "cpu_time": 1.0, "disk_time": 1.0}
    read = {**ROW, "client": "x", "data_size": 8.0, "data_size_line": 5, "throughput": 4.0, **times}
    logs = logs_of(clients=[read])
    jobs = analysis.jobs(logs.tree["clients"].to_dataset(), node([{"log": "a.log", "elapsed": 3.0}]), ["operation"])
    assert traced(rows_behind(jobs, "throughput"), logs) == {"raw/tiny/a.log": [5, 6]}


@pytest.mark.parametrize(
    ("made", "variable"),
    [
        (lambda ds: analysis.robustness(ds, "elapsed", ["file_size"], ["layout"]), "level_spread"),
        (lambda ds: analysis.marginal_rates(ds, 1.0, 2.0, ["layout"]), "marginal_rate"),
        (
            lambda ds: analysis.behind_gateway(
                analysis.marginal_rates(ds, 1.0, 2.0, [*KEYS, "layout"]), 3, 25e6, "marginal_rate"
            ),
            "bound_share",
        ),
    ],
    ids=["robustness", "marginal rate", "share of a limit"],
)
def test_what_is_made_of_times_leads_to_the_lines_of_the_times(made: Any, variable: str) -> None:
    runs = in_logs(
        node(
            [
                row | {"operation": "write", "clients": 1.0, "client_link": 25e6, "server_link": 25e6}
                for layout in ("distribute", "replicate")
                for size, time in {1.0: 1.0, 2.0: 3.0, 4.0: 7.0}.items()
                for row in repeats((time, 1.1 * time, 0.9 * time), "elapsed", layout=layout, file_size=size)
            ]
        )
    )
    runs = runs.assign_coords(elapsed_line=("obs", runs["line"].to_numpy() + 1000))
    logs = Logs("tiny", xr.DataTree())
    logs.paths = {log: f"{log}.log" for log in range(100)}
    found = traced(rows_behind(made(runs), variable), logs)
    numbers = {line for of_log in found.values() for line in of_log}
    assert max(numbers) > 1000, "times, not the rows that hold them"
    if variable != "level_spread":
        assert len({line for line in numbers if line > 1000}) == 12, "of the two sizes alone"


def test_how_evenly_clients_share_leads_to_what_each_of_them_had() -> None:
    shares = in_logs(
        node(
            [
                {"layout": layout, "operation": "read", "share": "client", "client": client, "clients": 2.0}
                | {"run_id": f"{layout}{repeat}", "repeat": repeat, "throughput": rate * repeat}
                for layout, rates in {"distribute": (1.0, 3.0), "replicate": (2.0, 2.5)}.items()
                for repeat in (1, 2, 3)
                for client, rate in zip("xy", (rates[0], rates[1] + 0.1 * repeat), strict=True)
            ]
        )
    )
    shares = shares.assign_coords(throughput_line=("obs", shares["line"].to_numpy() + 1000))
    even = analysis.compare_evenness(shares, "throughput", "layout", "distribute", "replicate", ["operation"])
    logs = Logs("tiny", xr.DataTree())
    logs.paths = {log: f"{log}.log" for log in range(100)}
    found = traced(rows_behind(even, "ratio"), logs)
    assert sorted(line for of_log in found.values() for line in of_log) == [1010.0 + place for place in range(12)]


def test_how_much_of_a_volume_a_series_holds_leads_to_its_samples_and_to_the_bytes_that_the_tool_says() -> None:
    said = {"run_id": "r1", "client": "c1", "operation": "write", "log_id": 0, "line": 3, "throughput": 8e6}
    logs = logs_of(clients=[said | {"data_size": 240e6, "data_size_line": 5}])
    checked = analysis.volume_check(node(samples("c1", 1)), logs.tree["clients"].to_dataset(), tolerance=1.0)
    found = traced(rows_behind(checked, "volume_ratio"), logs)
    assert found == {"raw/tiny/a.log": [5], "raw/tiny/b.log": [*range(1, len(STALLED) + 1)]}


def test_a_working_set_leads_to_the_size_of_a_file_and_the_number_of_processes() -> None:
    row = {**ROW, "file_size": 8.0, "file_size_line": 2, "processes": 2.0, "processes_line": 3, "throughput": 1.0}
    logs = logs_of(runs=[row])
    size = analysis.level(analysis.working_sets(logs.tree["runs"].to_dataset()), "working_set")
    assert (size, traced(rows_behind_value(size), logs)) == (16.0, {"raw/tiny/a.log": [2, 3]})


def test_where_a_curve_changes_rests_on_rates_sizes_and_the_memory() -> None:
    sizes = {2.0**power: 1e9 if power < 13 else 1e8 for power in range(10, 16)}
    curves = (repeats((rate, 1.1 * rate, 0.9 * rate), filesystem="xfs", file_size=size) for size, rate in sizes.items())
    runs = in_logs(node([row for curve in curves for row in curve]))
    runs = runs.assign_coords(file_size_line=("obs", runs["line"].to_numpy() + 1000))
    sets = analysis.working_sets(runs)
    found = analysis.change_points(sets, "throughput", ["filesystem"], x="working_set", memory=2.0**20)
    behind = rows_behind(found, "over_memory_low")
    logs = Logs("tiny", xr.DataTree())
    logs.paths = {log: f"{log}.log" for log in range(100)}
    numbers = {line for of_log in traced(behind, logs).values() for line in of_log}
    assert {line > 1000 for line in numbers} == {True, False}, "lines of rates, and of sizes"
    assert {rows.attrs[SET_BY] for rows in behind} == {"memory_limit"}


# --- files and memory ------------------------------------------------------------------------------------------------


def of_several_sizes(memory: float = 10.0) -> xr.DataTree:
    """A run of two clients whose files have 4 and 8 bytes, and a run of one whose file has 95."""
    alike = {**ROW, "clients": 2.0, "client_memory": memory, "part": 1}
    run = {**alike, "log_count": 2, "throughput": 3.0}
    shares = [
        {**alike, "share": "client", "client": name, "log_id": at, "file_size": size, "throughput": 1.5}
        for at, (name, size) in enumerate({"x": 4.0, "y": 8.0}.items())
    ]
    whole = {**ROW, "run_id": "s", "log_id": 2, "clients": 1.0, "client_memory": 100.0 - memory, "file_size": 95.0}
    return logs_of(runs=[run, {**whole, "file_size_line": 2, "throughput": 1.0}], clients=shares).tree


def test_files_of_several_sizes_are_added_up_before_they_are_held_against_memory() -> None:
    asked = select(analysis.validity(of_several_sizes()), check="memory")
    assert (asked["checked"].item(), asked["findings"].item()) == (2, 1)
    assert asked["worst"].item().endswith("up to 1.67 times"), "two files of 6 on average, of two clients with 10 each"


def test_a_finding_about_the_size_of_files_stands_where_the_size_is_said() -> None:
    found = select(analysis.validity_findings(of_several_sizes(1.0)), check="memory")
    assert found["line"].item() == 2
    assert {"client_memory", "clients"} <= set(SET_BY_OF_CHECK["memory"])
