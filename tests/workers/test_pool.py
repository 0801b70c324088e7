"""Processes that work side by side, and what they are given one after the other."""

from __future__ import annotations

import os

import psutil
import pytest

from storagelab.workers import pool

TASKS = [(number, pool.BATCH) for number in (-1, 2, -3)]


def process_of(_: int) -> int:
    return os.getpid()


def test_a_crew_keeps_its_processes_for_what_comes_next() -> None:
    asked = f"{__name__}:{process_of.__name__}"
    with pool.Crew() as crew:
        two = set(crew.results(asked, TASKS, 2))
        assert list(crew.results("builtins:abs", TASKS, 2)) == [1, 2, 3]
        assert list(crew.results("builtins:pow", TASKS, 2, 2)) == [1, 4, 9]
        three = set(crew.results(asked, TASKS, 3))
        with pytest.raises(ChildProcessError, match=r"^a worker ended before its work was done, with exit status 7$"):
            list(crew.results("os:_exit", [(7, pool.BATCH)], 2))
    assert (len(two), len(three)) == (2, 3)
    assert two < three
    assert three.isdisjoint(child.pid for child in psutil.Process().children())


def test_one_worker_is_this_process() -> None:
    assert set(pool.results(f"{__name__}:{process_of.__name__}", TASKS, 1)) == {os.getpid()}
