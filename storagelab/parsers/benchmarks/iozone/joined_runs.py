"""Puts the runs of a log of IOzone together: what they share goes to the header, the rest to each row."""

from __future__ import annotations

from collections import Counter

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks.iozone.header import Run
from storagelab.parsers.model import Note, Parsed, Row, Rows, Value
from storagelab.schema import VALUE_AT

_OF_LOG = ("tool_version", "command", "started")


def collect(runs: list[Run], text: str) -> Parsed:
    """Join the runs of a log; several runs are told apart by `part`."""
    runs = [run for run in runs if run.rows or run.stated or run.cut]
    if not any(run.rows or run.stated for run in runs):
        why, line = (runs[0].cut, runs[0].cut_line) if runs else (text[:80], 1)
        raise ParseError("a table, a throughput test or a report of IOzone", why, line)
    runs = join_copies(runs)
    measured = [run for run in runs if run.rows] or runs[:1]
    keys = [run.keys() for run in measured]
    header: Row = {"tool": "iozone"}
    for name, value in keys[0].items():
        if name in _OF_LOG or all(own.get(name) == value for own in keys) or VALUE_AT.get(name) in header:
            header[name] = value
    parsed = Parsed(header, runs=Rows())
    for part, (run, own) in enumerate(zip(measured, keys, strict=True), 1):
        extra = {name: value for name, value in own.items() if not _is_known(name, header)}
        _add(parsed, run, extra | ({"part": part} if len(measured) > 1 else {}))
        if part > 1:
            _tell_apart(parsed, run, own)
    for run in runs:
        _judge(parsed, run)
    parsed.notes = sorted(_once(parsed.notes))
    return parsed


def _is_known(name: str, header: Row) -> bool:
    """Whether the header says it for all runs; of a value that is there, the line in the first run is enough."""
    return name in header or name in _OF_LOG or VALUE_AT.get(name) in header


def join_copies(runs: list[Run]) -> list[Run]:
    """Put together what is printed twice: runs of one start and command that share rows."""
    kept: list[Run] = []
    for run in runs:
        original = next((old for old in kept if _same(old, run)), None)
        known = {_content(row) for row in original.rows} if original else set()
        fresh = Rows(row for row in run.rows if _content(row) not in known) if known else run.rows
        if original is None or len(fresh) == len(run.rows):
            kept.append(run)
            continue
        original.rows += fresh
        original.finished |= run.finished
        original.note(f"printed again: {len(run.rows) - len(fresh)} numbers of the same run", run.line)
    return kept


def _same(one: Run, other: Run) -> bool:
    return "started" in one.stated and all(
        one.stated.get(name) == other.stated.get(name) for name in ("started", "command")
    )


def _content(row: Row) -> tuple[tuple[str, Value], ...]:
    return tuple((name, value) for name, value in row.items() if name != "line")


def _add(parsed: Parsed, run: Run, extra: Row) -> None:
    parsed.runs.extend(run.rows.shared(extra) if extra else run.rows)
    parsed.clients.extend([extra | row for row in run.clients] if extra else run.clients)


def _tell_apart(parsed: Parsed, run: Run, own: Row) -> None:
    told = [f"{name} {own[name]}" for name in _OF_LOG if name in own and own[name] != parsed.header.get(name)]
    if told:
        parsed.note(f"another run begins: {', '.join(told)}", run.line)


def _once(notes: list[Note]) -> list[Note]:
    """Keep each text where it first stands, with how often it is said."""
    counts = Counter(note.text for note in notes)
    first = {note.text: note for note in reversed(notes)}
    return [
        note if counts[note.text] == 1 else Note(note.line, f"{note.text} ({counts[note.text]} runs)")
        for note in notes
        if first[note.text] is note
    ]


def _judge(parsed: Parsed, run: Run) -> None:
    parsed.notes += run.notes
    if run.cut:
        parsed.incomplete(run.cut, run.cut_line)
    elif run.finished and not run.rows:
        parsed.incomplete("the run has no result", run.line)
    elif run.finished or run.reported:
        return
    elif "started" in run.stated or "command" in run.stated:
        parsed.incomplete('the run has no "iozone test complete."', run.line)
    else:
        parsed.incomplete("an excerpt: neither the start nor the end of the run", run.line)
