"""What a process does that works: it reads batches from a pipe, and ends where the pipe ends."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from storagelab.workers import worker
from tests.faults import steps

JOBS = [("os:write", (b"said",)), [1], ("builtins:pow", (2,)), [3, 4], [5]]
"""The first one prints four bytes."""


def sent(*messages: Any) -> bytes:
    """Each message behind its length."""
    pickled = [pickle.dumps(message, pickle.HIGHEST_PROTOCOL) for message in messages]
    return b"".join(struct.pack("<Q", len(data)) + data for data in pickled)


def answers_to(tasks: bytes, folder: Path) -> tuple[int, bytes, str]:
    """Let a process work on what a file holds; its status, its answers and what it printed."""
    (folder / "tasks").write_bytes(tasks)

    def work() -> None:
        for descriptor, (name, mode) in enumerate((("tasks", os.O_RDONLY), ("answers", os.O_WRONLY | os.O_CREAT))):
            os.dup2(os.open(folder / name, mode), descriptor)
        sys.stdin = os.fdopen(0)
        worker.work()

    ended = steps.in_a_process(work, folder / "said")
    return ended.status, (folder / "answers").read_bytes(), ended.said


@pytest.mark.forks
def test_answers_come_batch_by_batch_and_what_is_printed_is_none_of_them(tmp_path: Path) -> None:
    assert answers_to(sent(*JOBS), tmp_path) == (0, sent([4], [9, 16], [25]), "said")


@pytest.mark.forks
@pytest.mark.parametrize("lost", [1, 20])
def test_a_batch_that_is_cut_off_is_not_worked_on(lost: int, tmp_path: Path) -> None:
    assert answers_to(sent(*JOBS)[:-lost], tmp_path) == (0, sent([4], [9, 16]), "said")


def test_a_worker_finds_what_lies_in_the_folders_that_a_program_imports_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "theirs.py").write_text("def times(number):\n    return 3 * number\n")
    (tmp_path / "mine.py").write_text("import theirs\n\ndef twice(number):\n    return 2 * theirs.times(number)\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path / "beside"), *sys.path])
    with worker.Worker("mine:twice", (), str(tmp_path / "elsewhere")) as one:
        one.send([4])
        assert one.receive() == [24]
