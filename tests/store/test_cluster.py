"""Logs read by the workers of a scheduler of dask: the bytes of one process, also where programs are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import psutil
import pytest

from storagelab.errors import StoragelabError
from storagelab.ingest.cost_bounds import Bounds
from storagelab.store import append, open_store
from storagelab.store.chunk import UNSEEN, Made, make
from storagelab.store.chunk_plan import Found
from storagelab.workers import pool
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.store.test_store import APPEND, IOR, contents

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed", reason="of the extra storagelab[cluster]")
from storagelab.workers import cluster as of_dask  # noqa: E402

LOGS = sorted(IOR.iterdir())[:40]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def scheduler(cluster: Any) -> str:
    return str(cluster.scheduler_address)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of a few logs, so that a few logs make many."""
    monkeypatch.setattr("storagelab.store.chunk_plan.CHUNK_LOGS", 5)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process makes of the logs."""
    store = tmp_path_factory.mktemp("alone") / "s"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storagelab.store.chunk_plan.CHUNK_LOGS", 5)
        append(store, *LOGS, workers=1)
    return contents(store)


def started(store: Path, scheduler: str) -> subprocess.Popen[bytes]:
    code = APPEND.replace("; append", "; from storagelab.store import chunk_plan; chunk_plan.CHUNK_LOGS = 5; append", 1)
    code = code.replace("int(sys.argv[1])", "sys.argv[1]")
    return subprocess.Popen([sys.executable, "-c", code, scheduler, str(store), *map(str, LOGS)], cwd=ROOT)


def wait_for(chunks: int, store: Path, process: subprocess.Popen[bytes]) -> None:
    while len(list(store.glob("chunks/*"))) < chunks and process.poll() is None:
        time.sleep(0.02)


def test_the_store_is_that_of_one_process(
    small: None, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a store and of logs that are named from the folder of who asks."""
    monkeypatch.chdir(tmp_path)
    logs = [os.path.relpath(log) for log in LOGS]
    append("one", *logs, workers=1)
    append("cluster", *logs, workers=scheduler)
    assert contents(tmp_path / "one") == contents(tmp_path / "cluster") != {}
    assert append("cluster", *logs, workers=scheduler).known == len(LOGS)


def test_a_program_that_is_killed_leaves_a_store_that_goes_on_to_the_same_bytes(
    small: None, alone: dict[str, bytes], scheduler: str, tmp_path: Path
) -> None:
    """That any step of it may be the last one is shown by `test_store`."""
    store = tmp_path / "s"
    process = started(store, scheduler)
    wait_for(2, store, process)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    append(store, workers=scheduler)
    assert contents(store) == alone


@pytest.mark.parametrize("beside", [False, True])
def test_a_worker_that_is_killed_or_what_reads_beside_it_has_its_logs_read_by_others(
    beside: bool, small: None, alone: dict[str, bytes], scheduler: str, tmp_path: Path
) -> None:
    store = tmp_path / "s"
    process = started(store, scheduler)
    wait_for(2, store, process)
    with distributed.Client(scheduler, set_as_default=False) as client:
        worker = psutil.Process(client.run(os.getpid).popitem()[1])
    for one in worker.children() if beside else [worker]:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    assert process.wait() == 0
    assert contents(store) == alone


def test_a_process_that_ends_whatever_is_done_about_it_is_told(scheduler: str) -> None:
    with pytest.raises(ChildProcessError, match=r"^a worker ended before its work was done, with exit status 7$"):
        list(pool.results("os:_exit", [(7, 1)], scheduler))


