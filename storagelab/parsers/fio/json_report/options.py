"""What the job options say about a measurement, as keys of the contract. fio prints every option as text."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from storagelab.errors import UnknownNameError
from storagelab.parsers.json_text import Tree
from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import of_names
from storagelab.units import binary_size

_BLOCK_SIZE_POSITION = {"read": 0, "write": 1, "trim": 2}
Options = Mapping[str, Any]


def keys(options: Options, operation: str) -> Row:
    """Keys that the options of a job give to the rows of one of its operations."""
    try:
        return dict(_remembered(tuple(options.items()), operation))
    except TypeError:
        return _keys(options, operation)


STATED_BY = {
    "iodepth": "queue_depth", "size": "file_size", "filesize": "file_size", "blocksize": "record_size",
    "bs": "record_size", "rwmixread": "read_share", "rwmixwrite": "read_share", "numjobs": "processes",
}  # fmt: skip
"""Options of fio -> the key that they state; of two that state one, the last counts."""


def lines(tree: Tree, keys: Iterable[str]) -> Row:
    """Lines of the keys of a row, from those of the options."""
    return of_names(STATED_BY, tree, keys)


def written(options: Options) -> str:
    """Options of a job as fio's command line takes them."""
    return " ".join(f"--{name}={value}" if value else f"--{name}" for name, value in options.items())


@functools.lru_cache(maxsize=1024)
def _remembered(options: tuple[tuple[str, Any], ...], operation: str) -> Row:
    return _keys(dict(options), operation)


def _keys(options: Options, operation: str) -> Row:
    row: Row = {}
    if options.get("ioengine"):
        row["api"] = str(options["ioengine"])
    pattern = access_pattern(options)
    if pattern:
        row["access_pattern"] = pattern
    record = _record_size(options, operation)
    hole = size(_rw(options)[1]) if pattern == "strided" else 0.0
    numbers = {
        "queue_depth": number(options.get("iodepth")),
        "file_size": _file_size(options),
        "record_size": record,
        "stride": 1 + hole / record if record and hole else 0.0,
        "read_share": _read_share(options),
    }
    return row | {name: value for name, value in numbers.items() if value}


def number(text: object) -> float:
    """Read a plain number; 0 where there is none."""
    if text is None or text == "":
        return 0.0
    try:
        value = float(str(text))
    except ValueError:
        return 0.0
    return value if 0 < value < 1e300 else 0.0


def size(text: object) -> float:
    """Bytes of a size that is one size; 0 for none, a range or a percentage."""
    return _size(str(text)) if text else 0.0


@functools.lru_cache(maxsize=1024)
def _size(text: str) -> float:
    try:
        return binary_size(text)
    except UnknownNameError:
        return 0.0


def _record_size(options: Options, direction: str) -> float:
    if options.get("kb_base", "1024") != "1024" or "bssplit" in options or "bsrange" in options:
        return 0.0
    sizes = str(options.get("bs", options.get("blocksize", ""))).split(",")
    return size(sizes[min(_BLOCK_SIZE_POSITION.get(direction, 0), len(sizes) - 1)])


def _file_size(options: Options) -> float:
    if options.get("kb_base", "1024") != "1024":
        return 0.0
    files = number(options.get("nrfiles")) or 1.0
    return size(options.get("filesize")) or size(options.get("size")) / files


def _rw(options: Options) -> tuple[str, str]:
    word, _, modifier = str(options.get("rw", options.get("readwrite", ""))).partition(":")
    return word, modifier


def _read_share(options: Options) -> float:
    if _rw(options)[0] not in ("rw", "readwrite", "randrw"):
        return 0.0
    if options.get("rwmixwrite"):
        return 1 - number(options["rwmixwrite"]) / 100
    return number(options.get("rwmixread", "50")) / 100


def access_pattern(options: Options) -> str:
    """Name the pattern of ``rw``: a modifier on a sequential word leaves a hole after each record."""
    word, modifier = _rw(options)
    if not word:
        return ""
    if options.get("zonemode") == "strided":
        return "strided"
    if 0 < number(options.get("percentage_random")) < 100:
        return "mixed"
    if word.startswith("rand"):
        return "random"
    return "strided" if modifier else "sequential"


def direction(options: Options) -> str:
    """Return the one operation that ``rw`` asks for, or "" where it asks for several."""
    word = _rw(options)[0].removeprefix("rand")
    return word if word in _BLOCK_SIZE_POSITION else ""
