"""Work by the address of a scheduler, without one: `tests/store/test_cluster.py` has workers of dask do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab.errors import StoragelabError
from storagelab.workers import pool

distributed = pytest.importorskip("distributed", reason="of the extra storagelab[cluster]")
from storagelab.workers import cluster as of_dask  # noqa: E402

ADDRESS = "tcp://login1:8786"
WORKER = SimpleNamespace(address="tcp://node7:1")


class Ended:
    """The future of a batch, which is done as soon as it is asked for."""

    def __init__(self, call: Callable[[], list[Any]]) -> None:
        self.result = call


class Alone:
    """A client of a scheduler that has no workers and does all work itself."""

    most = 0

    def __init__(self, *_: object, **options: object) -> None:
        self.waiting = 0
        assert not options["set_as_default"], "a program may have a client of its own"

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def nthreads(self) -> dict[str, int]:
        return {}

    def submit(self, function: Callable[..., list[Any]], *given: object, pure: bool, retries: int) -> Ended:
        def done() -> list[Any]:
            self.waiting -= 1
            return function(*given)

        assert not pure, "what is read may have changed"
        self.waiting += 1
        Alone.most = max(Alone.most, self.waiting)
        return Ended(done)

    def run(self, function: Callable[..., object], *given: object, on_error: str) -> None:
        function(*given)


class Process:
    """What stands for the process beside a worker."""

    started: list[Process]

    def __init__(self, function: str, shared: Iterable[Any], folder: str) -> None:
        self.call, self.shared = pool.named(function), shared
        self.is_running = True
        self.started.append(self)

    def turn_to(self, function: str, shared: Iterable[Any]) -> None:
        self.call, self.shared = pool.named(function), shared

    def send(self, batch: list[Any]) -> None:
        self.batch = batch

    def receive(self) -> list[Any]:
        return [self.call(task, *self.shared) for task in self.batch]

    def __exit__(self, *_: object) -> None:
        self.is_running = False


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_dask, "Client", Alone)
    monkeypatch.setattr(of_dask, "Worker", Process)
    monkeypatch.setattr(Process, "started", [], raising=False)
    monkeypatch.setattr(Alone, "most", 0)


def test_results_come_in_the_order_of_the_tasks_and_one_process_does_what_comes_one_after_the_other() -> None:
    tasks = [(number, pool.BATCH) for number in (5, 7, 9, 11)]
    assert list(pool.results("builtins:pow", tasks, ADDRESS, 2)) == [25, 49, 81, 121]
    assert Alone.most == 2, "one batch is worked on, and one waits"
    assert [process.is_running for process in Process.started] == [False]


def test_a_process_that_failed_is_ended_and_asked_no_more() -> None:
    job, processes = of_dask.Job("a", 0, "builtins:abs", (), ".", of_dask.__version__), of_dask.Processes()
    assert processes.do(job, [-1]) == [1]
    with pytest.raises(TypeError, match="bad operand"):
        processes.do(job, ["no number"])
    assert processes.do(job, [-2]) == [2]
    assert [process.is_running for process in Process.started] == [False, True]
    processes.idle.cancel()


def test_a_process_turns_to_the_next_job_and_ends_when_nobody_asks() -> None:
    first = of_dask.Job("a", 0, "builtins:abs", (), ".", of_dask.__version__)
    processes = of_dask.Processes()
    assert processes.do(first, [-1]) == [1]
    waits = processes.idle
    assert waits.daemon
    assert processes.do(first._replace(turn=1, function="builtins:pow", shared=(2,), idle=0.0), [3]) == [9]
    assert waits.finished.is_set(), "it no longer waits to end the process"
    processes.idle.join()
    assert [process.is_running for process in Process.started] == [False]


@pytest.mark.parametrize(("other", "said"), [
    ({"version": "0.0"}, f"expected storagelab 0.0, found {of_dask.__version__}"),
    ({"folder": "/nowhere"}, "expected to see the folder /nowhere, and does not"),
])  # fmt: skip
def test_a_worker_that_cannot_do_a_job_is_named(
    other: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_dask, "get_worker", lambda: WORKER)
    job = of_dask.Job("a", 0, "builtins:abs", (), ".", of_dask.__version__)._replace(**other)
    with pytest.raises(StoragelabError, match=f"^{WORKER.address}: {said}$"):
        of_dask.Processes().do(job, [-1])


def failing(error: Exception) -> type[Alone]:
    class Failing(Alone):
        def submit(self, *_: object, **options: object) -> Ended:
            def fail() -> list[Any]:
                raise error

            return Ended(fail)

    return Failing


@pytest.mark.parametrize(("error", "said"), [
    (distributed.KilledWorker("batch", WORKER, 3), "workers died, .* with the same logs: .*tcp://node7:1\\."),
    (distributed.client.FutureCancelledError("batch", "lost"), "the scheduler is gone before the work was done$"),
])  # fmt: skip
def test_what_ends_the_work_is_told_with_the_address(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_dask, "Client", failing(error))
    with pytest.raises(StoragelabError, match=f"^{ADDRESS}: {said}"):
        list(pool.results("builtins:abs", [(-1, 1)], ADDRESS))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(StoragelabError, match=r"^login1: expected the address of a scheduler of dask, such as tcp://"):
        list(pool.results("builtins:abs", [(-1, 1)], "login1"))
