"""Text reports of one test of IOR that came to its end: with a summary of all iterations, or run by IO500 without."""

from __future__ import annotations

import functools
import re
from typing import Any

from storagelab.parsers.benchmarks.file_system import FILE_SYSTEM, machine, of_one_run
from storagelab.parsers.benchmarks.ior import tables
from storagelab.parsers.benchmarks.ior.options import keys, lines_of_keys
from storagelab.parsers.benchmarks.ior.report import BANNER
from storagelab.parsers.benchmarks.ior.report_lines import BEST, highest, moved, printed, stonewalled
from storagelab.parsers.benchmarks.ior.runs_and_tests import (
    add_sizes,
    aggregate,
    file_size,
    has_all_tasks,
    is_stonewalled,
    is_within_io500,
    size_of_all,
    stonewalls,
    where_not_said,
)
from storagelab.parsers.benchmarks.ior.table_rows import END_OF_2_10, KEYS
from storagelab.parsers.fast_path import CHOSEN, RECONSTRUCTED, Found, Ordinary
from storagelab.parsers.mean_checks import fit
from storagelab.parsers.model import Parsed, Row, Rows
from storagelab.parsers.text import ctime, line_at
from storagelab.units import KIB

_DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}"
_SIZE = r"\d{1,15}(?:\.\d{1,2})? (?:bytes|[KMGTPE]iB)"
_SIZES = rf"\t?xfersize +[:=] {_SIZE}\n\t?blocksize +[:=] {_SIZE}\n\t?aggregate filesize +[:=] {_SIZE}\n"
_OPTIONS = (
    r"access +: [a-z-]{1,40}\ntype +: [a-z]{1,40}\nsegments +: \d{1,15}\nordering in a file +: [a-z ]{1,40}\n"
    r"ordering inter file +: [a-z ]{1,40}\n(?:task offset +: \d{1,9}\n)?(?:reorder random seed +: \d{1,15}\n)?"
    r"(?:nodes +: \d{1,9}\n)?tasks +: \d{1,9}\nclients per node +: \d{1,9}\n"
    r"(?:memoryBuffer +: \w{1,40}\ndataAccess +: \w{1,40}\nGPUDirect +: \d\n)?repetitions +: \d{1,9}\n"
    rf"{_SIZES}(?:stonewallingTime +: \d{{1,9}}\nstoneWallingWearOut +: \d\n)?"
)
_OPTIONS_OF_2 = (
    r"\taccess +[:=] [a-z-]{1,40}\n(?:\tpattern +[:=] [a-z]{1,40} \(\d{1,15} segments?\)\n)?"
    r"\tordering in a file +[:=] [a-z ]{1,40}\n\tordering inter file *[:=] ?[a-z ]{1,40}(?:= \d{1,9})?\n"
    rf"\tclients +[:=] \d{{1,9}} \(\d{{1,9}} per node\)\n\trepetitions +[:=] \d{{1,9}}\n{_SIZES}"
    r"(?:\tUsing stonewalling = \d{1,9} second\(s\)(?: with phase out)?\n)?"
)
_BEST = r"(?:Max (?:Write|Read): +\d{1,12}\.\d\d MiB/sec \(\d{1,12}\.\d\d MB/sec\)\n){0,2}"
_HEADER = (
    r"(?P<header>access +bw\(MiB/s\)(?: +IOPS +Latency\(s\))? +block\(KiB\) +xfer\(KiB\) +open\(s\) +wr/rd\(s\) +"
    r"close\(s\) +total\(s\) +iter) *\n-[ -]+\n"
)
_STONEWALL = (
    r"stonewalling pairs accessed min: \d{1,15} max: \d{1,15} -- min data: \d{1,12}\.\d GiB "
    r"mean data: \d{1,12}\.\d GiB time: \d{1,9}\.\ds\n"
)
_MOVED = (
    r"(?:WARNING: inconsistent file size by different tasks\.\n)?WARNING: Expected aggregate file size += \d{1,20}\.?\n"
    r"WARNING: Stat\(\) of aggregate file size += -?\d{1,20}\.?\n"
    r"WARNING: Using actual aggregate bytes moved = \d{1,20}\.?\n"
    r"(?:WARNING: [Mm]aybe caused by deadlineForStonewalling\n)?"
)
_ROW = r"(?:write|read)(?> +\d{1,20}(?:\.\d{1,20})?)+ *(?:XXCEL)?\n"
_VERBOSE = (
    rf"(?:Commencing (?:write|read) performance test: {_DATE}\n)?(?:0: stonewalling pairs accessed: \d{{1,15}}\n)?"
)
_ROWS = rf"(?P<rows>(?>{_VERBOSE}(?:{_STONEWALL})?(?:{_MOVED})?{_ROW})+)"
_BEHIND = r"(?:Pairs deadlineForStonewallingaccessed: \d{1,15}\n)?"
_SUMMARY = (
    rf"\n?{_BEST}{_BEHIND}\n?(?:Summary of all tests:\n(?=Operation   Max\(M)|(?=Operation  Max \(M))"
    r"(?P<over>[A-Za-z()# ]+)\n(?:\n?-[ -]+\n)?"
    r"(?P<means>(?>(?:write|read)(?> +(?:-?\d[\d.]{0,60}|(?!(?i:nan|inf))[A-Z]\w{1,20}))+ *\n)+)"
    rf"\n?{_BEST}\n?(?:Run f|F)inished *: (?P<finished>{_DATE})\n\n?"
)
_ONE = re.compile(rf"{_VERBOSE}(?P<stonewall>{_STONEWALL})?(?P<moved>{_MOVED})?(?P<row>{_ROW})")
"""A row, and what stands above it."""
_LOG = re.compile(
    rf"{RECONSTRUCTED}IOR-(?P<version>[\w.+-]{{1,40}}): MPI Coordinated Test of Parallel I/O\n\n?"
    r"(?:ior WARNING: [\w ()/.,]{1,120}\n)?"
    rf"(?:Run b|B)egan *: (?P<began>{_DATE})\nCommand line(?: used)? *: (?P<command>{CHOSEN})\n"
    r"Machine *: (?P<machine>Linux (?P<host>[\w.# :-]{0,200}\w))\n(?:Using synchronized MPI timer\n)?"
    r"(?:Start time skew across all tasks: -?\d{1,9}\.\d\d sec\n)?"
    rf"\n?(?:TestID +: \d{{1,9}}\nStartTime +: {_DATE}\n|Test \d{{1,9}} started: {_DATE}\n)?"
    rf"(?:Path *: (?P<path>{CHOSEN})\nFS(?:  +)?: (?P<fs>{FILE_SYSTEM})\n)?(?:Participating tasks: \d{{1,9}}\n)?"
    r"(?:Using reorderTasks '-C' \([a-z, ]{1,80}\)\n)?\n?(?:Options|Summary): ?\n"
    r"(?P<api>\t?api +[:=] \w[\w .=,()-]{0,80}\n)(?P<of_3>apiVersion +: [\w.()]{0,40}\n)?"
    rf"\t?test filename +[:=] (?P<file>{CHOSEN})\n(?P<options>{_OPTIONS}|{_OPTIONS_OF_2})"
    r"\n(?:Results: \n\n)?(?:Using Time Stamp \d{1,12} \(0x[0-9a-f]{1,12}\) for Data Signature\n)?"
    rf"(?:\[RANK 000\] open for reading file (?P<opened>{CHOSEN}) XXCEL\n)?"
    rf"(?:Commencing (?:write|read) performance test\.\n{_DATE}\n\n)?"
    rf"(?:{_HEADER}{_ROWS}{_BEHIND})?(?:(?<=\n)\Z|{_SUMMARY})"
)


