"""Campaigns of a stranger, generated: logs as IOR 4 and fio 3 print them, with the numbers that the tests expect."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

MIB = 2.0**20
BLOCK = 64
"""MiB that each process writes and reads."""

STARTED = datetime(2026, 3, 2, 8, 0)
NODES, PER_NODE, RELEASES, REPEATS = (1, 4, 8), (4, 16), ("A", "B"), (1, 2, 3, 4, 5)
GAIN = 1.25
"""How much faster release B is."""

IOR = """IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : {began}
Command line        : ior -w -r -F -t 1m -b {block}m -o /scratch/t/ior.f
Machine             : Linux node{first:02d} 5.14.0 #1 SMP x86_64
TestID              : 0
StartTime           : {began}
Path                : /scratch/t/ior.f.00000000
FS                  : 100.0 TiB   Used FS: 12.5%   Inodes: 3.0 Mi   Used Inodes: 0.0%

Options:
api                 : POSIX
access              : file-per-process
type                : independent
segments            : 1
ordering in a file  : sequential
nodes               : {nodes}
tasks               : {tasks}
clients per node    : {per_node}
repetitions         : 1
xfersize            : 1 MiB
blocksize           : {block} MiB
aggregate filesize  : {total} MiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
{rows}

Finished            : {finished}
"""
ROW = "{name:<9} {rate:.2f} {rate:.2f} 0.001000 65536 1024.00 0.001000 {time:.6f} 0.001000 {time:.6f} 0"


def conditions() -> Iterator[tuple[int, int, int, str]]:
    """Repeat, nodes, processes per node and release of each run, in an order in which releases alternate."""
    yield from itertools.product(REPEATS, NODES, PER_NODE, RELEASES)


def write_ior_logs(folder: Path) -> list[Path]:
    """Write 60 logs with names such as ``ior_n08_p16_relA_r3.log``."""
    rng, paths = np.random.default_rng(7), []
    for place, (repeat, nodes, per_node, release) in enumerate(conditions()):
        tasks = nodes * per_node
        scale = 400 * nodes**0.8 * per_node**0.2 * (GAIN if release == "B" else 1.0)
        rates = {name: scale * factor * rng.normal(1, 0.02) for name, factor in (("write", 1.0), ("read", 1.5))}
        rows = [ROW.format(name=name, rate=rate, time=tasks * BLOCK / rate) for name, rate in rates.items()]
        began = STARTED + timedelta(minutes=10 * place)
        ctime = "%a %b %d %H:%M:%S %Y"
        text = IOR.format(
            began=began.strftime(ctime), finished=(began + timedelta(minutes=5)).strftime(ctime), first=1 + place % 3,
            nodes=nodes, tasks=tasks, per_node=per_node, block=BLOCK, total=tasks * BLOCK, rows="\n".join(rows),
        )  # fmt: skip
        paths.append(folder / f"ior_n{nodes:02d}_p{per_node:02d}_rel{release}_r{repeat}.log")
        paths[-1].write_text(text)
    return paths


def write_fio_logs(folder: Path) -> list[Path]:
    """Write 12 logs with names such as ``randread-bs64k-mq-deadline.2.json``; mq-deadline is as fast as none."""
    rng, paths = np.random.default_rng(3), []
    for place, (repeat, size, scheduler) in enumerate(itertools.product((1, 2, 3), (4, 64), ("none", "mq-deadline"))):
        rate, runtime = size * 1024 * 5000 * rng.normal(1, 0.01), 10_000
        count = int(rate * runtime / 1000 / (size * 1024))
        done = count * size * 1024
        read = {
            "io_bytes": done, "io_kbytes": done // 1024, "bw_bytes": done * 1000 // runtime,
            "bw": done // 1024 * 1000 // runtime, "iops": count * 1000 / runtime, "runtime": runtime,
            "total_ios": count,
        }  # fmt: skip
        idle = dict.fromkeys(read, 0)
        document = {
            "fio version": "fio-3.35",
            "timestamp": 1772438400 + 60 * place,
            "timestamp_ms": (1772438400 + 60 * place) * 1000,
            "time": "Mon Mar  2 08:00:00 2026",
            "global options": {"rw": "randread", "bs": f"{size}k", "size": "1g", "ioengine": "libaio", "iodepth": "16"},
            "jobs": [
                {
                    "jobname": "randread", "groupid": 0, "error": 0, "elapsed": 11,
                    "job options": {}, "read": read, "write": idle, "trim": idle,
                }
            ],
        }  # fmt: skip
        paths.append(folder / f"randread-bs{size}k-{scheduler}.{repeat}.json")
        paths[-1].write_text(json.dumps(document, indent=2))
    return paths
