"""WMCore's framework job report as JSON: what agents keep of the XML one (WMCore, FwkJobReport; WMArchive's schema).

``steps`` are cmsRun, stage-out and log archive, in a list with ``name`` (WMArchive) or an object by name (CouchDB,
CRAB). Each has ``start`` and ``stop`` in seconds since 1970, ``status``, and of cmsRun ``performance`` with ``cpu``
(Timing's names), ``memory`` [MB of 2^20 bytes], ``storage``, and of newer agents ``cmssw`` (`framework_metrics`).

The names of ``storage`` lie in reports of agents before September 2016 (dmwm/WMCore#7185): times were multiplied by
1000 instead of divided, so that ``writeTotalSecs`` and ``readTotalSecs`` are microseconds, and ``readMBSec`` is MB a
*milli*second. Later they are what they say. Which it is follows from the numbers: the time that readMBSec implies is no
shorter than the longest read (``readMaxMSec``), no longer than all reads if each took as long as that one, and no
longer than the job had time for; a note says what was decided. Failed jobs have an empty ``cpu``.
``readTotalSecs`` was always 0, and ``readTotalMB`` is of one protocol only.

Python's form of it is read by `python_report`. Of a performance that was picked out of a report, the step is not known.

Numbers without a name in the contract go to `series`, as `metric` and `value`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from storagelab import units
from storagelab.parsers.cmssw import framework_metrics, python_report
from storagelab.parsers.cmssw.counters import FACTORS, Number
from storagelab.parsers.cmssw.json_places import Node, read
from storagelab.parsers.cmssw.timing import phases
from storagelab.parsers.declared_checks import Checks, Line, json_keys
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import line_at, utc, without_prefix
from storagelab.parsers.values_on_several_lines import computed, on, settled

_FWJR = (
    *("writeTotalMB", "readPercentageOps", "readTotalMB", "readNumOps", "readCachePercentageOps", "readMBSec"),
    *("readMaxMSec", "readTotalSecs", "writeTotalSecs"),
)
_FWJR_EVENTS = ("MaxEventCPU", "MinEventCPU", "TotalEventCPU")
_FWJR_TIMES = ("TotalJobCPU", "AvgEventTime", "TotalJobTime", "MinEventTime", "MaxEventTime", "PeakValueVsize")
"""Newer agents have them twice: once by themselves, and once as the framework reported them."""

_FWJR_PARTS = ("status", "errors", "stop", "start", "performance", "storage", "memory", "output")

_FWJR_SITE = Line('"site"', r'"site"\s*:(?!\s*"[^"\n]*",\s*"value")', '"site"', "literal")
"""Where a step ran; what follows the site of a server is its value."""

CHECKS = Checks(
    together=(
        json_keys(*_FWJR),
        json_keys(*_FWJR_EVENTS),
        json_keys(*_FWJR_TIMES),
        (*json_keys(*_FWJR_PARTS), _FWJR_SITE),
    ),
)

FORMAT = Format(
    "cmssw-fwjr-json",
    "WMCore",
    "WMAgent 1.0.13 on",
    "storage counters, phases of a job",
    "WMCore, FwkJobReport",
    marks=("fallbackFiles", "readTotalMB", "steps"),
    opens=(
        '"fallbackFiles"',
        '"readTotalMB"',
    ),
    checks=CHECKS,
)


def sniff(head: str) -> bool:
    """Whether the names of a job report stand here."""
    if '"fallbackFiles"' in head or '"readTotalMB"' in head or python_report.sniff(head):
        return True
    return '"steps"' in head and ('"cmsRun' in head or '"performance"' in head)


def parse(text: str) -> Parsed:
    """Read every report.

    Raises
    ------
    ParseError
        If there is no report with a step.
    """
    parsed = Parsed({"tool": "WMCore", "statistic": "single"})
    documents, fault = _documents(text)
    reports = [report for document in documents for report in _reports(document)]
    samples: list[Row] = []
    for part, report in enumerate(reports, 1):
        shared: Row = {"part": float(part)} if len(reports) > 1 else {}
        parsed.runs += [shared | row for row in _rows(report, parsed)]
        samples += [shared | sample for sample in _samples(report)]
    parsed.series = columns(samples)
    if fault:
        parsed.incomplete(fault)
    if any("" in report.node("steps").values for report in reports):
        parsed.incomplete("the report around the performance of a step is missing")
    if "\ufffd" in text:
        parsed.incomplete("bytes that are not UTF-8", line_at(text, text.index("\ufffd")))
    if parsed.is_empty():
        raise refusal("a job report with 'steps' and their 'performance'", text)
    _head(reports, parsed)
    return parsed


def _documents(text: str) -> tuple[list[Node], str]:
    """Read the documents of a text, and say what is wrong with them."""
    if not python_report.sniff(text):
        return read(_unlabelled(text))
    report, fault = python_report.read(text)
    return [report], fault


def _unlabelled(text: str) -> str:
    """Strip what a launcher put before every line; names of JSON, which end in a colon too, are in quotes."""
    lines = text.split("\n")
    return text if '"' in next(filter(str.strip, lines), "") else "\n".join(without_prefix(lines))


def _reports(document: Node) -> Iterator[Node]:
    """Find the reports of a document: itself, those of a list, or what a database wrapped."""
    rest = [document]
    while rest:
        node = rest.pop()
        if "steps" in node.values:
            yield node
        elif node.node("storage").values.keys() & _FWJR:
            yield _around(node)
        else:
            rest += [below for _, below in node.nodes()][::-1]


def _around(performance: Node) -> Node:
    """Return a report of one nameless step, which is cut, for a performance that somebody picked out of one."""
    report, steps, step = (Node(performance.line, closed=True) for _ in range(3))
    step.put("performance", performance, performance.line)
    steps.put("", step, step.line)
    report.put("steps", steps, step.line)
    return report


def _head(reports: list[Node], parsed: Parsed) -> None:
    meta = reports[0].node("meta_data")
    for name, key in (("tool_version", "agent_ver"), ("host", "host")):
        if meta.text(key):
            parsed.header[name] = meta.text(key)
    times = [(step.number("start"), step.number("stop")) for report in reports for _, step in _steps(report)]
    starts = [start for start, _ in times if start]
    stops = [stop for _, stop in times if stop]
    if starts:
        parsed.header["started"] = utc(min(starts))
    if starts and stops and max(stops) >= min(starts):
        parsed.header["ended"] = utc(max(stops))


def _steps(report: Node) -> Iterator[tuple[str, Node]]:
    for name, step in report.node("steps").nodes():
        yield step.text("name") or name, step


def _rows(report: Node, parsed: Parsed) -> Iterator[Row]:
    for name, step in _steps(report):
        if not step.closed:
            parsed.incomplete(f"the step is cut: {name}", step.line)
            continue
        for row in (*_step(step, parsed), *_job(step), *_storage(step, parsed), *_files(step, report)):
            yield {"job": name, **row}
        for row in framework_metrics.counters(step.node("performance", "cmssw")):
            yield {"job": name, **row}
    wall = report.node("WMTiming")
    seconds = wall.number("WMTotalWallClockTime")
    if seconds:
        line = wall.lines["WMTotalWallClockTime"]
        yield {"operation": "job", "phase": "wall clock", "elapsed": seconds, "line": line}


def _step(step: Node, parsed: Parsed) -> Iterator[Row]:
    """Read when the step ran and how it ended."""
    start, stop, status = step.number("start"), step.number("stop"), step.number("status")
    row: Row = {"operation": "job", "phase": "step", "line": step.lines.get("start", step.line)}
    if start:
        row["start_time"] = start
    if stop:
        row |= on(step.lines["stop"], {"end_time": stop})
    if start and stop and stop > start:
        row |= computed({"elapsed": stop - start})
    if status is not None:
        row |= on(step.lines["status"], {"exit_status": status})
    for _, error in step.node("errors").nodes():
        _say(error, row, parsed)
    if start or stop or status is not None:
        yield settled(row)


def _say(error: Node, row: Row, parsed: Parsed) -> None:
    row["errors"] = float(row.get("errors", 0.0)) + 1
    details = " ".join(error.text("details").split())[:200]
    parsed.incomplete(f"the step failed: {error.text('type')}: {details}", error.line)


def _job(step: Node) -> Iterator[Row]:
    performance = step.node("performance")
    memory = performance.node("memory").numbers().get("PeakValueRss")
    memory = memory or performance.node("cmssw", "ApplicationMemory").numbers().get("PeakValueRss")
    times = performance.node("cmssw", "Timing").numbers() | performance.node("cpu").numbers()
    for row in phases(times):
        if row["phase"] == "total" and memory and memory.value > 0:
            row |= on(memory.line, {"memory_peak": memory.value * units.MIB})
        yield row


def _storage(step: Node, parsed: Parsed) -> Iterator[Row]:
    numbers = step.node("performance", "storage").numbers()
    if not numbers:
        return
    factors = _factors(numbers, step.node("performance", "cpu").numbers(), parsed)
    for operation, names in _COUNTERS.items():
        row: Row = {}
        lines: list[int] = []
        for name, (key, factor) in names.items():
            if name in numbers and numbers[name].value > 0:
                row |= on(numbers[name].line, {key: numbers[name].value * factors.get(name, factor)})
                lines.append(numbers[name].line)
        if row:
            yield settled({"operation": operation, **row, "line": lines[0]})


_COUNTERS = {
    "read": {
        "readTotalMB": ("data_size", units.MIB), "readMBSec": ("throughput", units.MIB),
        "readTotalSecs": ("elapsed", 1.0), "readNumOps": ("operations", 1.0),
        "readAveragekB": ("request_size", units.KIB), "readMaxMSec": ("latency_max", units.MILLISECOND),
        "readMaxSec": ("latency_max", 1.0),
    },
    "write": {"writeTotalMB": ("data_size", units.MIB), "writeTotalSecs": ("elapsed", 1.0)},
}  # fmt: skip
_BEFORE_2016_09 = {
    "readMBSec": units.MIB * 1000, "readTotalSecs": units.MICROSECOND, "writeTotalSecs": units.MICROSECOND,
}  # fmt: skip


def _factors(numbers: dict[str, Number], cpu: dict[str, Number], parsed: Parsed) -> dict[str, float]:
    """Decide what the names mean: which reading leaves a time that the reads can have taken."""
    size, rate = (_value(numbers, name) for name in ("readTotalMB", "readMBSec"))
    available = _value(cpu, "TotalJobTime") * max(_value(cpu, "NumberOfThreads"), 1.0)
    written = _value(numbers, "writeTotalSecs")
    if size and rate:
        took = size / rate
        as_named, as_lied = (
            _may_have_taken(seconds, numbers) and (not available or seconds <= available)
            for seconds in (took, took * units.MILLISECOND)
        )
        lie = as_lied and (not as_named or (written > available > 0))
    else:
        lie = written > available > 0
    if lie:
        line = next(numbers[name].line for name in (*_BEFORE_2016_09, *numbers) if name in numbers)
        parsed.note("readMBSec is MB a millisecond and ...TotalSecs are microseconds: an agent before 09/2016", line)
    return _BEFORE_2016_09 if lie else {}


_ROUNDING = 0.001
"""A single read took as long as the longest; CMSSW prints six digits of each number."""


def _may_have_taken(seconds: float, numbers: dict[str, Number]) -> bool:
    """Whether the reads may have taken so long together: as long as the longest at least, and each no longer."""
    longest = _value(numbers, "readMaxMSec") * units.MILLISECOND
    size, mean = _value(numbers, "readTotalMB") * units.MIB, _value(numbers, "readAveragekB") * units.KIB
    at_most = size / mean * longest if mean and longest else math.inf
    return longest * (1 - _ROUNDING) <= seconds <= at_most * (1 + _ROUNDING)


def _value(numbers: dict[str, Number], name: str) -> float:
    return numbers[name].value if name in numbers else 0.0


def _files(step: Node, report: Node) -> Iterator[Row]:
    """Yield the files read and written, with their events, in both layouts."""
    for operation, node in (("read", step.node("input")), ("write", step.node("output"))):
        for label, file in _entries(node):
            events, size = file.number("events"), file.number("size")
            row: Row = {"operation": operation, "label": label, "file": _file_name(file, report)}
            if events:
                row |= on(file.lines["events"], {"entries": events})
            if size:
                row["data_size"] = size
            if events or size:
                yield settled({**row, "line": file.lines["size" if size else "events"]})


def _entries(node: Node) -> Iterator[tuple[str, Node]]:
    """Files of a list, of lists by source, or of modules with their ``value``."""
    for name, below in node.nodes():
        if below.is_array:
            yield from ((name, file) for _, file in below.nodes())
        elif "value" in below.values:
            yield from ((below.text("outputModule"), file) for _, file in below.node("value").nodes())
        else:
            yield below.text("module_label"), below


def _file_name(file: Node, report: Node) -> str:
    """Take the name, or look it up where the report keeps its names apart."""
    place = file.number("lfn")
    if place is None:
        places = file.node("outputLFNs")
        place = places.number("0") if len(places.values) == 1 else None
    if place is None:
        return file.text("lfn") or file.text("pfn")
    return report.node("LFNArray").text(f"{place:.0f}")


def _samples(report: Node) -> Iterator[Row]:
    """Yield every number of ``performance`` as the report names it."""
    for name, step in _steps(report):
        performance = step.node("performance")
        own = ((f"cmssw/{kind}", node) for kind, node in performance.node("cmssw").nodes())
        for kind, node in (*performance.nodes(), *own):
            for metric, value in node.numbers().items():
                if metric.rpartition("-")[2] in FACTORS:
                    continue
                sample: Row = {"metric": f"{kind}/{metric}", "value": value.value, "unit": _unit(kind, metric)}
                yield {"operation": _operation(metric), "job": name, **sample, "line": value.line}


def _operation(metric: str) -> str:
    return next((operation for operation in _COUNTERS if metric.startswith(operation)), "job")


def _unit(kind: str, metric: str) -> str:
    if kind in ("cpu", "cmssw/Timing") and metric.endswith(("Time", "CPU")):
        return "s"
    return "MB" if kind == "memory" or metric.endswith("TotalMB") else ""
