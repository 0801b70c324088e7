"""A plan with blocks, groups and monitors: a server that is started seldom, runs of several kinds, sar beside each."""

from __future__ import annotations

import itertools
import random
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab import ingest
from storagelab.errors import SidecarError
from storagelab.recording import campaign, journal, monitors, randomised_order
from storagelab.study.campaign_plan import Campaign
from tests.cli.conftest import Cli
from tests.faults import steps
from tests.recording.conftest import on_path
from tests.recording.test_campaign import planned, quiet, rows

pytestmark = [pytest.mark.forks, pytest.mark.usefixtures("unread")]

PLAN = """plan:
  seed: 7
  repeats: 2
  set: {filesystem: xfs}
  blocks:
    levels: [{server_mode: bare-metal}, {server_mode: virtual}]
    before: server start {server_mode}
    after: server stop
  monitors: {sar: "watching {server_mode}"}
  groups:
    - set: {operation_group: write}
      factors: {clients: [1, 2]}
      before: prepare {clients}
      command: fio --numjobs={clients}
    - set: {operation_group: read, clients: 1}
      command: fio --rw=read
"""
SAR = Path(__file__).parent.parent / "logs" / "sar"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: str) -> Path:
    """Commands that write down that they were called, and one that prints like sar until it is interrupted."""
    said = tmp_path / "said.txt"
    for name in ("server", "prepare"):
        on_path(tmp_path, monkeypatch, name, f'echo {name} "$@" | tee -a {said}')
    log = sorted(SAR.glob("*.txt"))[0]
    on_path(
        tmp_path,
        monkeypatch,
        "watching",
        f'sed "1s/(/(host$$./" {log}; exec sleep 600',
    )
    return said


def of_blocks(plan: Campaign, rounds: int) -> list[tuple[int, list[randomised_order.Run]]]:
    return [
        (block, list(runs))
        for block, runs in itertools.groupby(randomised_order.runs(plan, rounds), key=lambda run: run.block)
    ]


@given(
    st.integers(0, 99), st.integers(1, 3), st.lists(st.sampled_from("abcd"), min_size=1, unique=True), st.integers(1, 3)
)
def test_each_round_has_each_block_once_and_each_block_all_its_runs(
    seed: int, rounds: int, modes: list[str], clients: int
) -> None:
    plan = Campaign.model_validate({
        "seed": seed, "repeats": rounds, "blocks": {"levels": [{"layout": mode} for mode in modes]},
        "groups": [
            {"set": {"operation_group": "write"}, "factors": {"clients": list(range(1, clients + 1))}, "command": "w"},
            {"set": {"operation_group": "read"}, "command": "r"},
        ],
    })  # fmt: skip
    blocks = of_blocks(plan, rounds)
    assert [number for number, _ in blocks] == list(range(1, rounds * len(modes) + 1))
    for first in range(0, len(blocks), len(modes)):
        of_round = blocks[first : first + len(modes)]
        assert sorted(str(runs[0].levels["layout"]) for _, runs in of_round) == sorted(modes)
        for _, runs in of_round:
            assert len({run.levels["layout"] for run in runs}) == 1
            assert len({str(run.words()) for run in runs}) == len(runs) == clients + 1
    assert [run.number for _, runs in blocks for run in runs] == list(range(1, len(blocks) * (clients + 1) + 1))


def test_the_order_of_a_plan_without_blocks_is_that_of_campaigns_that_have_begun() -> None:
    plan = Campaign(seed=7, repeats=2, factors={"clients": (1, 2, 4), "filesystem": ("xfs", "ext4")}, command="x")
    cells = [dict(zip(plan.factors, levels, strict=True)) for levels in itertools.product(*plan.factors.values())]
    for number in (1, 2):
        places = list(range(6))
        random.Random(f"7 {number}").shuffle(places)
        of_round = [run.levels for run in randomised_order.runs(plan, 2) if run.round == number]
        assert of_round == [cells[place] for place in places]


@pytest.mark.slow
def test_a_block_begins_before_its_runs_and_ends_behind_them(study: Path, lab: Path, cli: Cli) -> None:
    plan = planned(study, PLAN)
    done = cli("campaign")
    assert done.code == 0, done.err
    wanted = []
    for _, runs in of_blocks(plan, 2):
        prepared = [f"prepare {run.words()['clients']}" for run in runs if run.levels["operation_group"] == "write"]
        wanted += [f"server start {runs[0].levels['server_mode']}", *prepared, "server stop"]
    assert lab.read_text().splitlines() == wanted
    assert "server start virtual\n" in done.err, "what they print is talk"
    assert "12 runs are planned, 12 are made" in cli("campaign").err
    assert lab.read_text().splitlines() == wanted, "nothing to do, nothing is started"


