"""Logs of one run of IOzone, automatic or in throughput mode, that came to its end: read in one step."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

from storagelab.parsers.benchmarks.iozone.checks import CHECKS
from storagelab.parsers.benchmarks.iozone.header import Run, read_header
from storagelab.parsers.benchmarks.iozone.log import TELLING, WITHIN_TEST, is_header, is_idle
from storagelab.parsers.benchmarks.iozone.table import Table
from storagelab.parsers.benchmarks.iozone.throughput import CHILD, SIZE, WITH_CHILDREN, Throughput
from storagelab.parsers.companion_lines import missing, missing_below
from storagelab.parsers.fast_path import CHOSEN, RECONSTRUCTED, Found, Ordinary, is_made_of
from storagelab.parsers.mean_checks import means_fit
from storagelab.parsers.model import Parsed, Row, Rows
from storagelab.parsers.text import ctime, line_at

_OPTION = r"\t[A-Z][\w ()/=*.:+'-]{1,100}\n"
_HEAD = re.compile(
    rf"{RECONSTRUCTED}\tIozone: Performance Test of File I/O\n"
    r"\t        Version \$Revision: (?P<version>\d\.\d{1,4}) \$\n"
    r"(?P<banner>(?:\t\tCompiled for [36][24] bit mode\.\n)?\t\tBuild: [\w. -]{1,60}\n\n"
    r"\tContributors:[\w ,.-]{1,100}\n(?>\t {13}[\w ,.-]{1,100}\n){1,20})\n"
    rf"\tRun began: (?P<began>\w{{3}} \w{{3}} [ \d]\d \d\d:\d\d:\d\d \d{{4}})\n\n"
    rf"(?P<options>(?:{_OPTION}){{0,40}}?)\tCommand line used: (?P<command>{CHOSEN})\n(?P<others>(?>{_OPTION}){{1,40}})"
)
_TESTS = re.compile(rf"(?>\n{WITH_CHILDREN.pattern})+")
_HEADING = re.compile(
    r"(?P<above>(?: +(?:random|bkwd|record|stride))+) *\n"
    r"(?P<heading> +kB +reclen(?: +(?:f|re|fre)?(?:write|read))+) *\n"
)
_END = re.compile(
    r"\n{1,4}iozone test complete\.\n(?:(?P<remark>Timer resolution is poor\. Some small transfers may have) *\n"
    r"reported inaccurate results\. Sizes \d{1,9} kBytes and below\.\n)?\n?"
)
_SIGNS = b"0123456789 \n"
_KNOWN = re.compile(
    r"\t(?:Auto Mode|Using (?:min|max)imum file size of \d+ kilobytes\."
    r"|Include (?:close|fsync) in write timing|No retest option selected|Time Resolution = [\d.]+ seconds\."
    r"|Processor cache (?:line )?size set to \d+ [kK]?[bB]ytes\.|File stride size set to \d+ \* record size\.)"
)


def read(text: str) -> Found | None:
    """Read a log of which the options say nothing unusual."""
    log = _HEAD.match(text)
    if not log:
        return None
    first = line_at(text, log.start("options"))
    stated = _stated(first, *log.group("version", "banner", "options", "command", "others"))
    started = ctime(log["began"])
    if not stated or not started:
        return None
    model, chosen = stated
    run = replace(model, rows=Rows(), clients=[], notes=[])
    add = _add_tests if text.startswith("\n", log.end()) else _add_table
    if not (end := _END.fullmatch(text, add(run, text, log.end()))) or run.cut:
        return None
    if end["remark"]:
        run.note(end["remark"], line_at(text, end.start("remark")))
    header: Row = {"tool": "iozone"} | run.keys() | {"started": started}
    parsed = Parsed(header, run.rows, notes=sorted(run.notes))
    means_fit(parsed, CHECKS)
    parsed.clients = run.clients
    return Found(parsed, chosen) if parsed.complete else None


def _add_tests(run: Run, text: str, start: int) -> int:
    """Take in all tests, and return where they end; the end of the text where there is none, or one is there twice."""
    tests, throughput = _TESTS.match(text, start), Throughput(run)
    line, end = line_at(text, start), start
    for test in WITH_CHILDREN.finditer(text, start, tests.end()) if tests else ():
        line += text.count("\n", end, test.start())
        if not throughput.add_test(test, range(line, line + SIZE)):
            return len(text)
        throughput.add_children(test["children"], line + SIZE)
        line, end = line + SIZE, test.start("children")
    throughput.close()
    return tests.end() if tests else len(text)


def _add_table(run: Run, text: str, start: int) -> int:
    """Take in an automatic table, and return where it ends; the end of the text where it leaves a doubt."""
    found = _HEADING.match(text, start)
    end = text.find("\n\n", start) + 1
    if not found or end <= found.end() or not is_made_of(text[found.end() : end], _SIGNS):
        return len(text)
    table = Table(run, found["heading"], found["above"])
    lines = list(enumerate(text[found.end() : end - 1].split("\n"), line_at(text, found.end())))
    at = 0
    while at < len(lines):
        number, line = lines[at]
        if not table.read(line, number):
            return len(text)
        at = table.read_alike(lines, at + 1)
    table.close()
    return len(text) if run.notes else end


@functools.lru_cache(maxsize=1024)
def _stated(first: int, version: str, banner: str, options: str, command: str, others: str) -> tuple[Run, str] | None:
    """Return a run that knows its options, and those words of them that a user chose; None where some are unusual."""
    lines = [line for line in f"{banner}{options}{others}".split("\n") if line.strip()]
    if "=3D" in command or any(word in command for word in TELLING) or not all(map(_is_usual, lines)):
        return None
    said = f"{options}\tCommand line used: {command}\n{others}"
    if missing(said, CHECKS.together) or missing_below(said, CHECKS.below):
        return None
    run = Run(stated={"tool_version": version, "started": ""}, finished=True)
    for number, line in enumerate(said.splitlines(), first):
        read_header(run, line, number)
    unknown = [line for line in f"{options}{others}".splitlines() if not (is_header(line) or _KNOWN.fullmatch(line))]
    is_unusual = run.cut or run.notes or run.promised or not run.stonewalled
    return None if is_unusual else (run, "\n".join([command, *unknown]))


def _is_usual(line: str) -> bool:
    """Whether a line states an option or nothing, and is none of a test."""
    is_of_a_test = line.startswith((CHILD, *WITHIN_TEST)) or "throughput" in line
    return (is_header(line) or is_idle(line)) and not is_of_a_test


ORDINARY = Ordinary("\tIozone: Performance Test of File I/O\n", read)
