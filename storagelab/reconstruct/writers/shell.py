"""What a benchmark script leaves around the output of its commands: a remark, the command line, the shell's times."""

from __future__ import annotations

from storagelab.reconstruct.log import MARK
from storagelab.reconstruct.writers import printable

REMARK = f"# {MARK}\n"
"""The mark as a script echoes a remark, a line of its own."""


def traced(command: str) -> str:
    """Return a command line as ``set -x`` of the POSIX shell shows it."""
    return f"+ {printable.line('command', command)}\n"


def times(elapsed: float, cpu_user_time: float, cpu_system_time: float) -> str:
    """Return what ``time -p`` prints behind a command: three lines, seconds with two decimals (POSIX, time(1)).

    Raises
    ------
    ReconstructError
        If a time is negative or not finite.
    """
    named = {"real": elapsed, "user": cpu_user_time, "sys": cpu_system_time}
    return "".join(f"{name} {printable.amount(name, value):.2f}\n" for name, value in named.items())