@pytest.mark.slow
def test_monitors_are_logs_of_the_run_that_they_watched(study: Path, lab: Path, fio: str, cli: Cli) -> None:
    planned(study, PLAN)
    assert cli("campaign").code == 0
    found = rows(study)
    assert Counter(row["role"] for row in found) == {"benchmark": 12, "monitor_log": 12}
    by_run: dict[str, set[str]] = {}
    for row in found:
        by_run.setdefault(row["run_id"], set()).add(f"{row['role']} {row['command'].partition(' ')[0]}")
        assert (study / row["file"]).parent == study / row["run_id"]
    assert list(by_run.values()) == [{"benchmark fio", "monitor_log watching"}] * 12
    assert {row["command"] for row in found if row["server_mode"] == "virtual" and row["role"] == "monitor_log"} == {
        "watching virtual"
    }
    assert {row["exit_status"] for row in found} == {"0"}
    blocks = {(row["block"], row["server_mode"], row["repeat"]) for row in found}
    assert len(blocks) == 4
    made = ingest.ingest(study)
    assert sorted(set(made["runs"].to_dataset()["server_mode"].values)) == ["bare-metal", "virtual"]
    assert made["series"].sizes["obs"]


@pytest.mark.slow
def test_monitors_end_also_where_interrupts_are_ignored(study: Path, lab: Path, fio: str, cli: Cli) -> None:
    """As they are in what a shell starts in the background."""
    planned(study, PLAN)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert cli("campaign", "--repeats", "1").code == 0
    finally:
        signal.signal(signal.SIGINT, before)
    assert {row["exit_status"] for row in rows(study)} == {"0"}


WATCHED = """plan:
  repeats: 1
  set: {filesystem: xfs}
  factors: {clients: [1]}
  monitors: {polite: sleep 60, "too busy": deaf}
  command: waiting
"""


