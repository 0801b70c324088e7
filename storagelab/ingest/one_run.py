"""One run: its logs read and held against the sidecars, its counters subtracted, its clients' shares joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from storagelab import schema, study
from storagelab.errors import ContractError, IncompleteRunError, SidecarError
from storagelab.ingest import (
    contradictions,
    interface_counters,
    join_client_logs,
    metric_from_name,
    recorded_command,
    stripes_of_run,
    time_axis,
)
from storagelab.ingest.log_file import Log, read_log

if TYPE_CHECKING:
    from storagelab.ingest.nodes import Nodes
    from storagelab.parsers import Columns, Row, Value
    from storagelab.study import Entry

SIDECAR_KNOWS_MORE = ("command", "started", "ended", "exit_status")
"""Of these the sidecar has the time zone, the launcher around the tool, the status after the log's end."""


OF_A_SAMPLE = ("client", "host", "basis")
"""What a sidecar says of a log that goes to each of its samples and events."""


@dataclass(frozen=True, slots=True)
class RunLog:
    """A log of a run, read: what the sidecars say of it, its row in ``logs``, its content."""

    entry: Entry
    log_id: int
    log: Log
    run_id: str
    striping: Row = field(default_factory=dict)

    def with_keys(self, row: Row) -> Row:
        """Return a row of the log with what the sidecars say of it; what the log says of itself wins.

        How its files are striped comes from the run's log of ``lfs getstripe``, unless a sidecar says it.

        Where the log leaves the direction of a copy open, the sidecar's word for the operation is kept.
        """
        keys = {name: value for name, value in self.entry.keys.items() if name not in study.LOG_LEVEL}
        if "operation" in row:
            row = row | {"operation": self.direction(row["operation"])}
        return {**self.striping, **keys, **row, "run_id": self.run_id, "log_id": self.log_id}

    def direction(self, operation: Value) -> Value:
        """Return the sidecar's word for an operation of which the log leaves the direction open, else the log's."""
        said = self.entry.keys.get("operation")
        return said if said and schema.is_same_operation(operation, said) else operation

    @property
    def complete(self) -> float:
        """1 where the log is whole and its tool did not fail."""
        return is_whole(self.entry, self.log)

    def rows(self, node: str) -> Iterator[Row]:
        """Rows of a node, each saying whether its log is whole."""
        state: Row = {"complete": self.complete}
        rows = recorded_command.without_idle_times(self.log.rows(node), self.entry, self.log)
        return (self.with_keys(row | state) for row in rows)

    def of_a_sample(self) -> Row:
        """What is said of every sample and event of the log: its run, itself, whose it is, and what it rests on."""
        said: Row = {name: self.entry.keys[name] for name in OF_A_SAMPLE if self.entry.keys.get(name)}
        return {**said, "run_id": self.run_id, "log_id": self.log_id}


def read_entry(folder: Path, entry: Entry) -> Log:
    """Read a log and hold it against what the sidecars say of it.

    Raises
    ------
    SidecarError
        If log and sidecar contradict each other; names the sidecar's line and the log's.
    """
    log = read_log(folder / entry.path, name=entry.path, format=str(entry.keys.get("format", "")))
    contradictions.check_against_log(entry, log)
    return log


def is_whole(entry: Entry, log: Log) -> float:
    """1 where a log is whole and its tool did not fail, by the exit status that the sidecar knows; else 0."""
    return float(log.parsed.complete and not entry.keys.get("exit_status"))


def notes_on(entry: Entry, log: Log) -> str:
    """What parser and sidecar have to say about a log, in one line."""
    status = entry.keys.get("exit_status")
    hidden = f"in its row of runs.csv, text is written with escapes or cut: {', '.join(entry.hidden)}"
    said = [
        log.notes(),
        f"the tool left with exit status {status:g}" if status else "",
        hidden if entry.hidden else "",
    ]
    return "; ".join(filter(None, said))


def add_run(nodes: Nodes, folder: Path, run_id: str, run: Sequence[Entry], read: Sequence[Log]) -> None:
    """Add the logs of one run, as `read_entry` read them: its benchmark logs, and the counters read around them.

    Raises
    ------
    SidecarError
        If logs of the run contradict each other, or counters were reset.
    """
    contradictions.check_run(run)
    added = [_added(nodes, folder, run_id, entry, log) for entry, log in zip(run, read, strict=True)]
    logs = stripes_of_run.striped(added)
    others = [read for read in logs if read.entry.role not in contradictions.COUNTERS]
    rows = {node: [row for read in others for row in read.rows(node)] for node in ("runs", "clients")}
    rows["runs"] += interface_counters.counter_deltas(logs)
    _join(nodes, run_id, run, rows)
    _put_on_one_axis(nodes, folder, others)


