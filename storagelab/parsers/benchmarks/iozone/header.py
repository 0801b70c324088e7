"""One run of IOzone inside a log: what its banner and options say, and the rows found so far."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from storagelab.parsers.benchmarks.iozone.command import Command, find_command, read_command
from storagelab.parsers.model import Note, Row, Rows
from storagelab.parsers.text import ctime
from storagelab.schema import LINE_OF
from storagelab.units import KIB, MICROSECOND

FACTORS = {"throughput": KIB, "operation_rate": 1.0, "latency": MICROSECOND}
_SIZES = {"file_size": "s", "record_size": "r"}
"""Sizes of a run, and the option that sets each."""
BANNER = "Iozone: Performance Test of File I/O"


@dataclass(slots=True)
class Run:
    """What one run says about itself, and the lines of it; `cut` says why it is not whole, and `cut_line` where."""

    line: int = 1
    host: str = ""
    command: Command = field(default_factory=Command)
    stated: Row = field(default_factory=dict)
    sizes: dict[str, set[float]] = field(default_factory=dict)
    said_on: dict[str, int] = field(default_factory=dict)
    mode: str = ""
    stonewalled: bool = True
    tabular: bool = False
    finished: bool = False
    reported: bool = False
    promised: set[str] = field(default_factory=set)
    cut: str = ""
    cut_line: int = 0
    rows: Rows = field(default_factory=Rows)
    clients: list[Row] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def quantity(self) -> str:
        """What the numbers of the automatic table are: rates of bytes, rates of operations (-O) or times (-N)."""
        if self.mode:
            return self.mode
        return "operation_rate" if self.command.has("O") else "latency" if self.command.has("N") else "throughput"

    def break_off(self, why: str, line: int) -> None:
        """Mark the run as cut; the first reason stands."""
        if not self.cut:
            self.cut, self.cut_line = why, line

    def note(self, text: str, line: int = 0) -> None:
        """Say something once."""
        if all(text != said.text for said in self.notes):
            self.notes.append(Note(line, text))

    def drop(self, row: Row) -> None:
        """Take a row back."""
        self.rows = Rows([other for other in self.rows if other is not row])

    def take_over(self, command: Command, mode: str) -> None:
        """Believe what the log said last, where only numbers follow."""
        self.command, self.mode = command, mode
        if command.text:
            self.stated["command"] = command.text

    def read_command(self, text: str, line: int) -> None:
        """Take in a command line."""
        self.command = read_command(text)
        self.said_on["command"] = line

    def keys(self) -> Row:
        """Return what holds for all rows of the run, as far as the log says it."""
        keys: Row = {"statistic": "single"}
        if self.host:
            keys["host"] = self.host
        keys |= self.stated
        for name, letter in _SIZES.items():
            stated = self.sizes.get(name, set())
            size = self.command.size(letter) if not stated else min(stated) if len(stated) == 1 else None
            if size and name not in keys:
                keys[name] = size
        if not self.tabular:
            keys |= self._lines_of_sizes(keys)
        if self.tabular:
            keys.setdefault("processes", 1.0)
        elif "processes" not in keys and (children := self.command.count("t")):
            keys["processes"] = children
        if self.rows.distinct("processes") - {keys.get("processes")}:
            keys.pop("processes", None)
        return keys

    def _lines_of_sizes(self, keys: Row) -> Row:
        """Lines on which the sizes are said: by themselves, else in the command line."""
        lines = {name: self.said_on.get(name, self.said_on.get("command")) for name in _SIZES if name in keys}
        return {LINE_OF[name]: line for name, line in lines.items() if line}


def read_header(run: Run, line: str, number: int) -> None:
    """Take in a line of the banner or the options."""
    if reader := _READERS.get(_first_word(line)):
        reader(run, line, number)
    elif "$Revision" in line and (match := re.search(r"\$Revision:\s*([\d.]+)", line)):
        run.stated["tool_version"] = match[1]
    else:
        _read_elsewhere(run, line, number)


def may_state(line: str) -> bool:
    """Whether `read_header` could find something in a line."""
    return (
        _first_word(line) in _READERS
        or "$Revision" in line
        or "iozone" in line
        or bool(_SIGN.search(line) or _FAILURE.search(line))
    )


def _first_word(line: str) -> str:
    return next(iter(line.split()), "")


def _read_elsewhere(run: Run, line: str, number: int) -> None:
    if "iozone" in line and "Command line used" not in line and (command := find_command(line)):
        run.read_command(command, number)
        run.stated.setdefault("command", command)
    elif match := _SIGN.search(line):
        _READERS[match[0].split()[0]](run, line[match.start() :], number)
    elif _FAILURE.search(line):
        run.break_off(line.strip(), number)


def _read_began(run: Run, line: str, number: int) -> None:
    started = ctime(line.partition(":")[2])
    if started:
        run.stated["started"] = started


def _read_size(run: Run, line: str, number: int) -> None:
    match = re.search(r"(File size set to|Record [Ss]ize(?: =)?) (\d+) [kK][bB]", line)
    if match:
        name = "file_size" if match[1].startswith("File") else "record_size"
        run.sizes.setdefault(name, set()).add(float(match[2]) * KIB)
        run.said_on[name] = number


def _read_command(run: Run, line: str, number: int) -> None:
    text = line.partition("Command line used:")[2].strip()
    if text:
        run.read_command(text, number)
        run.stated["command"] = text


def _read_output(run: Run, line: str, number: int) -> None:
    if "ops/sec" in line or "operations per second" in line:
        run.mode = "operation_rate"
    elif "microseconds" in line:
        run.mode = "latency"
    elif "bytes/sec" in line:
        run.mode = "throughput"


def _read_ops(run: Run, line: str, number: int) -> None:
    run.mode = "operation_rate"


def _read_microseconds(run: Run, line: str, number: int) -> None:
    if "not supported" in line:
        run.break_off(line.strip(), number)
    run.mode = "latency"


def _read_children(run: Run, line: str, number: int) -> None:
    match = re.search(r"Throughput test with (\d+) (?:process|thread)", line)
    if match:
        run.stated["processes"] = float(match[1])


def _read_each(run: Run, line: str, number: int) -> None:
    match = re.search(r"Each (?:process|thread) writes a (\d+) [kK][bB]yte file in (\d+)?", line)
    if match:
        run.stated["file_size"] = float(match[1]) * KIB
        run.stated["file_mode"] = "file-per-process"
        run.said_on["file_size"] = number
        if match[2]:
            run.stated["record_size"] = float(match[2]) * KIB
            run.said_on["record_size"] = number


def _read_iozone(run: Run, line: str, number: int) -> None:
    if "test complete" in line:
        run.finished = "test complete." in line
    elif "interrupted" in line:
        run.break_off(line.strip(), number)
    else:
        _read_elsewhere(run, line, number)


def _read_promise(run: Run, line: str, number: int) -> None:
    if "Excel output is below" in line:
        run.promised.add("rate")
    elif "Excel chart generation enabled" in line:
        run.promised.add("chart")
    elif "CPU utilization Excel chart" in line:
        run.promised.add("processor")


def _read_stonewall(run: Run, line: str, number: int) -> None:
    run.stonewalled = "disabled" not in line


def _read_remark(run: Run, line: str, number: int) -> None:
    if "invalid in this mode" in line:
        run.stated["valid"] = "INVALID"
    run.note(line.strip(), number)


_READERS = {
    "Run": _read_began,
    "File": _read_size,
    "Record": _read_size,
    "Command": _read_command,
    "Output": _read_output,
    "OPS": _read_ops,
    "Microseconds/op": _read_microseconds,
    "Microsecond": _read_microseconds,
    "Throughput": _read_children,
    "Each": _read_each,
    "iozone": _read_iozone,
    "iozone:": _read_iozone,
    "Excel": _read_promise,
    "CPU": _read_promise,
    "Stonewall": _read_stonewall,
    "Performance": _read_remark,
    "Timer": _read_remark,
    "Selected": _read_remark,
}
_SIGN = re.compile(
    r"Run began:|File size set to|(?<!imum )Record [Ss]ize (?:= )?\d|Command line used:|Output is in|OPS Mode"
    r"|Microseconds/op Mode|Throughput test with|Each (?:process|thread) writes|Excel output is below"
    r"|iozone test complete|iozone: interrupted"
)
_FAILURE = re.compile(
    r"Error (?:reading|writing|in file)|Can ?not (?:open|mix)|No space left|I/O error|Fatal |Killed|Segmentation fault"
    r"|^\s*Sorry \.\.\.|^\s*Error:|^\s*[Ii]nvalid options?:"
)