def test_a_monitor_that_does_not_end_when_it_is_asked_to_is_killed_and_its_row_says_so(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on until that monitor has closed its ears."""
    on_path(tmp_path, monkeypatch, "deaf", f"trap '' INT; echo begun; : > {tmp_path}/deaf; exec sleep 60")
    on_path(tmp_path, monkeypatch, "waiting", f"while [ ! -e {tmp_path}/deaf ]; do sleep 0.01; done")
    monkeypatch.setattr(monitors, "PATIENCE", 0.01)
    assert campaign.carry_out(study, planned(study, WATCHED), quiet()) == 1
    found = {Path(row["file"]).name: row for row in rows(study)}
    assert {name: (row["role"], row["exit_status"]) for name, row in found.items()} == {
        "waiting.log": ("benchmark", "0"), "polite.log": ("monitor_log", "0"), "too-busy.log": ("monitor_log", "137"),
    }  # fmt: skip
    assert (study / found["too-busy.log"]["file"]).read_text() == "begun\n"
    assert len({row["run_id"] for row in found.values()}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["watching", "prepare"])
def test_what_cannot_be_started_ends_the_block_and_is_named(
    study: Path, lab: Path, tmp_path: Path, cli: Cli, missing: str
) -> None:
    planned(study, PLAN)
    command = tmp_path / "bin" / missing
    aside = command.rename(tmp_path / missing)
    done = cli("campaign")
    assert done.code == 1
    assert f"{missing}: No such file or directory" in done.err
    assert lab.read_text().splitlines()[-1] == "server stop"
    aside.rename(command)
    assert cli("campaign").code == 0
    assert Counter(row["role"] for row in rows(study)) == {"benchmark": 12, "monitor_log": 12}


@pytest.mark.slow
def test_a_command_around_a_run_that_fails_stops_the_campaign_and_the_next_one_goes_on(
    study: Path, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    plan = planned(study, PLAN)
    text = (tmp_path / "bin" / "prepare").read_text()
    on_path(tmp_path, monkeypatch, "prepare", "exit 3")
    done = cli("campaign")
    assert done.code == 1
    first = next(run for run in randomised_order.runs(plan, 1) if run.group.before)
    clients = first.words()["clients"]
    assert f"raw/mine: before: `prepare {clients}` ended with exit status 3, at run {first.number}" in done.err, (
        done.err
    )
    assert lab.read_text().splitlines()[-1] == "server stop"
    (tmp_path / "bin" / "prepare").write_text(text)
    assert cli("campaign").code == 0
    assert Counter(row["role"] for row in rows(study)) == {"benchmark": 12, "monitor_log": 12}


def test_a_server_that_does_not_start_is_named(
    study: Path, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(study, PLAN)
    on_path(tmp_path, monkeypatch, "server", "exit 1")
    mode = next(randomised_order.runs(plan, 1)).levels["server_mode"]
    said = rf"^raw/mine: blocks.before: `server start {mode}` ended with exit status 1, at run 1$"
    with pytest.raises(SidecarError, match=said):
        campaign.carry_out(study, plan, quiet())
    assert not list(study.glob("fio/*"))


@pytest.mark.slow
def test_killed_at_random_each_run_and_its_monitor_are_there_exactly_once(study: Path, lab: Path) -> None:
    plan = planned(study, PLAN)
    drawn, killed = random.Random(20), 0
    while killed < 10:
        ended = steps.disturbed(
            lambda: campaign.carry_out(study, plan, quiet()), Path("said"), drawn.randrange(12, 60), kill=True
        )
        assert ended.status in (0, steps.KILLED), ended.said
        killed += 1
    assert campaign.carry_out(study, plan, quiet()) == 0
    found = rows(study)
    assert Counter(row["run_id"] for row in found) == dict.fromkeys({row["run_id"] for row in found}, 2)
    assert Counter(row["role"] for row in found) == {"benchmark": 12, "monitor_log": 12}
    ends = Counter(line["end"] for line in journal._lines(study / journal.NAME) if "end" in line)
    assert ends == dict.fromkeys(range(1, 13), 1)
    logs = {path.relative_to(study).as_posix() for path in study.glob("fio/*/*.log")}
    assert logs == {row["file"] for row in found}


TWICE = "one of `repeats`, `set`, `blocks` and `factors` says it already"


@pytest.mark.parametrize(("old", "new", "said"), [
    ("  seed: 7", "  factors: {clients: [1]}", "factors: with `groups` each group says its own"),
    ("set: {filesystem: xfs}", "set: {server_mode: x}", f"server_mode: {TWICE}"),
    ("read, clients: 1}", "read, filesystem: ext4}", f"filesystem: {TWICE}"),
    ("factors: {clients", "factors: {server_mode: [a], clients", f"server_mode: {TWICE}"),
    ("start {server_mode}", "start {clients}", "blocks.before: {clients} is no field; known: filesystem, study,"),
    ("watching {server_mode}", "watching {clients}", "monitors.sar: {clients} is no field; known: filesystem,"),
    ("watching {server_mode}", "", "monitors.sar: expected what a run is, found nothing"),
    ("--numjobs={clients}", "--host={host}", "groups.0.command: {host} stands there, but `hosts` names none"),
    ("prepare {clients}", "prepare {host}", "groups.0.before: {host} is no field; known: clients, operation_group,"),
    ("prepare {clients}", "prepare 'a", "groups.0.before: No closing quotation"),
    ("[{server_mode: b", "[{server_mod: b", "unknown key 'server_mod'; did you mean 'server_mode'"),
    ("operation_group: write", "operation_grup: write", "unknown key 'operation_grup'; did you mean 'operation_group'"),
    ("      command: fio --rw=read", "      hosts: [a, a]\n      command: fio", "groups.1.hosts: expected each once"),
])  # fmt: skip
def test_a_plan_that_is_wrong_is_refused(old: str, new: str, said: str, study: Path, cli: Cli) -> None:
    assert old in PLAN
    (study / "study.yaml").write_text("id: mine\ntitle: Mine\norigin: measured\n" + PLAN.replace(old, new))
    done = cli("campaign")
    assert done.code == 1
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_plan_without_factors_and_groups_says_nothing(study: Path, cli: Cli) -> None:
    (study / "study.yaml").write_text("id: mine\ntitle: Mine\norigin: measured\nplan: {repeats: 1, command: fio}\n")
    assert "expected `factors`, or `groups` that have theirs" in cli("campaign").err


def test_runs_are_counted_against_each_part_of_the_plan(study: Path, lab: Path, cli: Cli) -> None:
    planned(study, PLAN)
    assert cli("campaign", "--repeats", "1").code == 0
    said = cli("check", "mine").out
    assert "plan: bare-metal, write: 2 of 4 runs; missing: clients 1, repeat 2; clients 2, repeat 2" in said
    assert "plan: virtual, read, 1: 1 of 2 runs; missing: repeat 2" in said


def test_what_went_wrong_first_is_said_also_where_the_block_cannot_be_ended(
    study: Path, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    planned(study, PLAN)
    on_path(tmp_path, monkeypatch, "prepare", f"rm {tmp_path}/bin/server; exit 3")
    done = cli("campaign")
    assert done.code == 1
    assert "ended with exit status 3, at run" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(("passed", "measured", "factor"), [
    (90.0, [10.0, 20.0], 3.0), (30.0, [10.0, 20.0], 1.0), (5.0, [10.0], 1.0), (7.0, [], 1.0),
])  # fmt: skip
def test_the_time_left_counts_what_stands_around_the_runs(passed: float, measured: list[float], factor: float) -> None:
    assert campaign.with_surroundings(passed, measured) == factor


@pytest.mark.parametrize(
    ("seconds", "text"), [(59.4, "59 s"), (60.0, "1.0 min"), (3599.0, "60.0 min"), (5400.0, "1.5 h")]
)
def test_the_time_left_is_told_in_the_unit_that_keeps_it_short(seconds: float, text: str) -> None:
    assert campaign._duration(seconds) == text
