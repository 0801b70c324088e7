"""What a phase of IO500 does, in words of the contract, and what its command line says about it."""

from __future__ import annotations

import re

from storagelab.errors import UnknownNameError
from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.units import GIB, KB, MIB, binary_size

UNITS = {"gib/s": GIB, "gb/s": GIB, "mib/s": MIB, "mb/s": MIB, "kiops": KB, "iops": 1.0}
_METADATA = {
    "create": "file_create", "write": "file_create", "stat": "file_stat", "read": "file_read",
    "delete": "file_remove", "bench": "mixed_workload", "io": "mixed_workload",
}  # fmt: skip
_DATA = {"write": "write", "create": "write", "read": "read"}


def spelt(phase: str) -> str:
    """Spell a phase as IO500 does today: ``ior_easy_write`` and ``IOR EASY WRITE`` are ``ior-easy-write``."""
    return re.sub(r"[_\s]+", "-", phase.strip())


def keys(phase: str) -> Row:
    """Operation, job and access pattern of a phase; an unknown phase is a job."""
    job = spelt(phase)
    name = job.lower()
    last = name.rpartition("-")[2]
    if name.startswith("ior"):
        pattern = "random" if "-rnd" in name else "sequential" if "-easy" in name else ""
        row: Row = {"operation": _DATA.get(last, "job"), "job": job}
        return {**row, "access_pattern": pattern} if pattern else row
    if name.startswith("md"):
        return {"operation": _METADATA.get(last, "job"), "job": job}
    return {"operation": "find" if name.startswith("find") else "job", "job": job}


def rate(value: str, unit: str) -> Row:
    """Make a throughput or an operation rate of a printed value; {} where it is 0, which means that nothing ran.

    Raises
    ------
    ValueError
        If the value is no number or the unit is not one of IO500's.
    """
    factor = UNITS.get(unit.lower())
    if factor is None:
        raise ValueError(unit)
    si = number(value) * factor
    name = "throughput" if unit.lower().endswith("b/s") else "operation_rate"
    return {name: si} if 0 < si < float("inf") else {}


def positive(name: str, value: str, factor: float = 1.0) -> Row:
    """Make a row of one number; {} where it is 0 or none.

    Raises
    ------
    ValueError
        If the value is no number.
    """
    si = number(value) * factor
    return {name: si} if 0 < si < float("inf") else {}


def command_keys(command: str) -> Row:
    """Keys in the command line of IOR or mdtest: transfer size, interface, file or directory mode, bytes of a file."""
    words = command.replace('"', "").split()
    options = _options(words)
    row: Row = {"api": options["-a"]} if options.get("-a") else {}
    if any(word.endswith("mdtest") for word in words):
        row["directory_mode"] = "unique" if "-u" in options else "shared"
        return {**row, **_size("file_size", options.get("-w", ""))}
    if any(word.endswith("ior") for word in words):
        row["file_mode"] = "file-per-process" if "-F" in options else "shared-file"
        return {**row, **_size("record_size", options.get("-t", ""))}
    return {}


def _options(words: list[str]) -> dict[str, str]:
    """Options with what follows them, whether after a blank or an equals sign."""
    options: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("-"):
            name, sign, value = word.partition("=")
            options.setdefault(name, value if sign else following)
    return options


def _size(name: str, text: str) -> Row:
    try:
        return {name: binary_size(text)}
    except UnknownNameError:
        return {}
