"""Reading a log of one line an I/O, too large to be held, beside Arrow's CSV reader, the fastest that we know.

``python -m benchmarks.streaming 2e9`` measures a log of 2 GB, which it writes into a temporary folder; the default is a
tenth of that. Time is that of the samples in hand (SHA-256, survey of the whole log, all its blocks); memory is the
peak of a process that does this and no more, above that of its imports.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import python, table

SIZE = 2e8
LINES = 200_000
NAME = "large_clat.1.log"

OURS = """
from storagelab.ingest import read_log
for block in read_log(sys.argv[1]).parsed.tables():
    pass
"""
ARROW = """
from pyarrow import csv, int64
names = list("abcdef")
csv.read_csv(
    sys.argv[1],
    read_options=csv.ReadOptions(column_names=names),
    convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, int64())),
)
"""
READERS = {"storagelab": OURS, "`pyarrow.csv`": ARROW}
TIMED = """
import sys, time
import pyarrow.csv, storagelab.ingest
from benchmarks.measure import peak_memory
before, start = peak_memory(), time.perf_counter()
{}
print(time.perf_counter() - start, peak_memory() - before)
"""


def streaming(folder: Path, size: float = SIZE, rounds: int = 3) -> str:
    """A row a reader: seconds at best, and the most memory it took; the rounds are interleaved."""
    log = folder / NAME
    write(log, size)
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in READERS}
    for _ in range(rounds):
        for name, code in READERS.items():
            runs[name].append(_run(code, log))
    log.unlink()
    fastest = {name: min(seconds for seconds, _ in found) for name, found in runs.items()}
    rows = [
        [
            f"{name}, {size / 1e6:,.0f} MB",
            f"{fastest[name]:.1f} s",
            f"{fastest[name] / fastest['`pyarrow.csv`']:.1f} x",
            f"{max(memory for _, memory in found) / 1e6:,.0f} MB",
        ]
        for name, found in runs.items()
    ]
    return table(["fio log of one line an I/O", "time", "", "peak memory"], rows)


def _run(code: str, log: Path) -> tuple[float, float]:
    seconds, memory = python(TIMED.format(code), str(log)).split()
    return float(seconds), float(memory)


def write(log: Path, size: float) -> None:
    """Write what fio does with ``write_lat_log`` and ``log_offset``: invented, the same each time."""
    random = np.random.default_rng(1)
    with log.open("w") as file:
        second = 0
        while file.tell() < size:
            stamps = second * 1000 + np.sort(random.integers(0, 1000, LINES))
            latencies = random.lognormal(11, 1, LINES).astype(int)
            directions, offsets = random.integers(0, 2, LINES), random.integers(0, 2**18, LINES) * 4096
            columns = (column.tolist() for column in (stamps, latencies, directions, offsets))
            file.writelines(f"{t}, {v}, {d}, 4096, {o}, 0\n" for t, v, d, o in zip(*columns, strict=True))
            second += 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(streaming(Path(name), float(sys.argv[1]) if len(sys.argv) > 1 else SIZE))
