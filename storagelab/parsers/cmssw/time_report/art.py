"""What art prints, the framework that grew out of CMSSW's: times and memory of a job, and its table of times.

``TimeReport CPU = 12.5 Real = 14.25`` are seconds of the whole job, ``MemReport  VmPeak = 683.2 VmHWM = 218.9`` its
largest sizes in MB of 10^6 bytes; the resident one is `memory_peak`. ``TimeTracker printout (sec)`` heads a table of
its service: lowest, mean, highest, median and standard deviation of the times of an event, of its source and of each
module (``path:label:type``, `label`), and how many there were. ``Art has completed`` ends a job.
"""

from __future__ import annotations

import re

from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.units import MB

_NUMBER = r"(\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
_TOTAL = re.compile(rf"TimeReport CPU = {_NUMBER} Real = {_NUMBER}\s*$")
_MEMORY = re.compile(rf"MemReport +VmPeak = {_NUMBER} VmHWM = {_NUMBER}\s*$")
_TABLE = re.compile(r"TimeTracker printout \(sec\) +Min +Avg +Max +Median +RMS +nEvts\s*$")
_RULE = re.compile(r" *(?:=+|-+)\s*$")
_TIMES = re.compile(rf" *(\S+(?: \S+)*) +{_NUMBER} +{_NUMBER} +{_NUMBER} +{_NUMBER} +{_NUMBER} +(\d+)\s*$")
_EMPTY = "[ No "
_ENDED = "Art has completed and will exit with status "
_OF_EVENT = "Full event"


class Art:
    """Collects what art says of a job; `ended` says whether its last line was there."""

    def __init__(self, parsed: Parsed) -> None:
        self.rows: list[Row] = []
        self.samples: list[Row] = []
        self.ended = False
        self._parsed = parsed
        self._rules_to_come = 0

    def line(self, line: str, at: int) -> bool:
        """Take a line; whether it was one of art's."""
        if self._rules_to_come:
            self._table(line, at)
        elif "TimeTracker printout" in line and _TABLE.search(line):
            self._of_art()
            self._rules_to_come = 3
        elif "Report" in line and (total := _TOTAL.search(line)):
            self._of_art()
            times = {"cpu_time": number(total[1]), "elapsed": number(total[2])}
            said = {name: seconds for name, seconds in times.items() if seconds}
            self.rows.append({"operation": "job", "phase": "total", **said, "line": at})
        elif "MemReport" in line and (sizes := _MEMORY.search(line)):
            self._of_art()
            self.rows.append({"operation": "job", "phase": "total", "memory_peak": number(sizes[2]) * MB, "line": at})
            self.samples.append(metric("virtual size", number(sizes[1]) * MB, "B", at, operation="job", phase="peak"))
        elif _ENDED in line:
            self._of_art()
            self.ended = True
        else:
            return False
        return True

    def end(self) -> None:
        """Say where the table of times has no end."""
        if self._rules_to_come:
            self._parsed.incomplete("the table of TimeTracker has no end")

    def _of_art(self) -> None:
        self._parsed.header["tool"] = "art"

    def _table(self, line: str, at: int) -> None:
        """Take a line of the table: rules stand below its heading, below the events, and at its end."""
        if _RULE.match(line):
            self._rules_to_come -= 1
        elif times := _TIMES.match(line):
            self._times(times, at)
        elif not line.startswith(_EMPTY):
            self._parsed.incomplete(f"expected times of TimeTracker, found {line.strip()[:60]!r}", at)
            self._rules_to_come = 0

    def _times(self, found: re.Match[str], at: int) -> None:
        name, *printed, count = found.groups()
        lowest, mean, highest, _, _ = map(number, printed)
        phase, label = ("event", "") if name == _OF_EVENT else ("module", name)
        row: Row = {"operation": "job", "phase": phase, "statistic": "mean", "samples": float(count), "line": at}
        row |= {"label": label} if label else {}
        self.rows.append(row | {"elapsed": mean, "elapsed_min": lowest, "elapsed_max": highest})
        keys = {"operation": "job", "phase": phase} | ({"label": label} if label else {})
        for kind, seconds in zip(("median", "RMS"), printed[3:], strict=True):
            self.samples.append(metric(kind, number(seconds), "s", at, **keys))
