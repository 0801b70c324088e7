"""Commands that write outputs run in the pinned environment, from their start."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from storagelab import pinned_environment
from storagelab.cli import main as command_line
from storagelab.pinned_environment import PINNED, WRITING

ASKED = "from storagelab.pinned_environment import started_pinned; print(started_pinned())"


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """What would have been started instead of this process."""
    found: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda _, arguments, env: found.append((arguments, env)))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    return found


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["storagelab", *arguments])
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "storagelab", *arguments])
    pinned_environment.pin()


@pytest.mark.parametrize("command", WRITING)
def test_a_command_that_writes_outputs_starts_again_pinned(
    command: str, monkeypatch: pytest.MonkeyPatch, executed: list[tuple[list[str], dict[str, str]]]
) -> None:
    called(monkeypatch, command, "a-study")
    [(arguments, env)] = executed
    assert arguments == [sys.executable, "-m", "storagelab", command, "a-study"]
    assert {name: env[name] for name in PINNED} == dict(PINNED)


def test_a_pinned_command_starts_only_once(
    monkeypatch: pytest.MonkeyPatch, executed: list[tuple[list[str], dict[str, str]]]
) -> None:
    for name, value in PINNED.items():
        monkeypatch.setenv(name, value)
    called(monkeypatch, "paper", "a-study")
    assert executed == []


@pytest.mark.parametrize("arguments", [(), ("parse", "a.log"), ("--help",)])
def test_other_commands_run_as_the_machine_is(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, executed: list[tuple[list[str], dict[str, str]]]
) -> None:
    called(monkeypatch, *arguments)
    assert executed == []


def test_a_program_that_calls_the_command_line_is_not_started_again(
    monkeypatch: pytest.MonkeyPatch, executed: list[tuple[list[str], dict[str, str]]]
) -> None:
    monkeypatch.setattr(sys, "argv", ["storagelab", "paper", "no-study"])
    with pytest.raises(SystemExit):
        command_line()
    assert executed == []


@pytest.mark.parametrize(("before", "code", "said"), [
    (PINNED, ASKED, "True"),
    ({}, ASKED, "False"),
    (dict(PINNED, TZ="Asia/Tokyo"), ASKED, "False"),
    ({}, f"import os; os.environ.update({dict(PINNED)}); {ASKED}", "False"),
    (PINNED, f"import os; os.environ['TZ'] = 'Asia/Tokyo'; {ASKED}", "False"),
], ids=["pinned", "not pinned", "another zone", "too late", "changed since"])  # fmt: skip
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says in what environment a process was started")
def test_pinned_means_from_the_start_and_still(before: dict[str, str], code: str, said: str) -> None:
    env = {name: value for name, value in os.environ.items() if name not in PINNED} | dict(before)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said


def test_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 3} if process == 0 else set(), raising=False)
    assert pinned_environment.cores() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    assert pinned_environment.cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert pinned_environment.cores() == 1
