"""Reports of one mdtest run: its table of rates, that of times (``-P``), an iteration (``-v``). Read in columns."""

from __future__ import annotations

import functools
import re
from itertools import compress
from typing import NamedTuple

from storagelab.parsers.benchmarks.file_system import FILE_SYSTEM, of_one_run
from storagelab.parsers.benchmarks.mdtest.log import OPERATIONS, facts, is_of_rank_zero, timestamp
from storagelab.parsers.benchmarks.mdtest.report import stonewalled
from storagelab.parsers.fast_path import CHOSEN, RECONSTRUCTED, Found, Ordinary
from storagelab.parsers.mean_checks import fit
from storagelab.parsers.model import Columns, Parsed, Row, Rows, Sparse
from storagelab.parsers.text import floats, line_at
from storagelab.schema import LINE_OF

_DATE = r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d"
_NODES = r"(?:Nodemap: [01]{1,100000}\n)?"
_HEADING = r"   Operation +Max +Min +Mean +Std Dev\n   -[- ]*\n"
_STONEWALL = r"   File create \(stonewall\)(?: *:)? +NA +NA +\d{1,12}\.\d{3} +NA *\n"
_ROWS = rf"(?:   [DFT][a-z]+ (?!create )[a-z]+(?: *:)?(?: +\d{{1,12}}\.\d{{3}}){{4}}\n|{_STONEWALL}|(?!))++"
_LOG = re.compile(
    rf"{RECONSTRUCTED}-- started at (?P<started>{_DATE}) --\n\n"
    r"mdtest-(?P<version>[\w.+-]{1,40}) was launched with \d{1,9} total task\(s\) on "
    r"(?P<nodes>\d{1,9}) node(?:\(s\)|s)\n"
    rf"Command line used: (?P<command>{CHOSEN})\n"
    rf"(?:WARNING: Read bytes is 0, thus, a read test will actually just open/close\n)?{_NODES}"
    rf"Path *: (?P<path>{CHOSEN}|)\nFS *: (?P<fs>{FILE_SYSTEM})\n\n?{_NODES}"
    r"(?:V-0: Rank +0 Line +\d{1,6} Shifting ranks by \d{1,9} for each phase\.\n)?"
    r"(?P<tasks>\d{1,9}) tasks, (?P<files>\d{1,15}) files?(?:/directories)?\n"
    r"(?P<hit>Continue stonewall hit min: \d{1,15} max: \d{1,15} avg: \d{1,15}\.\d \n\n?)?\n"
    r"(?:   Operation +Duration +Rate\n   -[- ]*\n \* iteration (?P<iteration>\d{1,9}) \*\n"
    r"(?P<singles>(?:   [DFT][a-z]+ (?!create )[a-z]+ *: +\d{1,12}\.\d{3} sec, +\d{1,12}\.\d{3} ops/sec\n|(?!))++)\n)?"
    r"SUMMARY(?: rate)?(?: \(in ops/sec\))?: \(of (?P<samples>[1-9]\d{0,5}) iterations\)\n"
    rf"{_HEADING}(?P<means>{_ROWS})\n?"
    rf"(?:SUMMARY time(?: \(in [a-z/]{{1,9}}\))?: \(of (?P=samples) iterations\)\n{_HEADING}(?P<times>{_ROWS})\n?)?"
    rf"-- finished at (?P<finished>{_DATE}) --\n\n?"
)
_TREE = frozenset(("tree_create", "tree_remove"))
"""What every table has. `mdtest.CHECKS` says it too, but to count lines takes two thirds as long as to read them."""
_TOGETHER = [frozenset(f"{of}_{done}" for done in ("create", "stat", "remove")) for of in ("file", "directory")]
_NOT_RUN = ("0.000",) * 4
_CREATED_UNTIL = "   File create (stonewall)"
_TIMES = ("elapsed_max", "elapsed_min", "elapsed", "elapsed_std")


