"""The summary of the Timing service and its samples; what the summary says besides is a `metric`, times in seconds."""

from __future__ import annotations

import re

from storagelab.parsers.cmssw.counters import Number, placed
from storagelab.parsers.cmssw.timing import phases
from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number

_NUMBER = r"-?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?"
_COMPLETE = re.compile(rf"TimeReport> Time report complete in ({_NUMBER}) seconds")
_TITLE = re.compile(r"\b(Time|CPU|Processing) Summary: *$")
_ITEM = re.compile(rf"- ([A-Z][\w -]{{0,60}}?): +({_NUMBER})\s*$")
_EVENT = re.compile(rf"(?:^|: ) *(Min|Max|Avg): +({_NUMBER})\s*$")
"""Of CMSSW 2, and of art."""
_ALMOST = re.compile(r"(?:^|: ) *- |ev/s")
_RATE = re.compile(rf"Event Throughput: ({_NUMBER}) ev/s")
_ID = r"\d+ +\d+|run: \d+ subRun: \d+ event: \d+"
_SAMPLE = re.compile(rf"(TimeEvent|TimeModule)> (?:{_ID}) +(?:(\S+) +(\S+) +)?({_NUMBER})(?: +({_NUMBER}))?(?=\s|$)")
_NAMES = {
    ("Time", "Min"): "MinEventTime", ("Time", "Max"): "MaxEventTime", ("Time", "Avg"): "AvgEventTime",
    ("Time", "Min event"): "MinEventTime", ("Time", "Max event"): "MaxEventTime", ("Time", "Avg event"): "AvgEventTime",
    ("Time", "Total loop"): "TotalLoopTime", ("Time", "Total init"): "TotalInitTime",
    ("Time", "Total job"): "TotalJobTime", ("Time", "EventSetup Get"): "TotalEventSetupTime",
    ("Time", "Total EventSetup"): "TotalEventSetupTime", ("Time", "Total non-module"): "TotalNonModuleTime",
    ("CPU", "Avg event"): "AvgEventCPU", ("CPU", "Total loop"): "TotalLoopCPU", ("CPU", "Total init"): "TotalInitCPU",
    ("CPU", "Total job"): "TotalJobCPU", ("CPU", "Total event"): "TotalEventCPU",
    ("CPU", "Total children"): "TotalJobChildrenCPU", ("Processing", "Number of Events"): "NumberEvents",
}  # fmt: skip


class Summary:
    """Collects the numbers behind ``TimeReport> Time report complete``."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._numbers: dict[str, Number] = {}
        self._title = ""

    @property
    def ended(self) -> bool:
        """Whether the job said that it was done."""
        return bool(self._numbers)

    @property
    def is_cut(self) -> bool:
        """Whether nothing follows the mean of events, as it did in the first releases only."""
        return [*self._numbers][-1:] == ["AvgEventTime"]

    def line(self, line: str, at: int) -> None:
        """Take a line."""
        if "TimeReport> Time" in line:
            self._begin(line, at)
        elif self._numbers and ("Summary:" in line or "- " in line or "ev/s" in line or self._is_of_events(line)):
            self._item(line, at)
        elif "TimeEvent> " in line or "TimeModule> " in line:
            self._sample(_SAMPLE.search(line), at)

    def rows(self) -> list[Row]:
        """Return the phases of the job, with its events."""
        rows = phases(self._numbers)
        for row in rows:
            if row["phase"] == "total" and "NumberEvents" in self._numbers:
                row |= placed({"job_events": self._numbers["NumberEvents"]})
        return rows

    def _begin(self, line: str, at: int) -> None:
        found = _COMPLETE.search(line)
        if found:
            self._numbers["TotalJobTime"] = Number(number(found[1]), at)
        elif "complete in" in line:
            self._parsed.incomplete("a time report that cannot be read", at)
        self._title = ""

    def _is_of_events(self, line: str) -> bool:
        return self._title == "Time" and bool(_EVENT.search(line))

    def _item(self, line: str, at: int) -> None:
        if "Summary:" in line:
            title = _TITLE.search(line)
            self._title = title[1] if title else ""
        elif rate := _RATE.search(line):
            self._numbers.setdefault("EventThroughput", Number(number(rate[1]), at))
        elif self._title and (item := _ITEM.search(line) or _EVENT.search(line)):
            name = _NAMES.get((self._title, item[1]))
            if name:
                self._numbers.setdefault(name, Number(number(item[2]), at))
            else:
                unit = "" if self._title == "Processing" else "s"
                self.samples.append(metric(f"{self._title}/{item[1]}", number(item[2]), unit, at, operation="job"))
        elif self._title and _ALMOST.search(line):
            self._parsed.incomplete("a line of a time summary that cannot be read", at)

    def _sample(self, found: re.Match[str] | None, at: int) -> None:
        """Read the time of an event or of a module in it."""
        if found is None:
            self._parsed.incomplete("a time of an event or a module that cannot be read", at)
            return
        kind, label, _, elapsed, cpu = found.groups()
        row: Row = {"operation": "job", "phase": "event" if kind == "TimeEvent" else "module", "label": label or ""}
        row |= {"elapsed": number(elapsed), "line": at}
        if cpu and kind == "TimeEvent":
            row["cpu_time"] = number(cpu)
        self.samples.append(row)
