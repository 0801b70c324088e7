"""What seldom comes in a campaign: signals, pilots at their ends, runs of several logs that a kill left open."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import xarray as xr

from storagelab import analysis, ingest, writing
from storagelab.errors import AnalysisError, ParseError, SidecarError
from storagelab.recording import (
    campaign,
    fits_in_memory,
    hosts,
    journal,
    machine,
    monitors,
    places,
    process,
    randomised_order,
)
from storagelab.recording.record import Interrupted, Order, _keys, record
from storagelab.study import read_sidecar
from storagelab.study.campaign_plan import Campaign
from tests.recording.conftest import STUDY
from tests.recording.test_campaign import PLAN, planned, quiet

MANY = PLAN.replace("repeats: 3", "repeats: auto\n  pilot: {rounds: 3, effect: 1.5, power: 0.8, most: 5}")


def begun(study: Path, plan: Campaign, told: list[str] | None = None, **known: Any) -> campaign._Campaign:
    return campaign._Campaign(study, plan, quiet(told), journal.Journal(study / journal.NAME, **known))


@pytest.mark.parametrize(("asks", "made", "said"), [
    (2.0, 3, "2"), (3.0, 3, "3"), (4.0, 4, "4"), (5.0, 5, "5"), (6.0, 5, "more than 5"), (math.inf, 5, "more than 5"),
])  # fmt: skip
def test_a_pilot_is_followed_from_its_own_rounds_to_the_most_of_its_plan(
    asks: float, made: int, said: str, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose cells are those of the plan and of the operations that the logs have, each once."""
    asked: list[Any] = []

    def ask(runs: xr.Dataset, variable: str, by: list[str], **wanted: float) -> dict[str, xr.DataArray]:
        asked.append((variable, by, wanted))
        return {"rounds": xr.DataArray([asks])}

    told: list[str] = []
    monkeypatch.setattr(analysis, "plan_repeats", ask)
    for operation, factors, levels in (
        ("operation", "clients", 1),
        ("operation", "operation", "read"),
        ("size", "clients", 1),
    ):
        plan = planned(study, MANY.replace("clients: [1, 2]", f"{factors}: [{levels}]").replace("{clients}", "1"))
        runs = xr.Dataset(coords={operation: ("obs", ["read"])})
        monkeypatch.setattr(ingest, "ingest", lambda folder, runs=runs: xr.DataTree.from_dict({"runs": runs}))
        assert begun(study, plan, told)._asked() == made
    cells = (["clients", "filesystem", "operation"], ["operation", "filesystem"], ["clients", "filesystem"])
    assert asked == [("throughput", by, {"effect": 1.5, "power": 0.8}) for by in cells]
    of_it = f"the pilot asks for {said} rounds, to show a ratio of 1.5 with power 0.8: {made} are made"
    assert told == [of_it] * 3


def test_a_pilot_that_tells_nothing_stops_the_campaign(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*asked: object, **more: object) -> None:
        raise AnalysisError("no cell has two runs")

    monkeypatch.setattr(analysis, "plan_repeats", refuse)
    monkeypatch.setattr(ingest, "ingest", lambda folder: xr.DataTree.from_dict({"runs": xr.Dataset()}))
    said = "^raw/mine: the pilot does not tell how many repeats are needed: no cell has two runs$"
    with pytest.raises(SidecarError, match=said):
        begun(study, planned(study, MANY))._asked()