_ABOVE = re.compile("accessed|WARNING|Commencing").search


def read(text: str) -> Found | None:
    """Read a report in which each operation has as many iterations as its summary says, or of an IOR run by IO500."""
    log = _LOG.fullmatch(text)
    if not log:
        return None
    chosen = "\n".join(filter(None, log.group("command", "host", "path", "file", "opened")))
    if ('"' in chosen and ":" in chosen) or bool(log["of_3"]) == log["options"].startswith("\t"):
        return None
    parsed = _summarised(log) if log["over"] else _of_one_iteration(log)
    return Found(parsed, chosen) if parsed and has_all_tasks(parsed.header) else None


def _summarised(log: re.Match[str]) -> Parsed | None:
    means, exact = _means(log)
    if "throughput" not in means:
        return None
    facts, sized, repetitions, is_partial = _facts_of(log, exact)
    samples = means.get("samples", [repetitions] * len(means["line"]))
    rows = Rows()
    if log["rows"]:
        singles, said = _iterations(log)
        done, counted = singles["operation"], dict(zip(means["operation"], samples, strict=True))
        if "block_size" not in exact or {operation: done.count(operation) for operation in done} != counted:
            return None
        if is_partial or any(said):
            rows.extend(found := _one_by_one(singles, said))
            is_partial = add_sizes(found, sized, is_partial)
            facts, *_ = _facts_of(log, exact, is_partial=is_partial)
        else:
            rows.add_columns(singles | {name: [value] * len(done) for name, value in sized.items()})
    if sized and not is_partial:
        means |= {name: [value] * len(means["line"]) for name, value in where_not_said(sized, means).items()}
    means.setdefault("samples", samples)
    if best := _best(log):
        if {*best["operation"]} != {*means["operation"]}:
            return None
        rows.add_columns(best)
    rows.add_columns(means)
    parsed = Parsed(_header(log) | facts, rows)
    return parsed if fit(parsed, means) else None


