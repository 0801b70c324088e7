"""From mdtest's command line, and the counts it prints, to the keys of the contract."""

from __future__ import annotations

from storagelab.errors import UnknownNameError
from storagelab.parsers.model import Row
from storagelab.units import binary_size

_SIZES = {"-n": "items", "-z": "depth", "-b": "branching", "-N": "stride", "-w": "file_size"}


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
        `items` is what one task handles: the printed total over the tasks, or ``-n`` where that does not divide.
        `stat_origin`, `directory_mode` and the others only where the command line is printed.
    """
    given = _arguments(command)
    found = {_SIZES[flag]: size for flag, size in _numbers(given).items()}
    if total and processes and total % processes == 0:
        found["items"] = total / processes
    if not found.get("file_size", 1.0):
        del found["file_size"]
    return {**found, **_modes(given)}


def _arguments(command: str) -> dict[str, str]:
    """Collect flags and the word after each; ``-G=5`` and ``-n100`` carry theirs with them."""
    words = command.replace("'", "").replace('"', "").split()
    given: dict[str, str] = {}
    flag = ""
    for word in words:
        if flag:
            given[flag] = given.get(flag) or word
            flag = ""
        if word[:1] == "-" and not word[1:2].isdigit():
            name, sign, value = word.partition("=")
            if len(name) > 2 and name[1] != "-" and name[:2] in _SIZES and name[2:].isdigit():
                given[name[:2]] = name[2:]
            else:
                given.setdefault(name, value)
                flag = "" if sign else name
    return given


def _numbers(given: dict[str, str]) -> dict[str, float]:
    numbers = {}
    for flag in _SIZES:
        try:
            numbers[flag] = binary_size(given[flag])
        except (KeyError, UnknownNameError):
            continue
    return numbers


def _modes(given: dict[str, str]) -> Row:
    if not given:
        return {}
    strided = given.get("-N", "0") != "0"
    found: Row = {
        "directory_mode": "unique" if "-u" in given else "shared",
        "stat_origin": "neighbour_node" if strided else "creating_node",
    }
    if "-S" in given:
        found["file_mode"] = "shared-file"
    if given.get("-a", "-")[0] != "-":
        found["api"] = given["-a"].upper()
    return found
