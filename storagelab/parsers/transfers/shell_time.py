"""What the shell's ``time`` prints behind a command: ``real``, ``user`` and ``sys``, a line each.

With ``-p`` the numbers are seconds (POSIX, time(1)); without, bash writes ``0m0.070s``.
"""

from __future__ import annotations

import re

from storagelab.parsers.text import number

NAMES = {"real": "elapsed", "user": "cpu_user_time", "sys": "cpu_system_time"}
_TIME = re.compile(r"(real|user|sys)\s+(?:(\d+)m)?(\d+(?:[.,]\d+)?)s?")


def time_in(line: str) -> tuple[str, float] | None:
    """Read a line of ``time`` as a name of the contract and seconds; None if it is none."""
    if not line.startswith(("real", "user", "sys")):
        return None
    match = _TIME.fullmatch(line.rstrip())
    return (NAMES[match[1]], 60 * int(match[2] or 0) + number(match[3])) if match else None
