"""`storagelab reports` does what `dvc repro` does, with independent stages side by side."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from storagelab.cli import command_processes, reports, stages
from storagelab.errors import StoragelabError
from tests.conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")  # dvc's, of a library of its own

MEET = "touch {mine}.here; for i in $(seq 600); do test -e {other}.here && break; sleep 0.1; done; "
"""What two commands run that can only end if they run side by side."""


def stage(cmd: str, *outs: str, deps: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"cmd": cmd, "deps": list(deps), "outs": [{out: {"cache": False}} for out in outs]}


STAGES = {
    "last": stage("cat a b > last", "last", deps=("a", "b")),
    "left": stage(MEET.format(mine="a", other="b") + "test -e b.here && cat source > a", "a", deps=("source",)),
    "right": stage(MEET.format(mine="b", other="a") + "test -e a.here && echo b > b", "b", deps=("source",)),
    "index": stage("storagelab index", "reports/index.html", deps=("last",)),
}


def dvc(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "dvc", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


def repository(folder: Path, found: dict[str, Any]) -> Path:
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    dvc("init", "--quiet", cwd=folder)
    dvc("config", "core.analytics", "false", cwd=folder)
    (folder / "dvc.yaml").write_text(yaml.safe_dump({"stages": found}))
    (folder / "source").write_text("source\n")
    return folder


@pytest.fixture
def lean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork servers that import next to nothing."""
    monkeypatch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console",) * 2)


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, jobs: int = 2) -> int:
    monkeypatch.chdir(folder)
    return reports.reports(jobs)


@pytest.mark.slow
@pytest.mark.usefixtures("lean")
def test_stages_run_side_by_side_and_leave_the_lock_of_dvc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path / "ours", STAGES)
    assert run(root, monkeypatch) == 0
    assert (root / "last").read_text() == "source\nb\n"
    said = capfd.readouterr().out
    assert said.index("left: touch") < said.index("last: cat a b > last")
    assert "index: storagelab index" in said
    assert "reports/index.html\n" in said
    assert said.endswith("4 of 4 stages ran, the others were up to date\n")
    ours = yaml.safe_load((root / "dvc.lock").read_text())
    assert dvc("status", cwd=root) == "Data and pipelines are up to date.\n"

    assert run(root, monkeypatch) == 0
    assert capfd.readouterr().out == "0 of 4 stages ran, the others were up to date\n"

    (root / "dvc.lock").unlink()
    dvc("repro", "--quiet", "--force", cwd=root)
    assert yaml.safe_load((root / "dvc.lock").read_text()) == ours


LOCK = "schema: '2.0'\nstages:\n  one:\n    cmd: true\n    outs:\n    - path: made/one\n      md5: 0\n"


@pytest.mark.parametrize(
    ("lock", "missing"),
    [
        (LOCK, False),
        (LOCK + "  two:\n    cmd: true\n", False),
        (LOCK.replace("one\n      md5", "other\n      md5"), True),
        ("", True),
        ("stages: [", True),
        ("stages: 1", True),
        ("stages: {one: {outs: [1]}}", True),
        (None, True),
    ],
)
def test_whether_an_output_is_missing_is_seen_without_dvc(tmp_path: Path, lock: str | None, missing: bool) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "one").touch()
    if lock is not None:
        (tmp_path / "dvc.lock").write_text(lock)
    assert stages.some_output_is_missing(tmp_path) is missing


@pytest.mark.slow
@pytest.mark.usefixtures("lean")
def test_nothing_is_imported_for_commands_that_do_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "ours", {"other": stage("echo other > other", "other")})
    assert run(root, monkeypatch) == 0
    monkeypatch.setattr(command_processes.Workers, "_begin", lambda _: pytest.fail("a server was started"))
    assert run(root, monkeypatch) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("lean")
def test_only_what_depends_on_a_change_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    found = {
        "sorted": stage("sort source > sorted", "sorted", deps=("source",)),
        "counted": stage("wc -l < sorted > counted", "counted", deps=("sorted",)),
        "other": stage("echo other > other", "other"),
    }
    root = repository(tmp_path / "ours", found)
    (root / "source").write_text("b\na\n")
    assert run(root, monkeypatch) == 0
    (root / "source").write_text("a\nb\n")
    capfd.readouterr()
    assert run(root, monkeypatch) == 0
    assert capfd.readouterr().out.endswith("1 of 3 stages ran, the others were up to date\n"), "the same lines came out"
    (root / "counted").unlink()
    assert run(root, monkeypatch) == 0
    assert (root / "counted").read_text().strip() == "2"
    assert dvc("status", cwd=root) == "Data and pipelines are up to date.\n"


