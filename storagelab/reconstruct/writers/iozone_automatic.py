"""Logs of IOzone's automatic mode (``-a``): a table, a line a file size and record size, a column an operation.

The format is that of ``begin`` and ``print_header`` in ``iozone.c`` (http://www.iozone.org), versions 3.200 to 3.423,
whose columns are of fixed widths: those of 3.263 and those of 3.308 to 3.373 are known. What is imitated with it:

- a rate is a whole number of 1024 B/s, rounded down;
- a test that did not run prints blanks, of which some are narrower than its columns, so that numbers behind it stand
  left of their heading;
- numbers as wide as their column touch the one before;
- with ``-+n`` there is a 0 where a repetition would stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable
from storagelab.reconstruct.writers.iozone_banner import Banner, kibibytes
from storagelab.reconstruct.writers.iozone_tests import Choice, choose
from storagelab.units import KIB

Sizes = tuple[float, float]
"""File size and record size [B]."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The sizes over which automatic mode goes: each is twice the one before, and no record is larger than its file.

    Attributes
    ----------
    file_sizes, record_sizes : (float, float)
        The least (``-n``, ``-y``) and the most (``-g``, ``-q``) of them [B]; whole numbers of 1024 B.
    """

    file_sizes: tuple[float, float]
    record_sizes: tuple[float, float]

    def sizes(self) -> list[Sizes]:
        """Return all pairs of file and record size, in the order in which IOzone goes through them.

        Raises
        ------
        ReconstructError
            If a size is no whole number of 1024 B.
        """
        files, records = _doubled("file_sizes", *self.file_sizes), list(_doubled("record_sizes", *self.record_sizes))
        return [(file, record) for file in files for record in records if record <= file]

    def options(self) -> list[str]:
        """Return the options of the command line."""
        ends = zip(("n", "g", "y", "q"), (*self.file_sizes, *self.record_sizes), strict=True)
        return [f"-{letter} {kibibytes('size', size)}k" for letter, size in ends]

    def said(self, unit: str) -> Iterator[str]:
        """Return what IOzone says of them."""
        for word, size in zip(("minimum", "maximum"), self.file_sizes, strict=True):
            yield f"Using {word} file size of {kibibytes('file_sizes', size)} kilobytes."
        for word, size in zip(("Minimum", "Maximum"), self.record_sizes, strict=True):
            yield f"Using {word} Record Size {kibibytes('record_sizes', size)} {unit}"


@dataclass(frozen=True, slots=True)
class Log:
    """One run of ``iozone -a``.

    Attributes
    ----------
    banner : Banner
        Which IOzone, up to 3.423, and when.
    sweep : Sweep
        The sizes.
    throughput : mapping of (float, float) to mapping of str to float
        For each pair of sizes, operations of the contract (write, rewrite, read, reread, random_read, random_write,
        backward_read, record_rewrite, stride_read, fwrite, frewrite, fread, freread) with their rates [B/s]; the same
        operations for all.
    path : str
        The file that is written and read (``-f``).
    """

    banner: Banner
    sweep: Sweep
    throughput: Mapping[Sizes, Mapping[str, float]]
    path: str = "iozone.tmp"

    @property
    def operations(self) -> list[str]:
        """The operations of every line."""
        return list(next(iter(self.throughput.values()), ()))


def render(log: Log) -> str:
    """Return the text of a log.

    Raises
    ------
    ReconstructError
        If a value is one that IOzone could not have printed; names it.
    """
    layout, choice, sizes = _layout(log.banner), choose(log.operations, _TESTS), log.sweep.sizes()
    if set(log.throughput) != set(sizes) or not log.operations:
        raise ReconstructError(f"throughput: expected operations of the {len(sizes)} pairs of sizes of {log.sweep}")
    every_test = [] if len(choice.numbers) == len(_TESTS) and not choice.once else choice.options()
    options = ["-a", *log.sweep.options(), *every_test, f"-f {printable.word('path', log.path)}"]
    said = ["Auto Mode", *log.sweep.said(log.banner.unit()), *choice.said()]
    return (
        log.banner.render(options, said)
        + layout.heading
        + "".join(_line(pair, log, layout, choice) for pair in sizes)
        + "\niozone test complete.\n"
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """The heading of a version, and the widths of its columns, test by test."""

    heading: str
    widths: tuple[tuple[int, ...], ...]


def _line(sizes: Sizes, log: Log, layout: _Layout, choice: Choice) -> str:
    rates = log.throughput[sizes]
    if set(rates) != set(log.operations):
        raise ReconstructError(f"throughput: expected {', '.join(log.operations)} of {sizes}, found {', '.join(rates)}")
    cells = f"{sizes[0] / KIB:16.0f}{sizes[1] / KIB:8.0f}"
    for number, operations in _TESTS.items():
        if number in choice.numbers:
            columns = zip(operations, layout.widths[number], strict=True)
            cells += "".join(f"{_kib(operation, rates):{width}d}" for operation, width in columns)
        else:
            cells += " " * _BLANKS[number]
    return f"{cells}\n"


def _kib(operation: str, rates: Mapping[str, float]) -> int:
    """Return a rate as it is printed, or the 0 of a repetition that ``-+n`` left out."""
    if operation not in rates:
        return 0
    if printable.amount(operation, rates[operation]) < KIB:
        raise ReconstructError(f"{operation}: expected at least 1024 B/s, found {rates[operation]!r}")
    return int(rates[operation] // KIB)


def _layout(banner: Banner) -> _Layout:
    if not banner.is_old():
        raise ReconstructError(f"version: expected one from 3.200 to 3.423 for a table, found {banner.version!r}")
    return _OLDER if banner.release() < _WIDER_FROM else _NEWER


def _doubled(name: str, least: float, most: float) -> Iterator[float]:
    size, last = kibibytes(name, least), kibibytes(name, most)
    while size <= last:
        yield size * KIB
        size *= 2


_WIDER_FROM = 300
_OLDER = _Layout(
    "                                                            random  random    bkwd  record  stride"
    "                                   \n"
    "              KB  reclen   write rewrite    read    reread    read   write    read rewrite    read"
    "   fwrite frewrite   fread  freread\n",
    ((8, 8), (9, 9), (8, 8), (8,), (8,), (8,), (9, 9), (8, 9)),
)
_NEWER = _Layout(
    "                                                            random  random    bkwd   record   stride"
    "                                   \n"
    "              KB  reclen   write rewrite    read    reread    read   write    read  rewrite     read"
    "   fwrite frewrite   fread  freread\n",
    ((8, 8), (9, 9), (8, 8), (8,), (9,), (9,), (9, 9), (8, 9)),
)
_BLANKS = (16, 18, 16, 8, 8, 8, 18, 16)
_TESTS = {
    0: ("write", "rewrite"),
    1: ("read", "reread"),
    2: ("random_read", "random_write"),
    3: ("backward_read",),
    4: ("record_rewrite",),
    5: ("stride_read",),
    6: ("fwrite", "frewrite"),
    7: ("fread", "freread"),
}
