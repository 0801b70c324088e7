"""``python -m benchmarks.growth [--logs 1000 10000 100000] [--rows 10000000]``: how a store grows, in CPU seconds.

CPU and memory of adding logs, and of adding them again; then of a summary and a comparison by five keys over a store of
as many rows as are wanted, whose chunks are one another's links.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from pathlib import Path

from benchmarks.generate import generate
from benchmarks.measure import python, table

PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
"""
"""Bytes in memory at most; what getrusage says counts what the parent had when it started the process."""
ADD = (
    PEAK
    + """
import sys, time
from storagelab.store import append
append(*sys.argv[1:], workers=1)
print(time.process_time(), peak())
"""
)
QUESTION = (
    PEAK
    + """
import sys, time
start = time.process_time()
import storagelab
store = storagelab.open_store(sys.argv[1])
opened = time.process_time() - start
import storagelab.store.reduce
start = time.process_time()
rows, known = store.counts()["runs"], store.columns()
by = [key for key in ("operation", "file_size", "record_size", "processes", "file_mode") if key in known]
over = [key for key in storagelab.schema.KEYS if key in known and key not in ("run_id", "tool", *by)]
if sys.argv[2] == "summarise":
    store.summarise("throughput", by, over=over)
else:
    first, second, *_ = sorted(store.levels("operation")["operation"])
    store.compare("throughput", "operation", first, second, by[1:], over=over)
print(opened, rows, time.process_time() - start, peak())
"""
)


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--tool", default="iozone-auto")
    asked.add_argument("--logs", type=int, nargs="+", default=[1000, 10_000, 100_000])
    asked.add_argument("--rows", type=int, default=10_000_000)
    wanted = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(growth(Path(name), wanted.tool, wanted.logs))
        print(summary(Path(name) / f"store-{wanted.logs[0]}", Path(name) / "many", wanted.rows))


def growth(folder: Path, tool: str, counts: list[int]) -> str:
    """A row a number of logs; the exponent is that of CPU from the row before."""
    rows: list[list[object]] = []
    before: tuple[int, float] | None = None
    for count in counts:
        logs, store = folder / f"logs-{count}", folder / f"store-{count}"
        generate(logs, tool, count)
        cpu, peak = map(float, python(ADD, str(store), str(logs)).split())
        again, _ = map(float, python(ADD, str(store), str(logs)).split())
        exponent = f"{math.log(cpu / before[1]) / math.log(count / before[0]):.2f}" if before else ""
        rows.append([f"{count:,}", f"{cpu:.1f} s", exponent, f"{peak / 1e6:.0f} MB", f"{again:.1f} s"])
        before = count, cpu
    return table(["logs", "CPU", "exponent", "peak memory", "nothing new"], rows)


def summary(store: Path, many: Path, wanted: int) -> str:
    """Reduce a store of many rows: chunks of a small one, again and again under other names."""
    _, there, *_ = map(float, python(QUESTION, str(store), "summarise").split())
    many.joinpath("chunks").mkdir(parents=True)
    os.link(store / "storagelab-store.json", many / "storagelab-store.json")
    for number in range(math.ceil(wanted / there)):
        for chunk in store.joinpath("chunks").iterdir():
            copy = many / "chunks" / f"{number:06}-{chunk.name}"
            copy.mkdir()
            for file in chunk.iterdir():
                os.link(file, copy / file.name)
    rows = []
    for folder in (store, many):
        for asked in ("summarise", "compare"):
            opened, count, cpu, peak = map(float, python(QUESTION, str(folder), asked).split())
            rows.append([f"{count:,.0f}", asked, f"{opened:.2f} s", f"{cpu:.1f} s", f"{peak / 1e6:.0f} MB"])
    return table(["rows", "five keys", "import and open", "CPU", "peak memory"], rows)


if __name__ == "__main__":
    main()
