"""What a program that writes outputs sees, whatever the machine says."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

PINNED: Mapping[str, str] = {
    "SOURCE_DATE_EPOCH": "315532800",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "MATPLOTLIBRC": str(Path(__file__).parent / "figures" / "style.mplstyle"),
    "PYTHONHASHSEED": "0",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Read by Python, numpy, matplotlib and pyarrow when they start. Threads are one because sums in another order round
differently, and because a process of one thread can be forked."""

FEW_COLLECTIONS = (100_000, 20, 50)
"""Thresholds of the garbage collector for work on millions of objects that mostly stay: its search for circles among
them takes a twentieth of the CPU time of a paper at Python's own."""

WRITING = ("bundle", "claims", "figures", "index", "ingest", "paper", "reconstruct", "reports", "synthesis")
"""Commands whose outputs must not depend on where they run."""


def pinned(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with everything pinned that could change an output."""
    return {**environment, **PINNED}


def pin() -> None:
    """Start this program again in the pinned environment if it is to write outputs and does not run in it.

    Nothing is done inside another program that calls the command line as a function: its environment is its own.
    """
    arguments = sys.argv[1:]
    ours = bool(arguments) and sys.orig_argv[-len(arguments) :] == arguments
    if ours and arguments[0] in WRITING and not _in_force(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], pinned(os.environ))


def started_pinned() -> bool:
    """Whether this process was started in the pinned environment, before anything could be imported, and still is."""
    try:
        said = Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    start = dict(os.fsdecode(line).partition("=")[::2] for line in said)
    return _in_force(start) and _in_force(os.environ)


def _in_force(environment: Mapping[str, str]) -> bool:
    return all(environment.get(name) == value for name, value in PINNED.items())


def cores() -> int:
    """How many processors this process may use: of a job of SLURM those that it was given."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
