"""The summary of an mdtest report: its tables of rates and times, and the row of the stonewall between theirs."""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.mdtest import tables
from storagelab.parsers.benchmarks.mdtest.details import verbose
from storagelab.parsers.benchmarks.mdtest.reader import Reader
from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import on

_SUMMARY = re.compile(r"SUMMARY(?: (rate|time)(?: \(in [^)]*\))?)?: ?\(of (\d+) iteration")
_SHORTEST_ROW = 4
_NOT_RUN = ["0.000"] * 4


def heading(reader: Reader, number: int, line: str) -> None:
    """``SUMMARY time (in ms/op): (of 2 iterations)`` opens a table; the unit it claims is wrong for times."""
    summary = _SUMMARY.match(line)
    reader.is_headed = True
    if summary:
        quantity = "elapsed" if summary[1] == "time" else "operation_rate"
        run = reader.summed_run(quantity, number)
        run.quantity = quantity
        run.last = ""
        reader.samples = float(summary[2])
        reader.table = tables.table(run.quantity)
    else:
        reader.parsed.incomplete(f"the heading of a summary is damaged: {line[:80]!r}", number)
        reader.table = None


def header(reader: Reader, number: int, line: str) -> None:
    """``Operation   Max  Min  Mean  Std Dev`` names the columns."""
    if "Max" in line and reader.table:
        reader.table = tables.table(reader.table.quantity, line)


def row(reader: Reader, number: int, line: str) -> None:
    """``File creation  : 12.000 11.000 11.500 0.700``; outside a table the line is one of an iteration."""
    table = reader.table or _excerpt(reader, number, line)
    if not table:
        verbose(reader, number, line)
        return
    plain = tables.plain_row(table, line)
    if plain:
        operation, values = plain
        _mean(reader.runs[-1].means, operation, number, values, reader.samples)
    else:
        operation = _other_row(reader, table, number, line)
    if operation:
        reader.runs[-1].last = operation
    if operation == "tree_remove":
        reader.table = None


def _excerpt(reader: Reader, number: int, line: str) -> tables.Table | None:
    """Begin a table with a row that stands in a log without any heading or launch: the rates that somebody quoted."""
    found = tables.quoted_row(line)
    if found and reader.is_headed:
        reader.parsed.incomplete(f"a row without the heading of its table: {line.strip()[:80]!r}", number)
    if not found or reader.is_headed:
        return None
    if not any(run.means for run in reader.runs):
        reader.parsed.incomplete("an excerpt: rows without the heading of their table, taken for rates", number)
    run = reader.run(number)
    if found in run.means:
        run = reader.next_run(number)
    run.quantity = "operation_rate"
    return tables.table(run.quantity)


def doubt(reader: Reader, number: int, words: list[str]) -> None:
    """Note a line inside a table that ends like a row and names no operation: its name was damaged."""
    if len(words) > _SHORTEST_ROW and tables.WHOLE.fullmatch(words[-1]) and tables.WHOLE.fullmatch(words[-2]):
        reader.parsed.incomplete(f"a row of no known operation: {' '.join(words)[:80]!r}", number)


def _other_row(reader: Reader, table: tables.Table, number: int, line: str) -> str:
    """File a row of any form and return its operation, or "" if it names none."""
    found = tables.row(line)
    if not found:
        doubt(reader, number, line.split())
        return ""
    operation, stonewall, cells = found
    if not (table.plain and cells == _NOT_RUN):
        _special_row(reader, table, operation, number, cells, stonewall)
    return operation


def _special_row(
    reader: Reader, table: tables.Table, operation: str, number: int, cells: list[str], stonewall: bool
) -> None:
    try:
        groups = tables.values(table, cells)
    except ValueError:
        text = f"a row of the summary is damaged: {operation} {' '.join(cells)[:80]!r}"
        reader.parsed.incomplete(text, number)
        return
    if stonewall:
        _stonewall(reader, table.quantity, operation, number, groups.get("iteration", {}))
        return
    run = reader.runs[-1]
    if "iteration" in groups:
        _mean(run.means, operation, number, groups["iteration"], reader.samples)
    if "rank" in groups:
        share: Row = {"share": "rank", **groups["rank"]}
        _mean(run.rank_means, operation, number, share, reader.samples * run.processes)


def _mean(rows: dict[str, Row], operation: str, number: int, values: Row, samples: float) -> None:
    """File the rate and the time of an operation under one row, at the line of the rate."""
    if operation in rows:
        rows[operation].update(on(number, values))
        return
    row: Row = {"operation": operation, "statistic": "mean", **values, "line": number}
    if samples:
        row["samples"] = samples
    rows[operation] = row


def _stonewall(reader: Reader, quantity: str, operation: str, number: int, values: Row) -> None:
    mean = values.get(quantity)
    if mean is None:
        return
    name = "stonewall_time" if quantity == "elapsed" else "operation_rate_stonewall"
    row: Row = {"operation": operation, "statistic": "mean", "samples": reader.samples, "line": number}
    row = reader.run().means.setdefault(operation, row)
    row |= {name: mean} if row["line"] == number else on(number, {name: mean})
