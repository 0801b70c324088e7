"""elbencho's CSV: a row a phase, and live statistics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from storagelab.parsers.benchmarks.elbencho import phases
from storagelab.parsers.benchmarks.elbencho.expected_phases import Asked
from storagelab.parsers.model import Parsed, Row, columns
from storagelab.parsers.text import number as decimal
from storagelab.units import MIB, MILLISECOND, PERCENT

RESULTS = "ISO date,"
LIVE = ("ISO Date,Label,Phase,", "Label,Phase,RuntimeMS,")
"""How the heading of live statistics begins, since version 3 and before it."""
_LIVE_BETWEEN = re.compile(rf"(?:\A|\n)(?={'|'.join(LIVE)})")
_FIGURES = {
    "time ms": "elapsed",
    "entries/s": "entries/s",
    "IOPS": "iops",
    "MiB/s": "MiB/s",
    "CPU%": "cpu",
    "entries": "entries",
    "MiB": "MiB",
}
_COUNTS = {"hosts": "clients", "file size": "file_size", "block size": "record_size", "IO depth": "queue_depth"}


def read_results(text: str, parsed: Parsed) -> None:
    """Read ``--csvfile``: a row a phase."""
    heading, lines = _heading(text)
    asked = Asked()
    for at, line in lines:
        cells = dict(zip(heading, line.split(",", len(heading) - 1), strict=False))
        if len(cells) < len(heading):
            parsed.incomplete(f"expected {len(heading)} fields, found {len(cells)}", at)
            continue
        kind = phases.operation(cells.get("operation", ""))
        if kind:
            asked.phase(cells.get("command", ""), str(kind["operation"]), at)
            _take_row(cells, kind, at, parsed)
        parsed.header |= {"tool_version": cells["version"]} if cells.get("version") else {}
    asked.say_what_lacks(parsed)
    _check_end(text, parsed)


def _take_row(cells: Mapping[str, str], kind: Row, at: int, parsed: Parsed) -> None:
    """Take a row: one operation, or the writes and the reads of a mix."""
    try:
        has_reads = any(cells.get(f"rwmix read {name} [last]") for name in _FIGURES)
        rows = [_half(cells, phases.half(kind, "write") if has_reads else kind, "")]
        if has_reads:
            rows.append(_half(cells, phases.half(kind, "read"), "rwmix read "))
        shared = keys(cells) | {"line": at}
    except (ValueError, OverflowError) as error:
        parsed.incomplete(f"expected numbers, found {error}", at)
    else:
        parsed.runs += [
            {name: value for name, value in (row | shared).items() if value or name != "cpu_utilisation"}
            for row in rows
        ]


def _half(cells: Mapping[str, str], kind: Row, prefix: str) -> Row:
    figures = {
        figure: tuple(_number(cells.get(f"{of}{name} [{which}]", "")) for which in ("first", "last"))
        for name, figure in _FIGURES.items()
        for of in (("" if figure == "elapsed" else prefix),)
    }
    row = phases.row(kind, {figure: (first, last) for figure, (first, last) in figures.items()})
    for title, of_files in (("Ent lat us", True), ("IO lat us", False)):
        values = {which: _number(cells.get(f"{prefix}{title} [{which}]", "")) for which in ("min", "avg", "max")}
        row |= phases.latencies(kind, of_files, values)
    return row


def keys(cells: Mapping[str, str]) -> Row:
    """What a row of CSV or a JSON document says of its configuration."""
    found: Row = {name: decimal(cells[title]) for title, name in _COUNTS.items() if cells.get(title)}
    if cells.get("threads") and cells.get("hosts"):
        found["processes"] = decimal(cells["threads"]) * decimal(cells["hosts"])
    if cells.get("random"):
        found["access_pattern"] = "random" if cells["random"] in ("1", "true") else "sequential"
    if cells.get("label"):
        found["label"] = cells["label"]
    if cells.get("ISO date"):
        found["start_time"] = datetime.fromisoformat(cells["ISO date"]).timestamp()
    return found


def read_live(text: str, parsed: Parsed) -> None:
    """Read ``--livecsv``: a sample a worker and interval; `cpu_utilisation` is that of the host."""
    _take_live(*_heading(text), parsed)
    _check_end(text, parsed)


def read_live_between(text: str, parsed: Parsed) -> None:
    """Read ``--livecsv stdout``, if there is such: samples between the lines of the console, from their heading on."""
    found = _LIVE_BETWEEN.search(text)
    if not found:
        return
    heading, lines = _heading(text[found.end() :])
    above = text.count("\n", 0, found.end())
    _take_live(heading, [(above + at, line) for at, line in lines if line.count(",") >= len(heading) - 1], parsed)


def _take_live(heading: list[str], lines: list[tuple[int, str]], parsed: Parsed) -> None:
    samples: list[Row] = []
    for at, line in lines:
        cells = dict(zip(heading, line.split(","), strict=False))
        try:
            samples += _sample(cells, at)
        except (KeyError, ValueError) as error:
            parsed.incomplete(f"expected the fields of {LIVE[0]}..., found {error}", at)
    parsed.series = columns(samples) if samples else {}


def _sample(cells: Mapping[str, str], at: int) -> list[Row]:
    kind = phases.operation(cells["Phase"])
    if not kind:
        return []
    half = cells.get("MixType", "").lower()
    sample: Row = {
        "operation": half if half in ("read", "write") else kind["operation"],
        "process": "all" if cells["Rank"] == "Total" else cells["Rank"],
        "time": decimal(cells["RuntimeMS"]) * MILLISECOND,
        "progress": decimal(cells["Done%"] or "nan") * PERCENT,
        "data_size": decimal(cells["DoneBytes"]),
        "throughput": decimal(cells["MiB/s"] or _of_all(cells)) * MIB,
        "operation_rate": decimal(cells["IOPS"] or _of_all(cells)),
        "file_rate": decimal(cells["Entries/s"] or _of_all(cells)),
        "cpu_utilisation": decimal(cells["CPU"] or "nan") * PERCENT,
        "line": at,
    }
    for title, of_files in (("Lat Ent us", True), ("Lat IO us", False)):
        if mean := decimal(cells.get(title) or "0"):
            sample |= phases.latencies(sample, of_files, {"avg": mean})
    return [sample]


def _of_all(cells: Mapping[str, str]) -> str:
    """Return what stands for an empty cell: rates are those of all workers, in whose rows they are numbers."""
    return "" if cells["Rank"] == "Total" else "nan"


def _heading(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """Names of the columns, and the rows that have an end with their line numbers."""
    first, *lines, _ = [*text.split("\n"), ""] if "\n" not in text else text.split("\n")
    return first.split(","), [(at, line) for at, line in enumerate(lines, start=2) if line.strip()]


def _check_end(text: str, parsed: Parsed) -> None:
    if not text.endswith("\n"):
        parsed.incomplete("the last line has no end and is not trusted", text.count("\n") + 1)
    elif parsed.is_empty():
        parsed.incomplete("there is no row under the heading", 1)


def _number(printed: str) -> float | None:
    return decimal(printed) if printed else None
