"""The tables of IOR 2.10, a row a repetition and a row an operation, and how it spells sizes; all rates in MiB/s."""

from __future__ import annotations

import math
from collections.abc import Sequence

from storagelab.units import GIB, KIB, MB, MIB

REPETITIONS = (
    "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s) total(s)  iter\n"
    "------    ---------  ---------- ---------  --------   --------   --------  --------   ----\n"
)
_SUMMARY = (
    "Operation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Max (OPs)  Min (OPs)  Mean (OPs)   Std Dev  Mean (s)  "
)
_VERBOSE = "Op grep #Tasks tPN reps  fPP reord reordoff reordrand seed segcnt blksiz xsize aggsize\n"
_RULE = "---------  ---------  ---------  ----------   -------  ---------  ---------  ----------   -------  --------\n"


def repetition(number: int, operation: str, cells: Sequence[float]) -> str:
    """Return the row of one repetition: rate, sizes in KiB, times."""
    return f"{operation:10}{''.join(map(_cell, cells))}{number:<4d} XXCEL\n"


def _cell(value: float) -> str:
    """Return a number as PPDouble prints it: with as many digits as fit, and less precise the larger it is."""
    digits = 6 if value < 1 else 2 if value < 3600 else 0
    return f"{value:<10.{digits}f} "


def summary_heading(verbose: bool) -> str:
    """Return the heading of the summary; with ``-v`` IOR names more columns and ends the line twice."""
    return f"{_SUMMARY}{_VERBOSE if verbose else ''}\n{_RULE}"


def summary(operation: str, rates: Sequence[float], operations: Sequence[float], times: Sequence[float]) -> str:
    """Return the row of one operation, without what ends it: rates, operations per second, mean time."""
    mean_time = math.fsum(times) / len(times)
    return f"{operation:10}{_statistics(rates)} {_statistics(operations)}{mean_time:10.5f}   "


def _statistics(values: Sequence[float]) -> str:
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return f"{max(values):10.2f} {min(values):10.2f}  {mean:10.2f}{deviation:10.2f}"


def best(operation: str, throughput: float) -> str:
    """Return the line of the best rate [B/s], in units of 2^20 and of 10^6 bytes."""
    return f"{f'Max {operation.title()}:':11}{throughput / MIB:.2f} MiB/sec ({throughput / MB:.2f} MB/sec)\n"


def readable(size: float) -> str:
    """Return a size [B] as HumanReadable prints it: a whole number of its unit without decimals."""
    if size < MIB:
        return f"{size:.0f} bytes"
    unit, name = (GIB, "GiB") if size >= GIB else (MIB, "MiB")
    return f"{size / unit:.2f} {name}" if size % unit else f"{size / unit:.0f} {name}"


def size_option(size: float) -> str:
    """Return a size [B] as an option of the command line."""
    unit, letter = next((unit, letter) for unit, letter in _OPTION_UNITS if not size % unit)
    return f"{size / unit:.0f}{letter}"


_OPTION_UNITS = ((GIB, "g"), (MIB, "m"), (KIB, "k"), (1.0, ""))
