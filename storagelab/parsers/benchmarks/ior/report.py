"""IOR's text report, 2.10 to 4.x, one line at a time: each line of interest is known by its first four characters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import file_system
from storagelab.parsers.benchmarks.ior import table_rows, tables
from storagelab.parsers.benchmarks.ior.broken_tables import Lines, Numbered, whole_header, whole_row
from storagelab.parsers.benchmarks.ior.options import PRINTED
from storagelab.parsers.benchmarks.ior.report_lines import BEST, highest, moved, printed, stonewalled
from storagelab.parsers.benchmarks.ior.runs_and_tests import Log, Test, why_incomplete
from storagelab.parsers.launcher_prefixes import unquoted, without_label
from storagelab.parsers.model import Parsed, Row

BANNER = ": MPI Coordinated Test of Parallel I/O"


@dataclass(slots=True)
class Reader:
    """The log that is read, and what is open in it: a table, facts of the row to come."""

    log: Log = field(default_factory=Log)
    table: str = ""
    summary: str = ""
    coming: Row = field(default_factory=dict)
    errors: int = 0
    is_headed: bool = False
    """Whether a table had its header so far, or the first of the rows without one was seen."""
    broken_at: int = 0
    """Where the header of the open table, and so its rows, were broken into several lines; 0 where they were not."""

    @property
    def width(self) -> int:
        """How many words a row of the open table has."""
        return tables.width(self.table) if self.table else tables.summary(self.summary).width


def parse(text: str) -> Parsed:
    """Read a text report."""
    reader = Reader()
    numbered = text.split("\n")
    cut = numbered.pop()
    lines = iter(enumerate(numbered, 1))
    for number, line in lines:
        _line(reader, number, line, lines)
    return _finish(reader, len(numbered), cut)


def _line(reader: Reader, number: int, line: str, lines: Lines) -> None:
    handle = HANDLERS.get(line[:4])
    if handle:
        handle(reader, number, line, lines)
    elif line:
        _labelled(reader, number, line, lines)


def _labelled(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if reader.log.calls.hear(line, number):
        return
    for bare in (unquoted(line), without_label(line), without_label(unquoted(line))):
        handle = HANDLERS.get(bare[:4])
        if handle:
            handle(reader, number, bare, lines)
            return
    if (reader.table or reader.summary) and _looks_like_a_row(line):
        reader.log.parsed.incomplete(f"a row of no known operation: {line[:80]!r}", number)


def _looks_like_a_row(line: str) -> bool:
    """Whether a line may be a damaged row: many numbers, some of them with decimals, and no hint of MPI-IO.

    ``romio_aggregator_list = 0 4 8 ...`` has as many numbers as the file has aggregators.
    """
    words = line.split()
    cells = [word for word in words if word[0].isdecimal()]
    return len(cells) > _SHORTEST_ROW and "=" not in words and any("." in cell or "," in cell for cell in cells)


def _banner(reader: Reader, number: int, line: str, lines: Lines) -> None:
    version, banner, _ = line[4:].partition(BANNER)
    if banner:
        reader.is_headed = True
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
    name, value = printed(line)
    if name in PRINTED:
        reader.log.test(number).option(name, value, number)
    elif name:
        reader.log.parsed.incomplete(f"an option of no known name: {line.strip()[:80]!r}", number)


def _access(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if not line.startswith("access ") or "bw(" not in line:
        _option(reader, number, line, lines)
        return
    reader.is_headed = True
    if reader.log.is_followed_by_a_table():
        reader.log.start_run("", number)
    header, behind = whole_header(line, lines, tables.heads_iterations)
    if tables.has_iterations(header) or (behind and tables.is_ruled(header, behind[1])):
        reader.table, reader.broken_at = header, len(line) if header != line else 0
    else:
        reader.log.parsed.incomplete(f"the header of the table of iterations is damaged: {line[:80]!r}", number)
    _go_on(reader, behind, lines)


def _operation(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if "Max" in line and "MiB)" in line:
        reader.is_headed = True
        header, behind = whole_header(line, lines, tables.heads_summary)
        reader.summary, reader.table = header, ""
        reader.log.summed_test(number).is_summed = True
        reader.broken_at = len(line) if header != line else 0
        _go_on(reader, behind, lines)


def _go_on(reader: Reader, behind: Numbered | None, lines: Lines) -> None:
    if behind:
        _line(reader, *behind, lines)


def _row(reader: Reader, number: int, line: str, lines: Lines) -> None:
    words = line.split()
    operation = tables.OPERATIONS.get(words[0])
    if not operation:
        return
    if not reader.is_headed and (header := tables.usual_header(line)):
        reader.table, reader.is_headed = header, True
        reader.log.parsed.incomplete("an excerpt: rows without the header of their table", number)
    words, behind = whole_row(line, lines, reader.width, reader.broken_at) if reader.broken_at else (words, None)
    _row_of(reader, number, line, words, operation)
    _go_on(reader, behind, lines)


def _row_of(reader: Reader, number: int, line: str, words: list[str], operation: str) -> None:
    """File a row of the table that is open."""
    try:
        if reader.table:
            row = table_rows.iteration(reader.log, reader.table, number, line, words, reader.coming)
            reader.log.test(number).iterations.append(row)
            reader.coming = {}
        elif reader.summary:
            table_rows.add_summary(reader.log, reader.summary, number, words, operation)
        elif len(words) > _SHORTEST_ROW:
            raise ValueError(line)
    except ValueError:
        if len(words) > 1 and words[1][:1].isdecimal():
            text = f"a row that no header explains, or a damaged one: {line[:80]!r}"
            reader.log.parsed.incomplete(text, number)


_SHORTEST_ROW = 7
_MOST_ERRORS = 5


def _warning(reader: Reader, number: int, line: str, lines: Lines) -> None:
    reader.coming |= moved(line, number)


def _stonewall(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if found := stonewalled(line, number):
        reader.coming |= found
    else:
        _option(reader, number, line, lines)


def _best(reader: Reader, number: int, line: str, lines: Lines) -> None:
    best = BEST.match(line)
    if best:
        operation = best[1].lower()
        row: Row = {"operation": operation, "statistic": "max", **highest(best), "line": number}
        reader.log.best_test(operation, number).best.append(row)


def _environment(reader: Reader, number: int, line: str, lines: Lines) -> None:
    """``-vvv`` prints the environment: none of our business."""
    if line.startswith("STARTING ENVIRON"):
        for _, variable in lines:
            if "ENDING ENVIRON" in variable:
                break


def _error(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if "ERROR" not in line:
        if not reader.log.calls.hear(line, number):
            _warning(reader, number, line, lines)
    elif reader.errors < _MOST_ERRORS:
        reader.errors += 1
        reader.log.parsed.note(line[:200], number)


def _place(reader: Reader, number: int, line: str, lines: Lines) -> None:
    """``Machine``, ``Path`` and ``FS``: where the tool ran, and on what."""
    name, sign, value = line.partition(":")
    if sign and (read := PLACES.get(name.strip())):
        reader.log.run().ran_at(read(value))


PLACES = {"Machine": file_system.machine, "Path": file_system.path, "FS": file_system.file_system}


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
    **dict.fromkeys(("Mach", "Path", "FS  ", "FS: ", "FS :"), _place),
    **dict.fromkeys(("----", "Star", "apiV", "type"), _nothing),
    **dict.fromkeys(("Resu", "test", "memo", "data", "GPUD"), _nothing),
}


def _finish(reader: Reader, last: int, cut: str) -> Parsed:
    log = reader.log
    if not any(run.version for run in log.runs) and not any(test.rows() for test in log.tests):
        raise ParseError("an IOR report: its banner or its tables", cut, last)
    if without_label(cut):
        log.parsed.incomplete("the last line has no line end and was not read", last + 1)
    tests_of: dict[int, list[Test]] = defaultdict(list)
    for test in log.tests:
        tests_of[id(test.run)].append(test)
    for ordinal, run in enumerate(log.runs, 1):
        why = why_incomplete(run, tests_of[id(run)])
        if why:
            log.parsed.incomplete(f"run {ordinal}: {why}", last)
    return log.finish()
