"""Reports of dd out of the lines of a log."""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.dd.command import COMMAND, goes_on
from storagelab.parsers.benchmarks.dd.rate_line import LONGEST, RATED, read_timing, stands_alone
from storagelab.parsers.benchmarks.dd.report import Report
from storagelab.parsers.benchmarks.dd.shell_time import TIME, ZSH_TIME, shell_time, zsh_times
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Parsed, Row, columns
from storagelab.parsers.text import without_prefix
from storagelab.parsers.values_on_several_lines import on

_COUNT = re.compile(r"(?<![\d:.\ufffd])(\d+)\+(\d+) ?(?![\d:])")
_SIDE = {"records in": "read", "record in": "read", "records out": "write", "record out": "write"}
_WITHOUT_RATE = re.compile(r"[ \t]*(\d{1,300}) bytes(?: \([^()\n]{1,40}\))? copied[ \t]*$")
"""All that the dd of ELKS says of its copy, which it does not time."""
_PROGRESS = re.compile(r"\) transferred (?!in ).{1,60}/s")
"""BSD's ``status=progress``; with its end it says "transferred in"."""
_ERROR = re.compile(r"(?:^(?:[ \t]{0,40}(?:#|//|[;*%])[ \t]{1,9})?|[/\"'`])dd: ")
"""In a program's text a quote stands before it."""
_NARROW = {0xA0: " ", 0x202F: " ", 0xFF08: " (", 0xFF09: ") ", 0xFF0C: ","}
"""French puts blanks that do not break between numbers and words, Chinese wide brackets and commas."""


def parse(text: str) -> Parsed:
    """Read all reports of a log; see the module for what rows hold.

    Raises
    ------
    ParseError
        If there is neither a report nor an error of dd.
    """
    parsed = Parsed({"tool": "dd", "statistic": "single"})
    text = text.translate(_NARROW)
    *lines, rest = text.split("\n") if text.startswith("dd: ") else without_prefix(text.split("\n"))
    reports = [Report("")]
    samples: list[Row] = []
    for at, line in enumerate(_unwrapped(lines), start=1):
        _take(line.lstrip("> \t"), at, reports, samples, parsed)
    if rest.strip():
        parsed.cut_line(rest, len(lines) + 1)
        _take(rest[: rest.rfind("\r") + 1], len(lines) + 1, reports, samples, parsed)
    results = _results([report for report in reports if report.is_whole() or report.timing], samples)
    for part, report in enumerate(results, start=1):
        several: Row = {"part": float(part)} if len(results) > 1 else {}
        parsed.runs += [row | several for row in report.rows()]
        samples += [row | several for row in report.waited()]
    commands = {report.command for report in reports if report.command}
    if len(commands) == 1:
        parsed.header["command"] = commands.pop()
    parsed.series = columns(sorted(samples, key=_line)) if samples else {}
    for report in results:
        if report.timing and not report.counts:
            parsed.incomplete("an excerpt: records in and out are missing", report.timing.line)
    _judge(parsed, reports, text)
    return parsed


def _unwrapped(lines: list[str]) -> list[str]:
    """Join a line with bytes to the one below where a mail broke it before its rate, and leave nothing there.

    So are the lines of a command.
    """
    found = list(lines)
    for at, line in enumerate(lines[:-1]):
        if goes_on(found[at], lines[at + 1]):
            found[at : at + 2] = "", " ".join((found[at].rstrip(" \t\r\\"), lines[at + 1].strip("> \t\r")))
        if "B)" in line and "/s" not in line and len(line) < LONGEST:
            whole = " ".join((line.rstrip(), lines[at + 1].strip("> \t\r")))
            if len(whole) < LONGEST and RATED.fullmatch(whole.lstrip("> \t")):
                found[at : at + 2] = whole, ""
    return found


def _take(line: str, at: int, reports: list[Report], samples: list[Row], parsed: Parsed) -> None:
    """Read one line into the report it belongs to."""
    last = reports[-1]
    if "s user " in line and (time := ZSH_TIME.search(line.rstrip())):
        last.times |= on(at, zsh_times(time))
    elif command := COMMAND.search(line):
        reports.append(Report(command[0].strip(), at))
    elif _ERROR.search(line):
        _complain(line, at, parsed)
    elif time := TIME.match(line.strip()):
        last.add_time(*shell_time(time), at)
    elif "\r" in line or _PROGRESS.search(line):
        samples += [last.sample(timing) for part in line.split("\r") if (timing := read_timing(part, at, parsed))]
    elif count := _COUNT.search(line):
        if last.is_whole() or (last.timing and not last.counts):
            last = Report(last.command, last.asked)
            reports.append(last)
        last.counts.append((at, float(count[1]), float(count[2])))
        last.sides.append(_SIDE.get(line[count.end() :].strip(), ""))
    elif last.is_followed_by(line):
        _end(last, line, at, parsed)
    elif (last.timing or not last.counts) and stands_alone(line):
        reports.append(Report(last.command, last.asked, timing=read_timing(line, at, parsed)))


def _end(report: Report, line: str, at: int, parsed: Parsed) -> None:
    """Take the bytes of a report, with their time and rate where this dd has them."""
    if copied := _WITHOUT_RATE.match(line):
        report.copied = on(at, {"data_size": float(copied[1])})
    else:
        report.timing = read_timing(line, at, parsed)


def _results(reports: list[Report], samples: list[Row]) -> list[Report]:
    """Keep the last report of each run; the others become samples."""
    results: list[Report] = []
    later, ends = Report(""), False
    for report in reversed(reports):
        on_its_way = report.goes_on_in(later) or (ends and report.is_progress_of(later))
        if on_its_way and report.timing:
            samples.append(report.sample(report.timing))
        else:
            results.append(report)
        later, ends = report, on_its_way or report.is_whole()
    return results[::-1]


def _complain(line: str, at: int, parsed: Parsed) -> None:
    """Keep a warning as a note; anything else that dd says of itself is a failure."""
    if "warning" in line or "suggest" in line:
        parsed.note(line.strip(), at)
    else:
        parsed.incomplete(line.strip(), at)


def _judge(parsed: Parsed, reports: list[Report], text: str) -> None:
    """Say where a report stops half way or denies itself, and refuse a log without any."""
    has_bytes = bool(parsed.series) or any(report.timing for report in reports)
    for report in reports:
        if report.timing and not report.timing.agrees():
            expected = f"expected a rate near {report.timing.size / report.timing.seconds:.6g} B/s"
            parsed.incomplete(f"{expected}, found {report.timing.rate:.6g}", report.timing.line)
        if report.lacks_its_end() or (has_bytes and report.ends_in_records()):
            parsed.incomplete("the line with bytes, seconds and rate is missing", report.counts[1][0])
        if len(report.counts) == 1:
            missing = {"write": "in", "read": "out"}.get(report.sides[0], "in or out")
            parsed.incomplete(f"records {missing} are missing", report.counts[0][0])
    if parsed.is_empty() and parsed.complete:
        raise refusal("two counts such as '200+0 records in' and 'records out'", text)


def _line(row: Row) -> float:
    return float(row["line"])
