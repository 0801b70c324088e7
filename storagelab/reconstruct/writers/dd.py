"""The output of GNU dd, in a script that traces it: records in and out, bytes, seconds and the rate.

The format is that of ``print_stats`` in ``dd.c`` of coreutils 5.97 to 8.23 (https://www.gnu.org/software/coreutils);
5.97 wrote out the word seconds. MB are 10^6 bytes. Sizes and rates are rounded as ``human_readable`` does it: to one
decimal below 10, to whole numbers from there on, so that 9.96 MB are 10 MB and 999.6 MB are 1.0 GB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell
from storagelab.units import KIB, MIB

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


@dataclass(frozen=True, slots=True)
class Copy:
    """One call of dd.

    Attributes
    ----------
    source, target : str
        Path of what was read (``if=``) and of what was written (``of=``).
    data_size : float
        Bytes that were copied.
    elapsed : float
        How long it took [s]; six digits of it are printed.
    record_size : float
        Bytes read and written at once (``bs=``).
    options : sequence of str
        What else stands on the command line, such as ``oflag=direct``.
    """

    source: str
    target: str
    data_size: float
    elapsed: float
    record_size: float = MIB
    options: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """The output of a script that ran some copies, one behind the other.

    Attributes
    ----------
    copies : sequence of Copy
        The calls.
    writes_out_seconds : bool
        Whether it is coreutils 5, which says ``seconds`` where later ones say ``s``.
    """

    copies: Sequence[Copy]
    writes_out_seconds: bool = False


def render(log: Log) -> str:
    """Return the text of a log.

    Raises
    ------
    ReconstructError
        If a value is one that dd could not have printed; names it.
    """
    if not log.copies:
        raise ReconstructError("copies: expected at least one, found none")
    unit = "seconds" if log.writes_out_seconds else "s"
    return shell.REMARK + "".join(_report(copy, unit) for copy in log.copies)


def _report(copy: Copy, unit: str) -> str:
    size = printable.whole("data_size", printable.positive("data_size", copy.data_size))
    record = printable.whole("record_size", printable.positive("record_size", copy.record_size))
    elapsed = printable.positive("elapsed", copy.elapsed)
    whole, partial = size // record, int(size % record > 0)
    noun = "byte" if size == 1 else "bytes"
    rate = readable(Fraction(size) / Fraction(elapsed))
    return (
        shell.traced(_command(copy, record, whole + partial))
        + f"{whole}+{partial} records in\n{whole}+{partial} records out\n"
        + f"{size} {noun} ({readable(size)}) copied, {elapsed:g} {unit}, {rate}/s\n"
    )


def _command(copy: Copy, record: int, count: int) -> str:
    words = [f"if={copy.source}", f"of={copy.target}", f"bs={_block(record)}", f"count={count}", *copy.options]
    return " ".join(["dd", *(printable.word("option", word) for word in words)])


def _block(size: int) -> str:
    """Return a size as ``bs=`` takes it, where M and k are powers of 2."""
    unit, letter = next((unit, letter) for unit, letter in ((MIB, "M"), (KIB, "k"), (1, "")) if not size % unit)
    return f"{size / unit:.0f}{letter}"


def readable(amount: Fraction | int) -> str:
    """Return bytes in the largest unit of which there is one at least.

    Examples
    --------
    >>> readable(512), readable(9_960_000), readable(999_600_000)
    ('512 B', '10 MB', '1.0 GB')
    """
    exponent = 0
    value = Fraction(amount)
    while exponent + 1 < len(_UNITS) and _rounded(value, exponent) >= 1000:
        value /= 1000
        exponent += 1
    shown = _rounded(value, exponent)
    digits = 1 if exponent and shown < 10 else 0
    return f"{float(shown):.{digits}f} {_UNITS[exponent]}"


def _rounded(value: Fraction, exponent: int) -> Fraction:
    """Round to what is printed: tenths below 10 of a unit with a prefix, whole numbers otherwise; halves to even."""
    tenths = Fraction(round(value * 10), 10)
    return tenths if exponent and tenths < 10 else Fraction(round(value))