def _added(nodes: Nodes, folder: Path, run_id: str, entry: Entry, log: Log) -> RunLog:
    known = {name: entry.keys[name] for name in SIDECAR_KNOWS_MORE if name in entry.keys}
    state: Row = {"run_id": run_id, "complete": is_whole(entry, log), "notes": notes_on(entry, log)}
    if own := log.parsed.header.get("started"):
        state["log_started"] = own
    record = log.record()
    timed = entry.line and "elapsed" in entry.keys and "elapsed" not in record
    place = _place_of_elapsed(nodes.sidecar(folder, entry.file), entry.line) if timed else {}
    log_id = nodes.add_log({"role": "benchmark", **entry.keys, **record, **known, **state, **place})
    return RunLog(entry, log_id, log, run_id)


def _place_of_elapsed(log_id: int, line: int) -> Row:
    """Say that the time of a process stands in a row of a sidecar, since the log itself has none."""
    return {schema.LOG_OF["elapsed"]: log_id, schema.LINE_OF["elapsed"]: line}


def _join(nodes: Nodes, run_id: str, run: Sequence[Entry], rows: Mapping[str, list[Row]]) -> None:
    """Add rows to their nodes: a client's are its shares, and the shares of all clients become one row of the run.

    A measurement that some of the clients lack stays among the shares: its sum would look like one over all.
    """
    shares = [row for row in rows["runs"] if row.get("client")]
    nodes.extend("runs", (row for row in rows["runs"] if not row.get("client")))
    expected = contradictions.clients_expected(run)
    for group in join_client_logs.measurements(shares):
        _refuse_a_client_twice(run_id, group)
        if len(group) == expected:
            nodes.extend("runs", [join_client_logs.aggregate_clients(group)])
        else:
            nodes.left_out.append(IncompleteRunError(run_id, str(group[0]["operation"]), len(group), expected))
    of_processes = [row for row in rows["clients"] if not row.get("client") or float(row.get("processes", 1)) > 1]
    nodes.extend("clients", join_client_logs.clients_of(shares) + of_processes)


def _put_on_one_axis(nodes: Nodes, folder: Path, run: Sequence[RunLog]) -> None:
    """Add samples and events with their times counted from the start of the run, and what was done to it."""
    start = time_axis.start_of(run)
    for read in run:
        later = time_axis.time_offset(read, run, start)
        shared = read.of_a_sample() | read.log.of_a_sample()
        if "operation" in shared:
            shared["operation"] = read.direction(shared["operation"])
        tables = (
            metric_from_name.assign_metric(block, read.entry, read.log.format) for block in read.log.parsed.tables()
        )
        blocks = (_samples_later(_directed(block, read), later) for block in tables)
        nodes.add_samples(blocks, shared)
        nodes.add_events(_later(read.of_a_sample() | row, later) for row in read.log.iter_events())
    nodes.add_events(_done(nodes, folder, run, start))


def _directed(columns: Columns, read: RunLog) -> Columns:
    columns = recorded_command.of_the_side_that_is_storage(columns, read.entry, read.log)
    if "operation" not in columns or not read.entry.keys.get("operation"):
        return columns
    return {**columns, "operation": [read.direction(operation) for operation in columns["operation"]]}


def _samples_later(columns: Columns, seconds: float) -> Columns:
    if not seconds or "time" not in columns:
        return columns
    times: list[Value] = (np.asarray(columns["time"], dtype=np.float64) + seconds).tolist()
    return {**columns, "time": times}


def _later(row: Row, seconds: float) -> Row:
    return row | {"time": float(row["time"]) + seconds} if "time" in row else row


def _done(nodes: Nodes, folder: Path, run: Sequence[RunLog], start: datetime | None) -> Iterator[Row]:
    """What was done to a run: an event where the sidecar first says it.

    Raises
    ------
    SidecarError
        If two rows of the run say different moments.
    """
    first: dict[str, tuple[datetime, Entry]] = {}
    for entry in (read.entry for read in run):
        for event, time, moment in time_axis.intervention_events(entry, start):
            before, said = first.setdefault(event, (moment, entry))
            if before != moment:
                message = f"{entry.path}: {event} at {moment}, but at {before} on line {said.line}"
                raise SidecarError(entry.file, message, entry.line)
            if said is entry:
                yield {
                    "run_id": run[0].run_id,
                    "time": time,
                    "event": event,
                    "event_class": "administrator",
                    "severity": "notice",
                    "event_time": moment.timestamp(),
                    "log_id": nodes.sidecar(folder, entry.file),
                    "line": entry.line,
                }


def _refuse_a_client_twice(run_id: str, group: Iterable[Row]) -> None:
    lines: dict[str, float] = {}
    for row in group:
        client, line = str(row["client"]), float(row["line"])
        if client in lines:
            twice = (
                f"{row['operation']} of client {client!r} twice, on lines {lines[client]:g} and {line:g} of its logs"
            )
            raise ContractError(f"run {run_id}: {twice}")
        lines[client] = line
