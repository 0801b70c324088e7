"""What passes between us and a host: readiness, its clock, read between two moments of ours, and signals."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from storagelab.recording import hosts
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


def test_an_ssh_that_was_killed_has_the_exit_status_that_a_shell_gives_it() -> None:
    assert [hosts._status(code) for code in (0, 3, -9)] == [0, 3, 137]


def test_signals_are_handed_on_during_a_run_and_are_again_what_they_were_after_it() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with hosts._handing_on([], []):
        assert all(signal.getsignal(number) not in (handler, signal.SIG_DFL) for number, handler in before.items())
    assert {number: signal.getsignal(number) for number in before} == before
