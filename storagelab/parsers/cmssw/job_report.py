"""The framework job report of CMSSW, which ``cmsRun -j FrameworkJobReport.xml`` writes (FWCore, JobReport).

Storage counters are ``<Metric Name="Timing-dcap-read-totalMegabytes" Value="39.6"/>`` in a ``PerformanceSummary`` of
``StorageStatistics``; releases before CMSSW 4 write ``<counter-value subsystem='dcap' counter-name='read'
total-megabytes='608.6' .../>``. What they mean stands in `counters`, what the summary ``Timing`` means in `timing`.
``XrdSiteStatistics`` are the same counters by the site that served the data (`server`). ``InputFile`` and ``File`` are
rows with the events read from and written to a file (`entries`); ``SkippedFile`` and ``FallbackAttempt`` are files that
could not be opened (`errors`); a ``FrameworkError`` is the end of a job that failed.

Every number of the other summaries (memory, CPU, the parts of Timing) goes to `series`, as `metric` and `value`.
Megabytes are 2^20 bytes everywhere, which the report does not say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from storagelab import units
from storagelab.parsers.cmssw.counters import FACTORS, Number, counter, placed, where
from storagelab.parsers.cmssw.timing import phases
from storagelab.parsers.declared_checks import Checks, Line, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import line_at, number
from storagelab.parsers.values_on_several_lines import settled
from storagelab.parsers.xml import Document, Element, documents

_TIMING = ("numOperations", "numSuccessfulOperations", "totalMegabytes", "totalMsecs", "minMsecs", "maxMsecs")

CHECKS = Checks(
    together=(
        tuple(Line(f"Timing-...-{name}", rf'Name="Timing-[\w-]+-{name}"', f'-{name}"') for name in _TIMING),
        words("<InputFile>", "<EventsRead>", "</InputFile>"),
        words('Name="AvgEventTime"', 'Name="MinEventTime"', 'Name="MaxEventTime"'),
    ),
)

FORMAT = Format(
    "cmssw-fjr",
    "cmsRun",
    "CMSSW 3 to 13",
    "storage counters, phases of a job",
    "CMSSW, JobReport.cc",
    marks=("FrameworkJobReport",),
    opens=("<FrameworkJobReport",),
    checks=CHECKS,
)

_ROOT = "FrameworkJobReport"
_UNITS = {"ApplicationMemory": "MB", "SystemMemory": "kB", "Timing": "s"}
_FILES = {"InputFile": ("read", "EventsRead"), "File": ("write", "TotalEvents")}
_LOST = ("SkippedFile", "FallbackAttempt")


def sniff(head: str) -> bool:
    """Whether the root element stands here."""
    return f"<{_ROOT}>" in head or f"<{_ROOT} " in head


def parse(text: str) -> Parsed:
    """Read every report.

    Raises
    ------
    ParseError
        If there is no report with something in it, or it declares entities.
    """
    parsed = Parsed({"tool": "cmsRun", "statistic": "single"})
    reports = list(documents(text, _ROOT))
    samples: list[Row] = []
    for part, report in enumerate(reports, 1):
        shared: Row = {"part": float(part)} if len(reports) > 1 else {}
        reader = _Reader(report, parsed)
        parsed.runs += [shared | row for row in reader.rows()]
        samples += [shared | sample for sample in reader.samples]
    parsed.series = columns(samples)
    if "\ufffd" in text:
        parsed.incomplete("bytes that are not UTF-8", line_at(text, text.index("\ufffd")))
    if parsed.is_empty():
        raise refusal(f"an element {_ROOT} with counters, times or files", text)
    return parsed


class _Reader:
    """Reads one report; `samples` are the numbers that have no name in the contract."""

    def __init__(self, report: Document, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._root = report.root
        self._parsed = parsed
        if report.error:
            parsed.incomplete(f"the report is cut or broken: {report.error}", report.line)

    def rows(self) -> list[Row]:
        """Return the rows of `runs`: the job, its counters, its files."""
        summaries = list(self._root.all("PerformanceSummary"))
        storage = [summary for summary in summaries if summary.attributes.get("Metric") == "StorageStatistics"]
        others = [summary for summary in summaries if summary not in storage]
        rows = [*self._job(others)]
        for summary in storage:
            rows += self._counters(summary)
        rows += self._attribute_counters()
        for module in self._root.all("PerformanceModule"):
            rows += self._site(module)
        return [*rows, *self._files()]

    def _job(self, summaries: list[Element]) -> list[Row]:
        numbers: dict[str, Number] = {}
        for summary in summaries:
            kind = summary.attributes.get("Metric", "")
            for name, value in self._metrics(summary):
                numbers[name] = value
                self._sample(f"{kind}/{name}", value, _UNITS.get(kind, "") if _has_unit(kind, name) else "")
        for service in self._root.all("TimingService", "MemoryService"):
            numbers |= {name: value for name, value in self._values(service) if name not in numbers}
        rows = phases(numbers)
        named = {"job_events": "NumberEvents", "processes": "NumberOfThreads", "memory_peak": "PeakValueRss"}
        facts = placed({name: numbers[key] for name, key in named.items() if key in numbers})
        if "memory_peak" in facts:
            facts["memory_peak"] = float(facts["memory_peak"]) * units.MIB
        errors = [self._error(error) for error in self._root.all("FrameworkError")]
        return _with_facts(rows, facts, numbers) + errors

    def _error(self, error: Element) -> Row:
        """Say that the job failed."""
        text = f"{error.attributes.get('Type', '')} {error.text}".strip()
        self._parsed.incomplete(f"the job failed: {' '.join(text.split())[:200]}", error.line)
        row: Row = {"operation": "job", "errors": 1.0, "line": error.line}
        status = self._number(error.attributes.get("ExitStatus", ""), error.line)
        return row | ({"exit_status": status.value} if status else {})

    def _metrics(self, summary: Element) -> Iterator[tuple[str, Number]]:
        for metric in summary.all("Metric"):
            value = metric.attributes.get("Value", "").strip()
            found = self._number(value, metric.line) if _LIKE_A_NUMBER.fullmatch(value) else None
            name = metric.attributes.get("Name", "")
            if found and "\ufffd" not in name:
                yield name, found

    def _values(self, service: Element) -> Iterator[tuple[str, Number]]:
        """Read what the first releases write: an element a number."""
        for element in service.all():
            found = self._number(element.attributes.get("Value", ""), element.line) if element.attributes else None
            if found:
                self._sample(f"{service.tag}/{element.tag}", found, "")
                yield element.tag, found

    def _counters(self, summary: Element) -> list[Row]:
        counters: dict[str, dict[str, Number]] = defaultdict(dict)
        for name, value in self._metrics(summary):
            kind, _, rest = name.partition("-")
            of, _, statistic = rest.rpartition("-")
            if kind in ("Timing", "ROOT") and of and statistic in FACTORS:
                key, factor = FACTORS[statistic]
                counters[of][key] = Number(value.value * factor, value.line)
            else:
                self._sample(name, value, "")
        return [row for of, numbers in counters.items() if (row := counter(*of.rpartition("-")[::2], numbers))]

    def _attribute_counters(self) -> list[Row]:
        """Read the counters of early releases."""
        rows: list[Row | None] = []
        for element in self._root.all("counter-value"):
            numbers: dict[str, Number] = {}
            for name, value in element.attributes.items():
                statistic = re.sub(r"-(\w)", lambda letter: letter[1].upper(), name)
                found = self._number(value, element.line) if statistic in FACTORS else None
                if found:
                    key, factor = FACTORS[statistic]
                    numbers[key] = Number(found.value * factor, element.line)
            of = element.attributes
            rows.append(counter(of.get("subsystem", ""), of.get("counter-name", ""), numbers))
        return [row for row in rows if row]

    def _site(self, module: Element) -> list[Row]:
        """Read what one site served."""
        kind, site = module.attributes.get("Module", ""), module.attributes.get("Metric", "")
        counters: dict[str, dict[str, Number]] = defaultdict(dict)
        for name, value in self._metrics(module):
            operation, _, statistic = name.partition("-")
            if kind == "XrdSiteStatistics" and statistic in FACTORS:
                key, factor = FACTORS[statistic]
                counters[operation]["operations" if key == "operations_tried" else key] = Number(
                    value.value * factor, value.line
                )
            else:
                self._sample(f"{kind}/{site}/{name}", value, "")
        served = [counter("xrootd", operation, numbers) for operation, numbers in counters.items()]
        return [{**row, "label": kind, "server": site} for row in served if row]

    def _files(self) -> Iterator[Row]:
        for element in self._root.children:
            if element.tag in _FILES:
                yield from self._file(element, *_FILES[element.tag])
            elif element.tag in _LOST:
                file = element.attributes.get("Pfn", "")
                self._parsed.note(f"{element.tag}: {file}", element.line)
                yield {"operation": "open", "label": element.tag, **where(file), "errors": 1.0, "line": element.line}

    def _file(self, element: Element, operation: str, events: str) -> Iterator[Row]:
        count = next((child for child in element.children if child.tag == events and child.text), None)
        found = self._number(count.text, count.line) if count else None
        if found:
            kind, file = (next((c.text for c in element.children if c.tag == tag), "") for tag in ("InputType", "PFN"))
            row: Row = {"operation": operation, "label": kind or element.tag, **where(file)}
            yield {**row, "entries": found.value, "line": found.line}

    def _number(self, text: str, line: int) -> Number | None:
        try:
            return Number(number(text.strip()), line)
        except ValueError:
            self._parsed.incomplete(f"a number is expected, found {text[:40]!r}", line)
            return None

    def _sample(self, metric: str, value: Number, unit: str) -> None:
        self.samples.append(
            {"operation": "job", "metric": metric, "value": value.value, "unit": unit, "line": value.line}
        )


_LIKE_A_NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?")


def _has_unit(kind: str, name: str) -> bool:
    """Whether a number of a summary is a size or a time, not a count."""
    if kind == "Timing":
        return name.endswith(("Time", "CPU"))
    return kind == "SystemMemory" or name.endswith(("RSS", "Rss", "VSIZE", "Vsize", "DELTV"))


def _with_facts(rows: list[Row], facts: Row, numbers: dict[str, Number]) -> list[Row]:
    """Put what holds for the whole job into the row of its total, or into one of their own."""
    if not facts:
        return rows
    total = next((row for row in rows if row["phase"] == "total"), None)
    if total is not None:
        total |= facts
        return rows
    line = next(numbers[name].line for name in ("NumberEvents", "NumberOfThreads", "PeakValueRss") if name in numbers)
    return [*rows, settled({"operation": "job", "phase": "total", **facts, "line": line})]
