"""The table of fileop as it prints it, with all tags of each force factor: read in columns (`parsers/fast_path.py`)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from itertools import chain, compress
from math import inf
from typing import Any

from storagelab.parsers.fast_path import RECONSTRUCTED, Found, Ordinary, is_made_of
from storagelab.parsers.model import Columns, Note, Parsed, Row, Rows, Sparse
from storagelab.parsers.text import floats, line_at
from storagelab.parsers.values_on_several_lines import on
from storagelab.schema import LINE_OF

RATES = {"A": "operation_rate", "B": "operation_rate_max", "W": "operation_rate_min"}
OPERATIONS = frozenset(
    ("mkdir", "chdir", "rmdir", "create", "open", "read", "write", "close", "stat", "access", "chmod", "readdir",
     "link", "unlink", "delete")
)  # fmt: skip
HEADER: Row = {"tool": "fileop", "statistic": "mean", "processes": 1.0}
UNMEASURED = "lines hold inf (a time of 0) or nan (not run): those cells give no value"

_LOG = re.compile(
    rf"(?P<chosen>{RECONSTRUCTED}(?:\+ (?P<command>fileop -[\w/. -]{{1,300}})\n)?\n"
    r"Fileop:  Working in [\w/.-]{1,200}), File size is (?P<size>\d{1,9}),  Output is in Ops/sec\. "
    r"\(A=Avg, B=Best, W=Worst\)\n \. {7}(?P<operations>mkdir (?: *[a-z]+ )+) *Total_files\n"
    r"(?P<rows>(?:[ABW] {2,5}\d[^\n]{1,280}\n)+)\n?"
)
_SIGNS = b"0123456789 \nABW-infa"
_NOT_RUN = frozenset(("nan", "-nan"))
_TAGS = ("A", "ABW")


def read(text: str) -> Found | None:
    """Read a log with one table, in which each force factor has the same tags and measured the same operations."""
    log = _LOG.fullmatch(text)
    if not log or not is_made_of(log["rows"], _SIGNS):
        return None
    operations = log["operations"].split()
    words, count = log["rows"].split(), log["rows"].count("\n")
    width = len(operations) + 3
    tags, factors, items = words[::width], words[1::width], words[width - 1 :: width]
    tagged = next((some for some in _TAGS if list(some) * (count // len(some)) == tags), "")
    if not tagged or len(words) != width * count or not OPERATIONS.issuperset(operations):
        return None
    step = len(tagged)
    trees = list(zip(map(float, factors[::step]), map(float, items[::step]), strict=True))
    known = len(set(operations)) == len(operations) and len({factor for factor, _ in trees}) == len(trees)
    if not known or not all(map(all, trees)) or not (_repeat(factors, step) and _repeat(items, step)):
        return None
    rated = [words[start + 2 : start + width - 1] for start in range(0, len(words), width)]
    unmeasured = sum(any(map(_is_unmeasured, rates)) for rates in rated) if "n" in log["rows"] else 0
    operations, *rated = _that_ran(operations, rated) if unmeasured else (operations, *rated)
    if not operations:
        return None
    first, each = line_at(text, log.start("rows")), len(operations)
    columns: dict[str, Any] = {
        "operation": operations * len(trees),
        "line": _each(range(first, first + count, step), each),
        "branching": _each((factor for factor, _ in trees), each),
        "items": _each((files for _, files in trees), each),
    }
    for place, tag in enumerate(tagged):
        rates = floats(list(chain.from_iterable(rated[place::step])))
        lines = _each(range(first + place, first + count, step), each)
        if not _add_rates(columns, RATES[tag], rates, lines if place else []):
            return None
    whole = Sparse(columns) if any(None in columns[name] for name in RATES.values() if name in columns) else columns
    return _found(log, whole, max(factor for factor, _ in trees), unmeasured)


def _that_ran(operations: list[str], rated: list[list[str]]) -> list[list[str]]:
    """Return operations and rates without those of operations that were run at no force factor."""
    ran = [not _NOT_RUN.issuperset(rates) for rates in zip(*rated, strict=True)]
    return [list(compress(cells, ran)) for cells in (operations, *rated)]


def _is_unmeasured(rate: str) -> bool:
    return not rate[-1].isdecimal()


def _add_rates(columns: dict[str, Any], name: str, rates: list[float], lines: list[int]) -> bool:
    """Add rates and, but for averages, their lines; False where an average is missing."""
    are_measured = 0.0 not in rates and sum(rates) < inf
    if lines and not are_measured:
        measured = [rate if rate and rate < inf else None for rate in rates]
        if any(measured):
            columns[name] = measured
            columns[LINE_OF[name]] = [rate and line for rate, line in zip(measured, lines, strict=True)]
        return True
    columns[name] = rates
    if lines:
        columns[LINE_OF[name]] = lines
    return are_measured


def _found(log: re.Match[str], columns: Columns, last: float, unmeasured: int) -> Found | None:
    header = HEADER | on(line_at(log.string, log.start("size")), {"file_size": float(log["size"])})
    if log["command"]:
        header["command"] = log["command"].strip()
        if ends_short_of(log["command"], last):
            return None
    rows = Rows()
    rows.add_columns(columns)
    notes = [Note(0, f"{unmeasured} {UNMEASURED}")] if unmeasured else []
    return Found(Parsed(header, rows, notes=notes), log["chosen"])


@functools.lru_cache(maxsize=1024)
def ends_short_of(command: str, last: float) -> str:
    """Return the force factor at which a command said to end, where the table ends before it; else ""."""
    options = dict(re.findall(r"-([lui])\s*(\d+)", command))
    return options["u"] if "u" in options and last + float(options.get("i", 1)) <= float(options["u"]) else ""


def _repeat(words: Sequence[str], step: int) -> bool:
    """Whether each of some words stands as often as there are tags, one behind the other."""
    return all(words[::step] == words[place::step] for place in range(1, step))


def _each(values: Iterable[Any], count: int) -> list[Any]:
    """Return each value so many times."""
    return list(chain.from_iterable([[value] * count for value in values]))


ORDINARY = Ordinary("\nFileop:  Working in ", read)
