"""Reads a log of IOzone line by line: which line belongs to which run, and which part of a run it is."""

from __future__ import annotations

import re

from storagelab.parsers.iozone.collect import collect
from storagelab.parsers.iozone.command import find_command
from storagelab.parsers.iozone.excel import Excel
from storagelab.parsers.iozone.lines import Line, streams
from storagelab.parsers.iozone.run import BANNER, Run, read_header
from storagelab.parsers.iozone.table import HEADING, Table
from storagelab.parsers.iozone.throughput import Throughput, finish
from storagelab.parsers.model import Parsed

_THROUGHPUT = re.compile(r"throughput (?:for|per)|Min xfer|Child\[|Wall time")


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


class Log:
    """The runs of one stream of lines, in the order in which they were printed."""

    def __init__(self, host: str = "") -> None:
        self.host = host
        self.runs: list[Run] = []
        self.begin(1)

    def begin(self, line: int) -> None:
        """Start the next run."""
        self.run = Run(line, self.host)
        self.runs.append(self.run)
        self.table: Table | None = None
        self.excel: Excel | None = None
        self.throughput = Throughput(self.run)
        self.above: list[str] = []

    def read(self, lines: list[Line]) -> list[Run]:
        """Read all lines; the table's own are by far the most and come first."""
        for number, line in lines:
            if self.table is not None and self.table.read(line, number):
                continue
            if line and not line.isspace():
                self.read_other(line, number)
                self.above = [*self.above[-2:], line]
        self.close()
        for run in self.runs:
            finish(run)
        return self.runs

    def read_other(self, line: str, number: int) -> None:
        """Read a line that is none of the table."""
        if self.starts_run(line):
            self.close()
            self.begin(number)
        if "reclen" in line and HEADING.search(line):
            self.table = Table(self.run, line, self.above[-1] if self.above else "")
        elif _THROUGHPUT.search(line) and self.throughput.read(line, number):
            pass
        elif self.reads_report(line, number):
            pass
        else:
            read_header(self.run, line, number)

    def starts_run(self, line: str) -> bool:
        """Whether a line can only belong to another run than the one before it."""
        if BANNER in line:
            return bool(self.run.rows or self.run.stated)
        if "reclen" in line and HEADING.search(line):
            return bool(self.table)
        if "iozone" in line and self.run.rows and "Command line used" not in line:
            return bool(find_command(line))
        return "Run began:" in line and "started" in self.run.stated

    def reads_report(self, line: str, number: int) -> bool:
        """Whether a line belongs to an Excel report."""
        if self.excel is None:
            if '"' not in line and "eport" not in line:
                return False
            self.excel = Excel(self.run, self.above)
        return self.excel.read(line, number)

    def close(self) -> None:
        """End the run at hand."""
        for part in (self.table, self.excel):
            if part is not None:
                part.close()
