"""The TimeReport tables, and the events of the TrigReport."""

from __future__ import annotations

import re

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on, settled

_SECTION = re.compile(r"(TimeReport|TrigReport) -{3,}+ *+(\S.{0,80}?) {0,80}-{3,}")
_EVENTS = re.compile(r"TrigReport Events total = (\d+) passed = (\d+) failed = (\d+)(?=\s|$)")
_NUMBER = r"-?\d+(?:[.,]\d+)?"
_MEAN = re.compile(rf"(event loop CPU|event loop Real|sum Streams Real|CPU|Real)/event = ({_NUMBER})(?=\s|$)")
_EFFICIENCY = re.compile(rf"efficiency CPU/Real/thread = ({_NUMBER})(?=\s|$)")
_UNITS = re.compile(r"per [\w-]+")
_ROW = re.compile(rf"TimeReport((?:\s++{_NUMBER})+)\s++(\S.*)")
_END = "T---Report end!"


class Tables:
    """Goes through the lines of the reports; `ended` says whether their end was there."""

    def __init__(self, parsed: Parsed) -> None:
        self.ended = False
        self.rows: list[Row] = []
        self._parsed = parsed
        self._section = ""
        self._section_line = 0
        self._units: list[str] = []
        self._unit_lines = 0
        self._is_repeated = False
        self._lacks_title = False
        self._has_cpu = False

    @property
    def have_streams(self) -> bool:
        """Whether a framework with streams printed them, that is CMSSW 8 or newer."""
        return any(row["phase"] == "streams" for row in self.rows)

    def line(self, line: str, at: int) -> None:
        """Take a line that names one of the reports."""
        if section := _SECTION.search(line):
            self._section, self._section_line, self._units, self._has_cpu = section[2], at, [], False
            self._unit_lines, self._is_repeated, self._lacks_title = 0, False, False
        elif _END in line:
            self._section, self.ended = "", True
        elif events := _EVENTS.search(line):
            self._events(events, at)
        elif "TimeReport" in line:
            self._time(line[line.index("TimeReport") :], at)

    def end(self) -> None:
        """Say where the end of the report is not there."""
        if self._section:
            self._parsed.incomplete(f"the report has no end ({_END}): {self._section}", self._section_line)

    def _events(self, found: re.Match[str], at: int) -> None:
        row: Row = {"operation": "job", "phase": "events", "job_events": float(found[1]), "line": at}
        self.rows.append({**row, "job_events_failed": float(found[3])})

    def _time(self, line: str, at: int) -> None:
        row = _ROW.match(line)
        if "/event = " in line or "/thread = " in line:
            self._loop(line, at)
        elif row and self._unit_lines > 1:
            self._lose_title(at)
        elif row and self._units:
            self._row([number(word) for word in row[1].split()], row[2].rstrip(), at)
        elif "per " in line:
            self._head(line, at)
        elif " CPU " in line and " Real" in line:
            self._is_repeated = self._has_cpu
            self._has_cpu = True
        elif line.strip() != "TimeReport" and not line.startswith("TimeReport>"):
            self._parsed.incomplete("a line of a TimeReport that cannot be read", at)

    def _head(self, line: str, at: int) -> None:
        """Take the columns above rows. They may stand again below them: where CPU is one, with that line first."""
        if self._unit_lines > 1 or (self._has_cpu and not self._is_repeated):
            self._lose_title(at)
        self._units, self._has_cpu = _UNITS.findall(line), False
        self._unit_lines += 1

    def _lose_title(self, at: int) -> None:
        """Say once of a table that its title is lost: it would have that of the table above."""
        if not self._lacks_title:
            self._parsed.incomplete("expected the title of a table above its columns, found none", at)
        self._lacks_title = True

    def _loop(self, line: str, at: int) -> None:
        """Read the means over events: of the loop, of its streams, and its efficiency."""
        found = _MEAN.findall(line)
        efficiency = _EFFICIENCY.search(line)
        if not found and not efficiency:
            self._parsed.incomplete("a line of a TimeReport that cannot be read", at)
        for name, value in found:
            self._mean("streams" if "Streams" in name else "event loop", name, number(value), at)
        if efficiency:
            row: Row = {"operation": "job", "phase": "event loop", "cpu_utilisation": number(efficiency[1]), "line": at}
            self.rows.append(row)

    def _mean(self, phase: str, name: str, value: float, at: int) -> None:
        key = "cpu_time" if name.endswith("CPU") else "elapsed"
        last = self.rows[-1] if self.rows else {}
        if value and last.get("phase") == phase and key not in last and last.get("statistic") == "mean":
            self.rows[-1] = settled(on(int(last["line"]), last) | {key: value, "line": at})
        elif value:
            row: Row = {"operation": "job", "phase": phase, "statistic": "mean", key: value, "line": at}
            self.rows.append(row)

    def _row(self, values: list[float], name: str, at: int) -> None:
        """Add a row a unit; a line with too few numbers is not shifted but said."""
        width = 2 if self._has_cpu else 1
        if len(values) != width * len(self._units):
            self._parsed.incomplete(f"{width * len(self._units)} numbers are expected, found {len(values)}", at)
            return
        for ordinal, unit in enumerate(self._units):
            times = values[ordinal * width : (ordinal + 1) * width]
            keys = ("cpu_time", "elapsed") if self._has_cpu else ("elapsed",)
            means: Row = {key: value for key, value in zip(keys, times, strict=True) if value}
            if means:
                phase = f"{_what(self._section)} {unit}".strip()
                self.rows.append(
                    {"operation": "job", "phase": phase, "label": name, "statistic": "mean", **means, "line": at}
                )


def _what(section: str) -> str:
    """Name what the rows of a section are: ``Path   Summary`` has paths, ``Modules in Path: p`` the modules of p."""
    kind, colon, of = section.partition(": ")
    words = kind.replace("Summary", "").replace("Modules", "module").split()
    return " ".join([word.lower() for word in words] + ([of] if colon else []))
