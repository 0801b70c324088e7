"""mdtest's text report, 1.8 to 4.x, one line at a time: each line of interest is known by its first four characters."""

from __future__ import annotations

import re
from collections.abc import Callable

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import file_system
from storagelab.parsers.benchmarks.mdtest import details, summary, tables
from storagelab.parsers.benchmarks.mdtest.log import Run, finish
from storagelab.parsers.benchmarks.mdtest.reader import Reader
from storagelab.parsers.launcher_prefixes import unquoted, without_label
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number as decimal
from storagelab.parsers.values_on_several_lines import on

_LAUNCH = re.compile(r"mdtest-(\S+) was launched with (\d+) total task\(s\) on (\d+) node")
_TOTAL = re.compile(r"(?<!\d)(\d+) tasks?, (\d+) (?:files?|director)")
_TOTAL_DAMAGED = re.compile(r"(?=.*[a-z])\d+\s++(?:tasks?,)?\s*+(?:\d+\s*+)?(?:files?(?:/directories)?|directories)?")
_STONEWALL = re.compile(r"Continue stonewall hit min: (\d+) max: (\d+)(?: avg: (\d+[.,]\d+))?")
_FAILURE = re.compile(r"FAILED in .*|\bERROR[:,] .*|MPI_ABORT was invoked.*")
_MOST_FAILURES = 5
_EXIT = re.compile(r"exit codes?: (\d+)")


def parse(text: str) -> Parsed:
    """Read a text report."""
    reader = Reader()
    lines = text.split("\n")
    cut = lines.pop()
    for number, line in enumerate(tables.unwrapped(lines), 1):
        for part in tables.unfolded(line):
            _take(reader, number, part)
    return _finish(reader, len(lines), cut)


def _take(reader: Reader, number: int, line: str) -> None:
    handle = HANDLERS.get(line[:4])
    if handle:
        handle(reader, number, line)
    elif line:
        _labelled(reader, number, line)


def _labelled(reader: Reader, number: int, line: str) -> None:
    if reader.calls.hear(line, number):
        return
    if (" task" in line[:24] or line[0].isdecimal()) and _total(reader, number, line):
        return
    for bare in (unquoted(line), without_label(line), line.lstrip("`'\"")):
        handle = HANDLERS.get(bare[:4])
        if handle:
            handle(reader, number, bare)
            return
    if reader.table:
        summary.doubt(reader, number, line.split())
    failure = _FAILURE.search(line) if reader.failures < _MOST_FAILURES else None
    if failure:
        reader.failures += 1
        reader.parsed.note(failure[0][:200], number)


def _total(reader: Reader, number: int, line: str) -> bool:
    """``4 tasks, 1200 files/directories``; one launch tries several numbers of tasks with ``-f``, ``-l`` and ``-s``."""
    total = _TOTAL.search(line)
    if not total:
        if _TOTAL_DAMAGED.fullmatch(line.strip()):
            reader.parsed.incomplete(f"the line of tasks and files is damaged: {line[:80]!r}", number)
        return False
    run = reader.run(number)
    if run.measured():
        run.ended = True
        run = reader.next_run(number)
    run.total = float(total[2])
    run.processes = float(total[1])
    run.said_on["total"] = number
    return True


def _stamp(line: str) -> str:
    """Return the time of a line of start or end; in a program's text a quote stands before or behind it."""
    return line.partition(" at ")[2].partition(" --")[0].rstrip(" -")


def _started(reader: Reader, number: int, line: str) -> None:
    reader.started = _stamp(line)
    reader.table = None


def _finished(reader: Reader, number: int, line: str) -> None:
    if "finished at" in line:
        run = reader.run(number)
        run.finished, run.ended = _stamp(line), True
        reader.table = None


def _rule_or_stamp(reader: Reader, number: int, line: str) -> None:
    """A rule below a heading, or a time stamp where the whole report stands as far to the right as rules do."""
    if "started at" in line:
        _started(reader, number, line)
    else:
        _finished(reader, number, line)


def _launch(reader: Reader, number: int, line: str) -> None:
    launch = _LAUNCH.match(line)
    reader.is_headed = True
    if launch:
        run = Run(number, launch[1], started=reader.started)
        run.processes, run.nodes = float(launch[2]), float(launch[3])
        run.said_on["launch"] = number
        reader.runs.append(run)
        reader.started = reader.per_process = ""
        reader.calls.take(number)
        reader.table = None
        reader.iteration = -1
    else:
        reader.calls.hear(line, number)


def _command(reader: Reader, number: int, line: str) -> None:
    if line.startswith("Command line used:"):
        run = reader.next_run(number) if reader.run(number).measured() else reader.run(number)
        run.command, run.line = line[18:].strip(), number
        run.said_on["command"] = number


def _continued(reader: Reader, number: int, line: str) -> None:
    if found := stonewalled(line, number):
        reader.run(number).stonewall = found


def stonewalled(text: str, line: int) -> Row:
    """Return how many items processes had created when the time of a stonewall was over; {} where a text says none."""
    hit = _STONEWALL.match(text)
    if not hit:
        return {}
    found: Row = {"operations_min": float(hit[1]), "operations_max": float(hit[2])}
    return on(line, found | ({"operations_mean": decimal(hit[3])} if hit[3] else {}))


def _application(reader: Reader, number: int, line: str) -> None:
    code = _EXIT.search(line)
    if code:
        reader.parsed.header["exit_status"] = float(code[1])


def _place(reader: Reader, number: int, line: str) -> None:
    """``Path`` and ``FS``: what was tested."""
    name, sign, value = line.partition(":")
    if sign and (read := PLACES.get(name.strip())):
        run = reader.run(number)
        run.place = read(value) | run.place


PLACES = {"Path": file_system.path, "FS": file_system.file_system}


def _file_row(reader: Reader, number: int, line: str) -> None:
    """A row of files, or ``FS:`` where the whole report stands as far to the right as rows do."""
    (_place if line.startswith(("   FS:", "   FS ")) else summary.row)(reader, number, line)


def _nothing(reader: Reader, number: int, line: str) -> None:
    """Known, and says nothing of a measurement."""


HANDLERS: dict[str, Callable[[Reader, int, str], None]] = {
    **dict.fromkeys(("   D", "   T", "File", "Dire", "Tree"), summary.row),
    "   F": _file_row,
    **dict.fromkeys(("   O", "Oper"), summary.header),
    "-- s": _started,
    "- st": _started,
    **dict.fromkeys(("-- f", "- fi"), _finished),
    "mdte": _launch,
    "Comm": _command,
    "SUMM": summary.heading,
    **dict.fromkeys(("V-0:", "V-1:", "V-2:", "V-3:", " * i"), details.verbose),
    "Per ": details.per_process,
    "iter": details.iteration,
    "Test": details.processes,
    "Cont": _continued,
    "Appl": _application,
    **dict.fromkeys(("Path", "FS  ", "FS: ", "FS :"), _place),
    "   -": _rule_or_stamp,
    **dict.fromkeys(("----", "Node", "WARN"), _nothing),
}


def _finish(reader: Reader, last: int, cut: str) -> Parsed:
    if not any(run.version or run.quantity or run.measured() for run in reader.runs):
        raise ParseError("an mdtest report: its launch line or its summary", cut, last)
    if without_label(cut):
        reader.parsed.incomplete("the last line has no end and is not trusted", last + 1)
    for part, run in enumerate(reader.runs, 1):
        why = run.why_incomplete()
        if why:
            reader.parsed.incomplete(f"run {part}: {why}", last)
    return finish(reader.parsed, reader.runs)
