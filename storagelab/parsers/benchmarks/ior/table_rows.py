"""Rows of IOR's two tables: each is held against its header before a number of it is believed."""

from __future__ import annotations

from storagelab.parsers.benchmarks.ior import tables
from storagelab.parsers.benchmarks.ior.runs_and_tests import Log, Test
from storagelab.parsers.model import Row
from storagelab.units import KIB

END_OF_2_10 = "EXCEL"
KEYS = ("processes", "processes_per_node", "segments", "block_size", "record_size")


def iteration(log: Log, header: str, number: int, line: str, words: list[str], coming: Row) -> Row:
    """One row of the table of iterations, with what lines before it (`coming`) say of it.

    Raises
    ------
    ValueError
        If the row does not fit its header: cells too many or too few, or no number of an iteration at its end.
    """
    columns = tables.iteration_columns(header)
    last = columns[-1][0]
    if len(words) <= last:
        words = tables.aligned(header.rstrip(), line.rstrip())
        log.parsed.incomplete(f"a row of the table of iterations has blank cells: {line[:80]!r}", number)
    is_numbered = columns[-1][1] == "iteration"
    behind = words[last + 1 : last + 2]
    if len(words) <= last or (is_numbered and not words[last].isdecimal()) or behind not in ([], ["XXCEL"]):
        raise ValueError(line)
    row: Row = {"operation": tables.OPERATIONS[words[0]], "statistic": "single"}
    row |= tables.cells(columns, words)
    if "throughput" not in row and words[1] not in tables.NO_VALUE:
        log.parsed.incomplete(f"expected a rate, found {words[1]!r}", number)
    _keep_sizes(log.test(number), row)
    if is_numbered:
        row["iteration"] = int(words[last])
    row |= coming
    row["line"] = number
    return row


def _keep_sizes(test: Test, row: Row) -> None:
    for name in ("block_size", "record_size"):
        size = row.pop(name, None)
        if name not in test.exact and isinstance(size, float) and size % KIB == 0:
            test.exact[name] = size


def add_summary(log: Log, header: str, number: int, words: list[str], operation: str) -> None:
    """File a row of the summary with the test it names, and the keys it carries.

    Raises
    ------
    ValueError
        If the row does not fit its header. IOR 2.10 ends its rows with EXCEL, and with two columns more under ``-v``.
    """
    table = tables.summary(header)
    if words[-1] == END_OF_2_10:
        words = tables.without_touching(words)
    surplus = len(words) - table.width
    if surplus and not (surplus in (1, 3) and words[-1] == END_OF_2_10):
        raise ValueError(words)
    row: Row = {"operation": operation, "statistic": "mean"}
    row |= tables.cells(table.columns, words)
    test = log.test_of("" if table.test is None else words[table.test])
    _keep_keys(test, table, row, words)
    if "throughput" not in row:
        text = f"IOR's summary of {operation} is not a number, and its mean time is over iterations that did not run"
        log.parsed.note(f"{text}: {' '.join(words[1:10])}", number)
    row["line"] = number
    test.summaries.append(row)


def _keep_keys(test: Test, table: tables.Summary, row: Row, words: list[str]) -> None:
    for name in KEYS:
        value = row.pop(name, None)
        if isinstance(value, float):
            test.exact[name] = value
    if table.api is not None:
        test.options.setdefault("api", words[table.api])
    if table.file_per_process is not None:
        shared = words[table.file_per_process] != "1"
        test.options.setdefault("access", "single-shared-file" if shared else "file-per-process")