def _of_one_iteration(log: re.Match[str]) -> Parsed | None:
    """Read what IOR prints within IO500: one iteration of one operation, and no summary."""
    if not is_within_io500(log["command"]) or not log["rows"]:
        return None
    singles, said = _iterations(log)
    exact = _exact(log)
    _, sized, repetitions, is_partial = _facts_of(log, exact)
    if repetitions != 1 or len(said) != 1:
        return None
    rows = _one_by_one(singles, said)
    facts, *_ = _facts_of(log, exact, is_partial=add_sizes(rows, sized, is_partial))
    return Parsed(_header(log) | facts, rows)


def _one_by_one(singles: dict[str, Any], said: list[Row]) -> list[Row]:
    """Return iterations with what stands above each, which comes before its line."""
    *names, line = singles
    return [
        dict(zip(names, row, strict=False)) | above | {line: number}
        for *row, number, above in zip(*singles.values(), said, strict=True)
    ]


def _facts_of(log: re.Match[str], exact: dict[str, float], *, is_partial: bool = False) -> tuple[Row, Row, float, bool]:
    """Return what `_facts` does; the command is asked where a size is rounded everywhere else."""
    command = log["command"] if "." in log["options"] else ""
    is_partial = is_partial or stonewalls(log["command"])
    return _facts(log["api"] + log["options"], _lines(log, "options")[0], tuple(exact.items()), command, is_partial)


def _header(log: re.Match[str]) -> Row:
    header: Row = {"tool": "ior", "tool_version": log["version"], "command": log["command"]}
    for name, moment in (("started", log["began"]), ("ended", log["finished"])):
        if moment and (date := ctime(moment)):
            header[name] = date
    return header | (of_one_run(log["path"], log["fs"], log["machine"]) if log["path"] else machine(log["machine"]))


@functools.lru_cache(maxsize=1024)
def _facts(
    lines: str, first: int, exact: tuple[tuple[str, float], ...], command: str, is_partial: bool
) -> tuple[Row, Row, float, bool]:
    """Return the keys, the bytes of all processes, the repetitions, and whether fewer bytes may have been moved.

    The first line is that of the option behind the interface.
    """
    found = [printed(line.strip()) for line in lines.split("\n")]
    options, said_on = dict(found), {name: line for line, (name, _) in enumerate(found, first - 1)}
    facts = keys(options, dict(exact), command)
    total, is_partial = aggregate(options, facts), is_partial or is_stonewalled(options)
    if not is_partial and (size := file_size(facts, total)):
        facts["file_size"] = size
    facts |= lines_of_keys(facts, said_on)
    return facts, size_of_all(total, said_on), float(options["repetitions"]), is_partial


