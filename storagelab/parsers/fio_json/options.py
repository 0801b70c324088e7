"""What the job options say about a measurement, as keys of the contract. fio prints every option as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from storagelab.errors import UnknownNameError
from storagelab.parsers.model import Row
from storagelab.units import binary_size

_BLOCK_SIZE_POSITION = {"read": 0, "write": 1, "trim": 2}
Options = Mapping[str, Any]


def keys(options: Options) -> Row:
    """Keys that all data directions of a job share."""
    row: Row = {}
    if options.get("ioengine"):
        row["api"] = str(options["ioengine"])
    _put(row, "queue_depth", number(options.get("iodepth")))
    _put(row, "file_size", _file_size(options))
    _put(row, "read_share", _read_share(options))
    pattern = access_pattern(options)
    if pattern:
        row["access_pattern"] = pattern
    return row


def record_keys(options: Options, direction: str) -> Row:
    """Record size of one direction, and the stride where a sequential job leaves holes."""
    row: Row = {}
    record = _record_size(options, direction)
    _put(row, "record_size", record)
    hole = size(_rw(options)[1]) if access_pattern(options) == "strided" else 0.0
    if record and hole:
        row["stride"] = 1 + hole / record
    return row


def _put(row: Row, name: str, value: float) -> None:
    if value:
        row[name] = value


def number(text: object) -> float:
    """Read a plain number; 0 where there is none."""
    try:
        return float(str(text))
    except ValueError:
        return 0.0


def size(text: object) -> float:
    """Bytes of a size that is one size; 0 for none, a range or a percentage."""
    try:
        return binary_size(str(text))
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
