"""The Timing service's summary, and its samples."""

from __future__ import annotations

import re

from storagelab.parsers.cmssw.counters import Number
from storagelab.parsers.cmssw.timing import phases
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number

_NUMBER = r"-?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?"
_COMPLETE = re.compile(rf"TimeReport> Time report complete in ({_NUMBER}) seconds")
_TITLE = re.compile(r"\b(Time|CPU|Processing) Summary: *$")
_ITEM = re.compile(rf"- ([A-Z][\w ]*?): +({_NUMBER})\s*$")
_RATE = re.compile(rf"Event Throughput: ({_NUMBER}) ev/s")
_SAMPLE = re.compile(rf"(TimeEvent|TimeModule)> (\d+) +(\d+) +(?:(\S+) +(\S+) +)?({_NUMBER})(?: +({_NUMBER}))?(?=\s|$)")
_NAMES = {
    ("Time", "Min event"): "MinEventTime", ("Time", "Max event"): "MaxEventTime", ("Time", "Avg event"): "AvgEventTime",
    ("Time", "Total loop"): "TotalLoopTime", ("Time", "Total init"): "TotalInitTime",
    ("Time", "Total job"): "TotalJobTime", ("Time", "EventSetup Get"): "TotalEventSetupTime",
    ("CPU", "Avg event"): "AvgEventCPU", ("CPU", "Total loop"): "TotalLoopCPU", ("CPU", "Total init"): "TotalInitCPU",
    ("CPU", "Total job"): "TotalJobCPU", ("CPU", "Total event"): "TotalEventCPU",
    ("CPU", "Total children"): "TotalJobChildrenCPU", ("Processing", "Number of Events"): "NumberEvents",
}  # fmt: skip


class Summary:
    """Collects the numbers behind ``TimeReport> Time report complete``; a second one is that of another job."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._jobs: list[dict[str, Number]] = []
        self._title = ""

    def line(self, line: str, at: int) -> None:
        """Take a line."""
        if "TimeReport> Time" in line:
            self._begin(line, at)
        elif self._jobs and ("Summary:" in line or "- " in line or "ev/s" in line):
            self._item(line, at)
        elif "> " in line and (sample := _SAMPLE.search(line)):
            self._sample(sample, at)

    def rows(self) -> list[Row]:
        """Return the phases of each job, with its events."""
        rows: list[Row] = []
        for part, numbers in enumerate(self._jobs, 1):
            shared: Row = {"part": float(part)} if len(self._jobs) > 1 else {}
            for row in phases(numbers):
                if row["phase"] == "total" and "NumberEvents" in numbers:
                    row["job_events"] = numbers["NumberEvents"].value
                rows.append(shared | row)
        return rows

    def _begin(self, line: str, at: int) -> None:
        found = _COMPLETE.search(line)
        if found:
            self._jobs.append({"TotalJobTime": Number(number(found[1]), at)})
        elif "complete in" in line:
            self._parsed.incomplete("a time report that cannot be read", at)
        self._title = ""

    def _item(self, line: str, at: int) -> None:
        if title := _TITLE.search(line):
            self._title = title[1]
        elif rate := _RATE.search(line):
            self._jobs[-1].setdefault("EventThroughput", Number(number(rate[1]), at))
        elif self._title and (item := _ITEM.search(line)):
            name = _NAMES.get((self._title, item[1]))
            if name:
                self._jobs[-1].setdefault(name, Number(number(item[2]), at))
        elif self._title and any(f"- {name}:" in line for _, name in _NAMES):
            self._parsed.incomplete("a line of a time summary that cannot be read", at)

    def _sample(self, found: re.Match[str], at: int) -> None:
        """Read the time of an event or of a module in it."""
        kind, _, _, label, _, elapsed, cpu = found.groups()
        row: Row = {"operation": "job", "phase": "event" if kind == "TimeEvent" else "module", "label": label or ""}
        row |= {"elapsed": number(elapsed), "line": at}
        if cpu and kind == "TimeEvent":
            row["cpu_time"] = number(cpu)
        self.samples.append(row)
