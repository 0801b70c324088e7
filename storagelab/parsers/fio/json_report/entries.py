"""One entry of fio's JSON: what a process, or a group of them, did in each data direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.documents import CUT
from storagelab.parsers.fio.json_report.known_layout import KnownLines
from storagelab.parsers.fio.json_report.lines import Lines
from storagelab.parsers.fio.json_report.variables import (
    OPERATIONS,
    WANTED_OF_PARTS,
    WANTED_OF_STEADY,
    WANTED_OF_SYNC,
    completion,
    measured,
    of_a_part,
    parts,
    plain,
    wanted,
)
from storagelab.parsers.json_text import Tree
from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import settled
from storagelab.schema import LINE_OF
from storagelab.units import MILLISECOND, NANOSECOND, PERCENT


@dataclass(slots=True)
class Entry:
    """One element of ``jobs`` or ``client_stats``: a row for each operation that did something or failed.

    `parts` are latencies of some of its requests, or of some of their time: of a priority, or up to submission.
    """

    job: str
    group: str
    host: str
    own_options: Mapping[str, Any]
    options: Mapping[str, Any]
    start: float = 0.0
    error: int = 0
    error_line: int = 0
    rows: dict[str, Row] = field(default_factory=dict)
    parts: list[Row] = field(default_factory=list)
    option_lines: Tree = field(default_factory=dict)
    is_cut: bool = False


def read_entry(body: Mapping[str, Any], shared: Mapping[str, Any], lines: Lines | KnownLines, of_shared: Tree) -> Entry:
    """Read one entry; `lines` must be asked in the order of the text, `of_shared` are those of the shared options."""
    own = body.get("job options")
    own = own if isinstance(own, dict) else {}
    host = f"{body['hostname']}:{body.get('port', '')}" if "hostname" in body else ""
    entry = Entry(str(body["jobname"]), str(body.get("groupid")), host, own, {**shared, **own} if shared else own)
    entry.is_cut = CUT in body
    entry.start = plain(body, "job_start") * MILLISECOND
    entry.error = int(plain(body, "error"))
    entry.error_line = lines.of_key("error") if entry.error else 0
    entry.option_lines = {**of_shared, **lines.of_keys("job options", own, job_options.STATED_BY)} if own else of_shared
    common: Row = {"job": entry.job}
    cpu = plain(body, "usr_cpu") + plain(body, "sys_cpu") if "usr_cpu" in body and "sys_cpu" in body else 0
    if cpu:
        common["cpu_utilisation"] = cpu * PERCENT
    for direction, section in body.items():
        if direction in OPERATIONS and isinstance(section, dict):
            _add_direction(entry, direction, section, common, lines)
    _add_group(entry)
    _add_syncs(entry, body.get("sync"), common, lines)
    if cpu and entry.rows and not lines.is_one_line:
        _add_line_of_cpu(entry, lines.of_key("usr_cpu"))
    _add_steady_state(entry, body.get("steadystate"), lines)
    if entry.error:
        _add_error(entry)
    return entry


def _add_direction(
    entry: Entry, direction: str, section: Mapping[str, Any], common: Row, lines: Lines | KnownLines
) -> None:
    values, operation = measured(section), OPERATIONS[direction]
    if values:
        key = "bw_bytes" if "bw_bytes" in section else "bw"
        keys = job_options.keys(entry.options, operation)
        line, places = lines.of_section(direction, key, section, wanted(section))
        places = places | job_options.lines(entry.option_lines, keys)
        entry.rows[operation] = settled({"operation": operation, **common, **keys, **values, **places, "line": line})
        whole = {"operation": operation, "job": entry.job, **keys, **job_options.lines(entry.option_lines, keys)}
        for key, bodies in parts(section).items():
            found = lines.of_parts(key, [body for _, body in bodies], WANTED_OF_PARTS)
            for (label, body), (own, places) in zip(bodies, found, strict=True):
                entry.parts.append(settled({**whole, "label": label, **of_a_part(body, key), **places, "line": own}))


def _add_line_of_cpu(entry: Entry, line: int) -> None:
    """Say where the first of the shares stands that add up to that of the CPU; the other is on the next line."""
    for row in entry.rows.values():
        row[LINE_OF["cpu_utilisation"]] = line


def _add_group(entry: Entry) -> None:
    """Say of directions that ran together that they did."""
    together = [operation for operation in entry.rows if operation != "mixed_workload"]
    if len(together) > 1:
        for row in entry.rows.values():
            row["operation_group"] = "+".join(together)


def _add_syncs(entry: Entry, section: object, common: Row, lines: Lines | KnownLines) -> None:
    if isinstance(section, dict) and plain(section, "total_ios"):
        number = int(plain(section, "total_ios"))
        values: Row = {"operations": float(number), **completion(section.get("lat_ns"), NANOSECOND)}
        line, places = lines.of_section("sync", "total_ios", section, WANTED_OF_SYNC)
        entry.rows["sync"] = settled({"operation": "sync", **common, **values, **places, "line": line})


def _add_steady_state(entry: Entry, section: object, lines: Lines | KnownLines) -> None:
    """Add the mean rates of the seconds that fio judged, which it prints whether their rate was steady or not."""
    data = section.get("data") if isinstance(section, dict) else None
    if not isinstance(data, dict) or not plain(data, "bw_mean"):
        return
    directed = [operation for operation in entry.rows if operation != "sync"]
    operation = directed[0] if len(directed) == 1 else "mixed_workload"
    ((line, places),) = lines.of_parts("steadystate", [data], WANTED_OF_STEADY)
    rates: Row = {"throughput": float(plain(data, "bw_mean")), "operation_rate": float(plain(data, "iops_mean"))}
    row: Row = {"operation": operation, "job": entry.job, "label": "steadystate", **rates, **places, "line": line}
    entry.parts.append(settled(row))


def _add_error(entry: Entry) -> None:
    """Put the error on the rows of the entry; without any, a row says what was tried."""
    if not entry.rows:
        operation = job_options.direction(entry.options) or "job"
        keys = job_options.keys(entry.options, operation)
        entry.rows[operation] = {"operation": operation, "job": entry.job, **keys, "line": entry.error_line}
    for row in entry.rows.values():
        row["error_code"] = float(entry.error)
        if row["line"] != entry.error_line:
            row[LINE_OF["error_code"]] = entry.error_line


def set_times(entries: Sequence[Entry], printed: float, whole: bool) -> None:
    """Give each row its start and end where they are known: see the docstring of the format."""
    longest = max((_elapsed(row) for entry in entries for row in entry.rows.values()), default=0.0)
    together = whole and len({entry.group for entry in entries}) == 1 and not any(map(_delayed, entries))
    for entry in entries:
        start = entry.start or (printed - longest if printed and together else 0.0)
        if start:
            for row in entry.rows.values():
                if "elapsed" in row:
                    row["start_time"], row["end_time"] = start, start + _elapsed(row)


def _elapsed(row: Row) -> float:
    return float(row.get("elapsed", 0.0))


def _delayed(entry: Entry) -> bool:
    return "startdelay" in entry.options or "wait_for" in entry.options
