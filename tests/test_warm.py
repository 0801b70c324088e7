"""A command that is forked from a warm process says and does what one that is started by itself does."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm
from tests.conftest import LOGS, ROOT

LOG = LOGS / "iozone" / "throughput_c8_children.log"


def both(*arguments: str, **options: object) -> list[tuple[int, str, str]]:
    """What a command leaves behind that is started by itself, and one that is forked."""
    ended = []
    for command in ([sys.executable, "-m", "storagelab"], warm.command()):
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        run = subprocess.run([*command, *arguments], capture_output=True, text=True, env=env, check=False, **options)  # type: ignore[call-overload]
        ended.append((run.returncode, run.stdout, run.stderr))
    return ended


@pytest.mark.slow
def test_streams_status_and_folder_are_those_of_who_asks(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG.read_bytes())
    for arguments, status in {("parse", "a.log", "--json"): 0, ("parse", "none.log"): 1}.items():
        alone, forked = both(*arguments, cwd=tmp_path)
        assert forked == alone
        assert forked[0] == status
        assert any(forked[1:])
    alone, forked = both("parse", "-", "--to", "jsonl", cwd=tmp_path, input=LOG.read_text())
    assert forked == alone
    assert json.loads(forked[1].splitlines()[0])


HANGS = 300
"""Seconds after which a process that should have ended never will."""


@pytest.mark.slow
def test_a_process_ends_with_who_asked_for_it(tmp_path: Path) -> None:
    """A kernel that did not shut down kept the streams of a build open, and whoever read them waited for ever."""
    os.mkfifo(tmp_path / "log")
    asking = [*warm.command(), "parse", str(tmp_path / "log")]
    with (
        subprocess.Popen(asking, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as asker,
        (tmp_path / "log").open("wb"),  # which waits until the process reads
    ):
        asker.kill()
        assert asker.stdout
        assert select.select([asker.stdout], [], [], HANGS)[0]
        assert asker.stdout.read() == b""
