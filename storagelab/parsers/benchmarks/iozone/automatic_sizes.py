"""The sizes that an automatic table goes through, so that a line that is not there is seen.

Record sizes are those given with ``-r``, or double from the smallest (``-y``, 4 kB, or 64 kB of large files) to the
largest (``-q``, 16 MB), as far as they fit into the file (``auto_test`` of ``iozone.c``). Sizes here are in kB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storagelab.parsers.benchmarks.iozone.header import Run
from storagelab.units import KIB

if TYPE_CHECKING:
    import numpy as np

SMALLEST, LARGEST = 4, 16384
"""Record sizes where no option sets others (``MINBUFFERSIZE`` and ``MAXBUFFERSIZE``)."""
OF_LARGE_FILES = 64
"""The smallest record size of large files (``LARGE_REC``)."""


def sweep_of(run: Run) -> Sweep:
    """Read what a run goes through out of its command."""
    chosen, smallest, largest = map(_in_kilobytes, map(run.command.sizes, "ryq"))
    return Sweep(
        run,
        chosen=tuple(dict.fromkeys(chosen)),
        doubles=run.command.has("a") and not run.command.has("r"),
        smallest=smallest[0] if smallest else SMALLEST,
        largest=largest[0] if largest else LARGEST,
    )


def _in_kilobytes(sizes: Sequence[float]) -> list[int]:
    """Return sizes in kB, but for those that no number holds."""
    return [int(size / KIB) for size in sizes if math.isfinite(size)]


@dataclass(slots=True)
class Sweep:
    """Where a run is in its sizes: the line before had this file size and this record size, and stood here."""

    run: Run
    chosen: Sequence[int]
    doubles: bool
    smallest: int
    largest: int
    file: int = 0
    record: int = 0
    line: int = 0

    def hold(self, file: int, record: int, line: int) -> None:
        """Say that a line is missing, where these sizes are not the next ones."""
        if following := self.following:
            if (file, record) != (self.file, following):
                self._say(following, self.file, line)
        elif file != self.file and self._first and record not in self._first:
            self._say(self._first[0], file, line)
        self.file, self.record, self.line = file, record, line

    def hold_all(self, sizes: np.ndarray[tuple[int, int], np.dtype[np.int64]], lines: Sequence[int]) -> None:
        """Hold many lines, each with its file size and record size; only where sizes do not double it is asked more."""
        import numpy as np

        if not self._first:
            return
        before, after = sizes[:-1], sizes[1:]
        is_next = (after[:, 0] == before[:, 0]) & (after[:, 1] == 2 * before[:, 1]) & self.doubles
        for at in [0, *(np.flatnonzero(~is_next) + 1).tolist()]:
            if at:
                (self.file, self.record), self.line = sizes[at - 1].tolist(), lines[at - 1]
            file, record = sizes[at].tolist()
            self.hold(file, record, lines[at])
        (self.file, self.record), self.line = sizes[-1].tolist(), lines[-1]

    def end(self) -> None:
        """Say that lines are missing, where the table ends before the largest record size."""
        if self.following:
            self._say(self.following, self.file, self.line)

    @property
    def following(self) -> int:
        """The record size that comes next of the same file; 0 where another file does, or nobody knows."""
        if self.doubles:
            size = 2 * self.record
            return size if size <= min(self.file, self.largest) else 0
        if self.record not in self.chosen[:-1]:
            return 0
        size = self.chosen[self.chosen.index(self.record) + 1]
        return size if size <= self.file else 0

    @property
    def _first(self) -> Sequence[int]:
        """The record sizes with which a file may begin; none where nobody knows."""
        return (self.smallest, OF_LARGE_FILES) if self.doubles else self.chosen[:1]

    def _say(self, record: int, file: int, line: int) -> None:
        self.run.note(f"expected a line of {record} kB records of a file of {file} kB: it is missing", line)