@pytest.mark.parametrize("during", ["before", "run"])
def test_a_signal_of_a_run_or_of_what_comes_before_it_ends_the_campaign_as_that_signal(
    during: str, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(study, PLAN.replace("  command:", "  before: sync\n  command:"))
    statuses = {"before": process.Ended(143, ["SIGTERM"]), "run": process.Ended(0, [])}
    monkeypatch.setattr(process, "run", lambda *asked: statuses[during])

    def interrupted(*asked: object) -> None:
        raise Interrupted("SIGTERM")

    raised: list[int] = []
    told: list[str] = []
    monkeypatch.setattr(campaign, "run_alone", interrupted)
    monkeypatch.setattr(signal, "raise_signal", raised.append)
    with pytest.raises(KeyboardInterrupt):
        campaign.carry_out(study, plan, quiet(told))
    first = next(randomised_order.runs(plan, 1))
    again = f"{first}: interrupted; the next `storagelab campaign` makes it again"
    assert (raised, [line for line in told if "interrupted" in line]) == ([signal.SIGTERM], [again] * (during == "run"))
    assert not [line for line in journal._lines(study / journal.NAME) if "end" in line]
    assert told[:2] == ["raw/mine: 12 runs are planned, 0 are made", str(first)]


def test_a_block_that_is_interrupted_is_ended_and_what_interrupted_it_is_what_is_said(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around: list[str] = []
    plan = planned(study, f"{PLAN}  blocks: {{levels: [{{layout: a}}], before: begin, after: finish}}\n")

    def run(words: list[str], *asked: object) -> process.Ended:
        around.append(words[0])
        return process.Ended(int(words[0] == "finish"), [])

    monkeypatch.setattr(process, "run", run)
    made = begun(study, plan)
    first = next(randomised_order.runs(plan, 1))
    with pytest.raises(ZeroDivisionError), made._block(first):
        raise ZeroDivisionError
    with (
        pytest.raises(SidecarError, match=r"blocks\.after: `finish` ended with exit status 1, at run 1"),
        made._block(first),
    ):
        around.append("run")
    assert around == ["begin", "finish", "begin", "run", "finish"]


def test_what_is_asked_of_a_run_is_what_its_plan_says(study: Path) -> None:
    """The keys of the plan, of the run, and of what stands around it."""
    plain = planned(study, PLAN)
    run = next(randomised_order.runs(plain, 1))
    asked = begun(study, plain)._asked_for(run, "fio/a.log")
    words = run.words()
    wanted = Order(study, ["fio", f"--numjobs={words['clients']}", f"--fs={words['filesystem']}"],
                   {**words, "repeat": "1"}, name="fio/a.log", more={"campaign": {"run": 1, "round": 1}},
                   whole=True, started=asked.started)  # fmt: skip
    assert asked == wanted
    more = "  target: /mnt\n  drop_caches: true\n  set: {layout: wide}\n  monitors: {sar: sar 1}\n"
    full = planned(study, f"{PLAN}{more}  blocks: {{levels: [{{server_mode: virtual}}]}}\n")
    run = list(randomised_order.runs(full, 2))[4]
    asked = begun(study, full)._asked_for(run, "fio/a")
    assert (asked.target, asked.drop_caches, asked.name, asked.run_id) == (Path("/mnt"), True, "fio/a/fio.log", "fio/a")
    assert asked.set == {
        "layout": "wide", **run.words(), "server_mode": "virtual", "block": "2", "role": "benchmark", "repeat": "2",
    }  # fmt: skip
    assert asked.more == {"campaign": {"run": 5, "round": 2}}


def test_a_run_of_several_logs_that_was_left_open_is_closed_where_all_have_their_row(study: Path) -> None:
    """With the worst exit status and the longest time of them; logs whose folder has a longer name are not its own."""
    seen = {"fio/a/sar.log": (1, 0, 2.5), "fio/a/fio.log": (1, 3, 1.5), "fio/ab/fio.log": (2, 9, 9.0)}
    for name, (number, status, elapsed) in seen.items():
        (study / name).parent.mkdir(parents=True, exist_ok=True)
        (study / name).write_text("")
        said = {"log": name, "campaign": {"run": number}, "exit_status": status, "elapsed": elapsed}
        places.of_log(study / name).write_text(json.dumps(said))
    (study / "runs.csv").write_text("file\nfio/a/sar.log\nfio/a/fio.log\n")
    told: list[str] = []
    made = begun(study, planned(study), told, begun={1: {"log": "fio/a"}, 2: {"log": "fio/ab"}})
    made._mend(0)
    assert made.done.ended == {1: {"log": "fio/a", "status": 3, "elapsed": 2.5}}
    assert sorted(path.name for path in (study / campaign.ASIDE).iterdir()) == [
        "fio_ab_fio.log.1", f"fio_ab_fio.log{places.RECORD}.1",
    ]  # fmt: skip
    assert [line.partition(":")[0] for line in told] == ["run 2 was cut off"] * 2
    (study / "fio/ab/fio.log").write_text("again")
    assert made._set_aside(study / "fio/ab/fio.log").name == "fio_ab_fio.log.2", "nothing is written over"


def test_of_what_is_left_out_only_logs_of_runs_that_were_made_are_told(study: Path) -> None:
    rules = 'match:\n- {glob: "*", keys: {layout: wide}}\n- {glob: "*2*", ignore: the server was rebooted}\n'
    plan = planned(study, PLAN + rules)
    (study / "runs.csv").write_text("file\nfio/1.log\nfio/2/one.log\nfio/22.log\nold/2.log\n")
    made = begun(study, plan, ended={1: {"log": "fio/1.log"}, 2: {"log": "fio/2"}, 3: {"log": "fio/22.log"}})
    assert [*made._left_out()] == [(log, "the server was rebooted") for log in ("fio/2/one.log", "fio/22.log")]


def test_what_is_left_takes_as_long_as_runs_of_its_cells_did_and_others_as_all_did(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(study, PLAN.replace('[xfs, "ext 4"]', "[xfs]"))
    made = begun(study, plan)
    by_clients: dict[str, list[randomised_order.Run]] = {"1": [], "2": []}
    for run in randomised_order.runs(plan, 3):
        by_clients[run.words()["clients"]].append(run)
    one, two = by_clients["1"], by_clients["2"]
    for number, (log, elapsed) in enumerate([(made._name(one[0]), 10.0), (made._name(one[1]), 20.0), ("gone", 1e6)]):
        made.done.ended[number] = {"log": log, "elapsed": elapsed}
    monkeypatch.setattr(campaign.time, "monotonic", lambda: made.begun + 90.0)
    assert made._left([one[2], two[0]]) == "; about 30 s left", "15 s each, and nothing was made by this call"
    made.measured += [10.0, 20.0]
    assert made._left([one[2], two[0]]) == "; about 1.5 min left", "90 s for runs of 30 s"
    assert made._left([]) == ""
    made.done.ended[9] = {"log": made._name(two[1]), "elapsed": 1185.0}
    assert made._left([one[2], two[0]]) == "; about 1.0 h left"


@pytest.mark.parametrize(("said", "levels", "named"), [
    ({}, {}, 3), ({}, {"clients": 2.0}, 2), ({"nodes": 1.0}, {}, 1), ({"nodes": 1.0}, {"clients": 3.0}, 3),
    ({"clients": 2.0}, {"clients": 1.0}, 1),
])  # fmt: skip
def test_a_run_is_on_as_many_hosts_as_it_has_clients_else_nodes_else_on_all(
    said: dict[str, float], levels: dict[str, float], named: int
) -> None:
    run: Any = SimpleNamespace(levels=levels, group=SimpleNamespace(hosts=("a", "b", "c")))
    plan: Any = SimpleNamespace(set=said)
    assert hosts.Hosts(plan, run, "mine").named == ("a", "b", "c")[:named]


@pytest.mark.parametrize("place", ["set", "factors", "group", "blocks"])
def test_a_plan_has_one_host_or_more_for_each_run_and_no_more_than_it_names(place: str) -> None:
    for name in hosts.COUNTS:
        for level, refused in ((0.0, True), (1.0, False), (2.0, False), (3.0, True)):
            group: dict[str, Any] = {"command": "fio", "hosts": ["a", "b"], "factors": {"file_size": [1]}}
            plan: dict[str, Any] = {"repeats": 1, "groups": [group]}
            if place == "set":
                plan["set"] = {name: level}
            elif place == "blocks":
                plan["blocks"] = {"levels": [{name: level}]}
            elif place == "factors":
                group["factors"] = {name: [level]}
            else:
                group["set"] = {name: level}
            if refused:
                with pytest.raises(SidecarError, match=rf"^here: groups\.0\.factors\.{name}: {level:g} of 2 hosts$"):
                    hosts.check(Campaign.model_validate(plan), "here")
            else:
                hosts.check(Campaign.model_validate(plan), "here")


def test_what_was_seen_of_a_host_is_told_to_a_millionth_of_a_second() -> None:
    host: Any = SimpleNamespace(started=1e9 + 0.1234, offset=-0.12345678, uncertain=0.00012345)
    assert hosts.Hosts._seen(host, host, 0.98765432, 1.23456789, 0.25) == {
        "started": "2001-09-09T01:46:40.123+00:00", "ended": "2001-09-09T01:46:41.357+00:00", "elapsed": 1.234568,
        "start_skew": 0.987654, "clock_offset": -0.123457, "clock_uncertainty": 0.000123, "load_1": 0.25,
    }  # fmt: skip


def test_a_signal_during_a_run_on_hosts_is_that_of_the_run(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(study, PLAN.replace("repeats: 3", "repeats: 3\n  hosts: [one, two]"))
    passed = process.Ended(130, ("SIGTERM", "SIGINT"))

    def ran(self: hosts.Hosts, words: Any, keep: dict[str, Any], *more: Any) -> Any:
        keep["one"](b"half")
        return dict.fromkeys(self.named, passed), [], {}

    monkeypatch.setattr(hosts.Hosts, "_ran", ran)
    run = next(run for run in randomised_order.runs(plan, 1) if run.words()["clients"] == "2")
    asked = Order(study, ["fio"], run.words(), name="fio/a")
    with pytest.raises(Interrupted) as raised:
        hosts.Hosts(plan, run, "mine").run_on_each(asked, len, len, len)
    assert raised.value.args == ("SIGINT", "SIGTERM")
    assert not list(study.glob("fio/a/*.log")), "what was interrupted is no log"


def test_a_monitor_is_a_log_of_its_run_for_which_nothing_is_dropped_nor_looked_at(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "drop_caches", lambda: "not for a monitor")
    asked = Order(study, ["fio"], {"clients": "2"}, drop_caches=True, name="fio/a/fio.log", started=len, whole=True)
    with monitors.watching(asked, {"cpu load": ["true"]}, "fio/a") as watched:
        assert watched == []
    [(begun_, _, seen)] = watched
    assert begun_.order == replace(
        asked, command=["true"], name="fio/a/cpu-load.log", run_id="fio/a", started=None, drop_caches=False,
        set={"clients": "2", "role": "monitor_log"},
    )  # fmt: skip
    assert begun_.seen == {
        "set": {"clients": "2", "role": "monitor_log"}, "repeat": 1, "command": ["true"], "secrets_hidden": 0,
        "caches_dropped": False,
    }  # fmt: skip
    assert (study / "fio/a/cpu-load.log").exists()
    assert sorted(seen) == ["elapsed", "ended", "started", "time_zone"]


@pytest.mark.parametrize(("code", "status"), [(0, 0), (3, 3), (-signal.SIGINT, 0), (-signal.SIGKILL, 137)])
def test_a_monitor_that_was_interrupted_has_not_failed(code: int, status: int) -> None:
    sent: list[int] = []
    ended: Any = SimpleNamespace(send_signal=sent.append, wait=lambda patience: code)
    made: Any = monitors._Running(ended, ended, started="2026-11-27T09:00:00.000+01:00")
    _, found, seen = made.ended()
    assert (found, seen["time_zone"], sent) == (process.Ended(status, ()), "+01:00", [signal.SIGINT])
    assert 0 <= seen["elapsed"] < 600


def test_a_journal_is_read_as_it_was_written(study: Path) -> None:
    plan = planned(study)
    written = journal.opened(study, plan)
    written.begin(1, log="a")
    written.end(1, log="a", status=3)
    written.running(1, 77)  # its end was written first: it is not open any more
    written.begin(2, log="b")
    written.decide(7)
    with written.path.open("a") as lines:
        lines.write('[1]\n"begin"\n{"running": 2, "pid": 78, "since": "12:00"}\n')
    read = journal.opened(study, plan)
    assert (read.ended, read.rounds) == ({1: {"end": 1, "log": "a", "status": 3}}, 7)
    assert read.begun == {2: {"begin": 2, "log": "b", "running": 2, "pid": 78, "since": "12:00"}}
    assert (written.ended, written.begun, written.rounds) == ({1: {"log": "a", "status": 3}}, {2: {"log": "b"}}, 7)


def test_a_host_that_tells_nothing_has_none_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PROC", tmp_path)
    monkeypatch.setattr(machine.platform, "processor", lambda: "i586")
    found = machine.machine(tmp_path)
    unknown = {name: found[name] for name in ("memory", "mount", "layout", "processor", "target")}
    assert unknown == {"memory": None, "mount": None, "layout": "", "processor": "i586", "target": str(tmp_path)}
    assert found["kernel"] == " ".join(machine.platform.uname()[at] for at in (0, 2, 3))
    nothing = machine.counters()
    assert (nothing["interfaces"], nothing["disks"], math.isnan(nothing["load_1"])) == ({}, {}, True)


def test_lines_of_the_system_that_are_too_short_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PROC", tmp_path)
    (tmp_path / "net").mkdir()
    numbers = "1 2 3 4 5 6 7 8 9 10"
    (tmp_path / "net" / "dev").write_text(f"eth0: {numbers}\neth1: {numbers[:-3]}\n{numbers}\n")
    (tmp_path / "diskstats").write_text("8 0 sda 1 2 3 4 5 6 7\n8 1 sdb 1 2 3 4 5 6\n")
    (tmp_path / "loadavg").write_text("\n")
    found = machine.counters("8:0")
    assert found["interfaces"] == {"eth0": {"received": 1.0, "sent": 9.0}}
    assert found["disks"] == {"sda": {"read": 3 * 512.0, "written": 7 * 512.0}}
    assert math.isnan(found["load_1"])
    line = "36 35 98:0 / /mnt rw - ext4 /dev/sda rw,errors=continue"
    mount = machine.Mount("ext4", "/mnt", "/dev/sda", "rw,errors=continue", "98:0")
    assert machine.mount_of(Path("/mnt/a"), line) == mount
    shorter = (line.replace(" - ", " "), line.replace("36 ", ""), line.replace(" rw,errors=continue", ""))
    assert [machine.mount_of(Path("/mnt/a"), one) for one in shorter] == [None, None, None]


@pytest.mark.parametrize(("said", "version"), [
    ("\n  fio-3.35 \nmore\n", "fio-3.35"), ("\n", ""), ("", ""),
])  # fmt: skip
def test_a_version_is_the_first_line_that_says_anything(
    said: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(machine, "_said", lambda *words: asked.append(words) or said)
    assert (machine.version("/opt/fio"), machine.version("ior")) == (version, "")
    assert asked == [("/opt/fio", "--version")], "one that might begin to measure is not asked"


def test_a_tool_that_does_not_answer_in_time_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(command: tuple[str, ...], **how: Any) -> None:
        assert how["timeout"] == machine.PATIENCE
        raise subprocess.TimeoutExpired(command, machine.PATIENCE)

    monkeypatch.setattr(subprocess, "run", late)
    assert machine._said("sh", "-c", "sleep 600") == ""


def test_only_what_was_seen_of_runs_says_which_repeats_there_are(study: Path) -> None:
    """Not what is no object, what a killed recorder had begun to write, or another file."""
    for name, said in {
        f"a.log{places.RECORD}": '{"set": {"repeat": "4"}, "command": ["fio"], "repeat": 4}',
        f"b.log{places.RECORD}": "[1]",
        f"{writing.OURS}new/c.log{places.RECORD}": '{"set": {}, "command": ["fio"], "repeat": 6}',
        "d.json": '{"set": {}, "command": ["fio"], "repeat": 7}',
    }.items():
        (study / name).parent.mkdir(exist_ok=True)
        (study / name).write_text(said)
    assert [run["repeat"] for run in places.seen(study)] == [4]
    assert places.claim(study, {}, ["fio"]).repeat == 5


@pytest.mark.parametrize(("stdin", "given"), [
    (None, subprocess.DEVNULL), (SimpleNamespace(isatty=lambda: True), subprocess.DEVNULL),
    (SimpleNamespace(isatty=lambda: False), None),
])  # fmt: skip
def test_a_command_reads_what_is_piped_to_us_and_no_terminal(
    stdin: object, given: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Any] = []

    def begin(command: list[str], **how: Any) -> None:
        taken.append((how["stdin"], how["process_group"], how["bufsize"]))
        raise OSError("cannot be started")

    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setattr(subprocess, "Popen", begin)
    with pytest.raises(OSError, match="cannot be started"):
        process.run(["fio"], len, len, len)
    assert taken == [(given, 0, 0)]


def test_a_command_that_another_thread_runs_leaves_signals_as_they_are() -> None:
    before = signal.getsignal(signal.SIGTERM)
    found: list[object] = []

    def run() -> None:
        with process._passing_on([]) as started:
            started(SimpleNamespace(pid=7))  # type: ignore[arg-type]
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [before]


def test_of_two_streams_the_last_line_of_errors_begins_a_line() -> None:
    for printed, kept in ((b"", b"an error"), (b"4 MB/s\n", b"4 MB/s\nan error"), (b"4 MB/s", b"4 MB/s\nan error")):
        found = bytearray()
        whole = process.Whole(found.extend)
        if printed:
            whole.out(printed)
        whole.err(b"an error")
        whole.end()
        assert found == kept


@pytest.mark.parametrize(("whole", "kept"), [(True, []), (False, ["fio/r1.log"])])
def test_a_run_that_got_a_signal_is_kept_unless_it_was_to_be_whole(
    whole: bool, kept: list[str], study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], keep: process.Show, *more: object) -> process.Ended:
        keep(b"half\n")
        return process.Ended(130, ["SIGINT"])

    monkeypatch.setattr(process, "run", run)
    order = Order(study, ["fio"], target=study, whole=whole)
    if whole:
        with pytest.raises(Interrupted, match=r"^SIGINT$"):
            record(order, len, len, len)
    else:
        found = record(order, len, len, len)
        assert (found.status, found.seen["signals"], found.seen["target"]) == (130, ["SIGINT"], str(study))
        assert (found.seen["folder"], found.seen["secrets_hidden"]) == ("../..", 0)
    assert [path.relative_to(study).as_posix() for path in study.glob("fio/*.log")] == kept


def test_keys_of_a_run_are_those_that_were_seen_and_that_study_yaml_does_not_say(study: Path) -> None:
    (study / "study.yaml").write_text(
        f'{STUDY}defaults: {{filesystem: xfs}}\nmatch:\n- {{glob: "*", keys: {{time_zone: "+01:00"}}}}\n'
    )
    seen: dict[str, Any] = {
        "repeat": 2, "mount": {"filesystem": "ext4"}, "command": ["fio", "a b"], "started": "s", "ended": "e",
        "elapsed": 0.0, "time_zone": "+02:00", "exit_status": 0, "caches_dropped": False, "memory": 5.0,
    }  # fmt: skip
    wanted = {
        "repeat": 2.0, "command": "fio 'a b'", "started": "s", "ended": "e", "elapsed": 0.0, "exit_status": 0.0,
        "cache_dropped": "no", "client_memory": 5.0,
    }  # fmt: skip
    assert _keys(seen, read_sidecar(study / "study.yaml")) == wanted
    (study / "study.yaml").write_text(STUDY)
    there = {**wanted, "filesystem": "ext4", "time_zone": "+02:00"}
    assert _keys(seen, read_sidecar(study / "study.yaml")) == there
    nothing = {name: seen[name] for name in seen if name not in ("mount", "time_zone", "memory")}
    del there["filesystem"], there["time_zone"], there["client_memory"]
    assert _keys(nothing, read_sidecar(study / "study.yaml")) == there


def test_a_log_without_runs_or_that_cannot_be_laid_out_says_nothing_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for found in (xr.DataTree(), xr.DataTree.from_dict({"runs": xr.Dataset()})):
        monkeypatch.setattr(fits_in_memory, "tidy", lambda logs, found=found: found)
        assert fits_in_memory.fit(None, 1e12) == ""  # type: ignore[arg-type]

    def refuse(logs: object) -> None:
        raise ParseError("a number", "no")

    monkeypatch.setattr(fits_in_memory, "tidy", refuse)
    assert fits_in_memory.fit(None, 1e12) == ""  # type: ignore[arg-type]
