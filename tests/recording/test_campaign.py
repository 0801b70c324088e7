"""A campaign makes each run of its plan exactly once, in rounds, whatever stops it."""

from __future__ import annotations

import csv
import json
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storagelab import ingest, writing
from storagelab.errors import SidecarError
from storagelab.recording import campaign, hosts, journal, places, randomised_order
from storagelab.study.campaign_plan import Campaign
from tests.cli.conftest import Cli
from tests.faults import states, steps
from tests.recording import standin
from tests.recording.conftest import STUDY, on_path
from tests.recording.test_record import PROGRAM

pytestmark = [pytest.mark.forks, pytest.mark.usefixtures("unread")]

RUN = "fio --numjobs={clients} --fs={filesystem}"
PLAN = f"""plan:
  seed: 7
  repeats: 3
  factors:
    clients: [1, 2]
    filesystem: [xfs, "ext 4"]
  command: {RUN}
"""


ONE_ROUND = PLAN.replace("repeats: 3", "repeats: 1")
ENDLESS = 'test "$1" = --version && exit; echo begun; exec sleep 600'
"""A fio that tells its version at once, as all do, and does not end otherwise."""


def planned(study: Path, plan: str = PLAN) -> Campaign:
    (study / "study.yaml").write_text(STUDY + plan)
    return campaign.plan_of(study)


def rows(study: Path) -> list[dict[str, str]]:
    with (study / "runs.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def quiet(told: list[str] | None = None) -> campaign.Shown:
    return campaign.Shown(lambda data: None, lambda data: None, (told if told is not None else []).append)


def once(study: Path, plan: Campaign, rounds: int) -> None:
    """Hold that each planned run is there exactly once, whole, and nothing else."""
    cells = Counter((row["clients"], row["filesystem"], row["repeat"]) for row in rows(study))
    wanted = {
        (run.words()["clients"], run.words()["filesystem"], str(run.round))
        for run in randomised_order.runs(plan, rounds)
    }
    assert cells == dict.fromkeys(wanted, 1)
    logs = {path.relative_to(study).as_posix() for path in study.glob("fio/*.log")}
    assert logs == {row["file"] for row in rows(study)}
    assert all(json.loads((study / log).read_text())["fio version"] for log in logs)
    assert not [path for path in study.rglob(f"*{writing.BEGUN}") if campaign.ASIDE not in path.parts]
    ends = Counter(line["end"] for line in journal._lines(study / journal.NAME) if "end" in line)
    assert ends == dict.fromkeys(range(1, len(wanted) + 1), 1)


def test_each_round_has_each_cell_once_in_an_order_of_its_own_that_the_seed_fixes() -> None:
    plan = Campaign(seed=1, repeats=20, factors={"clients": (1, 2, 4), "filesystem": ("xfs", "ext4")}, command="x")
    runs = list(randomised_order.runs(plan, 20))
    assert [run.number for run in runs] == list(range(1, 121))
    of_round = [[str(run.words()) for run in runs if run.round == number] for number in range(1, 21)]
    assert all(sorted(cells) == sorted(of_round[0]) and len(set(cells)) == 6 for cells in of_round)
    assert len({tuple(cells) for cells in of_round}) > 15
    assert runs == list(randomised_order.runs(plan, 20))
    assert list(randomised_order.runs(plan, 2)) == runs[:12], "more rounds leave those before as they are"
    assert list(randomised_order.runs(plan.model_copy(update={"seed": 2}), 20)) != runs


@pytest.mark.slow
def test_a_campaign_that_is_killed_at_random_twenty_times_has_each_run_exactly_once(study: Path, quick: str) -> None:
    plan = planned(study)
    told: list[str] = []
    drawn = random.Random(20)

    def carry_out() -> None:
        campaign.carry_out(study, plan, quiet())

    killed = 0
    while killed < 20:
        at = drawn.randrange(12, 45)  # a run takes about thirty steps on disk
        ended = steps.disturbed(carry_out, Path("said"), at, kill=True)
        assert ended.status in (0, steps.KILLED), ended.said
        killed += ended.status == steps.KILLED
        if ended.status == 0:
            once(study, plan, 3)
            (study / journal.NAME).rename("journal.jsonl")
            for path in [study / "runs.csv", *study.glob("fio/*")]:
                path.unlink()
    assert campaign.carry_out(study, plan, quiet(told)) == 0
    once(study, plan, 3)
    assert list((study / campaign.ASIDE).iterdir()), "what was cut off was kept"
    assert ingest.unsealed(study)


@pytest.mark.slow
def test_a_run_that_is_killed_at_any_step_on_disk_is_made_exactly_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: str
) -> None:
    """Steps of one process that goes on: those that are killed at random, above, leave other processes too."""
    root, study = tmp_path / "root", Path("raw", "mine")
    (root / study).mkdir(parents=True)
    monkeypatch.chdir(root)
    plan = planned(study, ONE_ROUND.replace("[1, 2]", "[1]").replace(', "ext 4"', ""))
    left = states.left_by_kills(partial(campaign.carry_out, study, plan, quiet()), root, tmp_path / "states")
    assert len(left) > 12, "each step was tried"
    for state in left:
        monkeypatch.chdir(state.root)
        assert campaign.carry_out(study, plan, quiet()) == 0
        once(study, plan, 1)


