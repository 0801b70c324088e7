"""Commands are forked from servers that have imported what they need, and tell how they end."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from storagelab.cli import command_processes
from storagelab.cli.command_processes import GONE, Ended, Workers
from storagelab.errors import StoragelabError

SECONDS = 30.0
"""How long a command may take before its test fails."""


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    """Workers whose servers import next to nothing."""
    monkeypatch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console",) * 2)
    with Workers(tmp_path) as found:
        yield found


def ended(running: Workers) -> list[Ended]:
    """Wait for all commands, but not for ever."""
    found: list[Ended] = []
    until = time.monotonic() + SECONDS
    while running.running and time.monotonic() < until:
        found += running.ended(1.0)
    assert not running.running
    return found


def result(running: Workers, command: str, folder: Path) -> Ended:
    running.start("stage", command, str(folder))
    (one,) = ended(running)
    return one


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("pwd", 0, "{folder}\n"),
        ("echo one | tr a-z A-Z", 0, "ONE\n"),
        ("echo out; echo err >&2; exit 7", 7, "out\nerr\n"),
        ("kill -TERM $$", 128 + signal.SIGTERM, ""),
        ("cat; echo nothing to read", 0, "nothing to read\n"),
        ("storagelab nonsense", 2, "*nonsense*"),
    ],
)
def test_a_command_tells_its_exit_status_and_all_that_it_said(
    command: str, status: int, said: str, running: Workers, tmp_path: Path
) -> None:
    one = result(running, command, tmp_path)
    assert (one.name, one.status) == ("stage", status)
    if "*" in said:
        assert said.strip("*") in one.said
    else:
        assert one.said == said.format(folder=tmp_path)


def test_a_folder_that_is_gone_is_told(running: Workers, tmp_path: Path) -> None:
    one = result(running, "true", tmp_path / "gone")
    assert one.status == 1
    assert "FileNotFoundError" in one.said


def test_a_command_whose_process_is_killed_is_told(running: Workers, tmp_path: Path) -> None:
    """What it had started is left behind no more than what is interrupted."""
    one = result(running, "echo $$; kill -KILL $PPID; sleep 600", tmp_path)
    assert one.status == 1
    assert one.said.endswith(GONE)
    assert has_gone(int(one.said.removesuffix(GONE)))


FORKS = """
import os, signal, time
from storagelab import cli

