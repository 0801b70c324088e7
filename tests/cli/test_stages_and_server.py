"""Stages as dvc knows them, on stand-ins for dvc; and a server that commands are forked from, in a fork of the test."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab.cli import command_processes, console, fork_server, preload_logs
from storagelab.cli.fork_server import Order
from storagelab.cli.stages import Pipeline
from storagelab.errors import StoragelabError

pytestmark = pytest.mark.forks


class Thing:
    """A file that a stage depends on or makes: it counts how often it is looked at."""

    def __init__(self, name: str, differs: bool = False, exists: bool = True, use_cache: bool = True, size: int = 0):
        self.fs_path, self.hash_info, self.exists, self.use_cache = name, f"old {name}", exists, use_cache
        self.differs, self.looked, self.saved = differs, 0, 0
        self.meta = SimpleNamespace(size=size)
        self.obj = self.files = None

    def __str__(self) -> str:
        return self.fs_path

    def status(self) -> dict[str, str]:
        self.looked += 1
        return {self.fs_path: "modified"} if self.differs else {}

    def save(self) -> None:
        self.saved += 1
        self.hash_info = f"new {self.fs_path}"


class Stage:
    """A stage of dvc."""

    def __init__(self, name: str, deps: tuple[Thing, ...] = (), outs: tuple[Thing, ...] = (), **more: Any) -> None:
        self.addressing, self.deps, self.outs, self.done = name, deps, outs, list[str]()
        self.cmd, self.wdir, self.frozen, self.always_changed = f"make {name}", f"/{name}", False, False
        self.changed_itself = self.reproduced = False
        vars(self).update(more)

    def changed_stage(self) -> bool:
        return self.changed_itself

    def reproduce(self) -> bool:
        return self.reproduced

    def __getattr__(self, name: str) -> Any:
        return lambda: self.done.append(name)


def pipeline(*stages: Stage, **before: set[str]) -> Any:
    """A pipeline without dvc: stages in the order in which dvc would run them."""
    made: Any = Pipeline.__new__(Pipeline)
    made._stages = {stage.addressing: stage for stage in stages}
    made._before = {name: before.get(name, set()) for name in made._stages}
    made._looked_at, made._hashed, made._done = {}, {}, []
    made._repo = SimpleNamespace(stage_cache=SimpleNamespace(save=lambda stage: stage.done.append("cached")))
    return made


def test_stages_on_which_the_longest_chain_waits_come_first_and_of_them_those_that_wrote_most() -> None:
    made = pipeline(
        Stage("first", outs=(Thing("a", size=7), Thing("b", size=1))), Stage("other", outs=(Thing("c", size=9),)),
        Stage("middle"), Stage("last"), middle={"first"}, last={"middle", "other"},
    )  # fmt: skip
    assert made.order() == {"first": (-2, -8), "other": (-1, -9), "middle": (-1, 0), "last": (0, 0)}
    assert made.waiting == {"first": set(), "other": set(), "middle": {"first"}, "last": {"middle", "other"}}
    made.waiting["last"].clear()
    assert made.waiting["last"], "who takes stages away takes none of ours"
    assert (made.command("last"), made.folder("last")) == ("make last", "/last")


def test_what_stages_that_wait_for_no_other_depend_on_is_looked_at_once() -> None:
    shared, own, later = Thing("shared"), Thing("own"), Thing("later")
    data = Stage("data", (Thing("no command"),), cmd="")
    frozen = Stage("frozen", (Thing("frozen"),), frozen=True)
    made = pipeline(Stage("a", (shared, own)), Stage("b", (shared,)), Stage("c", (later,)), data, frozen, c={"a"})
    made.look_ahead()
    assert (shared.looked, own.looked, later.looked, data.deps[0].looked, frozen.deps[0].looked) == (1, 1, 0, 0, 0)
    assert not made.begin("a")
    assert (shared.looked, own.looked) == (1, 1)


@pytest.mark.parametrize(("stage", "runs"), [
    (Stage("s"), False), (Stage("s", always_changed=True), True), (Stage("s", changed_itself=True), True),
    (Stage("s", (Thing("a"), Thing("b", differs=True))), True), (Stage("s", outs=(Thing("c", differs=True),)), True),
    (Stage("s", (Thing("a"),), (Thing("c"),)), False), (Stage("s", always_changed=True, frozen=True), False),
])  # fmt: skip
def test_a_stage_runs_where_something_of_it_differs_and_loses_its_outputs_before(stage: Stage, runs: bool) -> None:
    assert pipeline(stage).begin("s") is runs
    assert stage.done == ["remove_outs"] * runs


@pytest.mark.parametrize("reproduced", [False, True])
def test_data_without_a_command_is_dvcs_own_affair(reproduced: bool) -> None:
    stage = Stage("data", cmd="", reproduced=reproduced)
    assert not pipeline(stage).begin("data")
    assert stage.done == ["dump"] * reproduced


def test_what_a_command_made_is_taken_over_and_what_many_depend_on_is_hashed_once() -> None:
    one, again = Thing("shared"), Thing("shared")
    first = Stage("first", (one,), (Thing("a"),))
    other = Stage("other", (again,), (Thing("b", use_cache=False), Thing("c")))
    lost = Stage("lost", (), (Thing("d"), Thing("e", exists=False)))
    made = pipeline(first, other, lost)
    made.end("first")
    made.end("other")
    assert (one.saved, again.saved, again.hash_info) == (1, 0, "new shared")
    assert first.done == ["save_outs", "cached", "commit"]
    assert other.done == ["save_outs", "commit"], "what dvc does not keep is not kept of a run"
    assert made._done == [first, other]
    with pytest.raises(StoragelabError, match=r"^stage lost: its command ended well and did not make e$"):
        made.end("lost")
    assert (lost.done, made._done) == ([], [first, other])


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[socket.socket]]:
    """Two servers in forks of this process, of which the second is forked from the first; they end with the test."""
    pairs = [socket.socketpair() for _ in range(2)]
    if not (process := os.fork()):
        try:
            for ours, _ in pairs:
                ours.close()
            sys.stdout, sys.stderr = (os.fdopen(stream, "w") for stream in (1, 2))  # not where pytest has them go
            fork_server.serve([theirs.detach() for _, theirs in pairs], ["json", "csv"])
        finally:
            os._exit(0 if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else 1)
    for _, theirs in pairs:
        theirs.close()
    yield [ours for ours, _ in pairs]
    for ours, _ in pairs:
        ours.close()
    assert os.waitpid(process, 0)[1] == 0


def test_a_server_runs_commands_until_nobody_can_ask_it(servers: list[socket.socket], tmp_path: Path) -> None:
    """Of each it tells the process, which leads a group of its own, and the exit status."""
    told = {
        "pwd; kill -0 -$PPID": (0, f"{tmp_path}\n"), "echo no >&2; exit 7": (7, "no\n"), "kill -TERM $$": (143, ""),
        "cat && exec ls": (0, "said\n"), "true 'a b'": (0, ""),
        "storagelab nonsense": (2, "No such command 'nonsense'"),
        "storagelab --version": (0, "storagelab "),
    }  # fmt: skip
    for at, (command, (status, said)) in enumerate(told.items()):
        (tmp_path / "said").write_text("")
        result, given = os.pipe()
        fork_server.send(Order(command, str(tmp_path), str(tmp_path / "said")), given, servers[at % 2])
        os.close(given)
        with os.fdopen(result, "rb") as answers:
            process, ended = map(int, answers.read().splitlines())
        assert (ended, said in (tmp_path / "said").read_text()) == (status, True), command
        assert process not in (0, os.getpid())
        if said != "No such command 'nonsense'" and not command.startswith("storagelab"):
            assert (tmp_path / "said").read_text() == said


def test_a_mistake_of_a_command_is_told_and_ends_it_with_1(servers: list[socket.socket], tmp_path: Path) -> None:
    result, given = os.pipe()
    fork_server.send(Order("true", str(tmp_path / "gone"), str(tmp_path / "said")), given, servers[0])
    os.close(given)
    with os.fdopen(result, "rb") as answers:
        assert answers.read().splitlines()[1:] == [b"1"]
    assert "FileNotFoundError" in (tmp_path / "said").read_text()


def test_commands_are_stopped_and_go_on_with_the_process_that_waits_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, int]] = []
    workers: Any = command_processes.Workers(tmp_path, at_once=False)
    workers.running["one"] = SimpleNamespace(signal=lambda number: sent.append(("one", number)))
    monkeypatch.setattr(os, "kill", lambda process, number: sent.append((str(process == os.getpid()), number)))
    workers._suspend()
    assert sent == [(who, number) for number in (signal.SIGSTOP, signal.SIGCONT) for who in ("one", "True")]
    workers.running.clear()
    sent.clear()
    assert (list(workers.ended(0)), sent) == ([], [])
    workers._ask_to_suspend()
    assert (list(workers.ended(0)), [number for _, number in sent]) == ([], [signal.SIGSTOP, signal.SIGCONT])
    assert (list(workers.ended(0)), len(sent)) == ([], 2), "once"


def test_a_command_that_does_not_leave_is_waited_for_as_long_as_patience_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, 0.0, 4.0, command_processes.PATIENCE + 4.0])
    waited: list[float] = []

    def select(read: object, write: object, odd: object, seconds: float) -> tuple[list[object], list[object]]:
        waited.append(seconds)
        return ([read], []) if len(waited) == 1 else ([], [])

    monkeypatch.setattr(command_processes, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    monkeypatch.setattr(command_processes, "select", SimpleNamespace(select=select))
    monkeypatch.setattr(os, "read", lambda result, size: b"7\n")
    running = command_processes._Running(-1)
    running._wait_for(running.status)
    assert (waited, running.pid(), running.has_ended()) == ([command_processes.PATIENCE - 4.0, 0], 7, False)


def test_a_mistake_in_storagelab_says_where_it_stands() -> None:
    with pytest.raises(KeyError) as raised:
        raise KeyError("x")
    told = "a mistake in storagelab, please report it: KeyError('x') at test_stages_and_server.py:"
    assert console.bug(raised.value) == f"{told}{raised.tb.tb_lineno}"
    assert console.format_oserror(OSError(5, "no", "a")) == "a: no"
    assert [console.format_oserror(error) for error in (OSError(5, "no"), OSError("odd"))] == ["no", "odd"]


def test_what_is_imported_once_for_all_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    for name in ("freeze", "collect", "disable", "enable", "set_threshold"):
        monkeypatch.setattr(preload_logs.gc, name, lambda *asked, name=name, **more: called.append(name))
    preload_logs.freeze()
    assert called == ["freeze", "set_threshold", "enable"]
