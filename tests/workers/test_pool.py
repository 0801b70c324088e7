"""Processes that work side by side, and what they are given one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator

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


@pytest.mark.parametrize(
    ("sizes", "wanted", "workers"),
    [
        ([], 0, 1),
        ([pool.PAYS, 2 * pool.PAYS - 1], 0, 2),
        ([9 * pool.PAYS], 0, 4),
        ([9 * pool.PAYS], 7, 7),
        ([], "tcp://login1:8786", "tcp://login1:8786"),
    ],
)
def test_as_many_work_as_there_are_cores_and_work_for_them(
    sizes: list[int], wanted: pool.Workers, workers: pool.Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "cores", lambda: 4)
    assert pool.workers_for(sizes, wanted) == workers


@pytest.mark.parametrize(
    ("sizes", "together"),
    [
        ([pool.BATCH - 1, 1, 1], [2, 1]),
        ([pool.BATCH, pool.BATCH - 1, 0, 1], [1, 3]),
        ((pool.MOST + 1) * [0], [pool.MOST, 1]),
        ([], []),
    ],
)
def test_a_batch_is_full_by_its_bytes_or_its_tasks(sizes: list[int], together: list[int]) -> None:
    assert [len(batch) for batch in pool.batches((size, size) for size in sizes)] == together


def test_each_worker_has_a_batch_that_waits_and_no_more() -> None:
    drawn: list[int] = []

    def tasks() -> Iterator[tuple[int, int]]:
        for number in range(9):
            drawn.append(number)
            yield number, pool.BATCH

    with pool.Crew() as crew:
        found = crew.results("builtins:abs", tasks(), 2)
        assert next(found) == 0
        assert len(drawn) == 4
        assert list(found) == [*range(1, 9)]