def read(text: str) -> Found | None:
    """Read a report of one run that came to its end, in which each operation stands once."""
    log = _LOG.fullmatch(text)
    chosen = "\n".join(log.group("command", "path")) if log else ""
    if not log or "-- " in chosen:
        return None
    tasks, files, rows = float(log["tasks"]), float(log["files"]), Rows()
    singles = _singles(log, _line(log, "singles")) if log["singles"] else {}
    if singles:
        printed = zip(singles["operation_rate"], singles["elapsed"], strict=True)
        if is_of_rank_zero(((rate, time or 0.0) for rate, time in printed), tasks, files):
            return None
        rows.add_columns(singles)
    parsed = Parsed(_header(log, tasks, files), rows)
    means = _means(log, parsed)
    if not means or (singles and not _is_of_one_iteration(means, singles)):
        return None
    rows.add_columns(means)
    return Found(parsed, chosen)


def _header(log: re.Match[str], tasks: float, files: float) -> Row:
    header: Row = {"tool": "mdtest", "tool_version": log["version"], "command": log["command"]}
    for name, moment in (("started", log["started"]), ("ended", log["finished"])):
        if date := timestamp(moment):
            header[name] = date
    place = of_one_run(log["path"], log["fs"])
    lines = [_line(log, group) for group in ("version", "command", "tasks")]
    return header | place | _facts(log["command"], tasks, float(log["nodes"]), files, *lines)


@functools.lru_cache(maxsize=1024)
def _facts(command: str, tasks: float, nodes: float, files: float, launch: int, asked: int, total: int) -> Row:
    """Return what `facts` does, found once: the logs of a campaign repeat it. Not to be changed."""
    return facts(command, tasks, nodes, files, {"launch": launch, "command": asked, "total": total})


def _singles(log: re.Match[str], first: int) -> Columns:
    """Rates and times of one iteration; an operation that did not run has none, and a time may be too short."""
    words = log["singles"].replace(":", " ").split()
    operations = _operations(words)
    if _stand_apart(operations):
        raise ValueError("an iteration that lacks operations, or has them twice")
    rates = floats(words[4::6])
    count = len(rates) - rates.count(0.0)
    return Sparse(
        operation=list(compress(operations, rates)),
        statistic=["single"] * count,
        operation_rate=list(filter(None, rates)),
        line=list(compress(range(first, first + len(rates)), rates)),
        elapsed=[float(word) or None for word in compress(words[2::6], rates)],
        iteration=[int(log["iteration"]) - 1] * count,
    )


class _Table(NamedTuple):
    """Rows of a table of the summary, and what that of the stonewall says, with its line."""

    operations: list[str]
    cells: list[list[str]]
    """Highest, lowest, mean and deviation of each operation, as they are printed."""
    lines: list[int]
    stonewall: tuple[float, int] | None


def _table(log: re.Match[str], group: str) -> _Table:
    text, first = log[group], _line(log, group)
    above, is_stonewalled, rest = text.partition(_CREATED_UNTIL)
    if not is_stonewalled:
        words = text.replace(":", " ").split()
        cells = [words[place::6] for place in range(2, 6)]
        return _Table(_operations(words), cells, list(range(first, first + text.count("\n"))), None)
    row, _, below = rest.partition("\n")
    words, line = (above + below).replace(":", " ").split(), first + above.count("\n")
    lines = [*range(first, line), *range(line + 1, line + 1 + below.count("\n"))]
    cells = [words[place::6] for place in range(2, 6)]
    return _Table(_operations(words), cells, lines, (float(row.split()[-2]), line))


def _means(log: re.Match[str], parsed: Parsed) -> Columns | None:
    """Rates and times of operations, without those that did not run; None where anything is odd about them."""
    table = _table(log, "means")
    operations = table.operations
    if _stand_apart(operations) or "tree_remove" in operations[:-1] or not _TREE.issubset(operations):
        return None
    highest, lowest, mean, deviation = map(floats, table.cells)
    count = len(operations)
    columns: Columns = {
        "operation": operations,
        "statistic": ["mean"] * count,
        "operation_rate_max": highest,
        "operation_rate_min": lowest,
        "operation_rate": mean,
        "operation_rate_std": deviation,
        "line": table.lines,
        "samples": [float(log["samples"])] * count,
    }
    ran = [True] * count
    if not (all(highest) and all(lowest) and all(mean)):
        ran = [bool(highest[place] and lowest[place] and mean[place]) for place in range(count)]
        if not _did_not_run(table, ran):
            return None
        columns = {name: list(compress(column, ran)) for name, column in columns.items()}
    if not fit(parsed, columns):
        return None
    if log["times"] or log["hit"] or table.stonewall:
        return _with_more(log, parsed, table, columns, ran)
    return columns