@pytest.mark.slow
def test_a_run_during_which_the_campaign_was_killed_is_made_again_and_its_log_set_aside(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: str
) -> None:
    plan = planned(study, ONE_ROUND)
    text = (tmp_path / "bin" / "fio").read_text()
    on_path(tmp_path, monkeypatch, "fio", ENDLESS)
    with subprocess.Popen([sys.executable, "-c", PROGRAM, "campaign"], stderr=subprocess.PIPE, text=True) as killed:
        first = study / campaign._Campaign(study, plan, quiet(), journal.Journal(study))._name(
            next(randomised_order.runs(plan, 1))
        )
        while not (writing.begun(first).exists() and writing.begun(first).read_text() == "begun\n"):
            assert killed.poll() is None
            time.sleep(0.01)
        killed.kill()
        killed.communicate()
    (tmp_path / "bin" / "fio").write_text(text)
    told: list[str] = []
    assert campaign.carry_out(study, plan, quiet(told)) == 0
    once(study, plan, 1)
    aside = study / campaign.ASIDE / f"fio_.{first.name}{writing.BEGUN}.1"
    assert f"run 1 was cut off: what it left is in {aside}" in told
    assert aside.read_text() == "begun\n"


def test_of_runs_that_a_kill_left_open_those_are_closed_that_have_their_row_and_the_others_made_again(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, "fio", f"cat {shlex.quote(str(standin.SHAPE))}; exit 3")
    plan = planned(study, ONE_ROUND)
    assert campaign.carry_out(study, plan, quiet()) == 4
    said = list(journal._lines(study / journal.NAME))
    left_open = [line for line in said if line.get("end") not in (3, 4)]
    (study / journal.NAME).write_text("".join(f"{json.dumps(line)}\n" for line in left_open))
    lost = next(line["log"] for line in said if line.get("end") == 3)
    kept = [line for line in (study / "runs.csv").read_text().splitlines(keepends=True) if lost not in line]
    (study / "runs.csv").write_text("".join(kept))
    told: list[str] = []
    assert campaign.carry_out(study, plan, quiet(told), only=3) == 1
    assert list(journal.opened(study, plan).begun) == [4], "a task of an array leaves the runs of others alone"
    assert campaign.carry_out(study, plan, quiet(told)) == 4
    once(study, plan, 1)
    ends = {line["end"]: line for line in journal._lines(study / journal.NAME) if "end" in line}
    assert [ends[number] == line for line in said if (number := line.get("end"))] == [True, True, False, True]
    aside = study / campaign.ASIDE / lost.replace("/", "_")
    assert [text for text in told if "cut off" in text] == [
        f"run 3 was cut off: what it left is in {aside}{ending}.1" for ending in ("", ".storagelab.json")
    ]
    assert told[-1] == "raw/mine: 4 runs are planned, 4 are made"


def test_a_run_that_study_yaml_leaves_out_is_told_and_not_made_again(study: Path) -> None:
    plan = planned(study, f'{ONE_ROUND}match:\n- {{glob: "fio/2.log", ignore: the server was rebooted}}\n')
    (study / "runs.csv").write_text("file\n" + "".join(f"fio/{number}.log\n" for number in range(1, 5)))
    ended = {number: {"log": f"fio/{number}.log", "status": 0, "elapsed": 1.0} for number in range(1, 5)}
    told: list[str] = []
    assert campaign._Campaign(study, plan, quiet(told), journal.Journal(study / journal.NAME, ended)).carry_out(0) == 0
    assert [line.partition(": ")[0] for line in told] == [
        "fio/2.log is left out by study.yaml (the server was rebooted), and not made again here", "raw/mine",
    ]  # fmt: skip


