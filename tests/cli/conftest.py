"""The command line, run inside the test: quick, and with its real exit code."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from storagelab.cli import console, main
from tests.conftest import ROOT


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture(autouse=True)
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long a command takes says nothing: no line tells how far it is."""
    monkeypatch.setattr(console, "PERIOD", math.inf)


INTERRUPTIBLE = """
import signal
from storagelab.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
"""A command that may be interrupted also where the tests run in the background, in which SIGINT is ignored."""


def interrupted(pipe: Path, *arguments: object, by: signal.Signals = signal.SIGINT) -> tuple[int, str]:
    """Run a command that reads a pipe, send it a signal while it does, and return its exit code and what it said.

    It is reading once it has taken in more than a pipe holds; the pipe's end wakes it if it was not asleep just then.
    """
    command = [sys.executable, "-c", INTERRUPTIBLE, *map(str, arguments)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        with pipe.open("wb") as log:
            log.write(b"a line\n" * 100_000)
            process.send_signal(by)
        _, said = process.communicate()
    return process.returncode, said


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    def run(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["storagelab", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return Result(int(left.value.code or 0), out, err)

    return run