def test_the_csv_is_that_of_one_process(scheduler: str, tmp_path: Path, cli: Cli) -> None:
    for name, working in (("a", ("--workers", "1")), ("b", ("--scheduler", scheduler))):
        cli("parse", *map(str, LOGS), "--output", str(tmp_path / f"{name}.csv"), *working)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_log_that_takes_too_long_is_given_up(scheduler: str, tmp_path: Path) -> None:
    found = append(tmp_path / "s", LOGS[0], workers=scheduler, bounds=Bounds(seconds=1e-6))
    assert found.unread == append(tmp_path / "t", LOGS[0], workers=1, bounds=Bounds(seconds=1e-6)).unread
    assert "takes longer" in found.unread[0][1]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tcp://127.0.0.1:9", r"^tcp://127\.0\.0\.1:9: expected a scheduler of dask, found none that answers$"),
        ("login1", r"^login1: expected the address of a scheduler of dask, such as tcp://login1:8786: missing port"),
        ("x://login1:1", r"^x://login1:1: expected the address of a scheduler .*: unknown address scheme 'x'"),
    ],
)
def test_no_scheduler(address: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_dask, "PATIENCE", 0.2)
    with pytest.raises(StoragelabError, match=said):
        append(tmp_path / "s", LOGS[0], workers=address)
    append(tmp_path / "s", LOGS[0])
    assert open_store(tmp_path / "s").counts()["logs"]


@pytest.mark.parametrize(
    ("folder", "version", "said"),
    [
        ("/nowhere", of_dask.__version__, "expected to see the folder /nowhere, and does not"),
        ("/", "0.0", f"expected storagelab 0.0, found {of_dask.__version__}"),
    ],
)
def test_a_worker_that_cannot_do_the_work_says_why(folder: str, version: str, said: str, scheduler: str) -> None:
    job = of_dask.Job("a", 0, "builtins:abs", (), folder, version)
    with (
        distributed.Client(scheduler, set_as_default=False) as client,
        pytest.raises(StoragelabError, match=rf"^tcp://.*: {said}$"),
    ):
        client.submit(of_dask._do, job, [-1]).result()


def test_workers_that_see_another_disk_are_refused(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool.Crew, "results", lambda _, function, tasks, *__: (Made(UNSEEN) for _ in tasks))
    appending = import_module("storagelab.store.append")  # by its path stands the function of the same name
    monkeypatch.setattr(appending, "look", lambda *_: iter([Found(str(LOGS[0]), "0" * 64, 1)]))
    with pytest.raises(StoragelabError, match=rf"s: expected a folder that all machines share; workers of {scheduler}"):
        append(tmp_path / "s", LOGS[0], workers=scheduler)


def test_a_chunk_of_a_store_that_is_not_seen_is_not_made(tmp_path: Path) -> None:
    assert make(str(tmp_path / "list"), str(tmp_path / "s"), Bounds()).state == UNSEEN


def beside(client: Any) -> set[int]:
    """The processes of ours beside all workers."""
    return set(chain(*client.run(lambda: [one.pid for one in psutil.Process().children()]).values()))


def test_processes_end_with_the_work_and_not_before(scheduler: str) -> None:
    """Also where dask drops copies of its data, as it does every two seconds."""
    with distributed.Client(scheduler, set_as_default=False) as client:
        others, seen, done = beside(client), set[int](), list[int]()
        for number in pool.results("builtins:abs", ((-number, 10**9) for number in range(12)), scheduler):
            done.append(number)
            client.amm.run_once()
            seen |= beside(client) - others
        assert done == list(range(12))
        assert 1 <= len(seen) <= 2
        assert seen.isdisjoint(beside(client))


def test_processes_do_the_next_job_of_those_who_asked_too(scheduler: str) -> None:
    with distributed.Client(scheduler, set_as_default=False) as client, pool.Crew() as crew:
        others = beside(client)
        assert [*crew.results("builtins:abs", [(-1, 10**9), (-2, 10**9)], scheduler)] == [1, 2]
        first = beside(client) - others
        assert [*crew.results("builtins:pow", [(3, 10**9), (4, 10**9)], scheduler, 2)] == [9, 16]
        assert 1 <= len(first) <= len(beside(client) - others) <= 2
        assert first <= beside(client)


def test_processes_end_without_work() -> None:
    """Whoever asked may have been killed."""
    job = of_dask.Job("a", 0, "builtins:abs", (), str(ROOT), of_dask.__version__, idle=0.01)
    processes = of_dask.Processes()
    for number in (1, 2):
        assert processes.do(job, [-number]) == [number]
        processes.idle.join()
        assert processes.free.empty()


def test_either_workers_or_a_scheduler(tmp_path: Path, cli: Cli) -> None:
    done = cli("store", str(tmp_path / "s"), "--workers", "2", "--scheduler", "tcp://x:1")
    assert done.code == 2
    assert "the scheduler has workers of its own: leave out --workers" in done.err
