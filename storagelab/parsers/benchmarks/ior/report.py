"""IOR's text report, 2.10 to 4.x, one line at a time: each line of interest is known by its first four characters."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks.ior import rows, tables
from storagelab.parsers.benchmarks.ior.log import Log, why_incomplete
from storagelab.parsers.benchmarks.ior.options import PRINTED
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.ranks import unquoted, without_label
from storagelab.parsers.text import number as decimal
from storagelab.units import MB

BANNER = ": MPI Coordinated Test of Parallel I/O"
Lines = Iterator[tuple[int, str]]


@dataclass(slots=True)
class Reader:
    """The log that is read, and what is open in it: a table, facts of the row to come."""

    log: Log = field(default_factory=Log)
    table: str = ""
    summary: str = ""
    coming: Row = field(default_factory=dict)
    errors: int = 0


def parse(text: str) -> Parsed:
    """Read a text report."""
    reader = Reader()
    numbered = text.split("\n")
    cut = numbered.pop()
    lines = iter(enumerate(numbered, 1))
    find = HANDLERS.get
    for number, line in lines:
        handle = find(line[:4])
        if handle:
            handle(reader, number, line, lines)
        elif line:
            _labelled(reader, number, line, lines)
    return _finish(reader, len(numbered), cut)


def _labelled(reader: Reader, number: int, line: str, lines: Lines) -> None:
    for bare in (unquoted(line), without_label(line), without_label(unquoted(line))):
        handle = HANDLERS.get(bare[:4])
        if handle:
            handle(reader, number, bare, lines)
            return
    cells = sum(word[0].isdecimal() for word in line.split()) if reader.table or reader.summary else 0
    if cells > _SHORTEST_ROW:
        reader.log.parsed.incomplete(f"a row of no known operation: {line[:80]!r}", number)


def _banner(reader: Reader, number: int, line: str, lines: Lines) -> None:
    version, banner, _ = line[4:].partition(BANNER)
    if banner:
        reader.log.start_run(version, number)
        reader.table = reader.summary = ""
        reader.coming = {}


def _began(reader: Reader, number: int, line: str, lines: Lines) -> None:
    reader.log.run().began = line.partition(":")[2]


def _run(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if line.startswith("Run began"):
        _began(reader, number, line, lines)
    elif line.startswith("Run finished"):
        _finished(reader, number, line, lines)


def _finished(reader: Reader, number: int, line: str, lines: Lines) -> None:
    run = reader.log.run()
    run.finished, run.ended = line.partition(":")[2], True


def _command(reader: Reader, number: int, line: str, lines: Lines) -> None:
    name, _, command = line.partition(":")
    if name.startswith("Command line"):
        reader.log.run().command = command.strip()
        reader.log.run().line = number


def _test(reader: Reader, number: int, line: str, lines: Lines) -> None:
    """``TestID : 1`` or ``Test 1 started: date`` opens a test; ``Test 0: Iter=..`` is a time stamp within one."""
    words = line.split()
    if "Time=" in line and reader.log.test(number).timers.add(number, line):
        return
    if words[0] == "TestID" and len(words) > 2:
        reader.log.start_test(words[2], number)
    elif len(words) > 2 and words[2].startswith("started"):
        reader.log.start_test(words[1], number)
    else:
        return
    reader.table = reader.summary = ""


def _block(reader: Reader, number: int, line: str, lines: Lines) -> None:
    """``Summary:`` of 2.x and 3.0 and ``Options:`` of 3.2 and later head the options of a test."""
    if line.startswith("Summary of all"):
        reader.table = reader.summary = ""
    elif line.rstrip() in ("Summary:", "Options:") and reader.log.test(number).options:
        reader.log.start_test("", number)


def _option(reader: Reader, number: int, line: str, lines: Lines) -> None:
    name, value = _printed(line)
    if name in PRINTED:
        reader.log.test(number).options[name] = value
    elif name:
        reader.log.parsed.incomplete(f"an option of no known name: {line.strip()[:80]!r}", number)


@functools.lru_cache(maxsize=1024)
def _printed(line: str) -> tuple[str, str]:
    """Name and value of a line of the options, found once: the logs of a campaign repeat them.

    The name is "" where the line says nothing of a measurement, and none of `PRINTED` where it is damaged.
    """
    name, sign, value = line.partition(":")
    if not sign or "=" in name:
        name, sign, value = line.partition("=")
    name = name.rstrip()
    wanted = name in PRINTED or name.split(" ", 1)[0] in _LONG_NAMES
    if not sign:
        name, value = line[:_NAME_WIDTH].rstrip(), line[_NAME_WIDTH:].strip(" =:")
        wanted = name in PRINTED and len(line) > _NAME_WIDTH
    return (name, value.strip()) if wanted else ("", "")


def _access(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if not line.startswith("access ") or "bw(" not in line:
        _option(reader, number, line, lines)
    elif tables.has_iterations(line):
        reader.table = line
    else:
        reader.log.parsed.incomplete(f"the header of the table of iterations is damaged: {line[:80]!r}", number)


def _operation(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if "Max" in line and "MiB)" in line:
        reader.summary, reader.table = line, ""


def _row(reader: Reader, number: int, line: str, lines: Lines) -> None:
    words = line.split()
    operation = tables.OPERATIONS.get(words[0])
    if not operation:
        return
    try:
        if reader.table:
            row = rows.iteration(reader.log, reader.table, number, line, words, reader.coming)
            reader.log.test(number).iterations.append(row)
            reader.coming = {}
        elif reader.summary:
            rows.add_summary(reader.log, reader.summary, number, words, operation)
        elif len(words) > _SHORTEST_ROW:
            raise ValueError(line)
    except ValueError:
        if len(words) > 1 and words[1][:1].isdecimal():
            text = f"a row that no header explains, or a damaged one: {line[:80]!r}"
            reader.log.parsed.incomplete(text, number)


_SHORTEST_ROW = 7
_LONG_NAMES = frozenset({"aggregate", "clients"})
_NAME_WIDTH = 18
"""Names of options are padded to this width, so that one whose colon is lost can still be told."""
_MOST_ERRORS = 5
_MOVED = re.compile(r"Using actual aggregate bytes moved\s*=\s*(\d+)")
_STONEWALL = re.compile(r"pairs accessed min: (\d+) max: (\d+) (?:(?!pairs accessed).)*time: (\d+[.,]\d+)s")
_BEST = re.compile(r"Max (Write|Read):\s+-?[\d.,]+ MiB/sec \((-?\d+[.,]\d+) MB/sec\)")


def _warning(reader: Reader, number: int, line: str, lines: Lines) -> None:
    moved = _MOVED.search(line)
    if moved:
        reader.coming["data_size"] = float(moved[1])


def _stonewall(reader: Reader, number: int, line: str, lines: Lines) -> None:
    pairs = _STONEWALL.search(line)
    if pairs:
        reader.coming["operations_min"] = float(pairs[1])
        reader.coming["operations_max"] = float(pairs[2])
        reader.coming["stonewall_time"] = decimal(pairs[3])
    else:
        _option(reader, number, line, lines)


def _best(reader: Reader, number: int, line: str, lines: Lines) -> None:
    best = _BEST.match(line)
    if best:
        operation, throughput = best[1].lower(), decimal(best[2]) * MB
        row: Row = {"operation": operation, "statistic": "max", "throughput": throughput, "line": number}
        reader.log.test(number).best.append(row)


def _environment(reader: Reader, number: int, line: str, lines: Lines) -> None:
    """``-vvv`` prints the environment: none of our business."""
    if line.startswith("STARTING ENVIRON"):
        for _, variable in lines:
            if "ENDING ENVIRON" in variable:
                break


def _error(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if "ERROR" not in line:
        _warning(reader, number, line, lines)
    elif reader.errors < _MOST_ERRORS:
        reader.errors += 1
        reader.log.parsed.note(line[:200], number)


def _nothing(reader: Reader, number: int, line: str, lines: Lines) -> None:
    """Known, and says nothing of a measurement."""


HANDLERS: dict[str, Callable[[Reader, int, str, Lines], None]] = {
    "IOR-": _banner,
    "Bega": _began,
    "Run ": _run,
    "Fini": _finished,
    "Comm": _command,
    "Test": _test,
    "Summ": _block,
    "Opti": _block,
    **dict.fromkeys(("api ", "patt", "segm", "orde", "node", "task", "clie", "repe", "xfer", "bloc", "aggr"), _option),
    "Usin": _option,
    "ston": _stonewall,
    "acce": _access,
    "Oper": _operation,
    **dict.fromkeys(("writ", "read", "remo"), _row),
    "Max ": _best,
    "WARN": _warning,
    "ior ": _error,
    "ERRO": _error,
    "STAR": _environment,
    **dict.fromkeys(("----", "Mach", "Star", "Path", "FS  ", "FS: ", "apiV", "type"), _nothing),
    **dict.fromkeys(("Resu", "test", "memo", "data", "GPUD"), _nothing),
}


def _finish(reader: Reader, last: int, cut: str) -> Parsed:
    log = reader.log
    if not any(run.version for run in log.runs) and not any(test.rows() for test in log.tests):
        raise ParseError("an IOR report: its banner or its tables", cut, last)
    if without_label(cut):
        log.parsed.incomplete("the last line has no line end and was not read", last + 1)
    for place, run in enumerate(log.runs, 1):
        why = why_incomplete(run, [test for test in log.tests if test.run is run])
        if why:
            log.parsed.incomplete(f"run {place}: {why}", last)
    return log.finish()
