"""``python -m benchmarks.disturbed [--logs 100000] [--kills 20]``: the same logs into stores, whatever stops it.

By one process, by two, and by a `distributed.LocalCluster` of two workers, undisturbed; then once more by the cluster,
where the program that adds the logs, a worker, or a process that reads logs beside one is killed at random moments
(seeded, but what it is doing then is luck) and the program is started again. Every store is held against that of one
process, byte for byte. CPU seconds are those of the program and of the workers; memory is the most that any process of
them ever had.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.generate import generate
from benchmarks.measure import ROOT, table

ADD = """
import sys
from storagelab.store import append
workers = int(sys.argv[1]) if sys.argv[1].isdecimal() else sys.argv[1]
append(*sys.argv[2:], workers=workers)
"""
CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
EVERY = 0.2
"""Seconds between two looks at what the processes have used."""
HEADINGS = ["logs added by", "wall", "CPU", "to one process", "most memory", "killed", "same bytes"]


@dataclass
class Used:
    """What processes used, each under its number and its start."""

    cpu: dict[tuple[int, float], float] = field(default_factory=dict)
    memory: float = 0.0

    def look(self, *roots: psutil.Process) -> None:
        """Look at processes and at all that they started."""
        for root in roots:
            with suppress(psutil.Error):
                for one in (root, *root.children(recursive=True)):
                    self._look_at(one)

    def _look_at(self, one: psutil.Process) -> None:
        with suppress(psutil.Error, OSError, LookupError):  # it has ended
            self.cpu[one.pid, one.create_time()] = sum(one.cpu_times()[:2])
            status = Path(f"/proc/{one.pid}/status").read_text()
            self.memory = max(self.memory, float(status.partition("VmHWM:")[2].split()[0]) * 1024)


@dataclass(frozen=True)
class Added:
    """A store that was made: seconds, what was used, and a digest of all its bytes."""

    wall: float
    cpu: float
    memory: float
    kills: int
    digest: str


def added(
    store: Path, logs: Path, workers: str, beside: Sequence[psutil.Process] = (), spans: Sequence[float] = ()
) -> Added:
    """Add logs to a store; after each of some spans of seconds something is killed, also if all logs are there then."""
    before, used = Used(), Used()
    before.look(*beside)
    draw, wanted = random.Random(len(spans)), deque(spans)
    begun = since = time.perf_counter()
    program = _started(store, logs, workers)
    while (status := program.poll()) is None or wanted or status:
        if status is not None:
            program = _started(store, logs, workers)
        used.look(psutil.Process(program.pid), *beside)
        if wanted and time.perf_counter() - since > wanted[0]:
            wanted.popleft()
            _kill(draw, program, beside)
            since = time.perf_counter()
        time.sleep(EVERY)
    wall = time.perf_counter() - begun
    cpu = sum(seconds - before.cpu.get(which, 0.0) for which, seconds in used.cpu.items())
    return Added(wall, cpu, used.memory, len(spans), digest(store))


def _started(store: Path, logs: Path, workers: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", ADD, workers, str(store), str(logs)], cwd=ROOT)


def _kill(draw: random.Random, program: subprocess.Popen[bytes], beside: Sequence[psutil.Process]) -> None:
    """Kill the program, a worker of the cluster, or a process beside one."""
    workers = [worker for cluster in beside for worker in cluster.children() if worker.children()]
    chosen = draw.choice([program, *workers, *(reader for worker in workers for reader in worker.children())])
    with suppress(psutil.Error):
        chosen.kill()


def digest(store: Path) -> str:
    """Return a hash of the names and bytes of all files of a store, but of what processes wait for each other with."""
    found = hashlib.sha256()
    for path in sorted(path for path in store.rglob("*") if path.is_file() and path.name != ".storagelab-lock"):
        found.update(f"{path.relative_to(store)}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


@contextmanager
def cluster() -> Iterator[tuple[str, psutil.Process]]:
    """Start a cluster of two workers; yield its address and its process."""
    running = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdin
    assert running.stdout
    try:
        yield running.stdout.readline().strip(), psutil.Process(running.pid)
    finally:
        running.stdin.close()
        running.wait()


def disturbed(folder: Path, tool: str, count: int, kills: int) -> str:
    """A row for each way of adding the same logs."""
    logs = folder / "logs"
    generate(logs, tool, count)
    found = {"one process": added(folder / "one", logs, "1"), "two processes": added(folder / "two", logs, "2")}
    with cluster() as (address, process):
        through = found["a LocalCluster of two workers"] = added(folder / "cluster", logs, address, [process])
        draw = random.Random(count)
        spans = [draw.uniform(0, 2 * through.wall / kills) for _ in range(kills)]
        found["the same, killed and started again"] = added(folder / "killed", logs, address, [process], spans)
    alone = found["one process"]
    return f"{count:,} logs of {tool}.\n\n" + table(HEADINGS, [_row(who, one, alone) for who, one in found.items()])


def _row(who: str, one: Added, alone: Added) -> list[str]:
    seconds = [f"{one.wall:.0f} s", f"{one.cpu:.0f} s", f"{alone.wall / one.wall:.2f} x"]
    return [who, *seconds, f"{one.memory / 1e6:.0f} MB", str(one.kills), "yes" if one.digest == alone.digest else "no"]


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.disturbed", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--tool", default="ior")
    asked.add_argument("--logs", type=int, default=100_000)
    asked.add_argument("--kills", type=int, default=20)
    wanted = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(disturbed(Path(name), wanted.tool, wanted.logs, wanted.kills))


if __name__ == "__main__":
    main()
