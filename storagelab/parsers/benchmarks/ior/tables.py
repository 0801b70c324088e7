"""IOR's two tables, read by their headers: one row an iteration, and the summary of all tests."""

from __future__ import annotations

import functools
import math
import re
from typing import NamedTuple

from storagelab.parsers.model import Row
from storagelab.parsers.text import numbers
from storagelab.units import GIB, KIB, MB, MIB

OPERATIONS = {"write": "write", "read": "read", "remove": "file_remove"}

_UNITS = {"": 1.0, "s": 1.0, "OPs": 1.0, "MiB/s": MIB, "MB/s": MB, "KiB": KIB, "MiB": MIB, "MB": MB, "GiB": GIB}
_ITERATION = {
    "bw": "throughput",
    "IOPS": "operation_rate",
    "Latency": "latency",
    "block": "block_size",
    "xfer": "record_size",
    "open": "open_time",
    "wr/rd": "transfer_time",
    "close": "close_time",
    "total": "elapsed",
    "numTasks": "processes",
    "iter": "iteration",
}
_SUMMARY = {
    "Max(MiB)": "throughput_max",
    "Min(MiB)": "throughput_min",
    "Mean(MiB)": "throughput",
    "Max(OPs)": "operation_rate_max",
    "Min(OPs)": "operation_rate_min",
    "Mean(OPs)": "operation_rate",
    "Mean(s)": "elapsed",
    "Stonewall(s)": "stonewall_time",
    "Stonewall(MiB)": "throughput_stonewall",
    "#Tasks": "processes",
    "tPN": "processes_per_node",
    "reps": "samples",
    "segcnt": "segments",
    "blksiz": "block_size",
    "xsize": "record_size",
    "aggsize": "data_size",
    "aggs(MiB)": "data_size",
}
Columns = tuple[tuple[int, str, float], ...]
_WORD = re.compile(r"\S+")
_RULE = re.compile(r"[ -]*")


@functools.lru_cache(maxsize=64)
def iteration_columns(header: str) -> Columns:
    """Position, name and factor to SI of each column of the table of iterations that the contract has a name for.

    Examples
    --------
    >>> iteration_columns("access bw(MiB/s) iter")
    ((1, 'throughput', 1048576.0), (2, 'iteration', 1.0))
    """
    columns = []
    for position, word in enumerate(header.replace(",", " ").split()):
        name, _, unit = word.rstrip(")").partition("(")
        if name in _ITERATION and unit in _UNITS:
            columns.append((position, _ITERATION[name], _UNITS[unit]))
    return tuple(columns)


def has_iterations(header: str) -> bool:
    """Whether the table's last column is the number of the iteration, as in all versions."""
    columns = iteration_columns(header)
    return len(columns) > 1 and columns[-1][1] == "iteration"


def is_ruled(header: str, below: str) -> bool:
    """Whether a header names known columns alone, each with a rule below: that people left some away is no damage.

    Examples
    --------
    >>> is_ruled("access bw(MiB/s) IOPS", "------ --------- ----")
    True
    """
    return (
        0 < len(iteration_columns(header)) == len(header.split()) - 1
        and [*map(len, header.split())] == [*map(len, below.split())]
        and _RULE.fullmatch(below) is not None
    )


def _summary_words(header: str) -> list[str]:
    """Return the words over the summary's columns.

    IOR 2.10 writes ``Max (MiB)`` and ``Std Dev``, and a column ``Op grep`` that none of its rows fill.
    """
    return header.replace(" (", "(").replace("Std Dev", "StdDev").replace("Op grep", "").split()


@functools.lru_cache(maxsize=64)
def summary_columns(header: str) -> Columns:
    """Position, name and factor to SI of each numeric column of the summary that the contract has a name for."""
    columns = []
    words = _summary_words(header)
    for position, word in enumerate(words):
        named = words[position - 1] if word == "StdDev" and words[position - 1].startswith("Mean(") else word
        if named in _SUMMARY:
            name = _SUMMARY[named] + ("_std" if named != word else "")
            columns.append((position, name, _UNITS[named.rstrip(")").partition("(")[2]]))
    return tuple(columns)


