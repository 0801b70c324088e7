"""IOR's text report, 2.10 to 4.x, one line at a time: each line of interest is known by its first four characters."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import file_system
from storagelab.parsers.benchmarks.ior import rows, tables
from storagelab.parsers.benchmarks.ior.log import Log, Test, why_incomplete
from storagelab.parsers.benchmarks.ior.options import PRINTED
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.ranks import unquoted, without_label
from storagelab.parsers.several_lines import on
from storagelab.parsers.text import number as decimal
from storagelab.units import GIB, MB, MIB

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
    is_headed: bool = False
    """Whether a table had its header so far, or the first of the rows without one was seen."""
    wrapped_at: int = 0
    """Where the header of the open table, and so its rows, were broken into several lines; 0 where they were not."""


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


@functools.lru_cache(maxsize=1024)
def printed(line: str) -> tuple[str, str]:
    """Name and value of a line of the options, found once: the logs of a campaign repeat them.

    The name is "" where the line says nothing of a measurement, and none of `PRINTED` where it is damaged.
    """
    name, sign, value = line.partition(":")
    if not sign or "=" in name:
        name, sign, value = line.partition("=")
    name = name.rstrip()
    wanted = name in PRINTED or name.partition(" ")[0] in _LONG_NAMES
    if not sign:
        name, value = line[:_NAME_WIDTH].rstrip(), line[_NAME_WIDTH:].strip(" =:")
        wanted = name in PRINTED and len(line) > _NAME_WIDTH
    return (name, value.strip()) if wanted else ("", "")


def _access(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if not line.startswith("access ") or "bw(" not in line:
        _option(reader, number, line, lines)
        return
    reader.is_headed = True
    if reader.log.is_followed_by_a_table():
        reader.log.start_run("", number)
    header, behind = _unwrapped(line, lines, tables.heads_iterations)
    if tables.has_iterations(header) or (behind and tables.is_ruled(header, behind[1])):
        reader.table, reader.wrapped_at = header, len(line) if header != line else 0
    else:
        reader.log.parsed.incomplete(f"the header of the table of iterations is damaged: {line[:80]!r}", number)
    _go_on(reader, behind, lines)


def _operation(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if "Max" in line and "MiB)" in line:
        reader.is_headed = True
        header, behind = _unwrapped(line, lines, tables.heads_summary)
        reader.summary, reader.table = header, ""
        reader.log.summed_test(number).is_summed = True
        reader.wrapped_at = len(line) if header != line else 0
        _go_on(reader, behind, lines)


Numbered = tuple[int, str]


def _unwrapped(line: str, lines: Lines, goes_on: Callable[[str], bool]) -> tuple[str, Numbered | None]:
    """Join lines as long as what is joined is still a header: a terminal or a mail broke it, at a blank or in a word.

    Returns
    -------
    str
        The header.
    (int, str) or None
        The first line behind it; None at the end of the log.
    """
    for number, more in lines:
        if _BELOW.match(more):
            return line, (number, more)
        joined = [both for both in (line + more, f"{line} {more}") if more.strip() and goes_on(both)]
        if not joined:
            return line, (number, more)
        line = joined[0]
    return line, None


_BELOW = re.compile(r"\S+ +[-\d]")
"""A line of a table, below its header: no header has a second word that begins so."""


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
    words, behind = _whole_row(reader, line, lines) if reader.wrapped_at else (words, None)
    _row_of(reader, number, line, words, operation)
    _go_on(reader, behind, lines)


def _whole_row(reader: Reader, line: str, lines: Lines) -> tuple[list[str], Numbered | None]:
    """Join a row that was broken like its header, at the same column or at blanks, to as many words as that has."""
    width = tables.width(reader.table) if reader.table else tables.summary(reader.summary).width
    parts = [line]
    while True:
        for whole in ("".join(part.ljust(reader.wrapped_at) for part in parts), " ".join(parts)):
            if len(words := whole.split()) == width:
                return words, None
        following = next(lines, None)
        more = following[1].split() if following else []
        if not following or not more or more[0] in tables.OPERATIONS or len(parts) > width:
            return line.split(), following
        parts.append(following[1])


def _row_of(reader: Reader, number: int, line: str, words: list[str], operation: str) -> None:
    """File a row of the table that is open."""
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
_STONEWALL_DATA = re.compile(r" min data: (\d+[.,]\d+) GiB mean data: (\d+[.,]\d+) GiB ")
BEST = re.compile(r"Max (Write|Read):\s+(-?\d[\d.,]*) MiB/sec(?: \((-?\d+[.,]\d+) MB/sec\)|\s*$)", re.ASCII)
"""People leave out what stands in brackets."""


def _warning(reader: Reader, number: int, line: str, lines: Lines) -> None:
    reader.coming |= moved(line, number)


def moved(text: str, line: int) -> Row:
    """Return the bytes that IOR says it moved, where they are not those that it was asked for."""
    found = _MOVED.search(text)
    return on(line, {"data_size": float(found[1])}) if found else {}


def _stonewall(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if found := stonewalled(line, number):
        reader.coming |= found
    else:
        _option(reader, number, line, lines)


def stonewalled(text: str, line: int) -> Row:
    """Return what processes had done when the time of a stonewall was over; {} where the text does not say."""
    pairs = _STONEWALL.search(text)
    if not pairs:
        return {}
    found: Row = {"operations_min": float(pairs[1]), "operations_max": float(pairs[2])}
    found["stonewall_time"] = decimal(pairs[3])
    if data := _STONEWALL_DATA.search(text):
        sizes = zip(("data_size_min", "data_size_mean"), map(decimal, data.groups()), strict=True)
        found |= {name: size * GIB for name, size in sizes if size}
    return on(line, found)


def _best(reader: Reader, number: int, line: str, lines: Lines) -> None:
    best = BEST.match(line)
    if best:
        operation = best[1].lower()
        row: Row = {"operation": operation, "statistic": "max", **highest(best), "line": number}
        reader.log.best_test(operation, number).best.append(row)


def highest(best: re.Match[str]) -> Row:
    """Return the rate of the best iteration: in 10^6 bytes it has more digits, in MiB it is that of the table."""
    rate = decimal(best[2]) * MIB
    return {"throughput": decimal(best[3]) * MB, "throughput_rounded": rate} if best[3] else {"throughput": rate}


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
