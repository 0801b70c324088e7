"""The output of GNU dd in a script that traces it: records in, records out, and the time of the copy.

Format: coreutils 5.97 (as in RHEL 5), src/dd.c: ``104857600 bytes (105 MB) copied, 1.5 seconds, 69.9 MB/s``. All its
prefixes are powers of 1000. The defects that come with it: the time has six digits, and rate and size in words have
two or three.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")


@dataclass(frozen=True, slots=True)
class Copy:
    """One command: paths, the bytes of a record, how many whole records were copied, and the seconds that it took."""

    source: str
    target: str
    record_size: float
    records: float
    elapsed: float


@dataclass(frozen=True, slots=True)
class Log:
    """The output of a script that ran some copies, one behind the other."""

    copies: tuple[Copy, ...]


def render(log: Log) -> str:
    """Return what the script printed.

    Raises
    ------
    ReconstructError
        If there is no copy, or one has a value that dd cannot print.
    """
    if not log.copies:
        raise ReconstructError("copies: expected at least one copy, found none")
    return shell.REMARK + "".join(map(_copy, log.copies))


def _copy(copy: Copy) -> str:
    record = printable.whole("record_size", printable.positive("record_size", copy.record_size))
    records = printable.whole("records", printable.positive("records", copy.records))
    seconds = printable.positive("elapsed", copy.elapsed)
    paths = f"if={printable.word('source', copy.source)}", f"of={printable.word('target', copy.target)}"
    size = printable.whole("data_size", record * records)
    return (
        f"{shell.traced(shlex.join(('dd', *paths, f'bs={record}', f'count={records}')))}"
        f"{records}+0 records in\n{records}+0 records out\n"
        f"{size} bytes ({_human(size, 1)}) copied, {seconds:g} seconds, {_human(size / seconds, 2)}/s\n"
    )


def _human(value: float, digits: int) -> str:
    """Return a number of bytes in words: a decimal where no more digits than these stand before the point.

    Raises
    ------
    ReconstructError
        If it is more than dd has words for.
    """
    number = value
    for prefix in _PREFIXES:
        decimals = int(round(number, 1) < 10**digits and bool(prefix))
        text = f"{number:.{decimals}f}"
        if float(text) < 1000:
            return f"{text} {prefix}B"
        number /= 1000
    raise ReconstructError(f"size or rate: expected less than 1000 EB, found {value:g}")
