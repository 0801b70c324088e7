"""IOR's JSON summary (``-O summaryFormat=JSON``), which is not always JSON.

IOR prints it piece by piece while it runs: warnings stand between its objects, ``-nan`` stands where a number should,
and a run that dies leaves it open. So it is read as what it is, a sequence of ``"name": value`` pairs in sections.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks.ior.json_names import EXACT, PARAMETERS, PLACE, RESULT, SUMMARY
from storagelab.parsers.benchmarks.ior.options import PRINTED
from storagelab.parsers.benchmarks.ior.runs_and_tests import Log
from storagelab.parsers.benchmarks.ior.tables import OPERATIONS
from storagelab.parsers.launcher_prefixes import without_label
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on, settled

_PAIR = re.compile(
    r'"([^"\n]{1,60})"\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"|([-+\w.]+(?:,\d+)?)(?=\s*[,}\]])|([\[{]))'
    r'|"([\w ]{1,60})"\s*:'
    r"|Using actual aggregate bytes moved\s*=\s*(\d+)"
)
_END = re.compile(r'"Finished"\s*+:\s*+"[^"\n]*+"\s*+\}')
_BEGINS = re.compile(r'^\s*+[{"]', re.MULTILINE)
_SECTIONS = frozenset({"tests", "Parameters", "Options", "Results", "max", "summary"})
_HEAD = frozenset({"Version", "Began", "Command line", "Finished", *PLACE})
_WANTED = frozenset(
    {
        "TestID",
        "access",
        "operation",
        "deadlineForStonewall",
        *_SECTIONS,
        *RESULT,
        *SUMMARY,
        *_HEAD,
        *EXACT,
        *PRINTED,
    }
)


@dataclass(slots=True)
class Reader:
    """The log that is read, the section one is in, the row that is open and facts of the row to come."""

    log: Log = field(default_factory=Log)
    section: str = ""
    row: Row = field(default_factory=dict)
    moved: float = math.nan
    broken: list[str] = field(default_factory=list)


def parse(text: str) -> Parsed:
    """Read a JSON summary, valid or not."""
    reader = Reader()
    text = _without_labels(text)
    position, line = 0, 1
    for pair in _PAIR.finditer(text):
        name = pair[1]
        if name and name not in _WANTED and "\ufffd" not in name:
            continue
        line += text.count("\n", position, pair.start())
        position = pair.start()
        _take(reader, line, *pair.groups(default=""))
    _close_row(reader)
    return _finish(reader, text)


def _without_labels(text: str) -> str:
    """Take launchers' labels away, if the lines carry them."""
    lines = text.split("\n")
    first = next((line for line in lines if '"Version"' in line), "")
    if first.lstrip()[:1] in ("{", '"'):
        return text
    return "\n".join(map(without_label, lines))


def _take(reader: Reader, line: int, name: str, string: str, bare: str, bracket: str, broken: str, moved: str) -> None:
    if moved:
        reader.moved = float(moved)
    elif broken or "\ufffd" in name:
        reader.log.parsed.incomplete(f"the name or value of {broken or name!r} is damaged", line)
    elif bracket:
        _open(reader, name)
    elif name in _HEAD:
        _head(reader, line, name, string)
    else:
        _value(reader, line, name, string or bare)


def _open(reader: Reader, name: str) -> None:
    if name in _SECTIONS:
        _close_row(reader)
        reader.section = name


def _head(reader: Reader, line: int, name: str, string: str) -> None:
    log = reader.log
    if name == "Version":
        _close_row(reader)
        log.start_run(string, line)
        reader.section = ""
    run = log.run()
    if name == "Began":
        run.began = string
    elif name == "Command line":
        run.command, run.line = string, line
    elif name in PLACE:
        run.ran_at(PLACE[name](string))
    elif name == "Finished":
        run.finished, run.ended = string, True


