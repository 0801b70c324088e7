"""What SimpleMemoryCheck (FWCore/Services) prints: ``MemoryReport>``, the events that it lists, and ``MemoryCheck:``.

Sizes are Mbytes of 2^20 bytes, the resident one is `memory_used`, any other a `metric` such as "virtual size". Below
``MemoryReport> Peak virtual size 912.5 Mbytes`` stand the events at which it grew: ``[1] run: 1 lumi: 1 event: 1  vsize
= 912.5 deltaVsize = 0 rss = 500.25 delta = 0``; run 0 is a place that stayed empty. Since CMSSW 12 ``MemoryReport>
EndJob: virtual size 1024.5 Mbytes, RSS 484.5 Mbytes, PSS 466 MBytes, Private 447.25`` comes first. Since CMSSW 15 pages
that are mapped and what jemalloc has stand below both, in lines of their own.
"""

from __future__ import annotations

import re

from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.units import MIB

_NUMBER = r"(\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)"
_PEAK = re.compile(rf"MemoryReport> Peak (virtual|rss) size {_NUMBER} Mbytes(?: \(RSS {_NUMBER}\))?")
_END = re.compile(rf"(virtual size|\bRSS|\bPSS|\bPrivate) {_NUMBER}(?= M[Bb]ytes|\s*$)")
_EVENT = re.compile(
    rf"\] run: (\d+) lumi: (\d+) event: (\d+) +vsize = {_NUMBER} deltaVsize = \S+ rss = {_NUMBER} delta = "
)
_PAGES = re.compile(
    rf"(AnonHugePages|mmapped \w+ pages|of which (?:\.so's|PCM's|other)) {_NUMBER} Mbytes"
    rf"(?: \(VSize\), {_NUMBER} MBytes \(RSS\))?"
)
_JEMALLOC = re.compile(rf"\b(allocated|active|resident|mapped|metadata)\b(?: {_NUMBER})?")
_OF_JEMALLOC = re.compile(r" Jemalloc allocated |^\s+(?:resident|metadata) +(?:[\d.,e+]+ +)?Mbytes")
_CHECK = re.compile(rf"MemoryCheck: (?:(\w+) +(?! ))?(?:(\S+) +(?! ))?VSIZE {_NUMBER} \S+ RSS {_NUMBER} ")


class Memory:
    """Collects the sizes; `rows` has the peak of the resident one."""

    def __init__(self, parsed: Parsed) -> None:
        self.rows: list[Row] = []
        self.samples: list[Row] = []
        self._parsed = parsed
        self._phase = ""

    def line(self, line: str, at: int) -> bool:
        """Take a line; whether it was one of the service."""
        if "MemoryReport> Peak " in line and (peak := _PEAK.search(line)):
            self._peak(peak, at)
        elif "MemoryReport> " in line and "virtual size" in line:
            self._end(line, at)
        elif " vsize = " in line or "MemoryCheck: " in line:
            self._sizes(line, at)
        else:
            return bool(self._phase) and self._below(line, at)
        return True

    def _below(self, line: str, at: int) -> bool:
        """Take a line of pages or of jemalloc, below one of the process; whether it was one."""
        sizes: list[tuple[str, str]] = []
        if pages := _PAGES.search(line):
            name, virtual, resident = pages.groups()
            name = name.replace("of which", "mmapped")
            is_both = resident or "(VSize)" in line
            sizes = [(f"{name}, VSize", virtual), (f"{name}, RSS", resident)] if is_both else [(name, virtual)]
        elif _OF_JEMALLOC.search(line):
            sizes = [(f"Jemalloc {name}", size) for name, size in _JEMALLOC.findall(line)]
        for name, size in sizes:
            if size:
                self._add(self._phase, "", name, number(size) * MIB, at)
        if not all(size for _, size in sizes) or (not sizes and "(VSize)" in line):
            self._parsed.incomplete("sizes of memory that cannot be read", at)
        return bool(sizes)

    def _peak(self, found: re.Match[str], at: int) -> None:
        what, size, resident = found.groups()
        self._phase = "peak"
        if what == "rss":
            self.rows.append({"operation": "job", "phase": "total", "memory_peak": number(size) * MIB, "line": at})
            return
        self._add("peak", "", "virtual size", number(size) * MIB, at)
        if resident:
            self._add("peak", "", "RSS", number(resident) * MIB, at)

    def _end(self, line: str, at: int) -> None:
        when = line.partition("MemoryReport> ")[2].partition("virtual size")[0].strip(" :")
        if not when:
            self._parsed.incomplete("sizes of memory that do not say when they were taken", at)
        self._phase = {"EndJob": "end of job"}.get(when, when)
        for name, size in _END.findall(line):
            self._add(self._phase, "", name, number(size) * MIB, at)

    def _sizes(self, line: str, at: int) -> None:
        if event := _EVENT.search(line):
            run, lumi, which, *sizes = event.groups()
            if run != "0":
                self._both("event", f"run {run} lumi {lumi} event {which}", sizes, at)
        elif check := _CHECK.search(line):
            kind, label, *sizes = check.groups()
            self._both(kind or "module", (label or "").strip(":"), sizes, at)
        elif "VSIZE" in line or "rss = " in line:
            self._parsed.incomplete("sizes of memory that cannot be read", at)

    def _both(self, phase: str, label: str, sizes: list[str], at: int) -> None:
        virtual, resident = (number(size) * MIB for size in sizes)
        self._add(phase, label, "virtual size", virtual, at)
        self.samples.append({"operation": "job", "phase": phase, "label": label, "memory_used": resident, "line": at})

    def _add(self, phase: str, label: str, name: str, size: float, at: int) -> None:
        keys = {"operation": "job", "phase": phase} | ({"label": label} if label else {})
        self.samples.append(metric(name, size, "B", at, **keys))
