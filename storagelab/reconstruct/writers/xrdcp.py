r"""The output of xrdcp of XRootD 4 (2014 to 2019), also called xrdcopy, in a script that traces and times it.

Format and rounding: XRootD 4, src/XrdCl/XrdClCopy.cc (``ProgressDisplay``) and src/XrdCl/XrdClUtils.cc
(``BytesToString``); times as ``time -p`` prints them (POSIX, time(1)). The defects that come with it:

- a bar has four digits in powers of 1024, and up to 1024 of a unit stay in that unit (``1024MB``, not ``1GB``);
- the clock counts whole seconds, so the rate is bytes over the seconds that began since the start, and all bytes
  where none did; `phase` says where between two seconds the copy began;
- a bar is printed for the first chunk of each second, and the last one twice.

A copy is steady here: chunks follow one another at one rate, from the start of the command to its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from storagelab import units
from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell


@dataclass(frozen=True, slots=True)
class Copy:
    """One command that copied one file.

    Attributes
    ----------
    source, target : str
        Path or URL of the file and of its copy.
    data_size : float
        Bytes of the file; whole, more than 0.
    elapsed : float
        Seconds from the start of the command to its end.
    cpu_user_time, cpu_system_time : float
        CPU seconds of the command.
    phase : float
        How far a second of the clock had gone when the copy began, from 0 to less than 1.
    chunk_size : float
        Bytes that are asked for at once (``XRD_CPCHUNKSIZE``).
    program : str
        The name by which the command was called.
    """

    source: str
    target: str
    data_size: float
    elapsed: float
    cpu_user_time: float = 0.0
    cpu_system_time: float = 0.0
    phase: float = 0.0
    chunk_size: float = 8 * units.MIB
    program: str = "xrdcp"


@dataclass(frozen=True, slots=True)
class Log:
    """The output of a script that ran some copies, one behind the other."""

    copies: tuple[Copy, ...]


def render(log: Log) -> str:
    """Return what the script printed.

    Raises
    ------
    ReconstructError
        If there is no copy, or one has a value that xrdcp cannot print.
    """
    if not log.copies:
        raise ReconstructError("copies: expected at least one copy, found none")
    return shell.REMARK + "".join(map(_copy, log.copies))


def _copy(copy: Copy) -> str:
    paths = printable.word("source", copy.source), printable.word("target", copy.target)
    command = shell.traced(" ".join((printable.word("program", copy.program), *paths)))
    bars = "".join(f"\r{bar}  " for bar in _bars(copy))
    return f"{command}{bars}\n{shell.times(copy.elapsed, copy.cpu_user_time, copy.cpu_system_time)}"


def _bars(copy: Copy) -> Iterator[str]:
    """Yield the bars of a copy; its end comes twice, with the last chunk and with the end of the job."""
    _hold(copy)
    size, chunk = int(copy.data_size), int(copy.chunk_size)
    shown = -1
    for done in range(chunk, size, chunk):
        seconds = math.floor(copy.phase + copy.elapsed * done / size)
        if seconds > shown:
            yield _bar(done, size, seconds)
            shown = seconds
    yield from [_bar(size, size, math.floor(copy.phase + copy.elapsed))] * 2


def _hold(copy: Copy) -> None:
    printable.positive("elapsed", copy.elapsed)
    for name, value in (("data_size", copy.data_size), ("chunk_size", copy.chunk_size)):
        printable.whole(name, printable.positive(name, value))
    if not 0 <= copy.phase < 1:
        raise ReconstructError(f"phase: expected a number from 0 to less than 1, found {copy.phase!r}")


def _bar(done: int, size: int, seconds: int) -> str:
    arrow = "=" * int(done / size * 50) + (">" if int(done / size * 50) < 50 else "")
    rate = done // seconds if seconds else done
    return f"[{_amount(done)}B/{_amount(size)}B][{int(done / size * 100):3d}%][{arrow:<50}][{_amount(rate)}B/s]"


def _amount(count: int) -> str:
    """Return bytes as the tool writes them: four digits and the letter of a power of 1024, none behind G."""
    value, letters = float(count), ["", "k", "M", "G"]
    while value > units.KIB and len(letters) > 1:
        value /= units.KIB
        letters.pop(0)
    return f"{value:.4g}{letters[0]}"
