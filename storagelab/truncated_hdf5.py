"""Whether a file can be one that HDF5 wrote to its end: asked before the library opens it.

HDF5 keeps checksums of most of its structures, but none of the heap that holds texts of variable length: where a piece
of that is zeroed, the library walks it for ever. Source: HDF5 File Format Specification 3.0, sections II.A (superblock)
and III.E (global heap).
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_NETCDF_3 = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
_SUPERBLOCK = {0: (13, 40), 1: (13, 44), 2: (9, 28), 3: (9, 28)}
"""For each version of the superblock where the size of addresses stands, and where the end of the file."""
_ADDRESS = 8
_BLOCK = 2**20
_LEAST = 96
"""Bytes that every file of HDF5 has."""
_HEAP = b"GCOL\x01\0\0\0"
_HEAD = 16
"""Bytes of a collection of the heap, and of an object in it, before what it holds."""


def other_kind(head: bytes) -> str:
    """Say what a file is that begins so and is no HDF5; "" where it is."""
    if head.startswith(SIGNATURE):
        return ""
    if head.startswith(_NETCDF_3):
        return "netCDF-3"
    return f"a file that begins with {head[: len(SIGNATURE)]!r}" if head else "an empty file"


def damage(path: Path | str) -> str:
    """Say what is wrong with a file of HDF5, "" where nothing is seen.

    Seen are a superblock of no known version, an end that is not the file's, and a heap of texts that does not lead
    from each object to the next. What HDF5 has checksums of is left to it.
    """
    with Path(path).open("rb") as file:
        while file.read(_BLOCK):  # a disk that fails is an error here, and the end of the process where it is mapped
            pass
    with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        places = _SUPERBLOCK.get(data[len(SIGNATURE)]) if len(data) > _LEAST else None
        if places is None or data[places[0]] != _ADDRESS:
            return "its first block is broken"
        if (end := _number(data, places[1])) != len(data):
            return f"expected {end} bytes, found {len(data)}"
        at = data.find(_HEAP)
        while at != -1:
            if not _leads_on(data, at):
                return f"the heap of texts at byte {at} is broken"
            at = data.find(_HEAP, at + 1)
    return ""


def _leads_on(data: mmap.mmap, start: int) -> bool:
    """Whether the objects of a collection of the heap lead to its end."""
    end = start + _number(data, start + len(_HEAP))
    at = start + _HEAD
    while at + _HEAD <= end <= len(data):
        (index,) = struct.unpack_from("<H", data, at)
        size = _number(data, at + 8)
        if not index:
            return at + size == end
        at += _HEAD + -(-size // 8) * 8
    return end - _HEAD < at <= end <= len(data)


def _number(data: mmap.mmap, at: int) -> int:
    (number,) = struct.unpack_from("<Q", data, at)
    return int(number)
