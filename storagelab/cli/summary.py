"""What is in many logs, in one page: tools, formats, keys with their levels, and what was not read and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from storagelab import schema
from storagelab.cli import display
from storagelab.escaping.characters import visible
from storagelab.ingest import Log
from storagelab.parsers import Value
from storagelab.study.words_without_key import MOST, words_without_key

NAMES = frozenset({"run_id", "time", "label", "message", "study", "origin", "statistic"})
"""Keys whose levels nobody would select logs by."""

LOG_KEYS = frozenset(entry.name for entry in schema.LOG_FIELDS)
LEVELS = 8
"""As many levels of a key are written out, and as many logs of those that were not read are named."""


@dataclass(slots=True)
class Kind:
    """Logs of one format, tool and version: how many there are, and how much is in them."""

    logs: int = 0
    incomplete: int = 0
    rows: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Copies:
    """The logs of runs that were seen, by their bytes."""

    first: dict[str, str] = field(default_factory=dict)

    def original(self, log: Log) -> str:
        """Return the log that this one is a copy of, if any: counters that nothing moved are read twice alike."""
        if not (len(log.parsed.runs) or len(log.parsed.clients)):
            return ""
        first = self.first.setdefault(log.sha256, log.name)
        return first if first != log.name else ""


@dataclass(slots=True)
class Summary:
    """Counts that grow log by log; no row is kept.

    Attributes
    ----------
    kinds : dict of (str, str, str) to Kind
        By format, tool and version.
    levels : dict of str to Counter
        Key -> level -> rows of runs; of logs without runs, rows of clients.
    incomplete, noted, unread : dict of str to list of str
        Reason -> logs; those of `noted` are whole.
    copies : dict of str to list of str
        What they are copies of -> logs of runs.
    cells : dict of str to int
        Logs of runs -> the keys of their cells, as a hash; of as many logs as are compared by name.
    of_study : bool
        Whether the logs are those of a study, whose rules say what their names mean.
    """

    of_study: bool = False

    kinds: dict[tuple[str, str, str], Kind] = field(default_factory=dict)
    levels: dict[str, Counter[Value]] = field(default_factory=dict)
    measurements: int = 0
    incomplete: dict[str, list[str]] = field(default_factory=dict)
    noted: dict[str, list[str]] = field(default_factory=dict)
    copies: dict[str, list[str]] = field(default_factory=dict)
    unread: dict[str, list[str]] = field(default_factory=dict)
    cells: dict[str, int] = field(default_factory=dict)
    _seen: Copies = field(default_factory=Copies)

    def add(self, log: Log) -> None:
        """Count a log."""
        header = log.parsed.header
        kind = self.kinds.setdefault(
            (log.format, str(header.get("tool", "")), str(header.get("tool_version", ""))), Kind()
        )
        kind.logs += 1
        kind.rows += Counter(
            runs=len(log.parsed.runs), clients=len(log.parsed.clients), events=len(log.parsed.events),
            samples=sum(len(columns["line"]) for columns in log.parsed.tables()),
        )  # fmt: skip
        if not log.parsed.complete:
            kind.incomplete += 1
            self.incomplete.setdefault(log.notes() or "no reason given", []).append(visible(log.name))
        elif notes := log.notes():
            self.noted.setdefault(notes, []).append(visible(log.name))
        if original := self._seen.original(log):
            self.copies.setdefault(f"the same bytes as {visible(original)}", []).append(visible(log.name))
        cells = set[int]()
        for row in log.rows("runs" if len(log.parsed.runs) else "clients"):
            self.measurements += 1
            keys = {name: value for name, value in row.items() if _selects(name) and value != ""}
            for name, value in keys.items():
                self.levels.setdefault(name, Counter())[value] += 1
            cells.add(hash(tuple(item for item in keys.items() if item[0] not in schema.REPLICATION)))
        if len(log.parsed.runs) and len(self.cells) <= MOST and not self.of_study:
            self.cells[visible(log.name)] = hash(frozenset(cells))

    def fail(self, log: str, reason: str) -> None:
        """Note a log that was not read."""
        self.unread.setdefault(visible(reason), []).append(visible(log))

    @property
    def words_without_key(self) -> list[list[str]]:
        """Words in names of logs that no key tells apart: runs that differ in them count as repetitions."""
        return words_without_key(self.cells)

    @property
    def logs(self) -> int:
        """How many logs were read."""
        return sum(kind.logs for kind in self.kinds.values())

    def differing(self) -> list[str]:
        """Keys in which rows differ, in the order of the contract."""
        return [name for name in schema.FIELDS if self._is_told_apart(self.levels.get(name, Counter()))]

    def shared(self) -> dict[str, Value]:
        """Keys that all rows have in common."""
        known = [name for name in schema.FIELDS if name in self.levels]
        return {name: next(iter(self.levels[name])) for name in known if not self._is_told_apart(self.levels[name])}

    def _is_told_apart(self, counts: Counter[Value]) -> bool:
        return len(counts) > 1 or 0 < counts.total() < self.measurements

    def record(self) -> dict[str, Any]:
        """Return the whole as JSON has it, a row a format, tool and version."""
        return {
            "logs": self.logs,
            "measurements": self.measurements,
            "rows": [
                {"format": format, "tool": tool, "version": version, "logs": kind.logs, "incomplete": kind.incomplete}
                | dict(kind.rows)
                for (format, tool, version), kind in sorted(self.kinds.items())
            ],
            "shared": self.shared(),
            "keys": {
                name: [{"level": level, "rows": rows} for level, rows in _ordered(self.levels[name])]
                for name in self.differing()
            },
            "incomplete": self.incomplete,
            "noted": self.noted,
            "copies": self.copies,
            "words_without_key": self.words_without_key,
            "unread": self.unread,
        }


def _selects(name: str) -> bool:
    """Whether somebody would select logs by the levels of a name."""
    return schema.field(name).kind == "key" and name not in NAMES | LOG_KEYS


def lines(summary: Summary) -> Iterator[str]:
    """Write the summary for people."""
    unread, cut = (sum(map(len, logs.values())) for logs in (summary.unread, summary.incomplete))
    yield f"{summary.logs:,} logs read, {cut:,} of them incomplete, {unread:,} not read; {_amount(summary)}"
    if summary.kinds:
        yield from _titled("What is there", _kinds(summary))
    if shared := summary.shared():
        yield from ("", "All rows: " + ", ".join(f"{name}={_written(name, value)}" for name, value in shared.items()))
    if differing := summary.differing():
        rows = [[name, f"{len(summary.levels[name]):,}", _levels(name, summary.levels[name])] for name in differing]
        yield from _titled("Keys that differ", [["key", "levels", "level (rows)"], *rows])
    if places := summary.words_without_key:
        from storagelab.interactive.names_of_logs import warning

        said = warning(places)
        yield from ("", f"{said[0].upper()}{said[1:]}.")
        yield "Rules in a study.yaml make keys of names: `storagelab check` proposes them."
    yield from _reasons("Incomplete: what is whole in them counts", summary.incomplete)
    yield from _reasons("Notes on logs that are whole", summary.noted, shown=LEVELS)
    yield from _reasons("Copies, which count like the log that they are of", summary.copies, shown=LEVELS)
    yield from _reasons("Not read", summary.unread)


def _amount(summary: Summary) -> str:
    """Say how much was read: monitors give samples and events, and no row of a measurement."""
    counts = {name: sum(kind.rows[name] for kind in summary.kinds.values()) for name in ("samples", "events")}
    known = {name: count for name, count in {"rows": summary.measurements, **counts}.items() if count}
    return ", ".join(f"{count:,} {name}" for name, count in known.items()) or "0 rows"


def _titled(title: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from ("", title, *(f"  {line}" for line in display.aligned(rows)))


def _kinds(summary: Summary) -> Iterator[list[str]]:
    names = [
        name for name in ("runs", "clients", "samples", "events") if any(k.rows[name] for k in summary.kinds.values())
    ]
    yield ["format", "tool", "logs", "incomplete", *names]
    for (format, tool, version), kind in sorted(summary.kinds.items()):
        counts = [f"{kind.logs:,}", f"{kind.incomplete:,}", *(f"{kind.rows[name]:,}" for name in names)]
        yield [format, f"{tool} {version}".strip(), *counts]


def _ordered(counts: Mapping[Value, int]) -> list[tuple[Value, int]]:
    """Numbers by size, words by how often they stand."""
    if all(isinstance(level, float | int) for level in counts):
        return sorted(counts.items(), key=lambda item: float(item[0]))
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))


def _levels(name: str, counts: Mapping[Value, int]) -> str:
    found = [f"{_written(name, level)} ({rows:,})" for level, rows in _ordered(counts)]
    more = f" and {len(found) - LEVELS:,} more" if len(found) > LEVELS else ""
    return ", ".join(found[:LEVELS]) + more


def _written(name: str, value: Value) -> str:
    return display.quantity(name, value)


def _reasons(title: str, reasons: Mapping[str, Sequence[str]], shown: int | None = None) -> Iterator[str]:
    """Write the reasons that are most frequent, and as many as are shown of their logs."""
    if not reasons:
        return
    yield from ("", title)
    frequent = sorted(reasons.items(), key=lambda item: -len(item[1]))
    for reason, logs in frequent[:shown]:
        more = f" and {len(logs) - LEVELS:,} more (--json lists all)" if len(logs) > LEVELS else ""
        yield f"  {len(logs):,} x {reason}"
        yield f"    {', '.join(logs[:LEVELS])}{more}"
    if left := len(frequent) - len(frequent[:shown]):
        yield f"  and {left:,} more (--json lists all)"
