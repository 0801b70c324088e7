"""mdtest, the metadata benchmark (LLNL, now part of hpc/ior), 1.8 to 4.x.

Two forms are read: the text report and the CSV of ranks. A row of `runs` is mdtest's summary of an operation over its
iterations (``statistic`` "mean": rate and, where ``-P`` prints them, times on one row, at the line of the rate), or one
iteration ("single"), which ``-v`` prints. Rows of `clients` are shares of ranks. What to beware of:

- 0.000 means that a phase did not run: no row;
- the table of times is labelled "(in ops/sec)" in 4.0 and "(in ms/op)" in 4.1: it holds seconds of the whole phase;
- minimum and maximum are over iterations and ranks before 3.4, over iterations since; `samples` counts iterations. The
  standard deviation divides by n before 4.0 and by n - 1 since;
- the per-iteration rates of ``-v`` are all tasks' up to 3.3, rank 0's since (`log.Run.of_rank_zero`);
- with ``--showRankStatistics`` a table has columns of ranks and of iterations: they are told by the header.
"""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.mdtest import csv_table, details, report, tables
from storagelab.parsers.benchmarks.mdtest.fast_path import ORDINARY
from storagelab.parsers.declared_checks import Checks, Line, line_starts, words
from storagelab.parsers.model import Format, Parsed

__all__ = ["FORMAT", "ORDINARY", "parse", "sniff"]

_FILES = ("File creation ", "File stat ", "File removal ")
_DIRECTORIES = ("Directory creation", "Directory stat", "Directory removal")
_TREE = ("Tree creation ", "Tree removal ")
_TASKS = Line("tasks, ... files/directories", r"\b\d{1,9} tasks, \d", " tasks, ")
_NOT_DONE = r"(?:Directory|File|Tree) [a-z]++(?: *+:)?(?:[\s,]+0\.0+(?:e\+00)?)+\s*$"

CHECKS = Checks(
    together=(
        line_starts(*_FILES),
        line_starts(*_DIRECTORIES),
        line_starts(*(f"Test {name}" for name in _FILES), "iteration: "),
        words("-- started at", "-- finished at"),
    ),
    below=(line_starts("SUMMARY", *_TREE), (*words("was launched with"), _TASKS)),
    means=True,
    numbers_aside=(_NOT_DONE,),
)

FORMAT = Format(
    name="mdtest",
    tool="mdtest",
    versions="1.8 to 4.x",
    reads="text report and CSV of ranks",
    source="https://github.com/hpc/ior/blob/main/src/mdtest.c",
    marks=("launched", "Directory", "SUMMARY", "File", "Tree"),
    forms=(
        ("-- started at ", "was launched with", "-- finished at ", "SUMMARY rate", "SUMMARY time", "SUMMARY:"),
        ("rate-Directory creation",),
    ),
    checks=CHECKS,
)

_IO500 = ("[RESULT", "IO500 version", "io500_mdtest_cmd")
_TABLE = re.compile(r"SUMMARY(?:(?!SUMMARY)[^\n])*\(of \d+ iterations?\)")
_ROW = re.compile(r"(?:File|Directory|Tree) creation")
_QUOTED = re.compile(r"\n *+(?:File|Directory|Tree) [a-z]++ *+(?:: ++|(?!))?+\d[^\n]*+")


def sniff(head: str) -> bool:
    """Whether the text is mdtest's, and not that of IO500, which runs mdtest."""
    if "mdtest-" in head and "was launched with" in head:
        return not any(mark in head for mark in _IO500)
    if csv_table.HEADER in head and "rate-Directory creation" in head:
        return True
    if "SUMMARY" not in head:
        lines = f"\n{head}"  # an end of line is found five times as fast as the beginning of one
        rows = any(tables.quoted_row(row[0]) for row in _QUOTED.finditer(lines)) or details.are_in(head)
        rows = rows or bool(tables.BROKEN.search(lines))
        return rows and "[RESULT" not in head
    if not _TABLE.search(head) or not _ROW.search(head):
        return False
    return not any(mark in head for mark in _IO500)


def parse(text: str) -> Parsed:
    """Read an mdtest log of either form.

    Returns
    -------
    Parsed
        `runs` and `clients` with operation_rate [1/s] and elapsed [s], and their spread.

    Raises
    ------
    ParseError
        If nothing of mdtest's is in the text.
    """
    if csv_table.HEADER in text and "was launched with" not in text:
        return csv_table.parse(text)
    return report.parse(text)