def _did_not_run(table: _Table, ran: list[bool]) -> bool:
    """Whether each row of an operation that did not run is printed so."""
    return all(row == _NOT_RUN for row, did in zip(zip(*table.cells, strict=True), ran, strict=True) if not did)


def _with_more(log: re.Match[str], parsed: Parsed, rates: _Table, columns: Columns, ran: list[bool]) -> Columns | None:
    """Add times, and how far processes were when the time of a stonewall was over; None where anything is odd."""
    found = Sparse(columns)
    created = [operation == "file_create" for operation in columns["operation"]]
    times = _table(log, "times") if log["times"] else None
    if not any(created) and (log["hit"] or rates.stonewall or (times and times.stonewall)):
        return None
    if rates.stonewall:
        found |= _of_one(created, "operation_rate_stonewall", *rates.stonewall)
    if times:
        found |= _times(times, rates, ran)
        if not _times_fit(parsed, found):
            return None
        if times.stonewall:
            found |= _of_one(created, "stonewall_time", *times.stonewall)
    if log["hit"]:
        for name, value in stonewalled(log["hit"], _line(log, "hit")).items():
            found[name] = [value if is_it else None for is_it in created]
    return found


def _of_one(chosen: list[bool], name: str, value: float, line: int) -> Sparse:
    """Return the columns of a value that one row alone has, and of its line."""
    said = {name: value, LINE_OF[name]: line}
    return Sparse({column: [one if is_it else None for is_it in chosen] for column, one in said.items()})


def _times(table: _Table, rates: _Table, ran: list[bool]) -> Sparse:
    """Times of the operations that ran, and their lines.

    What took less than half a millisecond is printed as 0.000, which is no time; a deviation of 0.000 is one.

    Raises
    ------
    ValueError
        If the table is not one of the same operations, or has a time of one that did not run.
    """
    *extremes, means, deviations = map(floats, table.cells)
    are_odd = any(time and not (did and longest) for time, did, longest in zip(means, ran, extremes[0], strict=True))
    if table.operations != rates.operations or are_odd or not _did_not_run(table, list(map(bool, means))):
        raise ValueError("times that do not fit the rates")
    found = Sparse()
    for name, column in zip(_TIMES, (*extremes, means), strict=False):
        found[name] = [value or None for value in compress(column, ran)]
    spreads = compress(zip(deviations, means, strict=True), ran)
    found["elapsed_std"] = [value if time else None for value, time in spreads]
    lines = list(compress(table.lines, ran))
    for name in _TIMES:
        found[LINE_OF[name]] = [None if value is None else line for value, line in zip(found[name], lines, strict=True)]
    return found


def _times_fit(parsed: Parsed, columns: Sparse) -> bool:
    """Whether means of times fit their lowest and highest, where all of them are there."""
    are_whole = [None not in row for row in zip(*map(columns.__getitem__, _TIMES), strict=True)]
    return fit(parsed, {name: list(compress(columns[name], are_whole)) for name in ("samples", *_TIMES)})


def _stand_apart(operations: list[str]) -> bool:
    """Whether a table has an operation twice, or lacks what stands beside others that it has."""
    there = set(operations)
    return len(there) < len(operations) or any(0 < len(some & there) < len(some) for some in _TOGETHER)


def _is_of_one_iteration(means: Columns, singles: Columns) -> bool:
    """Whether the means are of the operations of an iteration; not all versions show those of trees."""
    of_items = [{*table["operation"]} - _TREE for table in (means, singles)]
    return of_items[0] == of_items[1] and set(means["samples"]) == {1.0}


def _line(log: re.Match[str], group: str) -> int:
    return line_at(log.string, log.start(group))


def _operations(words: list[str]) -> list[str]:
    return [OPERATIONS[key] for key in zip(words[::6], words[1::6], strict=True)]


ORDINARY = Ordinary(" was launched with ", read)
