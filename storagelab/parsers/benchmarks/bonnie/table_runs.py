"""Runs that bonnie++'s tables for people tell: all of them, or what the rows of CSV beside them do not have."""

from __future__ import annotations

import bisect
from collections.abc import Container, Sequence

from storagelab.parsers.benchmarks.bonnie import table
from storagelab.parsers.benchmarks.bonnie.results import keys_of, tests_of
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import on, settled

_OF_OUTPUT = ("Sequential Output", "-Rewrite-")
"""Words of the heading of output and input, on two lines."""


def read_tables(lines: list[str], parsed: Parsed) -> bool:
    """Read the table for people; whether there is one."""
    rows = list(table.read(lines[:-1]))
    for at, part, cells in rows:
        keys: Row = {"line": at, "part": float(part), **keys_of(cells)}
        parsed.runs += [settled({**keys, **test}) for test in tests_of(cells, at, parsed)]
    parsed.header.setdefault("tool_version", "unknown")
    tables, files = (len([1 for _, _, cells in rows if name in cells]) for name in ("put_block", "seq_create"))
    if tables and files and tables != files:
        parsed.incomplete(f"the table has {tables} rows of output and input, and {files} of files")
    if files and not tables and any(heading in line for line in lines for heading in _OF_OUTPUT):
        parsed.incomplete("the table has no row of output and input")
    if not files:
        parsed.incomplete("the table has no row of files")
    elif any(map(_prints_latencies, rows)) and not any("seq_create_latency" in cells for _, _, cells in rows):
        parsed.incomplete("the table has no latencies of files")
    return bool(rows) or any("Sequential Output" in line for line in lines)


def read_rest(lines: list[str], parsed: Parsed) -> bool:
    """Read from the table above it what the only row of CSV has lost where it is cut; whether there is a table."""
    printed = Parsed({})
    if parsed.complete or {row["part"] for row in parsed.runs} != {1.0} or not read_tables(lines, printed):
        return False
    known = {_test_of(row): row for row in parsed.runs}
    for row in printed.runs:
        if row["part"] == 1.0 and (test := known.get(_test_of(row))):
            latency = {name: row[name] for name in ("latency_max",) if name in row and name not in test}
            test.update(on(float(row.get("latency_max_line", row["line"])), latency))
        elif row["part"] == 1.0:
            parsed.runs.append(row)
    return True


def read_alone(lines: list[str], rows: list[int], parsed: Parsed) -> None:
    """Read the tables that have no row of CSV below them, where those of others have theirs, or none of its rates."""
    starts = [at for at, line in enumerate(lines, start=1) if _OF_OUTPUT[0] in line]
    if not rows or not starts:
        return
    rates = _rates_by_table(lines, starts)
    known = {(_test_of(row), _rate(row)) for row in parsed.runs}
    foreign = {start for start in starts if rates[start] and rates[start].isdisjoint(known)}
    theirs = [start for start in starts if start not in foreign]
    last = {row: theirs[at - 1] if (at := bisect.bisect_left(theirs, row)) else 0 for row in rows}
    alone = foreign
    if theirs and (0 in last.values() or len(set(last.values())) < len(rows)):
        for start in theirs:
            if rates[start] - known:
                parsed.incomplete("expected rows of CSV with the rates of the table", start)
    else:
        alone = foreign | (set(theirs) - set(last.values()))
    if not alone:
        return
    before = len(parsed.runs)
    read_tables(_of_tables(lines, set(starts), alone), parsed)
    for test in parsed.runs[before:]:
        test["part"] = float(str(test["part"])) + len(rows)
    parsed.runs = sorted(parsed.runs, key=lambda test: float(str(test["line"])))
    parts = {part: float(at) for at, part in enumerate(dict.fromkeys(test["part"] for test in parsed.runs), start=1)}
    for test in parsed.runs:
        test["part"] = parts[test["part"]]


def _rates_by_table(lines: list[str], starts: Sequence[int]) -> dict[int, set[tuple[object, object]]]:
    """Return what is measured, with its rate, in each of the tables that begin on some lines."""
    tables = Parsed({})
    read_tables(lines, tables)
    rates: dict[int, set[tuple[object, object]]] = {start: set() for start in starts}
    for row in tables.runs:
        start = starts[max(0, bisect.bisect_right(starts, float(str(row["line"]))) - 1)]
        rates[start].add((_test_of(row), _rate(row)))
    return rates


def _of_tables(lines: list[str], starts: Container[int], some: Container[int]) -> list[str]:
    """Leave the lines of some tables; those of the others are empty."""
    last = 0
    of_these: list[str] = []
    for at, line in enumerate(lines, start=1):
        last = at if at in starts else last
        of_these.append(line if last in some else "")
    return of_these


def _rate(row: Row) -> object:
    return row.get("throughput", row.get("operation_rate"))


def _test_of(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("operation", "label", "access_pattern"))


def _prints_latencies(row: table.Cells) -> bool:
    """Whether a row has a line of latencies below it, or is of a version that prints one: 1.9x and later."""
    return "put_block_latency" in row.cells or row.cells.get("bonnie_version", "").startswith(("1.9", "2"))


def hold_headings(text: str, parsed: Parsed) -> None:
    """Tell tables of output and input with the second line of their heading alone."""
    first, second = map(text.count, _OF_OUTPUT)
    if second > first:
        parsed.incomplete("a table of output and input lacks the first line of its heading", text.count("\n") + 1)


def machine_of(cells: dict[str, str], lines: list[str]) -> str:
    """Name of the machine that a row of CSV leaves out, from the row of the table with the same rates."""
    said = ("file_size", *table.OUTPUT)
    for _, _, row in table.read(lines[:-1]):
        if "put_block" in row and all(cells.get(name, "") == row.get(name, "") for name in said):
            return row.get("name", "")
    return ""