def _value(reader: Reader, line: int, name: str, text: str) -> None:
    section = reader.section
    if section == "summary":
        _summary(reader, line, name, text)
    elif name == "TestID" and section != "Results":
        reader.log.start_test(text, line)
    elif name == "access" and text in OPERATIONS:
        _close_row(reader)
        reader.row = {"operation": OPERATIONS[text], "statistic": "single", "line": line}
    elif name == "operation" or (section == "Results" and name in RESULT and not reader.row):
        reader.log.parsed.incomplete(f"{name!r} of nothing that is named: what it is of has been lost", line)
        reader.section = ""
    elif reader.row:
        _number(reader, line, RESULT.get(name), text)
    elif section == "Options":
        reader.log.test(line).option(name, text, line)
    elif section == "Parameters":
        _parameter(reader, line, name, text)


def _parameter(reader: Reader, line: int, name: str, text: str) -> None:
    test = reader.log.test(line)
    if name in PARAMETERS and text.isdecimal():
        test.exact[PARAMETERS[name]] = float(text)
    elif name == "deadlineForStonewall" and text != "0":
        test.options["stonewallingTime"] = text


def _summary(reader: Reader, line: int, name: str, text: str) -> None:
    if name == "operation" and text in OPERATIONS:
        _close_row(reader)
        reader.row = {"operation": OPERATIONS[text], "statistic": "mean", "line": line}
    elif name == "TestID" and reader.row:
        reader.row["part"] = text
    elif name in EXACT and reader.row and text.isdecimal():
        reader.log.test_of(str(reader.row.get("part", ""))).exact.setdefault(EXACT[name], float(text))
    elif reader.row:
        _number(reader, line, SUMMARY.get(name), text)


def _number(reader: Reader, line: int, column: tuple[str, float] | None, text: str) -> None:
    if not column:
        return
    try:
        value = number(text)
    except ValueError:
        return
    if not math.isfinite(value):
        reader.broken.append(column[0])
        return
    name, unit = column
    if name in reader.row:
        _close_row(reader)
        reader.log.parsed.incomplete(f"a second {name} in one object: what it is of has been lost", line)
        return
    reader.row |= on(line, {name: value * unit})
    if name == "throughput":
        reader.row["line"] = line


def _close_row(reader: Reader) -> None:
    """File the open row with its test, under the line of its throughput."""
    row, reader.row = reader.row, {}
    if not row:
        return
    log, line = reader.log, int(row.pop("line"))
    if reader.broken:
        text = f"IOR's {', '.join(reader.broken)} of {row['operation']} are not numbers"
        mean = ", and its mean time is over iterations that did not run" if row["statistic"] == "mean" else ""
        log.parsed.note(text + mean, line)
        reader.broken = []
    if row["statistic"] == "mean":
        test = log.test_of(str(row.pop("part", "")))
        rows = test.summaries
    else:
        test = log.test(line)
        rows = test.iterations
        row["iteration"] = sum(other["operation"] == row["operation"] for other in rows)
        if math.isfinite(reader.moved):
            row["data_size"], reader.moved = reader.moved, math.nan
    for name in ("block_size", "record_size"):
        size = row.pop(name, None)
        if isinstance(size, float):
            test.exact.setdefault(name, size)
    if "throughput" in row or "elapsed" in row:
        rows.append(settled(row | {"line": line}))


def _is_closed(text: str) -> bool:
    """Whether the last summary closes and no other begins behind it; there a shell or a script may say something."""
    end = _END.match(text, max(text.rfind('"Finished"'), 0))
    return end is not None and not _BEGINS.search(text, end.end())


def _finish(reader: Reader, text: str) -> Parsed:
    log = reader.log
    last = text.count("\n") + 1
    if not any(run.version for run in log.runs) and not any(test.rows() for test in log.tests):
        raise ParseError("an IOR summary in JSON", text[:80], 1)
    if not all(run.ended for run in log.runs) or not _is_closed(text):
        log.parsed.incomplete("the JSON summary ends before its end", last)
    return log.finish()
