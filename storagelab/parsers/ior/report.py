"""IOR's text report, 2.10 to 4.x, one line at a time: each line of interest is known by its first four characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.ior import tables
from storagelab.parsers.ior.log import Log, Run, Test
from storagelab.parsers.ior.options import PRINTED
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.ranks import unquoted, without_label
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
    """``TestID : 1`` or ``Test 1 started: date`` opens a test."""
    words = line.split()
    if words[0] == "TestID" and len(words) > 2:
        reader.log.start_test(words[2], number)
    elif len(words) > 2 and words[2].startswith("started"):
        reader.log.start_test(words[1], number)
    else:
        return
    reader.table = reader.summary = ""


def _block(reader: Reader, number: int, line: str, lines: Lines) -> None:
    """``Summary:`` of 2.x and 3.0 and ``Options:`` of 3.2 and later head the options of a test."""
    if line.rstrip() in ("Summary:", "Options:") and reader.log.test(number).options:
        reader.log.start_test("", number)


def _option(reader: Reader, number: int, line: str, lines: Lines) -> None:
    name, sign, value = line.partition(":")
    if not sign or "=" in name:
        name, sign, value = line.partition("=")
    name = name.rstrip()
    if sign and name in PRINTED:
        reader.log.test(number).options[name] = value.strip()


def _access(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if line.startswith("access ") and "bw(" in line:
        reader.table = line
    else:
        _option(reader, number, line, lines)


def _operation(reader: Reader, number: int, line: str, lines: Lines) -> None:
    if "Max" in line and "(MiB)" in line:
        reader.summary, reader.table = line, ""


def _row(reader: Reader, number: int, line: str, lines: Lines) -> None:
    words = line.split()
    operation = tables.OPERATIONS.get(words[0])
    if operation and reader.table:
        _iteration_row(reader, number, line, words, operation)
    elif operation and reader.summary:
        _summary_row(reader, number, words, operation)


def _iteration_row(reader: Reader, number: int, line: str, words: list[str], operation: str) -> None:
    columns = tables.iteration_columns(reader.table)
    try:
        if len(words) <= columns[-1][0]:
            words = tables.aligned(reader.table.rstrip(), line.rstrip())
        values = tables.cells(columns, words)
    except ValueError:
        if len(words) > 1 and words[1][:1].isdigit():
            reader.log.parsed.incomplete(f"a row of the table of iterations is damaged: {line[:80]!r}", number)
        return
    test = reader.log.test(number)
    for name in ("block_size", "record_size"):
        value = values.pop(name, None)
        if isinstance(value, float):
            test.exact.setdefault(name, value)
    if "iteration" in values:
        values["iteration"] = int(values["iteration"])
    test.iterations.append({"operation": operation, "statistic": "single", **values, **reader.coming, "line": number})
    reader.coming = {}


def _summary_row(reader: Reader, number: int, words: list[str], operation: str) -> None:
    try:
        values = tables.cells(tables.summary_columns(reader.summary), words)
    except (ValueError, IndexError):
        reader.log.parsed.incomplete(f"a row of the summary is damaged: {' '.join(words)[:80]!r}", number)
        return
    id, api, mode = (_word(words, tables.summary_place(reader.summary, name)) for name in ("Test#", "API", "fPP"))
    test = reader.log.test_of(id)
    for name in ("processes", "processes_per_node", "segments", "block_size", "record_size"):
        value = values.pop(name, None)
        if isinstance(value, float):
            test.exact[name] = value
    if api:
        test.options.setdefault("api", api)
    if mode:
        test.options.setdefault("access", "file-per-process" if mode == "1" else "single-shared-file")
    if "throughput" not in values:
        text = f"IOR's summary of {operation} is not a number, and its mean time is over iterations that did not run"
        reader.log.parsed.note(f"{text}: {' '.join(words[1:10])}", number)
    test.summaries.append({"operation": operation, "statistic": "mean", **values, "line": number})


def _word(words: list[str], place: int) -> str:
    return words[place] if 0 <= place < len(words) else ""


_IO500 = re.compile(r"^\./ior .*-Q[ =]1 -g -G(?!.* -v)")
"""IO500 calls IOR as a library, with these options: then IOR prints neither a summary nor an end."""
_MOST_ERRORS = 5
_MOVED = re.compile(r"Using actual aggregate bytes moved\s*=\s*(\d+)")
_STONEWALL = re.compile(r"pairs accessed min: (\d+) max: (\d+) .*time: ([\d.]+)s")
_BEST = re.compile(r"Max (Write|Read):\s+[\d.]+ MiB/sec \(([\d.]+) MB/sec\)")


def _warning(reader: Reader, number: int, line: str, lines: Lines) -> None:
    moved = _MOVED.search(line)
    if moved:
        reader.coming["data_size"] = float(moved[1])


def _stonewall(reader: Reader, number: int, line: str, lines: Lines) -> None:
    pairs = _STONEWALL.search(line)
    if pairs:
        reader.coming["operations_min"] = float(pairs[1])
        reader.coming["operations_max"] = float(pairs[2])
        reader.coming["stonewall_time"] = float(pairs[3])
    else:
        _option(reader, number, line, lines)


def _best(reader: Reader, number: int, line: str, lines: Lines) -> None:
    best = _BEST.match(line)
    if best:
        operation, throughput = best[1].lower(), float(best[2]) * MB
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
    **dict.fromkeys(("----", "Mach", "Star", "Path", "FS  ", "FS: ", "Resu", "test", "memo", "data", "GPUD"), _nothing),
}


def _finish(reader: Reader, last: int, cut: str) -> Parsed:
    log = reader.log
    if not log.runs and not log.tests:
        raise ParseError("an IOR report: its banner or its tables", cut, last)
    if cut.strip():
        log.parsed.incomplete("the last line has no line end and was not read", last + 1)
    for place, run in enumerate(log.runs, 1):
        why = _why_incomplete(run, [test for test in log.tests if test.run is run])
        if why:
            log.parsed.incomplete(f"run {place}: {why}", last)
    return log.finish()


def _why_incomplete(run: Run, tests: list[Test]) -> str:
    """Say what is missing of a whole run, or ""; one with a damaged row has been found incomplete already."""
    if not any(test.iterations or test.summaries or test.best for test in tests):
        return "no results"
    if run.ended or (_IO500.search(run.command) and all(_all_iterations(test) for test in tests)):
        return ""
    return "no 'Finished' line"


def _all_iterations(test: Test) -> bool:
    done = [row["operation"] for row in test.iterations]
    return bool(done) and all(done.count(operation) == int(test.options.get("repetitions", "0")) for operation in done)
