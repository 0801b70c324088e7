"""What IOR and mdtest say of the file system under test before they begin."""

from __future__ import annotations

from dataclasses import dataclass

from storagelab.reconstruct.writers import printable
from storagelab.units import GIB, MIB, TIB


@dataclass(frozen=True, slots=True)
class FileSystem:
    """Size and use of a file system, as ``statfs`` tells them.

    Attributes
    ----------
    capacity : float
        Its size [B].
    inodes : float
        How many files it can hold.
    used, used_inodes : float
        The share of both that is in use, 0 to 1.
    """

    capacity: float
    inodes: float
    used: float = 0.0
    used_inodes: float = 0.0

    def render(self, path: str) -> str:
        """Return two lines: the directory above a path, and what there is of bytes (GiB, TiB) and inodes (2^20).

        Raises
        ------
        ReconstructError
            If a value is one that could not be printed; names it.
        """
        capacity = printable.positive("capacity", self.capacity)
        size = f"{capacity / TIB:.1f} TiB" if capacity > TIB else f"{capacity / GIB:.1f} GiB"
        inodes = printable.positive("inodes", self.inodes) / MIB
        used = 100 * printable.amount("used", self.used)
        used_inodes = 100 * printable.amount("used_inodes", self.used_inodes)
        return (
            f"Path: {printable.word('path', path).rpartition('/')[0] or '/'}\n"
            f"FS: {size}   Used FS: {used:.1f}%   Inodes: {inodes:.1f} Mi   Used Inodes: {used_inodes:.1f}%\n"
        )