_OF_SUMMARY = (
    *_SUMMARY, "Operation", "StdDev", "Std", "Dev", "Op", "grep", "Test#", "fPP", "reord", "reordoff", "reordrand",
    "seed", "API", "RefNum", "EXCEL",
)  # fmt: skip
_OF_ITERATIONS = (
    "access", "bw(MiB/s)", "IOPS", "Latency(s)", "block(KiB)", "xfer(KiB)", "open(s)", "wr/rd(s)", "close(s)",
    "total(s)", "numTasks", "iter",
)  # fmt: skip


def heads_summary(header: str) -> bool:
    """Whether a line is the header of a summary as far as it goes: its words are over columns, the last in part."""
    return _is_made_of(_OF_SUMMARY, _summary_words(header))


def heads_iterations(header: str) -> bool:
    """Whether a line is the header of the table of iterations as far as it goes."""
    return _is_made_of(_OF_ITERATIONS, header.replace(",", " ").split())


def _is_made_of(known: tuple[str, ...], words: list[str]) -> bool:
    return set(known).issuperset(words[:-1]) and any(word.startswith(words[-1]) for word in known)


_USUAL = tuple(
    f"access bw(MiB/s) {rates}block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) {total}iter"
    for rates, total in (("", ""), ("", "total(s) "), ("IOPS Latency(s) ", "total(s) "))
)
"""The headers of 2.8, of 2.10 to 3.2, and since 3.3."""


def usual_header(line: str) -> str:
    """Return the header under which IOR prints such a row, which stands alone; "" where its numbers contradict that.

    Examples
    --------
    >>> usual_header("write     412.11     1048576    4096       0.012311   39.71      0.041211   0")
    'access bw(MiB/s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) iter'
    """
    words = line.split()
    header = next((header for header in _USUAL if width(header) == len(words)), "")
    if not header or words[0] not in OPERATIONS or not all(map(_PRINTED.fullmatch, words[1:])):
        return ""
    row = {name: float(words[position]) for position, name, _ in iteration_columns(header)}
    has_time = row.get("elapsed", math.inf) * _ROUNDED >= row["transfer_time"]
    fits = row["block_size"] >= row["record_size"] >= 1 and has_time and words[-1].isdecimal()
    return header if fits else ""


_PRINTED = re.compile(r"\d{1,15}(?:\.\d{2,6})?")
_ROUNDED = 1.005


def width(header: str) -> int:
    """How many words the header of the table of iterations has."""
    return len(header.replace(",", " ").split())


class Summary(NamedTuple):
    """What the header of a summary says: its width, its numeric columns and the places of three that are not."""

    width: int
    columns: Columns
    test: int | None
    api: int | None
    file_per_process: int | None


@functools.lru_cache(maxsize=64)
def summary(header: str) -> Summary:
    """Read the header of a summary; a column that it does not have has no place."""
    words = _summary_words(header)
    places = (words.index(word) if word in words else None for word in ("Test#", "API", "fPP"))
    return Summary(len(words), summary_columns(header), *places)


def cells(columns: Columns, words: list[str]) -> Row:
    """Values of one row in SI; a dash, ``NA``, ``nan`` and ``inf`` are cells without a value.

    Raises
    ------
    ValueError
        If a cell is neither a number nor one of these.
    IndexError
        If the row is shorter than its header.
    """
    printed = [(name, unit, words[position]) for position, name, unit in columns if words[position] not in NO_VALUE]
    values = numbers([word for _, _, word in printed])
    row = {name: value * unit for (name, unit, _), value in zip(printed, values, strict=True)}
    return {name: value for name, value in row.items() if math.isfinite(value)}


NO_VALUE = frozenset({"-", "NA"})


def without_touching(words: list[str]) -> list[str]:
    """Cut numbers that touch: IOR 2.10 prints some cells of its summary without a blank, with two decimals each.

    Examples
    --------
    >>> without_touching(["707210.59", "12.001234.56789"])
    ['707210.59', '12.00', '1234.56789']
    """
    return [part for word in words for part in (_TOUCHING.split(word) if word.count(".") > 1 else (word,))]


_TOUCHING = re.compile(r"(?<=\.\d\d)(?=\d+\.)")


def aligned(header: str, line: str) -> list[str]:
    """Words of a row in which a cell is blank, a dash in its place, found by where the header's words begin.

    Raises
    ------
    ValueError
        If a word of the row does not begin below a word of the header.
    """
    starts = [word.start() for word in _WORD.finditer(header)]
    found = {word.start(): word[0] for word in _WORD.finditer(line)}
    if not found.keys() <= set(starts):
        raise ValueError(line)
    return [found.get(start, "-") for start in starts]