def test_a_folder_of_logs_that_was_cut_off_is_set_aside_with_what_was_begun_in_it(study: Path) -> None:
    folder = study / "fio" / "a"
    folder.mkdir(parents=True)
    for name in ("h1.log", ".h2.log.begun"):
        (folder / name).write_text("half")
    told: list[str] = []
    left_open = journal.Journal(study / journal.NAME, begun={1: {"log": "fio/a"}})
    campaign._Campaign(study, planned(study), quiet(told), left_open)._mend(0)
    assert {path.name for path in (study / campaign.ASIDE).iterdir()} == {"fio_a_h1.log.1", "fio_a_.h2.log.begun.1"}
    assert len(told) == 2


def test_a_run_that_has_its_row_and_nothing_that_was_seen_of_it_ended_well(study: Path) -> None:
    plan = planned(study)
    (study / "runs.csv").write_text("file,clients\nfio/b.log,1\n")
    left_open = journal.Journal(study / journal.NAME, begun={2: {"log": "fio/b.log"}})
    campaign._Campaign(study, plan, quiet(), left_open)._mend(0)
    assert left_open.ended == {2: {"log": "fio/b.log", "status": 0, "elapsed": 0.0}}


def test_the_next_campaign_waits_for_the_command_that_a_killed_one_left_running(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    looks = iter(["12:00", "12:00", "12:05"])
    monkeypatch.setattr(writing, "start_of", lambda pid: next(looks))
    monkeypatch.setattr(campaign, "GLANCE", 0)
    begun = {2: {"log": "a", "pid": 77, "since": "12:00"}, 3: {"log": "b"}, 4: {"log": "c", "pid": 78, "since": None}}
    begun[5] = {"log": "d", "pid": 79, "since": writing.ENDED}
    campaign._Campaign(study, planned(study), quiet(told), journal.Journal(study, begun=begun))._mend(0)
    assert told == ["the command of run 2 still runs as process 77: waiting for its end"]
    assert [*looks] == [], "a process that began later is another one, and the others never started, or ended at once"


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_campaign_that_is_interrupted_hands_it_on_and_makes_the_run_again(
    number: int, status: int, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: str
) -> None:
    plan = planned(study, ONE_ROUND)
    text = (tmp_path / "bin" / "fio").read_text()
    on_path(tmp_path, monkeypatch, "fio", ENDLESS)
    command = [sys.executable, "-c", PROGRAM, "campaign"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        running.send_signal(number)
        _, said = running.communicate()
    assert running.returncode == status
    assert "interrupted; the next `storagelab campaign` makes it again" in said
    assert not (study / "runs.csv").exists()
    (tmp_path / "bin" / "fio").write_text(text)
    assert campaign.carry_out(study, plan, quiet()) == 0
    once(study, plan, 1)


def test_it_goes_on_where_it_was_and_makes_no_run_twice(study: Path, quick: str, cli: Cli) -> None:
    plan = planned(study)
    assert cli("campaign", "mine", "--repeats", "1").code == 0
    assert len(rows(study)) == 4
    first = (study / "runs.csv").read_text()
    done = cli("campaign")
    assert done.code == 0
    assert "raw/mine: 12 runs are planned, 4 are made" in done.err
    assert "12 of 12 runs are made" in done.err
    assert "; about " in done.err
    assert (study / "runs.csv").read_text().startswith(first)
    once(study, plan, 3)


def test_a_dry_run_shows_the_order_and_makes_nothing(study: Path, cli: Cli) -> None:
    plan = planned(study)
    done = cli("campaign", "--dry-run")
    lines = done.out.splitlines()
    assert len(lines) == 12
    assert lines[0] == f"{next(randomised_order.runs(plan, 1))}: fio --numjobs=1 --fs=xfs" or lines[0].startswith(
        "run 1, round 1: "
    )
    assert "fio --numjobs=2 '--fs=ext 4'" in done.out
    assert sorted(path.name for path in study.rglob("*")) == ["study.yaml"]


def test_an_array_of_slurm_makes_each_run_by_its_number(study: Path, quick: str, cli: Cli) -> None:
    plan = planned(study, PLAN + "  slurm: [--time=01:00:00]\n")
    script = cli("campaign", "--slurm").out
    assert "#SBATCH --array=1-12%1\n" in script
    assert "#SBATCH --time=01:00:00\n" in script
    last = script.splitlines()[-1]
    assert last == 'exec storagelab campaign raw/mine --repeats 3 --run "$SLURM_ARRAY_TASK_ID"'
    for number in range(1, 13):
        arguments = last.removeprefix("exec storagelab ").replace('"$SLURM_ARRAY_TASK_ID"', str(number)).split()
        assert cli(*arguments).code == 0
    once(study, plan, 3)
    assert "--run 13: the plan has no run of this number" in cli("campaign", "--run", "13").err


def test_an_array_of_slurm_has_as_many_runs_as_are_asked_for(study: Path, cli: Cli) -> None:
    planned(study, PLAN.replace("repeats: 3", "repeats: auto"))
    refused = cli("campaign", "--slurm")
    assert (refused.code, refused.out) == (1, "")
    assert "an array has a fixed number of runs: say --repeats N instead of auto" in refused.err
    assert "#SBATCH --array=1-20%1\n" in cli("campaign", "--slurm", "--repeats", "5").out


def test_a_study_without_a_plan_says_where_one_is_expected(study: Path, cli: Cli) -> None:
    (study / "study.yaml").write_text(STUDY)
    expected = "study.yaml: no plan: expected a section `plan` here, or a plan.yaml beside it"
    assert expected in cli("campaign", "mine").err


@pytest.mark.parametrize(("change", "said"), [
    (("command: fio", "command: fio {client}"), "command: {client} is no field; known: clients, filesystem, repeat,"),
    (("command: fio", "command: fio {host}"), "command: {host} stands there, but `hosts` names none"),
    ((RUN, "''"), "command: expected what a run is, found nothing"),
    (("{filesystem}", "{filesystem"), "command: expected '}' before end of string; a brace that is one is written"),
    (("[1, 2]", "[1, one]"), r"study.yaml:8: plan.factors.clients.1: clients: expected a number, found"),
    (("[1, 2]", "[1, 1]"), "factors.clients: expected each level once, found 1.0, 1.0"),
    (("[1, 2]", "[]"), "plan.factors.clients: expected 1 or more, found []"),
    (("repeats: 3", "repeats: 0"), "study.yaml:6: plan.repeats: expected a whole number from 1 on, or auto, found 0"),
    (("seed", "sead"), "study.yaml:5: unknown key 'plan.sead'"),
    (("clients:", "clinets:"), "unknown key 'clinets'; did you mean 'clients', 'client'?"),
    (("  seed: 7", "  hosts: [a, a]"), "hosts: expected each once, found a, a"),
    (("  seed: 7", "  hosts: [a]"), "factors.clients: 2 of 1 hosts"),
    (("  seed: 7", "  hosts: [a, b]\n  drop_caches: true"), "drop_caches: other hosts drop their caches by their own"),
])  # fmt: skip
def test_a_plan_that_is_wrong_is_refused_in_one_line(
    change: tuple[str, str],
    said: str,
    study: Path,
    cli: Cli,
) -> None:
    (study / "study.yaml").write_text(STUDY + PLAN.replace(*change))
    done = cli("campaign")
    assert done.code == 1
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_plan_may_stand_in_a_file_of_its_own_and_nowhere_twice(study: Path, cli: Cli) -> None:
    own = "".join(line.removeprefix("  ") + "\n" for line in PLAN.splitlines()[1:])
    (study / "plan.yaml").write_text(own)
    assert cli("campaign", study / "plan.yaml", "--dry-run").out.count("\n") == 12
    planned_ = cli("campaign", "--dry-run")
    assert planned_.code == 0
    (study / "study.yaml").write_text(STUDY + PLAN)
    assert "raw/mine/plan.yaml: study.yaml has a `plan` too: keep one of both" in cli("campaign").err


def test_a_line_of_the_journal_that_a_kill_cut_off_says_nothing(study: Path) -> None:
    plan = planned(study)
    whole = [json.dumps(said) for said in ({"plan": journal.identity(plan)}, {"begin": 1}, {"end": 1}, {"begin": 2})]
    open_and_ended = [([], []), ([], []), ([1], []), ([], [1])]
    for at, line in enumerate(whole):
        (study / journal.NAME).write_text("\n".join([*whole[:at], line[:-2]]))
        for _ in range(2):
            found = journal.opened(study, plan)
            assert ([*found.begun], [*found.ended]) == open_and_ended[at]


def test_a_campaign_of_another_plan_is_refused(study: Path, quick: str, cli: Cli) -> None:
    planned(study)
    assert cli("campaign", "--repeats", "1").code == 0
    planned(study, PLAN.replace("seed: 7", "seed: 8"))
    assert "the campaign that began here has another plan" in cli("campaign").err


def test_a_plan_is_another_where_a_run_of_it_is_and_not_for_how_many_there_are() -> None:
    plain: dict[str, Any] = {"repeats": 3, "factors": {"clients": [1, 2]}, "command": "fio"}
    group = {"factors": {"clients": [1, 2]}, "command": "fio"}
    others = [
        {"seed": 8}, {"factors": {"clients": [1]}}, {"set": {"filesystem": "xfs"}}, {"command": "fio -"},
        {"target": "/mnt"}, {"drop_caches": True}, {"hosts": ["a", "b"]}, {"before": "sync"},
        {"monitors": {"sar": "sar 1"}}, {"blocks": {"levels": [{"filesystem": "xfs"}]}},
        {"factors": {}, "command": "", "groups": [group]},
    ]  # fmt: skip
    alike = [{"repeats": 4}, {"ssh": ["ssh"]}, {"slurm": ["--exclusive"]}, {"pilot": {"rounds": 4}}]
    found = [
        {journal.identity(Campaign.model_validate(plain | change)) for change in changes}
        for changes in ([{}, *others], [{}, *alike])
    ]
    assert list(map(len, found)) == [1 + len(others), 1]


def test_one_campaign_at_a_time(study: Path, cli: Cli) -> None:
    planned(study)
    with writing.locked(study, name=journal.LOCK):
        assert "raw/mine: another campaign runs here: one at a time" in cli("campaign").err


def test_a_log_that_is_in_the_way_is_not_written_over(study: Path, quick: str, cli: Cli) -> None:
    plan = planned(study)
    name = campaign._Campaign(study, plan, quiet(), journal.Journal(study))._name(next(randomised_order.runs(plan, 1)))
    (study / name).parent.mkdir()
    (study / name).write_text("mine")
    done = cli("campaign")
    assert done.code == 1
    assert "there is such a log already, and it is no run of this campaign" in done.err
    assert (study / name).read_text() == "mine"


def test_commands_that_fail_are_counted_and_kept(
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
) -> None:
    planned(study)
    on_path(tmp_path, monkeypatch, "fio", "echo no; exit 3")
    done = cli("campaign", "--repeats", "1")
    assert done.code == 1
    assert "4 runs failed: their exit status is in runs.csv" in done.err
    assert {row["exit_status"] for row in rows(study)} == {"3"}


def test_a_pilot_decides_how_many_rounds_there_are(study: Path, fio: str, cli: Cli) -> None:
    auto = PLAN.replace("repeats: 3", "repeats: auto\n  pilot: {rounds: 3, effect: 1.05, most: 5}")
    planned(study, auto.replace('[xfs, "ext 4"]', "[xfs]"))
    done = cli("campaign")
    assert done.code == 0
    told = re.search(r"the pilot asks for (more than 5|[1-5]) rounds", done.err)
    assert told
    [decided] = [line["rounds"] for line in journal._lines(study / journal.NAME) if "rounds" in line]
    assert decided == (5 if told[1] == "more than 5" else max(3, int(told[1])))
    assert len(rows(study)) == 2 * decided
    again = cli("campaign")
    assert f"{2 * decided} runs are planned, {2 * decided} are made" in again.err


SSH = """while [ "$1" != "${1#-}" ]; do [ "$1" = -o ] && shift; shift; done
[ "$1" = down ] && exit 255
shift
exec sh -c "$*"
"""
"""An ssh that runs the command here, and cannot reach the host `down`."""

HOSTS = PLAN.replace("  repeats: 3\n", "  repeats: 1\n  hosts: [one, two]\n").replace("fio ", "fio --host={host} ")


@pytest.mark.slow
def test_many_hosts_begin_together_and_are_the_clients_of_one_run(
    study: Path,
    fio: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
) -> None:
    on_path(tmp_path, monkeypatch, "ssh", SSH)
    planned(study, HOSTS)
    done = cli("campaign")
    assert done.code == 0, done.err
    found = rows(study)
    assert Counter(row["client"] for row in found) == {"one": 4, "two": 2}
    assert len({row["run_id"] for row in found}) == 4
    assert "2 hosts began within " in done.err
    kept = [json.loads(path.read_text()) for path in study.rglob("two.log.storagelab.json")]
    assert all(0 <= run["start_skew"] < 60 and run["clock_uncertainty"] >= 0 for run in kept)
    assert all(run["command"][1] == "--host=two" for run in kept)
    made = ingest.ingest(study)
    assert set(made["runs"].to_dataset()["clients"].values) == {1.0, 2.0}
    assert sorted(set(made["clients"].to_dataset()["client"].values)) == ["one", "two"]


def test_what_each_host_prints_is_its_log_and_as_many_run_it_as_there_are_clients(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, "ssh", f"echo welcome; {SSH}")
    on_path(tmp_path, monkeypatch, "fio", 'echo "$1"; echo note >&2; printf hunt; [ "$1" = --host=one ] || exit 3')
    plan = planned(study, HOSTS.replace('[xfs, "ext 4"]', "[xfs]").replace("--fs", "--password=hunter2 --fs"))
    told: list[str] = []
    out, err = bytearray(), bytearray()
    before = time.time()
    assert campaign.carry_out(study, plan, campaign.Shown(out.extend, err.extend, told.append)) == 1
    found: dict[str, list[dict[str, Any]]] = {"1": [], "2": []}
    for row in rows(study):
        assert sorted((study / row["file"]).read_text().splitlines()) == [f"--host={row['client']}", "hunt", "note"]
        assert Path(row["file"]) == Path(row["run_id"], f"{row['client']}.log")
        found[row["clients"]].append(json.loads(places.of_log(study / row["file"]).read_text()))
    statuses = {clients: [(seen["host"], seen["exit_status"]) for seen in of] for clients, of in found.items()}
    assert statuses == {"1": [("one", 0)], "2": [("one", 0), ("two", 3)]}
    for of in found.values():
        began = [datetime.fromisoformat(seen["started"]).timestamp() for seen in of]
        ended = [datetime.fromisoformat(seen["ended"]).timestamp() for seen in of]
        assert [seen["start_skew"] for seen in of] == pytest.approx([max(began) - min(began)] * len(of), abs=0.002)
        assert [seen["elapsed"] for seen in of] == pytest.approx(np.subtract(ended, began), abs=0.002)
        unsure = 0.002 + max(seen["clock_uncertainty"] for seen in of)
        assert before - unsure <= min(began) <= max(ended) <= time.time() + unsure
    assert sorted(out.decode().replace("hunt", "").split()) == ["--host=one", "--host=one", "--host=two"]
    assert err.decode().split() == ["note"] * 3
    began_within = re.findall(r"clients (\d), .*: (\d) hosts began within \d\.\d{3} s \(known to \d", "\n".join(told))
    assert sorted(began_within) == [("1", "1"), ("2", "2")]


def test_the_last_that_a_host_prints_is_kept_though_a_secret_begins_with_it(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(tmp_path, monkeypatch, "ssh", SSH)
    on_path(tmp_path, monkeypatch, "fio", "printf 'all of it: hunt'")
    plan = planned(study, HOSTS.replace('[xfs, "ext 4"]', "[xfs]").replace("--fs", "--password=hunter2 --fs"))
    campaign.carry_out(study, plan, quiet())
    assert {(study / row["file"]).read_text() for row in rows(study)} == {"all of it: hunt"}


def test_a_host_that_cannot_be_reached_stops_the_run_before_any_began(
    study: Path,
    fio: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
) -> None:
    on_path(tmp_path, monkeypatch, "ssh", SSH)
    planned(study, HOSTS.replace("two]", "down]").replace("[1, 2]", "[2]"))
    done = cli("campaign")
    assert done.code == 1
    assert "mine: not run: down: no connection, or no sh there: exit status 255" in done.err
    assert not (study / "runs.csv").exists()


@pytest.mark.parametrize("of", [hosts.check, randomised_order.check_commands])
def test_errors_are_those_of_sidecars(of: Callable[..., Any]) -> None:
    plan = Campaign(repeats=1, factors={"clients": (1,)}, command="{x}", hosts=("a", "a"))
    with pytest.raises(SidecarError, match=r"^here: (command|hosts): "):
        of(plan, "here")
