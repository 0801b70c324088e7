"""What a test leaves running is found, also where its parent is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import left_behind

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are looked for where the system is Linux")


def test_who_lost_its_parent_is_found_until_it_ends(tmp_path: Path) -> None:
    before = left_behind.children()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    subprocess.run(["sh", "-c", 'sh -c "cat $0; true" & :', pipe], check=True)
    with pipe.open("w"):
        [left] = left_behind.outliving(before, patience=0.05)
        assert left.endswith(f"sh -c cat {pipe}; true")
    assert list(left_behind.outliving(before)) == []


def test_a_process_that_ended_is_not_left_behind() -> None:
    before = left_behind.children()
    with subprocess.Popen(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert list(left_behind.outliving(before, patience=0.05)) == []


def test_a_thread_that_ends_meanwhile_had_none(tmp_path: Path) -> None:
    assert left_behind._started_by(tmp_path / "gone") == []