def _exact(log: re.Match[str]) -> dict[str, float]:
    """Sizes that the last row of the table of iterations says in full."""
    words = log["rows"].splitlines()[-1].split()
    columns = tables.iteration_columns(log["header"])
    sizes = ((name, float(words[place]) * unit) for place, name, unit in columns if name in KEYS)
    return {name: size for name, size in sizes if size % KIB == 0}


def _iterations(log: re.Match[str]) -> tuple[dict[str, Any], list[Row]]:
    """Iterations, without the sizes that the summary says too, and what stands above each."""
    rows, lines = log["rows"], _lines(log, "rows")
    said: list[Row] = [{}] * len(lines)
    if _ABOVE(rows):
        found = list(_ONE.finditer(rows))
        rows = "".join(one["row"] for one in found)
        lines = [lines[log["rows"].count("\n", 0, one.start("row"))] for one in found]
        said = [_above(one, line) for one, line in zip(found, lines, strict=True)]
    words = rows.replace("XXCEL", "").split()
    *columns, (last, _, _) = tables.iteration_columns(log["header"])
    width = last + 1
    if len(words) != width * len(lines):
        raise ValueError("rows that do not fit their header")
    columns_found = _operations(words[::width], "single")
    for position, name, unit in columns:
        if name not in KEYS:
            columns_found[name] = [float(word) * unit for word in words[position::width]]
    return columns_found | {"iteration": list(map(int, words[last::width])), "line": lines}, said


def _above(one: re.Match[str], line: int) -> Row:
    """Return what the lines above a row say of it."""
    found: Row = {}
    if text := one["stonewall"]:
        found |= stonewalled(text, line - (one["moved"] or "").count("\n") - 1)
    if text := one["moved"]:
        found |= moved(text, line - text.count("\n") + text.count("\n", 0, text.index("Using actual")))
    return found


def _means(log: re.Match[str]) -> tuple[dict[str, Any], dict[str, float]]:
    """Rows of the summary, and the keys that its last row carries; 2.10 ends rows with up to two columns more."""
    table, words, lines = tables.summary(log["over"]), log["means"].split(), _lines(log, "means")
    words = tables.without_touching(words) if words[-1] == END_OF_2_10 else words
    width, rest = divmod(len(words), len(lines))
    surplus = width - table.width
    if rest or (surplus and (surplus not in (1, 3) or set(words[width - 1 :: width]) != {END_OF_2_10})):
        raise ValueError("rows that do not fit their header")
    found = _operations(words[::width], "mean")
    for position, name, unit in table.columns:
        cells = words[position::width]
        if cells.count("NA") < len(cells):
            found[name] = [float(cell) * unit for cell in cells]
    exact = {name: found.pop(name)[-1] for name in KEYS if name in found}
    return found | {"line": lines}, exact


def _best(log: re.Match[str]) -> dict[str, Any] | None:
    best = list(BEST.finditer(log.string, log.end("options")))
    if not best:
        return None
    found = _operations([one[1].lower() for one in best], "max")
    rates = [highest(one) for one in best]
    found |= {name: [rate[name] for rate in rates] for name in rates[0]}
    return found | {"line": [line_at(log.string, one.start()) for one in best]}


def _lines(log: re.Match[str], group: str) -> list[int]:
    first = line_at(log.string, log.start(group))
    return list(range(first, first + log[group].count("\n")))


def _operations(words: list[str], statistic: str) -> dict[str, Any]:
    return {"operation": [tables.OPERATIONS[word] for word in words], "statistic": [statistic] * len(words)}


ORDINARY = Ordinary(BANNER, read)
