"""What the shell's ``time`` prints behind a command: ``real``, ``user`` and ``sys``, a line each.

With ``-p`` the numbers are seconds (POSIX, time(1)); without, bash writes ``0m0.070s``. GNU time writes one line,
``0.01user 0.00system 0:00.07elapsed ...``.
"""

from __future__ import annotations

import re

from storagelab.parsers.text import printf_number as number

NAMES = {"real": "elapsed", "user": "cpu_user_time", "sys": "cpu_system_time"}
_TIME = re.compile(r"(real|user|sys)\s+(?:(\d{1,9})m)?(\d+(?:[.,]\d+)?)s?")
_GNU = re.compile(r"(\d+[.,]\d+)user (\d+[.,]\d+)system (?:(\d{1,9}):)?(\d{1,9}):(\d+(?:[.,]\d+)?)elapsed ")


def times_in(line: str) -> dict[str, float]:
    """Read a line of ``time`` as names of the contract and seconds; empty if it is none."""
    if line.startswith(("real", "user", "sys")):
        match = _TIME.fullmatch(line.rstrip())
        return {NAMES[match[1]]: 60 * int(match[2] or 0) + number(match[3])} if match else {}
    gnu = _GNU.match(line) if "elapsed " in line else None
    if not gnu:
        return {}
    elapsed = 3600 * int(gnu[3] or 0) + 60 * int(gnu[4]) + number(gnu[5])
    return {"elapsed": elapsed, "cpu_user_time": number(gnu[1]), "cpu_system_time": number(gnu[2])}