def main():
    child = os.fork()
    if child == 0:
        time.sleep(600)
    print(child, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

cli.main = main
"""


def test_a_process_that_a_killed_command_had_forked_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does a paper fork the kernel of its notebook."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "command_that_forks.py").write_text(FORKS)
    monkeypatch.setattr(command_processes, "IMPORTED", ("command_that_forks",))
    with Workers(tmp_path) as running:
        one = result(running, "storagelab anything", tmp_path)
    assert has_gone(int(one.said.removesuffix(GONE)))


def test_an_interrupt_waits_until_a_command_has_cleaned_up(running: Workers, tmp_path: Path) -> None:
    running.start(
        "stage", "trap 'kill $!; sleep 0.3; echo > cleaned; exit' INT; sleep 9 & echo > begun; wait", str(tmp_path)
    )
    while not (tmp_path / "begun").exists():
        assert not list(running.ended(0.02))
    running.stop()
    assert (tmp_path / "cleaned").exists()
    assert running.running == {}


def test_a_command_that_does_not_leave_is_killed(
    running: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_processes, "PATIENCE", 0.5)
    running.start("stage", "trap '' INT; sleep 600 & echo $PPID $$ $! > begun; wait; sleep 600", str(tmp_path))
    while not (tmp_path / "begun").exists() or not (tmp_path / "begun").read_text():
        assert not list(running.ended(0.02))
    running.stop()
    assert all(has_gone(int(pid)) for pid in (tmp_path / "begun").read_text().split())


SUSPENDED = """
import sys
from pathlib import Path
from storagelab.cli import command_processes

command_processes.IMPORTED = ("storagelab.cli.console",)
with command_processes.Workers(Path()) as running:
    running.start("stage", "echo $$ > begun.new; mv begun.new begun; read line < pipe; echo $line", ".")
    while running.running:
        for one in running.ended(1.0):
            print(one.said, end="")
"""


def test_ctrl_z_stops_the_commands_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-P", "-c", SUSPENDED]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGTSTP)
        assert os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        stopped = becomes(int((tmp_path / "begun").read_text()), "T")
        process.send_signal(signal.SIGCONT)
        with (tmp_path / "pipe").open("w") as pipe:
            pipe.write("went on\n")
        assert process.communicate() == ("went on\n", None)
    assert stopped


def test_nobody_waits_where_nothing_runs(running: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def noted(*arguments: Any) -> tuple[list[Any], list[Any], list[Any]]:
        asked.append(arguments[-1])
        return [], [], []

    monkeypatch.setattr(command_processes.select, "select", noted)
    assert list(running.ended(SECONDS)) == []
    assert asked == [0]


def has_gone(pid: int) -> bool:
    """Whether a process ends, whose parent takes leave of it when it likes."""
    return becomes(pid, "", "Z")


def becomes(pid: int, *states: str) -> bool:
    """Whether a process comes into one of some states, as proc_pid_stat(5) has them; "" is that of one that is gone."""
    until = time.monotonic() + SECONDS
    while state(pid) not in states and time.monotonic() < until:
        time.sleep(0.01)
    return state(pid) in states


def state(pid: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def blocked_until(place: Path, folder: Path, then: str = "") -> str:
    """Write a module whose import takes until there is a file, or too long, and does something; return its name."""
    name = f"blocked_{folder.name}".replace("-", "_")
    wait = f"import os, time\nfor _ in range(2000):\n    os.path.exists({str(place)!r}) or time.sleep(0.01)\n"
    (folder / f"{name}.py").write_text(wait + then)
    return name


def test_logs_are_read_while_the_rest_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    blocked = blocked_until(tmp_path / "go", tmp_path)
    monkeypatch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console", blocked))
    with Workers(tmp_path) as running:
        running.start("other", "true", str(tmp_path))
        running.start("of logs", "storagelab ingest --help", str(tmp_path))
        first = next(iter(running.ended(SECONDS)), None) or next(iter(running.ended(SECONDS)))
        assert (first.name, first.status) == ("of logs", 0)
        assert not list(running.ended(0.1))
        (tmp_path / "go").touch()
        assert [one.name for one in ended(running)] == ["other"]


def test_what_nobody_waits_for_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who ordered it was killed before the server had imported what it needs."""
    monkeypatch.syspath_prepend(tmp_path)
    blocked = blocked_until(tmp_path / "go", tmp_path)
    monkeypatch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console", blocked))
    with Workers(tmp_path) as running:
        running.start("left", f"touch {tmp_path / 'done'}", str(tmp_path))
        running.start("right", "true", str(tmp_path))
        with closing(running.running.pop("left")):
            pass
        (tmp_path / "go").touch()
        assert [one.name for one in ended(running)] == ["right"]
        running.start("last", "true", str(tmp_path))
        assert [one.name for one in ended(running)] == ["last"]
    assert not (tmp_path / "done").exists()


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_servers_that_fail_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python says of them stands on standard error."""
    monkeypatch.syspath_prepend(tmp_path)
    failing = blocked_until(tmp_path / "go", tmp_path, "raise SystemExit('no module for papers')\n")
    monkeypatch.setattr(command_processes, "IMPORTED", (failing,))
    with Workers(tmp_path) as running:
        running.start("stage", "true", str(tmp_path))
        (tmp_path / "go").touch()
        assert [(one.status, one.said) for one in ended(running)] == [(1, GONE)]
        assert running._process
        running._process.wait()
        with pytest.raises(StoragelabError, match="next: cannot be started: what commands are started from has failed"):
            running.start("next", "true", str(tmp_path))


BURN = "import time\nwhile time.process_time() < 0.3: pass\nprint(time.process_time())"


def test_cpu_time_of_commands_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever measures a pipeline sees all of it: the servers take leave of each process."""
    monkeypatch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console",) * 2)
    before = cpu_of_children()
    with Workers(tmp_path) as running:
        one = result(running, f"{sys.executable} -c '{BURN}'", tmp_path)
    assert cpu_of_children() - before > 0.9 * float(one.said)


def test_servers_that_nothing_was_asked_of_end_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(command_processes, "IMPORTED", (blocked_until(tmp_path / "never", tmp_path),))
    with Workers(tmp_path) as running:
        process = running._process
    assert process
    assert process.returncode == -signal.SIGKILL


def test_a_module_of_the_folder_is_not_taken_for_one_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console",))
    with Workers(tmp_path) as running:
        assert result(running, "echo here", tmp_path).said == "here\n"


def test_no_server_is_started_before_it_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_processes, "IMPORTED", ("storagelab.cli.console",) * 2)
    with Workers(tmp_path, at_once=False) as running:
        assert running._process is None
        assert result(running, "echo here", tmp_path).said == "here\n"
    with Workers(tmp_path, at_once=False):
        pass
