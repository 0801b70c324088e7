"""What elbencho's command says of its configuration, of which the text prints nothing but that command."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from storagelab.errors import UnknownNameError
from storagelab.parsers.model import Row
from storagelab.parsers.shell import words_of
from storagelab.units import binary_size

_SIZES = {"b": "record_size", "block": "record_size", "s": "file_size", "size": "file_size"}
_THREADS = ("t", "threads")
_DEPTH = "iodepth"
_RANDOM = "--rand"
_HOSTS = "hosts"
_OTHER_HOSTS = ("hostsfile", "numhosts")
_APART = re.compile(r"[,\s]+(?![^\[\]]*\])")
"""Between hosts; a comma in brackets is of one."""
_LIST = re.compile(r"\[([^\[\]]{1,400})\]")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_VALUED = (*_SIZES, *_THREADS, _DEPTH, _HOSTS, *_OTHER_HOSTS)


def keys(command: str) -> Row:
    """Return the keys that a command states: sizes, depth, hosts and the threads of all of them."""
    words = words_of(command.rstrip("\\ "))
    said = _options(words)
    found: Row = {name: size for option, name in _SIZES.items() if (size := _size(said.get(option, "")))}
    if depth := _count(said.get(_DEPTH, "")):
        found["queue_depth"] = depth
    if _RANDOM in words:
        found["access_pattern"] = "random"
    hosts = _hosts(said)
    if _HOSTS in said and hosts:
        found["clients"] = hosts
    threads = _count(next((said[name] for name in _THREADS if name in said), ""))
    return found | ({"processes": threads * hosts} if threads and hosts else {})


def _options(words: Sequence[str]) -> dict[str, str]:
    """Options that take a value, in the forms ``-b 4m``, ``-b4m``, ``--block 4m`` and ``--block=4m``."""
    said: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, is_joined, value = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            name, is_joined, value = word[1:2], word[2:3], word[2:]
        if word.startswith("-") and name in _VALUED:
            said[name] = value if is_joined else following
    return said


def _hosts(said: dict[str, str]) -> float:
    """How many hosts work: the caller alone where none are named, 0 where a file names them, or their list is none.

    elbencho writes out what stands in brackets: ``node[1-3,7]`` are four.
    """
    if any(option in said for option in _OTHER_HOSTS):
        return 0.0
    named = _APART.split(said.get(_HOSTS, "localhost"))
    return float(sum(math.prod(map(_listed, _LIST.findall(name))) for name in named if name))


def _listed(inside: str) -> int:
    """How many numbers or names a list in brackets holds; 0 of a range that is none."""
    ends = [
        tuple(map(int, found.groups())) if (found := _RANGE.fullmatch(item)) else (1, 1) for item in inside.split(",")
    ]
    return sum(last - first + 1 for first, last in ends) if all(first <= last for first, last in ends) else 0


def _count(printed: str) -> float:
    return float(printed) if printed.isdecimal() else 0.0


def _size(printed: str) -> float:
    try:
        return binary_size(printed) if printed else 0.0
    except UnknownNameError:
        return 0.0
