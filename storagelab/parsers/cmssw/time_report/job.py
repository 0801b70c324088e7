"""What one cmsRun printed, and where the next one begins."""

from __future__ import annotations

from storagelab.parsers.cmssw.time_report.art import Art
from storagelab.parsers.cmssw.time_report.memory import Memory
from storagelab.parsers.cmssw.time_report.messages import Messages
from storagelab.parsers.cmssw.time_report.storage import statistics
from storagelab.parsers.cmssw.time_report.summary import Summary
from storagelab.parsers.cmssw.time_report.tables import Tables
from storagelab.parsers.model import Parsed, Row

_TIMING_ENDS = "TimeReport> Time report complete"
_BEGINNINGS = (
    "Initiating request to open file ",
    "Begin processing the 1st ",
    "TrigReport ---------- Event ",
    " pre-events",
)


class Job:
    """What one cmsRun printed."""

    def __init__(self, parsed: Parsed) -> None:
        self.summary, self.messages = Summary(parsed), Messages(parsed)
        self._memory, self._art = Memory(parsed), Art(parsed)
        self._parsed = parsed
        self._tables = Tables(parsed)
        self._counters: list[Row] = []

    def is_over_before(self, line: str) -> bool:
        """Whether this line is of another job, because this one had come to its end."""
        if self.summary.ended and _TIMING_ENDS in line:
            return True
        return self._ended and any(mark in line for mark in _BEGINNINGS)

    def line(self, line: str, at: int) -> None:
        """Take a line."""
        if self._art.line(line, at):
            return
        if "TimeReport" in line or "TrigReport" in line or "Report end!" in line:
            self._tables.line(line, at)
        if "MB/" in line and "ms" in line and "/" in line:
            self._counters += statistics(line, at, self._parsed)
        elif not (self.messages.line(line, at) or self._memory.line(line, at)):
            self.summary.line(line, at)

    def check_end(self, logger_ended: bool) -> None:
        """Say where the job, or its report, has no end."""
        self._art.end()
        if not self._art.rows:
            self._tables.end()
        if self.messages.samples and not self._ended and not logger_ended:
            self._parsed.incomplete("records were begun, but the job has no end")
        if self.summary.is_cut and self._tables.have_streams:
            self._parsed.incomplete("the time summary has no totals behind the mean of events: the log is cut")

    def rows(self) -> list[Row]:
        """Return the phases, the messages, the tables and the counters."""
        messages = self.messages.rows(whole=self._ended)
        services = [*self._memory.rows, *self._art.rows]
        return [*self.summary.rows(), *services, *messages, *self._tables.rows, *self._counters]

    def samples(self) -> list[Row]:
        """Return the records begun, the times of events and modules, and the sizes of memory."""
        return [*self.messages.samples, *self.summary.samples, *self._memory.samples, *self._art.samples]

    @property
    def _ended(self) -> bool:
        return self._tables.ended or self.summary.ended or self._art.ended
