"""The output of dccp, dCache's copy command, in a script that traces it: a line a transfer.

Format: dcap before 2.47, src/dccp.c: ``314572800 bytes in 1 seconds (307200.00 KB/sec)``, where KB is 1024 B. The
defects that come with it: the time is the difference of two readings of a clock that counts whole seconds (`phase` says
where between two of them the copy began), the rate is the bytes over that, and what took 0 seconds has none.
"""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass

from storagelab import units
from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell


@dataclass(frozen=True, slots=True)
class Copy:
    """One command: paths or URLs, the bytes of the file, its seconds, and how far a second had gone at its start."""

    source: str
    target: str
    data_size: float
    elapsed: float
    phase: float = 0.0


@dataclass(frozen=True, slots=True)
class Log:
    """The output of a script that ran some copies, one behind the other."""

    copies: tuple[Copy, ...]


def render(log: Log) -> str:
    """Return what the script printed.

    Raises
    ------
    ReconstructError
        If there is no copy, or one has a value that dccp cannot print.
    """
    if not log.copies:
        raise ReconstructError("copies: expected at least one copy, found none")
    return shell.REMARK + "".join(map(_copy, log.copies))


def _copy(copy: Copy) -> str:
    if not 0 <= copy.phase < 1:
        raise ReconstructError(f"phase: expected a number from 0 to less than 1, found {copy.phase!r}")
    paths = printable.word("source", copy.source), printable.word("target", copy.target)
    size = printable.whole("data_size", copy.data_size)
    seconds = math.floor(copy.phase + printable.amount("elapsed", copy.elapsed))
    rate = f" ({size / units.KIB / seconds:.2f} KB/sec)" if seconds else ""
    return f"{shell.traced(shlex.join(('dccp', *paths)))}{size} bytes in {seconds} seconds{rate}\n"
