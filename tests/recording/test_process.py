"""What becomes of signals while a command is begun."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace
from typing import Any, cast

import pytest

from storagelab.recording import process


def test_a_signal_that_came_before_the_command_is_handed_on_once_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "killpg", lambda group, number: sent.append((group, number)))
    passed: list[str] = []
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with process._passing_on(passed) as started:
        signal.raise_signal(signal.SIGTERM)
        assert (passed, sent) == (["SIGTERM"], [])
        started(cast(Any, SimpleNamespace(pid=7)))
        assert sent == [(7, signal.SIGTERM)]
        signal.raise_signal(signal.SIGINT)
    assert sent == [(7, signal.SIGTERM), (7, signal.SIGINT)]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
