"""mdtest's CSV of ranks (``--saveRankPerformanceDetails``): a row of all ranks, then a row a rank and iteration."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks.mdtest.log import OPERATIONS
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number

HEADER = "rank,items,rate-"
_TREE_COLUMNS = 4
"""Columns that rows of single ranks leave away: the tree is no rank's own."""
_QUANTITIES = {"rate": "operation_rate", "time": "elapsed"}


@dataclass(slots=True)
class Reader:
    """The table that is read: its columns, and how often each rank was seen since the last row of all ranks."""

    parsed: Parsed
    columns: list[tuple[str, str]] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    batch: int = 0


def parse(text: str) -> Parsed:
    """Read the CSV; mdtest appends a batch of rows with every call."""
    reader = Reader(Parsed({"tool": "mdtest", "statistic": "single"}))
    lines = text.split("\n")
    for line_number, line in enumerate(lines[:-1], 1):
        if line.startswith(HEADER):
            reader.columns = [_column(word) for word in line.split(",")]
        elif reader.columns and line.strip():
            _line(reader, line_number, line)
    if not reader.columns:
        raise ParseError("the header of mdtest's CSV of ranks", lines[0], 1)
    reader.parsed.cut_line(lines[-1], len(lines))
    if not reader.parsed.runs and not reader.parsed.clients:
        reader.parsed.incomplete("the table has no rows", len(lines))
    return _finish(reader)


def _column(word: str) -> tuple[str, str]:
    """Operation and quantity of a column such as ``rate-File creation``; empty for others."""
    quantity, _, phase = word.partition("-")
    item, _, verb = phase.partition(" ")
    return OPERATIONS.get((item, verb), ""), _QUANTITIES.get(quantity, "")


def _line(reader: Reader, line_number: int, line: str) -> None:
    words = line.split(",")
    rank = words[0]
    if len(reader.columns) - len(words) not in (0, _TREE_COLUMNS) or not (rank == "all" or rank.isdecimal()):
        reader.parsed.incomplete(f"a line that is no row of the table: {line[:80]!r}", line_number)
        return
    try:
        values = _values(reader.columns, words)
    except ValueError:
        reader.parsed.incomplete(f"a row with a cell that is no number: {line[:80]!r}", line_number)
        return
    if rank == "all":
        reader.batch += 1
        reader.seen.clear()
        if words[1].isdecimal():
            reader.parsed.header["items"] = float(words[1])
    shared: Row = {"part": max(reader.batch, 1), "iteration": reader.seen[rank]}
    if rank != "all":
        shared |= {"share": "rank", "process": str(int(rank))}
    reader.seen[rank] += 1
    rows = reader.parsed.runs if rank == "all" else reader.parsed.clients
    rows.extend({"operation": name, **shared, **found, "line": line_number} for name, found in values.items())


def _values(columns: list[tuple[str, str]], words: list[str]) -> dict[str, Row]:
    """Rate and time of each operation of a row; phases that did not run have empty cells."""
    found: dict[str, Row] = {}
    for (operation, quantity), word in zip(columns, words, strict=False):
        if operation and quantity and word.strip():
            value = number(word)
            if math.isfinite(value) and value:
                found.setdefault(operation, {})[quantity] = value
    return found


def _finish(reader: Reader) -> Parsed:
    """Ranks 0 to n - 1 are n processes; where one is missing, nothing is claimed. One batch needs no `part`."""
    parsed = reader.parsed
    ranks = {int(str(row["process"])) for row in parsed.clients}
    if ranks and len(ranks) == max(ranks) + 1:
        parsed.header["processes"] = float(len(ranks))
    if reader.batch <= 1:
        for row in parsed.runs + parsed.clients:
            del row["part"]
    return parsed
