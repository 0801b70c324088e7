"""The unit of vmstat's memory columns, which ``-S`` chooses and no heading tells.

Without ``-S`` it is KiB, and then every value is a whole number of pages: a multiple of 4, since no page is smaller
than 4 KiB. A value that is none proves another unit. Of those, ``-S M`` (MiB) is read unless the numbers would be those
of a host with terabytes, where ``-S k`` (1000 bytes) is. ``-S m`` (10**6 bytes) cannot be told from ``-S M``.
"""

from __future__ import annotations

from storagelab.parsers.model import Parsed
from storagelab.units import KB, KIB, MIB

_PAGE = 4
_TERABYTES = 4e6


def memory_factor(cells: list[str], parsed: Parsed) -> float:
    """Bytes of one unit of the memory columns, from all their cells; a note says where it was inferred."""
    values = [int(cell) for cell in cells if cell.isdecimal()]
    if all(value % _PAGE == 0 for value in values):
        return KIB
    unit, factor = ("KB (-S k)", KB) if max(values) > _TERABYTES else ("MiB (-S M)", MIB)
    parsed.note(f"memory is in no KiB, for it is no whole number of pages; read as {unit}, the log does not name it")
    return factor
