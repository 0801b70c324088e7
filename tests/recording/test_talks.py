"""What passes between us and a host: readiness, its clock, read between two moments of ours, and signals."""

from __future__ import annotations

import contextlib
import io
import os
import signal
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from storagelab.errors import SidecarError
from storagelab.recording import hosts, process
from storagelab.recording.hosts import Talk


class Answering(Talk):
    """A host that answers what it is given."""

    def __init__(self, *answers: str) -> None:
        self.host = "cli1"
        self._answers = iter(answers)
        self.asked: list[str] = []

    def ask(self, word: str) -> None:
        self.asked.append(word)

    def answer(self) -> str:
        return next(self._answers)


def test_a_clock_is_taken_to_be_read_half_way_and_may_be_off_by_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    moments: Iterator[float] = iter([100.0, 103.0])
    monkeypatch.setattr(hosts.time, "time", lambda: next(moments))
    talk = Answering("ready", "111.5", "121.5")
    hosts._barrier([talk])
    assert (talk.offset, talk.uncertain, talk.started) == (10.0, 1.5, 111.5)
    assert talk.asked == ["clock", "go"]


def test_a_host_that_is_not_ready_is_named() -> None:
    with pytest.raises(ValueError, match="cli1: expected that it is ready, found 'bye'"):
        hosts._barrier([Answering("bye")])


def ended(said: str = "") -> Any:
    """An ssh that has ended: what it printed is there to be read, and nobody reads what it is told."""
    nobody, told = os.pipe()
    os.close(nobody)
    said_of_it: list[Any] = [io.BytesIO(text) for text in (said.encode(), b"")]
    return SimpleNamespace(stdin=os.fdopen(told, "wb"), stdout=said_of_it[0], stderr=said_of_it[1], kill=int, wait=int)


def test_a_signal_reaches_the_other_hosts_where_one_is_gone_and_that_one_is_hung_up_on() -> None:
    gone, there, passed = Talk("cli1", ended()), Answering(), list[str]()
    with hosts._handing_on([gone, there], passed):
        signal.raise_signal(signal.SIGTERM)
    gone.hang_up()
    assert (passed, there.asked) == (["SIGTERM"], ["TERM"])


def test_a_host_that_hangs_up_before_all_begin_is_named_and_the_others_are_hung_up_on() -> None:
    of_host = {host: ended(f"{hosts.MARK} ready\n") for host in ("cli1", "cli2")}
    run: Any = SimpleNamespace(named=(*of_host,), study="mine", _connect=lambda host, words: of_host[host])
    with pytest.raises(SidecarError, match=r"^mine: not run: cli1: hung up$"):
        hosts.Hosts._ran(run, dict.fromkeys(of_host, ("true",)), {}, print, print)
    assert all(stream.closed for one in of_host.values() for stream in (one.stdin, one.stdout, one.stderr))


def test_an_ssh_that_was_killed_has_the_exit_status_that_a_shell_gives_it() -> None:
    assert [hosts._status(code) for code in (0, 3, -9)] == [0, 3, 137]


def test_signals_are_handed_on_during_a_run_and_are_again_what_they_were_after_it() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with hosts._handing_on([], []):
        assert all(signal.getsignal(number) not in (handler, signal.SIG_DFL) for number, handler in before.items())
    assert {number: signal.getsignal(number) for number in before} == before


def test_the_last_line_of_errors_is_kept_where_it_has_no_end() -> None:
    kept: list[bytes] = []
    with contextlib.ExitStack() as open_:
        streams = {}
        for name, text in (("stdout", b"4 MB/s"), ("stderr", b"1 error\nand no")):
            read, write = os.pipe()
            os.write(write, text)
            os.close(write)
            streams[name] = open_.enter_context(os.fdopen(read, "rb"))
        process._read(cast("Any", SimpleNamespace(**streams)), process.Whole(kept.append), len, len)
    assert b"".join(kept) == b"4 MB/s\n1 error\nand no"
