"""Where a benchmark ran: IOR and mdtest print it in the same words (``ShowSetup`` and ``ShowFileSystemSize`` of IOR).

::

    Machine             : Linux node01 4.18.0-553.el8.x86_64 #1 SMP ... x86_64
    Path                : /lustre/scratch/ior
    FS                  : 443.8 TiB   Used FS: 0.6%   Inodes: 1073741824.0 Mi   Used Inodes: 0.0%

The second word of the machine is its host name, as of ``uname``; under a launcher that of the first process.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable

from storagelab.errors import UnknownNameError
from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.units import PERCENT, binary_size

_SHARE_USED = r"-?(?:\d{1,12}\.\d|nan|inf)%"
FILE_SYSTEM = (
    rf"-?\d{{1,15}}\.\d [KMGTPE]iB   Used FS: {_SHARE_USED}   Inodes: -?\d{{1,15}}\.\d Mi   Used Inodes: {_SHARE_USED}"
)
"""What stands behind ``FS:``, as both tools print it."""
_SIZE = re.compile(r"\s*(\d++(?:[.,]\d*+)? [KMGTPE]?i?B)\b")
_USED = re.compile(r"Used FS:\s*(\d++(?:[.,]\d*+)?)%")
_SHARE = re.compile(r"\s*(\d++(?:[.,]\d*+)?)\s*+%?\s*")
_PEBI, _EXBI = 2.0**50, 2.0**60


def machine(text: str) -> Row:
    """What a line of ``uname`` says: the machine, and its host."""
    words = text.split()
    host: Row = {"ran_on": words[1]} if len(words) > 1 else {}
    return {"machine": text.strip(), **host} if words else {}


def path(text: str) -> Row:
    """File or directory that was tested; "" where the line says none."""
    return {"tested_path": text.strip()}


def file_system(text: str) -> Row:
    """Size of the file system, and the share of it in use, from what stands behind ``FS:``; NaN where it has no size.

    A file system in user space may say 0.0 GiB.
    """
    size, share = _SIZE.match(text), _USED.search(text)
    found: Row = {"filesystem_size": (size and size_of(size[1])) or math.nan}
    return found | used(share[1]) if share else found


def used(text: str) -> Row:
    """Share of the file system in use, from ``21.4%``."""
    share = _SHARE.fullmatch(text)
    return {"filesystem_used": number(share[1]) * PERCENT} if share else {}


def size_of(text: str) -> float:
    """Bytes of a size with a binary prefix, such as ``443.8 TiB``; 0 where it is none."""
    word, _, unit = text.strip().partition(" ")
    if unit in ("PiB", "EiB"):
        return number(word) * (_PEBI if unit == "PiB" else _EXBI)
    try:
        return binary_size(text.replace(",", "."))
    except UnknownNameError:
        return 0.0


def torn(places: Iterable[Row]) -> str:
    """Say that a line was lost: path and size are printed together; "" where both or none are there."""
    lost = any(("tested_path" in place) != ("filesystem_size" in place) for place in places)
    return "of the lines Path and FS, which are printed together, one is missing" if lost else ""


def agreed(places: Iterable[Row]) -> Row:
    """What all runs of a log say alike; of how full the file system was, what the first says."""
    said = [place for place in places if place]
    if not said:
        return {}
    first = said[0]
    return {
        name: value
        for name, value in first.items()
        if value != "" and (name == "filesystem_used" or all(place.get(name) == value for place in said))
    }


@functools.lru_cache(maxsize=256)
def of_one_run(path_line: str, file_system_line: str, machine_line: str = "") -> Row:
    """What the lines of a log with one run say together; the logs of a campaign repeat them. Not to be changed."""
    return agreed([file_system(file_system_line) | path(path_line) | machine(machine_line)])
