"""From mdtest's command line, and the counts it prints, to the keys of the contract."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from storagelab.errors import UnknownNameError
from storagelab.parsers.model import Row
from storagelab.units import binary_size

_SIZES = {"-n": "items", "-z": "depth", "-b": "branching", "-N": "stride", "-w": "file_size"}
_SPEAKING = frozenset({*_SIZES, "-u", "-S", "-a"})
_SWITCHES = "BcCDEFkLPrRStTuUvXyYZ"
"""Flags without a value, which may stand together behind one dash."""


def keys(command: str, processes: float, total: float) -> Row:
    """Keys of one run.

    Parameters
    ----------
    command : str
        Command line as mdtest prints it, arguments quoted or not; "" where it prints none.
    processes, total : float
        Tasks, and files or directories of all tasks together, as printed; 0 where they are not.

    Returns
    -------
    Row
        `items` is what one task handles: the printed total over the tasks, or ``-n`` where that does not divide;
        not there without a total, for mdtest rounds what ``-n`` asks for to whole directories.
        `stat_origin`, `directory_mode` and the others only where the command line is printed.
    """
    return dict(_keys(command, processes, total))


@functools.lru_cache(maxsize=256)
def _keys(command: str, processes: float, total: float) -> Row:
    """Keys of one run, found once: the logs of a campaign repeat their command lines."""
    found: Row = {**asked_for(command)}
    if not total:
        found.pop("items", None)
    elif processes and total % processes == 0:
        found["items"] = total / processes
    if not found.get("file_size", 1.0):
        del found["file_size"]
    return {**found, **_modes(_arguments(command))} if command else found


@functools.lru_cache(maxsize=256)
def asked_for(command: str) -> Mapping[str, float]:
    """Return the numbers that a command line gives, by key; found once."""
    return {_SIZES[flag]: size for flag, size in _numbers(_arguments(command)).items()}


def _arguments(command: str) -> dict[str, str]:
    """Collect the flags that say something here and what follows each; ``-n=5``, ``-n5`` and ``-Fu`` are understood."""
    words = command.replace("'", "").replace('"', "").split()
    given: dict[str, str] = {}
    for place, word in enumerate(words):
        if word[0] != "-":
            continue
        flag, rest = word[:2], word[2:]
        if flag in _SPEAKING and (not rest or rest[0] == "=" or rest.isdecimal()):
            following = words[place + 1] if place + 1 < len(words) else ""
            given[flag] = rest.lstrip("=") or following
        elif rest and not rest.strip(_SWITCHES):
            given.update((f"-{letter}", "") for letter in word[1:])
    return given


def _numbers(given: dict[str, str]) -> dict[str, float]:
    numbers = {}
    for flag, text in given.items():
        if flag in _SIZES and text[:1].isdecimal():
            try:
                numbers[flag] = binary_size(text)
            except UnknownNameError:
                continue
    return numbers


def _modes(given: dict[str, str]) -> Row:
    strided = given.get("-N", "0") != "0"
    found: Row = {
        "directory_mode": "unique" if "-u" in given else "shared",
        "stat_origin": "neighbour_node" if strided else "creating_node",
    }
    if "-S" in given:
        found["file_mode"] = "shared-file"
    if given.get("-a", "-")[:1] not in ("-", ""):
        found["api"] = given["-a"].upper()
    return found
