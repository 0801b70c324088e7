"""IOR's two CSV files: the summary (``summaryFormat=CSV``) and the ranks (``saveRankPerformanceDetailsCSV``)."""

from __future__ import annotations

from collections import Counter

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks.ior import tables
from storagelab.parsers.launcher_prefixes import without_label
from storagelab.parsers.model import Parsed, Row

SUMMARY = "access,bw("
RANKS = "access,rank,runtime"

_STARTS = ("access,", "write,", "read,")
_RANK = {
    "runtime-with-openclose": "elapsed",
    "runtime": "transfer_time",
    "throughput-withopenclose": "throughput",
    "throughput": "throughput_transfer",
}


def parse(text: str) -> Parsed:
    """Read either; a line that is no row of the table is noted."""
    parsed = Parsed({"tool": "ior", "statistic": "single"})
    lines = text.split("\n")
    header = ""
    seen: Counter[tuple[str, ...]] = Counter()
    for number, line in enumerate(lines[:-1], 1):
        if not line.startswith(_STARTS):
            line = without_label(line)
        if line.startswith((SUMMARY, RANKS)):
            header = line
        elif header and line.strip():
            _row(parsed, header, line, number, seen)
    if not header:
        raise ParseError("the header of IOR's CSV", lines[0], 1)
    if without_label(lines[-1]):
        parsed.incomplete("the last line has no line end and was not read", len(lines))
    if not parsed.runs and not parsed.clients:
        parsed.incomplete("the table has no rows", len(lines))
    _count_ranks(parsed)
    return parsed


def _row(parsed: Parsed, header: str, line: str, number: int, seen: Counter[tuple[str, ...]]) -> None:
    words = line.split(",")
    operation = tables.OPERATIONS.get(words[0])
    names = header.split(",")
    if not operation or len(words) != len(names):
        parsed.incomplete(f"a line that is no row of the table: {line[:80]!r}", number)
        return
    try:
        if header.startswith(RANKS):
            parsed.clients.append(_rank(operation, names, words, seen) | {"line": number})
        else:
            parsed.runs.append(_iteration(operation, header, words) | {"line": number})
    except (ValueError, IndexError):
        parsed.incomplete(f"a row with a cell that is no number: {line[:80]!r}", number)


def _iteration(operation: str, header: str, words: list[str]) -> Row:
    values = tables.cells(tables.iteration_columns(header), words)
    if "iteration" in values:
        values["iteration"] = int(values["iteration"])
    return {"operation": operation, **values}


def _rank(operation: str, names: list[str], words: list[str], seen: Counter[tuple[str, ...]]) -> Row:
    """Return the share of one rank; the file grows by a line a rank with every iteration."""
    rank = words[1]
    iteration = seen[operation, rank]
    seen[operation, rank] += 1
    columns = tuple((place, _RANK[name], 1.0) for place, name in enumerate(names) if name in _RANK)
    return {
        "operation": operation,
        "share": "rank",
        "process": str(int(rank)),
        "iteration": iteration,
        **tables.cells(columns, words),
    }


def _count_ranks(parsed: Parsed) -> None:
    """Ranks 0 to n - 1 are n processes; where one is missing, nothing is claimed."""
    ranks = {int(str(row["process"])) for row in parsed.clients}
    if ranks and len(ranks) == max(ranks) + 1:
        parsed.header["processes"] = float(len(ranks))
