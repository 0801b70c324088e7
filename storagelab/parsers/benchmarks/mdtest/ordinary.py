"""Reports of one mdtest run with one table of rates, and the iteration that ``-v`` prints: read in columns."""

from __future__ import annotations

import functools
import re
from itertools import compress
from typing import Any

from storagelab.parsers.benchmarks.mdtest.log import OPERATIONS, facts, is_of_rank_zero, timestamp
from storagelab.parsers.benchmarks.place import of_one_run
from storagelab.parsers.mean_checks import fit
from storagelab.parsers.model import Columns, Parsed, Row, Rows, Sparse
from storagelab.parsers.ordinary import CHOSEN, RECONSTRUCTED, Found, Ordinary

_DATE = r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d"
_LOG = re.compile(
    rf"{RECONSTRUCTED}-- started at (?P<started>{_DATE}) --\n\n"
    r"mdtest-(?P<version>[\w.+-]{1,40}) was launched with \d{1,9} total task\(s\) on "
    r"(?P<nodes>\d{1,9}) node(?:\(s\)|s)\n"
    rf"(?P<chosen>Command line used: (?P<command>{CHOSEN})\n"
    r"(?:WARNING: Read bytes is 0, thus, a read test will actually just open/close\n)?(?:Nodemap: [01]{1,4000}\n)?"
    rf"Path *: (?P<path>{CHOSEN})\n)FS *: (?P<fs>[\w .:%-]{{1,200}})\n\n?"
    r"(?P<tasks>\d{1,9}) tasks, (?P<files>\d{1,15}) files/directories\n\n"
    r"(?:   Operation +Duration +Rate\n   -[- ]*\n \* iteration (?P<iteration>\d{1,9}) \*\n"
    r"(?P<singles>(?:   [DFT][a-z]+ (?!create )[a-z]+ *: +\d{1,12}\.\d{3} sec, +\d{1,12}\.\d{3} ops/sec\n|(?!))++)\n)?"
    r"SUMMARY(?: rate \(in ops/sec\))?: \(of (?P<samples>[1-9]\d{0,5}) iterations\)\n"
    r"   Operation +Max +Min +Mean +Std Dev\n   -[- ]*\n"
    r"(?P<means>(?:   [DFT][a-z]+ (?!create )[a-z]+(?: *:)?(?: +\d{1,12}\.\d{3}){4}\n|(?!))++)\n?"
    rf"-- finished at (?P<finished>{_DATE}) --\n\n?"
)
_TREE = frozenset(("tree_create", "tree_remove"))
"""What every table has. `mdtest.CHECKS` says it too, but to count lines takes two thirds as long as to read them."""
_TOGETHER = [frozenset(f"{of}_{done}" for done in ("create", "stat", "remove")) for of in ("file", "directory")]
_NOT_RUN = ["0.000"] * 4


def read(text: str) -> Found | None:
    """Read a report of one run that came to its end, in which each operation stands once."""
    log = _LOG.fullmatch(text)
    if not log or _is_odd(log["chosen"]):
        return None
    tasks, files, rows = float(log["tasks"]), float(log["files"]), Rows()
    if log["singles"]:
        singles = _singles(log, 1 + text.count("\n", 0, log.start("singles")))
        printed = zip(singles["operation_rate"], singles["elapsed"], strict=True)
        if is_of_rank_zero(((rate, time or 0.0) for rate, time in printed), tasks, files):
            return None
        rows.add_columns(singles)
    means = _means(log, 1 + text.count("\n", 0, log.start("means")))
    if not means:
        return None
    rows.add_columns(means)
    parsed = Parsed(_header(log, tasks, files), rows)
    return Found(parsed, log["chosen"]) if fit(parsed, means) else None


def _is_odd(chosen: str) -> bool:
    """Whether a command or a path holds what IO500 or mdtest print."""
    return "-- " in chosen or "io500" in chosen.lower()


def _header(log: re.Match[str], tasks: float, files: float) -> Row:
    header: Row = {"tool": "mdtest", "tool_version": log["version"], "command": log["command"]}
    for name, moment in (("started", log["started"]), ("ended", log["finished"])):
        if date := timestamp(moment):
            header[name] = date
    place = of_one_run(log["path"], log["fs"])
    lines = [1 + log.string.count("\n", 0, log.start(group)) for group in ("version", "command", "tasks")]
    return header | place | _facts(log["command"], tasks, float(log["nodes"]), files, *lines)


@functools.lru_cache(maxsize=1024)
def _facts(command: str, tasks: float, nodes: float, files: float, launch: int, asked: int, total: int) -> Row:
    """Return what `facts` does, found once: the logs of a campaign repeat it. Not to be changed."""
    return facts(command, tasks, nodes, files, {"launch": launch, "command": asked, "total": total})


def _singles(log: re.Match[str], first: int) -> Columns:
    """Rates and times of one iteration; an operation that did not run has none, and a time may be too short."""
    words = log["singles"].replace(":", " ").split()
    rates = list(map(float, words[4::6]))
    count = len(rates) - rates.count(0.0)
    return Sparse(
        operation=list(compress(_operations(words, 6), rates)),
        statistic=["single"] * count,
        operation_rate=list(filter(None, rates)),
        line=list(compress(range(first, first + len(rates)), rates)),
        elapsed=[float(word) or None for word in compress(words[2::6], rates)],
        iteration=[int(log["iteration"]) - 1] * count,
    )


def _means(log: re.Match[str], first: int) -> Columns | None:
    """Rates of operations, without those that did not run; None where one is 0 otherwise, or stands twice."""
    words = log["means"].replace(":", " ").split()
    operations = _operations(words, 6)
    if len(set(operations)) < len(operations) or "tree_remove" in operations[:-1] or _lacks_a_row({*operations}):
        return None
    highest, lowest, mean, deviation = (list(map(float, words[place::6])) for place in range(2, 6))
    count = len(operations)
    columns: dict[str, Any] = {
        "operation": operations,
        "statistic": ["mean"] * count,
        "operation_rate_max": highest,
        "operation_rate_min": lowest,
        "operation_rate": mean,
        "operation_rate_std": deviation,
        "line": list(range(first, first + count)),
        "samples": [float(log["samples"])] * count,
    }
    if all(highest) and all(lowest) and all(mean):
        return columns
    ran = [highest[place] and lowest[place] and mean[place] for place in range(count)]
    idle = [place for place in range(count) if words[6 * place + 2 : 6 * place + 6] == _NOT_RUN]
    if count - ran.count(0.0) + len(idle) < count:
        return None
    return {name: list(compress(column, ran)) for name, column in columns.items()}


def _lacks_a_row(operations: set[str]) -> bool:
    """Whether a table lacks what all have, or what stands beside others that it has."""
    return not operations >= _TREE or any(0 < len(some & operations) < len(some) for some in _TOGETHER)


def _operations(words: list[str], width: int) -> list[str]:
    return [OPERATIONS[key] for key in zip(words[::width], words[1::width], strict=True)]


ORDINARY = Ordinary(" was launched with ", read)