@pytest.mark.slow
@pytest.mark.usefixtures("lean")
def test_a_stage_that_fails_is_told_whole_and_keeps_what_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    found = {
        "good": stage("echo good > good", "good"),
        "bad": stage("echo first; echo second >&2; exit 7", "bad", deps=("good",)),
        "after": stage("cp bad after", "after", deps=("bad",)),
    }
    root = repository(tmp_path / "ours", found)
    assert run(root, monkeypatch) == 7
    said = capfd.readouterr().out
    assert said.endswith("bad: echo first; echo second >&2; exit 7: failed with exit status 7\nfirst\nsecond\n")
    assert "after:" not in said
    assert list(yaml.safe_load((root / "dvc.lock").read_text())["stages"]) == ["good"]


@pytest.mark.slow
@pytest.mark.usefixtures("lean")
def test_a_command_that_makes_nothing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "ours", {"lazy": stage("true", "nothing")})
    with pytest.raises(StoragelabError, match="stage lazy: its command ended well and did not make nothing"):
        run(root, monkeypatch)


def test_a_pipeline_that_dvc_cannot_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        pytest.raises(StoragelabError, match="not inside of a DVC repository"),
        stages.pipeline(Path()),
    ):
        pass


@pytest.mark.slow
def test_what_the_longest_chain_waits_for_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "ours", STAGES | {"alone": stage("echo > alone", "alone")})
    monkeypatch.chdir(root)
    with stages.pipeline(root) as opened:
        order = opened.order()
        assert opened.waiting["last"] == {"left", "right"}
    assert order["left"] == order["right"] < order["last"] < order["index"]
    assert order["index"][0] == order["alone"][0] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("lean")
def test_what_wrote_most_last_time_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"brief": stage("echo > brief", "brief"), "long": stage("seq 1000 > long", "long")}
    root = repository(tmp_path / "ours", found)
    assert run(root, monkeypatch) == 0
    with stages.pipeline(root) as opened:
        order = opened.order()
    assert order["long"] < order["brief"]


@pytest.mark.slow
@pytest.mark.usefixtures("lean")
def test_what_dvc_writes_into_its_lock_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage that is frozen is not run; what somebody put in the place of its output is taken over by dvc."""
    found = {"kept": stage("cat source > kept", "kept", deps=("source",)), "made": stage("echo x > made", "made")}
    root = repository(tmp_path / "frozen", found)
    assert run(root, monkeypatch) == 0
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": {**found, "kept": {**found["kept"], "frozen": True}}}))
    (root / "kept").write_text("by hand\n")
    (root / "made").unlink()
    assert run(root, monkeypatch) == 0
    lock = yaml.safe_load((root / "dvc.lock").read_text())["stages"]
    assert lock["kept"]["outs"][0]["md5"] == hashlib.md5(b"by hand\n").hexdigest()
    assert (root / "made").read_text() == "x\n"


def heed_interrupts() -> None:
    """Undo what a shell does to commands that it puts into the background: they ignore Ctrl-C, and so do their own."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.slow
def test_an_interrupt_stops_everything(tmp_path: Path) -> None:
    root = repository(tmp_path / "ours", {"long": stage("echo $$ > pid; exec sleep 600", "out")})
    command = [sys.executable, "-m", "storagelab", "reports"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": heed_interrupts}
    with subprocess.Popen(command, cwd=root, env=env, **pipes) as process:
        while not (root / "pid").exists() or not (root / "pid").read_text().strip():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert not Path("/proc", (root / "pid").read_text().strip()).exists()
    assert dvc("status", cwd=root) != ""


@pytest.mark.slow
def test_two_at_once_are_told_in_a_sentence(tmp_path: Path) -> None:
    root = repository(tmp_path / "twice", {"only": stage("echo a > a", "a")})
    said = "another `storagelab reports` or dvc works on this project: one at a time"
    with stages.pipeline(root), pytest.raises(StoragelabError, match=rf"^{said}$"), stages.pipeline(root):
        pass
