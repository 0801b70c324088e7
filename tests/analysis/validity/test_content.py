"""Why checks of content cannot look, how findings are ranked and told as one, and what the contract keeps for them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import yaml

from storagelab import analysis, dataset
from storagelab.analysis.cells import Rows
from storagelab.analysis.validity import finding_ranks, mislabelled_logs, suspect_groups
from storagelab.analysis.validity.checks import Check, Finding, Study, once
from storagelab.analysis.validity.monitor_times import beside_their_run
from storagelab.analysis.validity.report import CHECKS
from storagelab.errors import AnalysisError, SidecarError, UnknownNameError
from storagelab.ingest import ingest
from tests.analysis import tables
from tests.analysis.validity import broken
from tests.analysis.validity.campaigns import campaign

LOOK = {check.name: check.look for check in CHECKS}


def without(tree: xr.DataTree, node: str, *names: str) -> Study:
    """A study whose node lacks some columns; without names it lacks the node."""
    nodes = {str(name): tree[name].to_dataset() for name in tree.children}
    if names:
        nodes[node] = nodes[node].drop_vars(names)
    else:
        del nodes[node]
    return Study(dataset.tree(nodes, {"study": "clean", "origin": "measured"}))


def test_a_log_that_gives_only_the_best_and_the_worst_gives_no_mean() -> None:
    said = (("max", "min"), ("max", "mean"), ("single",), ("max",))
    rows = [
        {"operation": "write", "throughput": 1e6, "run_id": f"r{log}", "log_id": float(log), "statistic": statistic}
        for log, statistics in enumerate(said)
        for statistic in statistics
    ]
    study = Study(dataset.tree({"runs": tables.node(rows)}, {"study": "test-2026", "origin": "measured"}))
    found = [finding.found for finding in LOOK["best of N"](study).findings]
    assert found == ["only the max and min over iterations is known", "only the max over iterations is known"]


def test_a_monitor_without_a_sample_in_its_run_is_named() -> None:
    begin = {"early": -100.0, "late": 120.0, "beside": -5.0, "of a benchmark": 120.0}
    roles = ["benchmark", "monitor_log", "monitor_log", "monitor_log", "bandwidth_log"]
    logs = [{"log": name, "run_id": "r1", "role": role} for name, role in zip(["ior", *begin], roles, strict=True)]
    series = [
        {"run_id": "r1", "time": start + second, "cpu_idle": 0.5, "log_id": float(log)}
        for log, start in enumerate(begin.values(), start=1)
        for second in (0.0, 10.0)
    ]
    nodes = {
        "runs": tables.node([{"operation": "write", "run_id": "r1", "elapsed": 30.0, "log_id": 0.0}]),
        "series": tables.node(series),
        "logs": dataset.from_rows(logs, origin="measured"),
    }
    seen = LOOK["clocks"](Study(dataset.tree(nodes, {"study": "test-2026", "origin": "measured"})))
    assert {one.where: one.found.partition(":")[0] for one in seen.findings} == {
        "early": "its samples end 90 s before its run",
        "late": "its samples begin 90 s after its run",
    }
    assert seen.left == "it is not known when runs started"


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (-95.0, 215.0, "its samples begin 95 s before its run and end 85 s before it does"),
        (85.0, 395.0, "its samples begin 85 s after its run did and end 95 s after all that was measured in it"),
        (-5.0, 305.0, ""),  # as its run
        (-95.0, 395.0, ""),  # long before and long after: covers it by any clock
        (-95.0, 100.0, ""),  # did not go on as long as the run: it may have been ended
        (-4.0, 296.0, ""),  # less than three samples are missing
        (40.0, 350.0, ""),  # a run that began 40 s after it is listed
        (100.0, 295.0, ""),
    ],
)
def test_a_monitor_that_goes_on_as_long_as_its_run_and_lacks_an_end_of_it_is_named(
    first: float, last: float, said: str
) -> None:
    series = [
        {"run_id": "r1", "time": time, "cpu_idle": 0.5, "log_id": 1.0}
        for time in np.arange(first, last + 1, 5).tolist()
    ]
    nodes = {
        "runs": tables.node([{"operation": "write", "run_id": "r1", "elapsed": 300.0, "log_id": 0.0}]),
        "series": tables.node(series),
        "logs": dataset.from_rows(
            [{"log": role, "run_id": "r1", "role": role} for role in ("benchmark", "monitor_log")], origin="measured"
        ),
    }
    found = list(beside_their_run(Study(dataset.tree(nodes, {"study": "test-2026", "origin": "measured"}))))
    assert [one.found for one in found] == ([f"{said}: its clock is another"] if said else [])


@pytest.mark.parametrize(
    ("check", "node", "names", "reason"),
    [
        ("same numbers", "runs", ("log_count", "log_id"), None),
        ("counters", "clients", ("counter_before",), "where the clients' counters stood"),
        ("counters", "logs", ("started",), "not known when runs started"),
        ("clocks", "logs", ("log_started",), "no log says by its own clock"),
        ("overlap", "logs", ("started",), "not known when runs started"),
        ("together", "runs", ("throughput",), "do not say"),
        ("together", "runs", (), "the study has no runs"),
        ("clock steps", "clients", ("data_size",), "no tool prints rates with so many digits"),
        ("link and repeats", "clients", ("network_sent",), "were not counted"),
        ("link and bytes", "clients", ("client_location",), "no client is known to be external"),
        ("rounds", "runs", ("repeat",), "have the same three repeats"),
        ("clients", "clients", (), "the study has no clients"),
        ("order", "logs", ("started",), "not known when runs started"),
        ("bumps", "logs", ("started",), "not known when runs started"),
        ("drift", "logs", ("started",), "not known of every run when it started"),
    ],
)
def test_a_check_says_why_it_cannot_look(check: str, node: str, names: tuple[str, ...], reason: str | None) -> None:
    study = without(campaign(1), node, *names)
    if reason is None:
        assert LOOK[check](study).checked > 0
        return
    with pytest.raises(AnalysisError, match=reason):
        LOOK[check](study)


def test_drift_is_not_looked_for_where_one_run_does_not_say_when_it_started() -> None:
    tree = campaign(1)
    logs = tree["logs"].to_dataset()
    started = logs["started"].to_numpy().astype(object)
    used = int(tree["runs"]["log_id"][0])
    started[logs["log_id"].to_numpy() == used] = ""
    nodes = {str(name): tree[name].to_dataset() for name in tree.children}
    nodes["logs"] = logs.assign(started=logs["started"].copy(data=started))
    with pytest.raises(AnalysisError, match="not known of every run when it started"):
        LOOK["drift"](Study(dataset.tree(nodes, {"study": "clean", "origin": "measured"})))


def test_a_campaign_of_one_run_is_too_small_for_what_compares_runs() -> None:
    alone = tables.node([{"operation": "read", "throughput": 1e6, "run_id": "a", "repeat": 1, "log_id": 0.0}])
    study = Study(dataset.tree({"runs": alone}, {"study": "test-2026", "origin": "measured"}))
    for check, reason in {
        "rounds": "no cell has two runs",
        "clients": "the study has no clients",
        "spread": "no cell has two runs",
        "clock steps": "no rate has its bytes",
        "together": "start and the end of each client",
        "overlap": "the study has no logs",
        "planned runs": "the study states no design",
        "series and bytes": "the study has no series",
    }.items():
        with pytest.raises(AnalysisError, match=reason):
            LOOK[check](study)


def test_two_runs_of_one_client_have_nothing_to_be_held_against() -> None:
    said = {"operation": "read", "client": "c1", "network_sent": 5.0, "operation_rate": 9.0, "data_size": 1e7}
    runs = [{**said, "run_id": run, "repeat": place, "log_id": float(place)} for place, run in enumerate("ab", start=1)]
    samples = [{**row, "operation": "write", "throughput": 1e6, "time": 1.0} for row in runs]
    logs = [{**row, "log": f"{row['run_id']}.log"} for row in runs]
    nodes = {"clients": tables.node(runs), "logs": tables.node(logs), "series": tables.node(samples)}
    study = Study(dataset.tree(nodes, {"study": "test-2026", "origin": "measured"}))
    for check, reason in {
        "clients": "no two clients took part in one run",
        "listed names": "the study does not name two clients",
        "link and repeats": "no cell has three runs whose bytes on the link were counted",
        "series and bytes": "no operation has both a series of rates and the bytes of its tool",
        "whole rates": "no log gives a rate in bytes",
    }.items():
        with pytest.raises(AnalysisError, match=reason):
            LOOK[check](study)


@pytest.mark.parametrize("check", ["origin", "origin in logs"])
def test_an_origin_that_a_study_does_not_say_is_held_against_nothing(check: str) -> None:
    with pytest.raises(AnalysisError, match="the study does not say its origin"):
        LOOK[check](Study(xr.DataTree(xr.Dataset(attrs={"study": "test-2026"}))))


@pytest.mark.parametrize(("factors", "planned"), [({"layout": ["b"]}, 1), ({"layout": ["b"], "repeat": [1, 2, 3]}, 3)])
def test_of_a_plan_for_what_no_run_has_each_repeat_is_missing(factors: dict[str, list[object]], planned: int) -> None:
    runs = tables.node(tables.repeats([1e6, 2e6], layout="a", operation="read"))
    plan = {"name": "later", "factors": factors, "where": {"operation": "write"}}
    about = {"study": "test-2026", "origin": "measured", "design": [plan]}
    (missing,) = LOOK["planned runs"](Study(dataset.tree({"runs": runs}, about))).findings
    assert missing.found == f"{planned} of {planned} planned runs are missing"


def test_a_plan_by_what_no_row_says_is_not_held_against_the_runs() -> None:
    runs = tables.node(tables.repeats([1e6], layout="a", operation="read"))
    plan = {"name": "all", "factors": {"protocol": ["nfs"]}}
    study = Study(dataset.tree({"runs": runs}, {"study": "test-2026", "origin": "measured", "design": [plan]}))
    with pytest.raises(AnalysisError, match="no rows of the study have all keys of its design: protocol"):
        LOOK["planned runs"](study)


def test_the_path_of_a_log_may_name_another_run_and_the_log_itself_other_runs() -> None:
    """A run may read what another wrote: files that a log names are not its own."""
    named = [("r1/cli1.log", "cli1", "r1"), ("r1/cli2.log", "cli2", "r1"), ("r1/cli1_b.log", "cli1", "r2")]
    rows = [
        {"log": log, "log_id": float(log_id), "client": client, "run_id": run, "options": f"-f r1/{client}"}
        for log_id, (log, client, run) in enumerate(named)
    ]
    study = Study(dataset.tree({"logs": tables.node(rows)}, {"study": "clean", "origin": "measured"}))
    found = mislabelled_logs.named_by_the_sidecar(study).findings
    assert [(one.where, one.found) for one in found] == [
        ("r1/cli1_b.log", "listed under run r2, but its path names r1")
    ]
    assert not mislabelled_logs.named_by_the_log(study).findings


def test_what_is_expected_is_known_and_the_rest_keeps_the_rank_of_its_check() -> None:
    study = Study(campaign(1))
    said = [finding_ranks.Expected("own link", {"operation": ["reread"]}, "a reread comes from memory")]
    check = Check("own link", "?", lambda _: pytest.fail("not asked"))
    found = [
        Finding("run_id=a, operation=reread", "above", 9.0, operation="reread"),
        Finding("run_id=b, operation=read", "above", 1.0),
        Finding("run_id=c, operation=read", "above", 2.0, rank="wrong"),
    ]
    ranked = finding_ranks.ranked(check, found, study, said)
    assert [(one.where[7], one.rank) for one in ranked] == [("c", "wrong"), ("b", "doubtful"), ("a", "known")]
    assert ranked[-1].cause == "a reread comes from memory"


def test_lines_stand_for_all_findings_the_weightiest_first(tmp_path: Path) -> None:
    folder = broken.cluster(tmp_path / "cluster-2026")
    findings = analysis.validity_findings(ingest(folder))
    lines = dataset.frame(analysis.validity_lines(findings))
    assert lines["alike"].sum() == findings.sizes["obs"]
    weights = [finding_ranks.RANKS.index(rank) for rank in lines["finding_rank"]]
    assert weights == sorted(weights)
    assert lines["line_text"].str.contains(r"\(and \d+ more like it\)").any()
    asked = dataset.frame(analysis.validity(ingest(folder)))
    of_ranks = asked[[f"findings_{rank}" for rank in finding_ranks.RANKS]].sum(axis=1)
    assert (of_ranks == asked["findings"].fillna(0)).all()


def test_a_study_expects_nothing_under_a_key_that_does_not_exist(tmp_path: Path) -> None:
    folder = broken.on_board(tmp_path / "cluster-2026")
    path = folder / "study.yaml"
    said = yaml.safe_load(path.read_text())
    expected = [{"check": "own link", "where": {"layuot": "disperse"}, "why": "?"}]
    path.write_text(yaml.safe_dump({**said, "expected": expected}, sort_keys=False))
    with pytest.raises(SidecarError, match="layuot"):
        ingest(folder)


def test_a_study_expects_nothing_of_a_check_that_does_not_exist() -> None:
    study = campaign(1)
    study.attrs["expected"] = json.dumps([{"check": "outlier", "where": {}, "why": "?"}])
    with pytest.raises(UnknownNameError, match=r"check in `expected` of study.yaml 'outlier'; did you mean"):
        analysis.validity(study)


def test_a_study_keeps_its_logs_clocks_and_where_counters_stood(tmp_path: Path) -> None:
    study = ingest(broken.on_board(tmp_path / "cluster-2026"))
    logs = dataset.frame(study["logs"].to_dataset())
    own = logs.loc[logs["tool"] == "iozone", ["started", "log_started"]]
    assert own["log_started"].str.fullmatch(r"2026-11-20T\d\d:\d\d:\d\d").all()
    clients = dataset.frame(study["clients"].to_dataset())
    counted = clients[clients["counter_before"].notna()]
    moved = counted["network_sent"].fillna(counted["network_received"])
    assert len(counted) == 6
    assert (counted["counter_after"] - counted["counter_before"]).tolist() == moved.tolist()
    assert "counter_before" not in dataset.frame(study["runs"].to_dataset())


@pytest.mark.parametrize(
    ("values", "step"),
    [((23015.18 * 1024, 3.5 * 1024), 10.24), ((11781752.0, 7.0), 1.0), ((5e6, 23e6), 1e6), ((np.pi, np.e), 0.0)],
)
def test_the_step_in_which_rates_are_printed(values: tuple[float, ...], step: float) -> None:
    logs = Rows(
        {"log_id": np.repeat([1.0, 2.0], [3, len(values)]), "throughput": np.array([1e9, 2e9, 4e9, *values])},
        3 + len(values),
    )
    assert suspect_groups.quanta(logs.cells(["log_id"])).tolist() == pytest.approx([1e9, step])


@pytest.mark.parametrize(("odd", "step"), [(1, 1e6), (2, 0.0)])
def test_a_step_in_which_nearly_all_rates_are_printed_bears_less_than_one_in_twenty(odd: int, step: float) -> None:
    rates = np.array([np.pi] * odd + [5e6, 7e6] * 10 + [23e6] * (20 - odd))
    cells = Rows({"log_id": np.ones(40), "throughput": rates}, 40).cells(["log_id"])
    assert suspect_groups.quanta(cells).tolist() == [step]


def test_what_checks_share_is_made_once_for_each_study() -> None:
    asked = []

    @once
    def shared(study: Study, node: str) -> int:
        asked.append(node)
        return len(study.rows(node))

    first, second = Study(campaign(1)), Study(campaign(1))
    assert shared(first, "runs") == shared(first, "runs") == shared(second, "runs")
    assert shared(first, "clients") != shared(first, "runs")
    assert asked == ["runs", "runs", "clients"]
    for _ in range(2):
        with pytest.raises(AnalysisError, match="the study has no nothing"):
            shared(first, "nothing")


def test_groups_are_named_and_told_by_their_surprise() -> None:
    rows = Rows.of_cells([{"layout": "ab"[k % 2], "run_id": f"r{k}", "repeat": k // 2} for k in range(40)])
    parts = suspect_groups.groups(rows, ["layout", "repeat"])
    assert {"layout=a", "repeat=3", "run_id=r7"} <= {*parts.names}
    marked = rows["layout"] == "b"
    (found,) = suspect_groups.standing_out(parts, marked, 0.3)
    assert (found.name, found.marked, found.rows.tolist()) == ("layout=b", 20, np.flatnonzero(marked).tolist())
    assert not list(suspect_groups.standing_out(parts, np.arange(40) % 4 < 2, 0.3)), "half of each layout is no group"


def test_when_a_run_was_made_is_no_part_of_what_was_treated() -> None:
    placed = campaign(1)["runs"].to_dataset()
    number = ("obs", np.arange(float(placed.sizes["obs"])))
    placed = placed.assign_coords(dict.fromkeys(("order", "day", "round"), number))
    study = Study(dataset.tree({"runs": placed}, {"study": "test-2026", "origin": "measured"}))
    assert not {"order", "day", "round"} & {*study.keys("runs")}
    assert "layout" in study.keys("runs")


def test_a_rate_may_lie_a_twentieth_above_its_link() -> None:
    one = {"client": "c1", "clients": 1.0, "operation": "write", "client_link": 1e8, "log_id": 0.0}
    rates = {"at burst": 1.04e8, "above": 1.06e8}
    rows = [{**one, "run_id": run, "throughput": rate, "line": 1.0} for run, rate in rates.items()]
    study = Study(dataset.tree({"runs": tables.node(rows)}, {"study": "test-2026", "origin": "measured"}))
    (finding,) = LOOK["own link"](study).findings
    assert finding.where.startswith("run_id=above")
