"""Reads a log of IOzone line by line: which line belongs to which run, and which part of a run it is."""

from __future__ import annotations

import functools
from collections import deque

from storagelab.parsers.benchmarks.iozone.command import find_command
from storagelab.parsers.benchmarks.iozone.excel import Excel
from storagelab.parsers.benchmarks.iozone.header import BANNER, Run, may_state, read_header
from storagelab.parsers.benchmarks.iozone.joined_runs import collect
from storagelab.parsers.benchmarks.iozone.table import HEADING, Table, is_headless_row
from storagelab.parsers.benchmarks.iozone.throughput import CHILD, TEST, Throughput
from storagelab.parsers.benchmarks.iozone.unwrapped_lines import Line, streams
from storagelab.parsers.model import Parsed

_THROUGHPUT = ("throughput for", "throughput per", "xfer", "Wall time")
WITHIN_TEST = ("\tChildren see ", "\tParent sees ", "\tMin ", "\tMax ", "\tAvg ")
TELLING = (BANNER, "reclen", '"', "eport", *_THROUGHPUT)
_STARTING = ("iozone", "Run began:", "Command line used:")


def parse(text: str) -> Parsed:
    """Read every run in a log of IOzone.

    Returns
    -------
    Parsed
        `runs`: a row a number of the automatic table (throughput [B/s], with ``-O`` operation_rate [1/s], with ``-N``
        latency [s]), or a row a throughput test with what parent and children see and the spread over the children;
        `clients`: a row a child of a throughput test (``-C``).

    Raises
    ------
    ParseError
        If the log holds neither a number nor a banner of IOzone.
    """
    runs = [run for stream in streams(text) for run in Log(stream.host).read(stream.lines)]
    return collect(runs, text)


@functools.lru_cache(maxsize=1024)
def is_idle(line: str) -> bool:
    """Whether a line says nothing to anybody, as those of the contributors; logs share most of these lines."""
    return not (is_headless_row(line) or any(word in line for word in TELLING) or may_state(line))


@functools.lru_cache(maxsize=1024)
def is_header(line: str) -> bool:
    """Whether a line can be none but one of the banner and the options; logs share many of these lines too."""
    telling = is_headless_row(line) or any(word in line for word in (*TELLING, *_STARTING))
    return not telling and may_state(line)


class Log:
    """The runs of one stream of lines, in the order in which they were printed."""

    def __init__(self, host: str = "") -> None:
        self.host = host
        self.runs: list[Run] = []
        self.above: deque[str] = deque(maxlen=3)
        self.held: tuple[str, int] | None = None
        self._open(1)

    def _open(self, line: int) -> None:
        self.run = Run(line, self.host)
        self.runs.append(self.run)
        self.table: Table | None = None
        self.excel: Excel | None = None
        self.throughput = Throughput(self.run)

    def begin(self, line: int) -> None:
        """End the run at hand and start the next."""
        self.close()
        self._open(line)

    def read(self, lines: list[Line]) -> list[Run]:
        """Read all lines."""
        at = 0
        while at < len(lines):
            at = self.read_on(lines, at)
        self.close()
        return self.runs

    def read_on(self, lines: list[Line], at: int) -> int:
        """Read a line, or many that are alike, and return where to go on; the table's are by far the most."""
        number, line = lines[at]
        if self.table is not None and self.table.read(line, number):
            return self.table.read_alike(lines, at + 1)
        if not line or line.isspace():
            return at + 1
        if self.excel is not None or self.held is not None:
            if not self.reads_within_test(line, number):
                self.read_other(line, number)
        elif line.startswith((CHILD, TEST)) and (end := self.read_at_once(lines, at)) > at:
            self.above.extend(line for _, line in lines[max(at, end - 3) : end])
            return end
        elif line.startswith(WITHIN_TEST):
            if not self.reads_within_test(line, number):
                self.read_other(line, number)
        elif is_header(line):
            self.read_header(line, number)
        elif not is_idle(line):
            self.read_other(line, number)
        self.above.append(line)
        return at + 1

    def read_at_once(self, lines: list[Line], at: int) -> int:
        """Read the lines of a test, or of its children, that are as IOzone prints them; return where others begin."""
        if lines[at][1].startswith(CHILD):
            return self.throughput.read_children(lines, at)
        return at if self.table is not None else self.throughput.read_test(lines, at)

    def reads_within_test(self, line: str, number: int) -> bool:
        """Whether a line can be none but one of the throughput test at hand."""
        within = line.startswith(WITHIN_TEST) and self.held is None and not self.throughput.repeats(line)
        return within and self.throughput.read(line, number)

    def read_other(self, line: str, number: int) -> None:
        """Read a line that is none of the table."""
        if self.starts_run(line):
            self.begin(number)
        elif self.goes_on_without_banner(line):
            command, mode = self.run.command, self.run.mode
            self.begin(number)
            self.run.take_over(command, mode)
        if "reclen" in line and HEADING.search(line):
            self.table = Table(self.run, line, self.above[-1] if self.above else "")
        elif not self.run.tabular and line[-2:].strip().isdecimal() and is_headless_row(line):
            self.table = Table(self.run)
            self.table.read(line, number)
        elif not self.reads_throughput(line, number) and not self.reads_report(line, number):
            self.read_header(line, number)

    def read_header(self, line: str, number: int) -> None:
        """Read a line of the banner, of the options, or of the end."""
        read_header(self.run, line, number)
        if self.table is not None and (self.run.finished or self.run.promised & {"rate"}):
            self.table.close()
            self.table = None

    def reads_throughput(self, line: str, number: int) -> bool:
        """Whether a line belongs to a throughput test."""
        if self.held and self.reads_wrapped(line, *self.held):
            return True
        if not any(sign in line for sign in _THROUGHPUT):
            return False
        if self.throughput.read(line, number):
            return True
        self.held = (line, number) if "=" in line or "see" in line else None
        return False

    def reads_wrapped(self, line: str, held: str, number: int) -> bool:
        """Whether a line is the rest of the one held back, which lacks its value."""
        self.held = None
        if self.throughput.read(f"{held.rstrip()} {line.strip()}", number):
            return True
        self.run.break_off(f"no value: {held.strip()}", number)
        if "throughput for" in held:
            self.throughput.lose_name()
        return False

    def starts_run(self, line: str) -> bool:
        """Whether a line can only belong to another run than the one before it."""
        if BANNER in line:
            return bool(self.run.rows or self.run.stated.keys() - {"command"})
        if "iozone" in line and self.run.rows and "Command line used" not in line:
            return bool(find_command(line))
        if self.run.finished and "Command line used:" in line:
            return True
        return "Run began:" in line and "started" in self.run.stated

    def goes_on_without_banner(self, line: str) -> bool:
        """Whether a line belongs to another run of which only the numbers are there, as in notes and mails."""
        if "reclen" in line:
            return self.run.tabular and bool(HEADING.search(line))
        return "throughput for" in line and self.throughput.repeats(line)

    def reads_report(self, line: str, number: int) -> bool:
        """Whether a line belongs to an Excel report."""
        if self.excel is None:
            if '"' not in line and "eport" not in line:
                return False
            self.excel = Excel(self.run, list(self.above))
        return self.excel.read(line, number)

    def close(self) -> None:
        """End the run at hand."""
        promised = self.run.promised
        if self.excel is None and ("rate" in promised or promised >= {"chart", "processor"}):
            self.run.break_off("the Excel report is missing", 0)
        for part in (self.table, self.excel, self.throughput):
            if part is not None:
                part.close()
