"""Rows of IOR's two tables: each is held against its header before a number of it is believed."""

from __future__ import annotations

from storagelab.parsers.ior import tables
from storagelab.parsers.ior.log import Log, Test
from storagelab.parsers.model import Row
from storagelab.units import KIB

_KEYS = ("processes", "processes_per_node", "segments", "block_size", "record_size")


def iteration(log: Log, header: str, number: int, line: str, words: list[str], coming: Row) -> Row:
    """One row of the table of iterations, with what lines before it (`coming`) say of it.

    Raises
    ------
    ValueError
        If the row does not fit its header: cells too many or too few, or no number of an iteration at its end.
    """
    operation = tables.OPERATIONS[words[0]]
    columns = tables.iteration_columns(header)
    last = columns[-1][0]
    if len(words) <= last:
        words = tables.aligned(header.rstrip(), line.rstrip())
        log.parsed.incomplete(f"a row of the table of iterations has blank cells: {line[:80]!r}", number)
    if not words[last].isdigit() or (len(words) > last + 1 and words[last + 1] != "XXCEL"):
        raise ValueError(line)
    values = tables.cells(columns, words)
    test = log.test(number)
    for name in ("block_size", "record_size"):
        size = values.pop(name, None)
        if isinstance(size, float) and size % KIB == 0:
            test.exact.setdefault(name, size)
    values["iteration"] = int(words[last])
    return {"operation": operation, "statistic": "single", **values, **coming, "line": number}


def add_summary(log: Log, header: str, number: int, words: list[str], operation: str) -> None:
    """File a row of the summary with the test it names, and the keys it carries.

    Raises
    ------
    ValueError
        If the row does not fit its header. IOR 2.10 ends its rows with EXCEL, and with two columns more under ``-v``.
    """
    surplus = len(words) - tables.summary_width(header)
    if surplus and not (surplus in (1, 3) and words[-1] == "EXCEL"):
        raise ValueError(words)
    values = tables.cells(tables.summary_columns(header), words)
    test = log.test_of(_word(header, words, "Test#"))
    _keep_keys(test, values, _word(header, words, "API"), _word(header, words, "fPP"))
    if "throughput" not in values:
        text = f"IOR's summary of {operation} is not a number, and its mean time is over iterations that did not run"
        log.parsed.note(f"{text}: {' '.join(words[1:10])}", number)
    test.summaries.append({"operation": operation, "statistic": "mean", **values, "line": number})


def _keep_keys(test: Test, values: Row, api: str, file_per_process: str) -> None:
    for name in _KEYS:
        value = values.pop(name, None)
        if isinstance(value, float):
            test.exact[name] = value
    if api:
        test.options.setdefault("api", api)
    if file_per_process:
        test.options.setdefault("access", "file-per-process" if file_per_process == "1" else "single-shared-file")


def _word(header: str, words: list[str], name: str) -> str:
    place = tables.summary_place(header, name)
    return words[place] if 0 <= place < len(words) else ""
