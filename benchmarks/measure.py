"""Timing, and tables in Markdown."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent


def best(
    functions: Mapping[str, Callable[[], object]], rounds: int = 3, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Seconds each function takes at best; the rounds of all are interleaved, so that noise hits all alike.

    What one left behind is collected before the next begins.
    """
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            gc.collect()
            start = clock()
            function()
            times[name].append(clock() - start)
    return {name: min(seconds) for name, seconds in times.items()}


def run(*command: str, cwd: Path = ROOT) -> None:
    """Run a command, and fail with its output if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")


def python(code: str, *arguments: str) -> str:
    """Run code in a fresh interpreter and return what it prints."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def peak_memory() -> float:
    """Most memory this process ever had, in bytes (Linux; what its parent had before does not count)."""
    status = Path("/proc/self/status").read_text()
    return float(status.partition("VmHWM:")[2].split()[0]) * 1024


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a Markdown table."""
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"
