"""What several tools say in one log, as one: parts numbered through, lines as in the log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from storagelab import schema
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.model import Columns, Format, Note, Parsed, Row, Rows, Value, stacked

OF_A_SAMPLE = frozenset(
    {
        *("client", "process", "host", "server", "interface", "device", "target", "cpu", "job", "phase", "file"),
        *("operation", "statistic", "metric", "unit", "label", "part"),
    }
)
"""Of a header, what goes to each sample and event, of which there may be many; the rest stands in ``logs``."""

_TOLD_TOGETHER = ("tool_version", "command", "options")
_OF_THE_LOG = frozenset({*_TOLD_TOGETHER, "started", "ended", "exit_status", "wrapping"})


class Part(NamedTuple):
    """What one tool says in a log."""

    format: Format
    parsed: Parsed


def relined(parsed: Parsed, numbers: Sequence[int]) -> Parsed:
    """Give every row and note the line of the log where the parser saw the line of what it was given."""
    if isinstance(numbers, range) and numbers == range(1, len(numbers) + 1):
        return parsed
    for rows in (parsed.runs, parsed.clients, parsed.events):
        for part in rows.parts if isinstance(rows, Rows) else (rows,):
            if isinstance(part, dict):
                _reline_columns(part, numbers)
            else:
                for row in {id(row): row for row in part}.values():
                    _reline(row, numbers)
    _reline(parsed.header, numbers)
    _reline_columns(parsed.series, numbers)
    parsed.notes = [Note(int(_number(note.line, numbers)), note.text) for note in parsed.notes]
    return parsed


def _reline(row: Row, numbers: Sequence[int]) -> None:
    for name in _LINES.intersection(row):
        row[name] = _number(row[name], numbers)


def _reline_columns(columns: Columns, numbers: Sequence[int]) -> None:
    for name in _LINES.intersection(columns):
        columns[name] = [_number(line, numbers) if line == line else line for line in columns[name]]


_LINES = frozenset({"line", *schema.VALUE_AT})


def _number(line: Value, numbers: Sequence[int]) -> int | float:
    """Number in the log of a line that a parser counted from 1; 0 stands for the whole log."""
    at = int(line)
    found = numbers[at - 1] if 0 < at <= len(numbers) else at
    return float(found) if isinstance(line, float) else found


def joined(parts: Sequence[Part]) -> Part:
    """Make one log of what several tools say in it: each of their tests is a `part`, in the order of their lines."""
    ordinals = _ordinals(parts)
    headers = [part.parsed.header for part in parts]
    shared = {name: value for name, value in headers[0].items() if all(one.get(name) == value for one in headers)}
    shared = {name: value for name, value in shared.items() if name not in _OF_THE_LOG}
    whole = Parsed(_header(headers) | shared)
    for which, part in enumerate(parts):
        own = {name: value for name, value in part.parsed.header.items() if name not in shared | whole.header}
        own = {name: value for name, value in own.items() if name not in _OF_THE_LOG}
        _add(whole, part.parsed, own, ordinals[which], _later(part.parsed, whole))
        whole.notes += part.parsed.notes
        whole.complete = whole.complete and part.parsed.complete
    formats = [part.format for part in parts]
    name, tool = (", ".join(dict.fromkeys(getattr(one, what) for one in formats)) for what in ("name", "tool"))
    whole.header["tool"] = whole.header.get("tool", ", ".join(dict.fromkeys(str(one.get("tool")) for one in headers)))
    reads_returns = any(one.reads_returns for one in formats)
    checks = Checks(numbers_aside=tuple(one for format in formats for one in format.checks.numbers_aside))
    in_scripts = all(one.in_scripts for one in formats)
    joint = Format(name, tool, "", "", "", in_scripts=in_scripts, reads_returns=reads_returns, checks=checks)
    return Part(joint, whole)


def _ordinals(parts: Sequence[Part]) -> list[dict[Value, float]]:
    """Number the tests of all tools through, by their first lines."""
    first: dict[tuple[int, Value], float] = {}
    for which, part in enumerate(parts):
        for name, line in _tests(part.parsed):
            first[which, name] = min(first.get((which, name), math.inf), line)
    order = sorted(first, key=lambda test: (first[test], test[0]))
    numbered: list[dict[Value, float]] = [{} for _ in parts]
    for ordinal, (which, name) in enumerate(order, 1):
        numbered[which][name] = float(ordinal)
    return numbered


def _tests(parsed: Parsed) -> list[tuple[Value, float]]:
    """Name of the test, as the parser numbers it, and line of every row."""
    rows = [*parsed.runs, *parsed.clients, *parsed.events]
    found = [(_name(row.get("part", 1.0)), float(row["line"])) for row in rows]
    if parsed.series:
        lines = parsed.series["line"]
        names = parsed.series.get("part") or [1.0] * len(lines)
        found += zip(map(_name, names), map(float, lines), strict=True)
    return found


def _name(part: Value) -> Value:
    return part if part == part else 1.0


def _header(headers: Sequence[Row]) -> Row:
    """Of what holds for one tool only, tell what a log can tell for all: versions, commands, start, end, status."""
    said: Row = {}
    for name in _TOLD_TOGETHER:
        if told := dict.fromkeys(str(one[name]) for one in headers if name in one):
            said[name] = "; ".join(told)
    starts = [str(one["started"]) for one in headers if one.get("started")]
    ends = [str(one["ended"]) for one in headers if one.get("ended")]
    if starts and (first := _first(starts)):
        said["started"] = first
    if ends and len(ends) == len(headers) and (last := _first(ends, last=True)):
        said["ended"] = last
    if statuses := [float(one["exit_status"]) for one in headers if "exit_status" in one]:
        said["exit_status"] = max(statuses)
    return said


def _first(moments: Sequence[str], *, last: bool = False) -> str:
    """Return the earliest moment, or the latest; "" where they cannot be compared."""
    try:
        return (max if last else min)(moments, key=datetime.fromisoformat)
    except (TypeError, ValueError):
        return ""


def _later(parsed: Parsed, whole: Parsed) -> float:
    """Seconds between the start of the log and that of a tool in it; 0 where one of them is not known."""
    try:
        started = datetime.fromisoformat(str(parsed.header["started"]))
        return (started - datetime.fromisoformat(str(whole.header["started"]))).total_seconds()
    except (KeyError, TypeError, ValueError):
        return 0.0


def _add(whole: Parsed, parsed: Parsed, own: Row, ordinals: dict[Value, float], later: float) -> None:
    """Add rows of a tool, with what its header says of them and the part that they are."""

    def placed(row: Row) -> Row:
        moved: Row = {"time": float(row["time"]) + later} if later and "time" in row else {}
        return {**own, **row, **moved, "part": ordinals[_name(row.get("part", 1.0))]}

    whole.runs += [placed(row) for row in parsed.runs]
    whole.clients += [placed(row) for row in parsed.clients]
    of_a_sample = {name: value for name, value in own.items() if name in OF_A_SAMPLE or name == "tool"}
    whole.events += [
        {name: value for name, value in placed(row).items() if name in row or name in of_a_sample or name == "part"}
        for row in parsed.events
    ]
    if parsed.series:
        _add_columns(whole, parsed.series, of_a_sample, ordinals, later)


def _add_columns(whole: Parsed, series: Columns, own: Row, ordinals: dict[Value, float], later: float) -> None:
    """Put the samples of a tool under those that are there; what one of the two lacks is missing in its rows."""
    size = len(series["line"])
    added: Columns = {name: [value] * size for name, value in own.items()} | series
    added["part"] = [ordinals[_name(name)] for name in series.get("part") or [1.0] * size]
    if later and "time" in series:
        added["time"] = [float(time) + later for time in series["time"]]
    whole.series = stacked((whole.series, added))
