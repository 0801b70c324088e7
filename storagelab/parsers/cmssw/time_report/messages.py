"""Messages with wall-clock times: files opened and closed, records begun."""

from __future__ import annotations

import re
from datetime import datetime

from storagelab.parsers.cmssw.counters import where
from storagelab.parsers.model import Parsed, Row

_TIME = r"(\d{2})-([A-Z][a-z]{2})-(\d{4}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?) ([A-Z]{2,5}|[-+]\d{2,4})?"
_FILE = re.compile(rf"{_TIME}  ?(Initiating request to open|Successfully opened|Closed) file (\S+)")
_FILE_MARKS = ("Initiating request to open file ", "Successfully opened file ", "Closed file ")
_RECORD = re.compile(rf"Begin processing the (\d+)(?:st|nd|rd|th) record\. (?:(?!Begin processing).)*? at {_TIME}")
_STAMP = re.compile(rf"^(?:.*? )?{_TIME} ")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_OFFSETS = {"GMT": "+00:00", "UTC": "+00:00", "CET": "+01:00", "CEST": "+02:00", "EDT": "-04:00", "PDT": "-07:00"}


class Messages:
    """Collects the messages; `rows` makes phases of them."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._has_gaps = False
        self._first: datetime | None = None
        self._opening: dict[str, tuple[datetime, int]] = {}
        self._opens: list[Row] = []
        self._records: list[tuple[float, datetime, int]] = []

    @property
    def started(self) -> str:
        """The first time of the log, ISO 8601."""
        return self._first.isoformat() if self._first and not self._has_gaps else ""

    def line(self, line: str, at: int) -> bool:
        """Take a line; whether it was a message with a time."""
        if " file " in line and any(what in line for what in _FILE_MARKS):
            self._file(_FILE.search(line), at)
        elif "Begin processing the " in line or " record. Run " in line:
            self._record(_RECORD.search(line), at)
        elif "%MSG-" in line and (found := _STAMP.search(line)):
            self._start(_moment(*found.groups()))
        else:
            return False
        return True

    def rows(self, whole: bool) -> list[Row]:
        """Return the phases up to the first record and, where the log is whole, between the first and the last."""
        if self._has_gaps:
            for sample in self.samples:
                sample.pop("time")
            return self._opens
        rows = [*self._phase_to_first_record(), *self._opens]
        if whole and len(self._records) > 1:
            rows.insert(0, self._phase_of_records())
        return rows

    def _unsure(self, what: str, at: int) -> None:
        """Say that a message is lost: what counts from the first one, or to the last, is not known any more."""
        self._parsed.incomplete(what, at)
        self._has_gaps = True

    def _start(self, moment: datetime | None) -> None:
        if moment and self._first is None:
            self._first = moment

    def _file(self, found: re.Match[str] | None, at: int) -> None:
        *stamp, what, file = found.groups() if found else ("",) * 7
        moment = _moment(*stamp)
        self._start(moment)
        if moment is None:
            self._unsure("a message whose time cannot be read", at)
        elif what.startswith("Initiating"):
            self._opening[file] = (moment, at)
        elif what.startswith("Successfully") and file in self._opening:
            start, _ = self._opening.pop(file)
            seconds = _seconds(start, moment)
            row: Row = {"operation": "open", **where(file), "files": 1.0, "line": at}
            self._opens.append(row | _epoch(start) | ({"elapsed": seconds} if seconds > 0 else {}))
        elif what.startswith("Successfully"):
            self._unsure(f"expected a request to open {file!r} before it was opened", at)

    def _record(self, found: re.Match[str] | None, at: int) -> None:
        moment = _moment(*found.groups()[1:]) if found else None
        if found is None or moment is None:
            self._unsure("a record whose beginning cannot be read", at)
            return
        self._start(moment)
        self._records.append((float(found[1]), moment, at))
        assert self._first is not None
        time = _seconds(self._first, moment)
        self.samples.append(
            {"operation": "job", "phase": "records", "time": time, "entries": float(found[1]), "line": at}
        )

    def _phase_to_first_record(self) -> list[Row]:
        """From the first message with a time to the first record: start-up, conditions, opening the first file."""
        if not self._records or self._first is None:
            return []
        _, moment, at = self._records[0]
        seconds = _seconds(self._first, moment)
        if seconds <= 0:
            return []
        row: Row = {"operation": "job", "phase": "to first record", "elapsed": seconds, "line": at}
        return [row | _epoch(self._first)]

    def _phase_of_records(self) -> Row:
        (first, start, _), (last, end, at) = self._records[0], self._records[-1]
        seconds, records = _seconds(start, end), last - first
        row: Row = {"operation": "job", "phase": "first to last record", "job_events": records, "line": at}
        if seconds > 0 and records > 0:
            row |= {"elapsed": seconds, "operation_rate": records / seconds}
        return row | _epoch(start)


def _seconds(start: datetime, end: datetime) -> float:
    """Seconds between two times; by the clock where only one of them has a zone."""
    if (start.tzinfo is None) != (end.tzinfo is None):
        start, end = start.replace(tzinfo=None), end.replace(tzinfo=None)
    return (end - start).total_seconds()


def _epoch(moment: datetime) -> Row:
    return {"start_time": moment.timestamp()} if moment.tzinfo else {}


def _moment(day: str, month: str, year: str, clock: str, zone: str | None) -> datetime | None:
    """Read a time of the message logger; with an offset where the zone has only one meaning."""
    zone = zone or ""
    offset = _OFFSETS.get(zone, zone if zone[:1] in ("+", "-") and len(zone) == 5 else "")
    try:
        return datetime.fromisoformat(
            f"{year}-{_MONTHS.index(month) + 1:02}-{day}T{clock.ljust(15, '0') if '.' in clock else clock}{offset}"
        )
    except ValueError:
        return None
