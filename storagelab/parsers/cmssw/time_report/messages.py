"""Messages with wall-clock times: files opened and closed, records begun."""

from __future__ import annotations

import re
from datetime import datetime

from storagelab.parsers.cmssw.counters import where
from storagelab.parsers.model import Parsed, Row

_TIME = r"(\d{2})-([A-Z][a-z]{2})-(\d{4}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?) ([A-Z]{2,5}|[-+]\d{2,4})?"
_FILE = re.compile(rf"{_TIME}  ?(Initiating request to open|Successfully opened|Closed) file (\S+)")
_RECORD = re.compile(rf"Begin processing the (\d+)(?:st|nd|rd|th) record\. .*? at {_TIME}")
_STAMP = re.compile(rf"^(?:.*? )?{_TIME} ")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_OFFSETS = {"GMT": "+00:00", "UTC": "+00:00", "CET": "+01:00", "CEST": "+02:00", "EDT": "-04:00", "PDT": "-07:00"}


class Messages:
    """Collects the messages; `rows` makes phases of them."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._first: datetime | None = None
        self._opening: dict[str, tuple[datetime, int]] = {}
        self._opens: list[Row] = []
        self._records: list[tuple[float, datetime, int]] = []

    def line(self, line: str, at: int) -> bool:
        """Take a line; whether it was a message with a time."""
        if " file " in line and (found := _FILE.search(line)):
            self._file(found, at)
        elif "Begin processing the " in line:
            self._record(_RECORD.search(line), at)
        elif "%MSG-" in line and (found := _STAMP.search(line)):
            self._start(_moment(*found.groups()))
        else:
            return False
        return True

    def rows(self, whole: bool) -> list[Row]:
        """Return the phases up to the first record and, where the log is whole, between the first and the last."""
        if self._first:
            self._parsed.header["started"] = self._first.isoformat()
        rows = [*self._phase_to_first_record(), *self._opens]
        if whole and len(self._records) > 1:
            rows.insert(0, self._phase_of_records())
        return rows

    def _start(self, moment: datetime | None) -> None:
        if moment and self._first is None:
            self._first = moment

    def _file(self, found: re.Match[str], at: int) -> None:
        *stamp, what, file = found.groups()
        moment = _moment(*stamp)
        self._start(moment)
        if moment is None:
            self._parsed.incomplete("a message whose time cannot be read", at)
        elif what.startswith("Initiating"):
            self._opening[file] = (moment, at)
        elif what.startswith("Successfully") and file in self._opening:
            start, _ = self._opening.pop(file)
            seconds = (moment - start).total_seconds()
            row: Row = {"operation": "open", **where(file), "files": 1.0, "line": at}
            self._opens.append(row | _epoch(start) | ({"elapsed": seconds} if seconds > 0 else {}))

    def _record(self, found: re.Match[str] | None, at: int) -> None:
        moment = _moment(*found.groups()[1:]) if found else None
        if found is None or moment is None:
            self._parsed.incomplete("a record whose beginning cannot be read", at)
            return
        self._start(moment)
        self._records.append((float(found[1]), moment, at))
        assert self._first is not None
        time = (moment - self._first).total_seconds()
        self.samples.append(
            {"operation": "job", "phase": "records", "time": time, "entries": float(found[1]), "line": at}
        )

    def _phase_to_first_record(self) -> list[Row]:
        """From the first message with a time to the first record: start-up, conditions, opening the first file."""
        if not self._records or self._first is None:
            return []
        _, moment, at = self._records[0]
        seconds = (moment - self._first).total_seconds()
        if seconds <= 0:
            return []
        row: Row = {"operation": "job", "phase": "to first record", "elapsed": seconds, "line": at}
        return [row | _epoch(self._first)]

    def _phase_of_records(self) -> Row:
        (first, start, _), (last, end, at) = self._records[0], self._records[-1]
        seconds, records = (end - start).total_seconds(), last - first
        row: Row = {"operation": "job", "phase": "first to last record", "job_events": records, "line": at}
        if seconds > 0 and records > 0:
            row |= {"elapsed": seconds, "operation_rate": records / seconds}
        return row | _epoch(start)


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
