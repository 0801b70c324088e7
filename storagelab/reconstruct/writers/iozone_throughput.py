"""Logs of IOzone's throughput mode (``-t``): what parent and children saw of each test.

The format is that of ``throughput_test`` in ``iozone.c`` (http://www.iozone.org), versions 3.3 to 3.47. What is
imitated with it:

- a rate of a child is kept in single precision, so that from 128 MiB/s on its second decimal means nothing;
- sum, minimum, maximum and mean are made of the children's own rates, and IOzone takes a minimum of 0 for one that was
  not set yet: a child that moved nothing is passed over unless no child behind it moved anything;
- tests run in an order of IOzone's own, and ``-i`` chooses them by pairs, unless ``-+n`` leaves out all repetitions.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable
from storagelab.reconstruct.writers.iozone_banner import Banner, kibibytes
from storagelab.reconstruct.writers.iozone_tests import Choice, choose
from storagelab.units import KIB


@dataclass(frozen=True, slots=True)
class Child:
    """What one process did in a test.

    Attributes
    ----------
    throughput : float
        Its own rate [B/s].
    data_size : float
        What it had moved when the first process was done [B].
    """

    throughput: float
    data_size: float


@dataclass(frozen=True, slots=True)
class ThroughputTest:
    """One test: an operation by all processes at once.

    Attributes
    ----------
    operation : str
        The contract's name of it: write, rewrite, read, reread, backward_read, stride_read, random_read,
        mixed_workload, random_write, pwrite, pread, fwrite or fread.
    throughput_parent : float
        All bytes over the time of the parent [B/s].
    children : sequence of Child
        The processes, in their order.
    """

    operation: str
    throughput_parent: float
    children: Sequence[Child]

    @property
    def throughput(self) -> float:
        """The sum of the children's rates [B/s]."""
        return sum(child.throughput for child in self.children)


@dataclass(frozen=True, slots=True)
class Log:
    """One run of ``iozone -t``.

    Attributes
    ----------
    banner : Banner
        Which IOzone, and when.
    file_size, record_size : float
        What each process writes, and in which pieces [B]; whole numbers of 1024 B.
    tests : sequence of ThroughputTest
        The tests, in any order; all by as many processes.
    files : sequence of str
        Path of each process's file (``-F``); none leaves the names to IOzone.
    fsync : bool
        Whether flushing counts in the time (``-e``).
    lists_children : bool
        Whether each child gets a line (``-C``).
    """

    banner: Banner
    file_size: float
    record_size: float
    tests: Sequence[ThroughputTest]
    files: Sequence[str] = ()
    fsync: bool = True
    lists_children: bool = True

    @property
    def processes(self) -> int:
        """Return how many processes ran each test.

        Raises
        ------
        ReconstructError
            If tests differ in it, or there is none.
        """
        counts = {len(test.children) for test in self.tests}
        if len(counts) != 1 or not all(counts):
            raise ReconstructError(f"tests: expected some, with as many children each, found {sorted(counts)}")
        return counts.pop()


def render(log: Log) -> str:
    """Return the text of a log.

    Raises
    ------
    ReconstructError
        If a value is one that IOzone could not have printed; names it.
    """
    size, record = kibibytes("file_size", log.file_size), kibibytes("record_size", log.record_size)
    kilobyte = log.banner.kilobyte()
    tests = {test.operation: test for test in log.tests}
    plural = "es" if log.processes > 1 else ""
    return (
        log.banner.render(_options(log), _said(log))
        + f"\tThroughput test with {log.processes} process{plural}\n"
        + f"\tEach process writes a {size} {kilobyte} file in {record} {kilobyte} records\n"
        + "".join(_render_test(tests[operation], log) for operation in _NAMES if operation in tests)
        + "\n\n\niozone test complete.\n"
    )


def _options(log: Log) -> list[str]:
    size, record = kibibytes("file_size", log.file_size), kibibytes("record_size", log.record_size)
    flags = [flag for flag, given in (("-e", log.fsync), ("-C", log.lists_children)) if given]
    return [f"-t {log.processes}", f"-s {size}k", f"-r {record}k", *_choice(log).options(), *flags, *_files(log)]


def _files(log: Log) -> list[str]:
    if not log.files:
        return []
    if len(log.files) != log.processes:
        raise ReconstructError(f"files: expected one a process, {log.processes}, found {len(log.files)}")
    return ["-F", *(printable.word("file", file) for file in log.files)]


def _said(log: Log) -> Iterator[str]:
    """Return what IOzone says of its options, in their order on the command line."""
    unit = log.banner.unit()
    yield f"File size set to {kibibytes('file_size', log.file_size)} {unit}"
    yield f"Record Size {kibibytes('record_size', log.record_size)} {unit}"
    yield from _choice(log).said()
    if log.fsync:
        yield "Include fsync in write timing"


def _choice(log: Log) -> Choice:
    return choose([test.operation for test in log.tests], _TESTS)


def _render_test(test: ThroughputTest, log: Log) -> str:
    unit = log.banner.unit()
    rates = [_kib("throughput", child.throughput) for child in test.children]
    moved = [_kib("data_size", child.data_size) for child in test.children]
    name = _NAMES[test.operation]
    parent = printable.amount("throughput_parent", test.throughput_parent) / KIB
    return (
        f"\n\tChildren see throughput for {name.children(len(rates))}= {sum(rates):10.2f} {unit}/sec\n"
        f"\tParent sees throughput for {name.parent(len(rates))}= {parent:10.2f} {unit}/sec\n"
        f"\tMin throughput per process \t\t\t= {least(rates):10.2f} {unit}/sec \n"
        f"\tMax throughput per process \t\t\t= {max(rates):10.2f} {unit}/sec\n"
        f"\tAvg throughput per process \t\t\t= {sum(rates) / len(rates):10.2f} {unit}/sec\n"
        f"\tMin xfer \t\t\t\t\t= {least(moved):10.2f} {unit}\n"
        + (_list_children(rates, moved, unit) if log.lists_children else "")
    )


def _list_children(rates: Sequence[float], moved: Sequence[float], unit: str) -> str:
    return "".join(
        f"\tChild[{child}] xfer count = {amount:10.2f} {unit}, Throughput = {rate:10.2f} {unit}/sec\n"
        for child, (rate, amount) in enumerate(zip(rates, moved, strict=True))
    )


def least(values: Sequence[float]) -> float:
    """Return the minimum as IOzone finds it: a 0 is taken for "none yet" when the next value comes.

    Examples
    --------
    >>> least([0.0, 2.0, 3.0]), least([2.0, 3.0, 0.0])
    (2.0, 0.0)
    """
    found = 0.0
    for value in values:
        found = min(found or value, value)
    return found


def _kib(name: str, value: float) -> float:
    """Return a number of 1024 B in the single precision in which a child keeps it."""
    try:
        kept: float = struct.unpack("<f", struct.pack("<f", printable.amount(name, value) / KIB))[0]
    except OverflowError:
        raise ReconstructError(f"{name}: expected a number that single precision can hold, found {value!r}") from None
    return kept


@dataclass(frozen=True, slots=True)
class _Name:
    """How IOzone calls a test, and the blanks and tabs that it puts around that."""

    text: str
    count: str = "{:d}"
    behind_children: str = " \t"
    behind_parent: str = " \t"

    def children(self, processes: int) -> str:
        return f"{self.count.format(processes)} {self.text}{self.behind_children}"

    def parent(self, processes: int) -> str:
        return f"{self.count.format(processes)} {self.text}{self.behind_parent}"


_NAMES = {
    "write": _Name("initial writers", "{:2d}"),
    "rewrite": _Name("rewriters", "{:2d}"),
    "read": _Name("readers", "{:2d}", " \t\t", " \t\t"),
    "reread": _Name("re-readers"),
    "backward_read": _Name("reverse readers"),
    "stride_read": _Name("stride readers"),
    "random_read": _Name("random readers"),
    "mixed_workload": _Name("mixed workload"),
    "random_write": _Name("random writers"),
    "pwrite": _Name("pwrite writers"),
    "pread": _Name("pread readers"),
    "fwrite": _Name("fwriters", "{:2d}", " \t", " \t\t"),
    "fread": _Name("freaders", "{:2d}", " \t", " \t\t"),
}
"""Operations in the order in which they run."""
_TESTS = {
    0: ("write", "rewrite"),
    1: ("read", "reread"),
    2: ("random_read", "random_write"),
    3: ("backward_read",),
    5: ("stride_read",),
    6: ("fwrite",),
    7: ("fread",),
    8: ("mixed_workload",),
    9: ("pwrite",),
    10: ("pread",),
}
