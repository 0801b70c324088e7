r"""dd: what it copied and how fast, by GNU coreutils, BSD, busybox and toybox, in any language.

dd counts records in and out and times the copy as a whole. A row of ``read`` has the records that came in, a row of
``write`` those that went out. The time belongs to both, unless the log shows the command and one side is no storage
(``/dev/zero``, ``/dev/null``): then it is the other's alone. `throughput` is bytes over seconds as printed,
`throughput_rounded` the rate that dd prints. What to beware of:

- Words are translated, digits are not: lines are known by ``12+3`` and by the rate at their end, commas are decimal.
- GNU's MB are 10^6 bytes. busybox prints ``91.7MB/s`` without a blank and toybox ``1.6 G/s``: theirs are powers of 2.
- A report that ``status=progress`` or a signal asked for is a sample of ``series``, the last one is the result. Where
  a log was pasted, a progress line has no counts and stands above those of the end. BSD's has words of its own.
- What `time` says behind dd's own seconds is longer than these: a sample with `metric` "real".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction

from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.several_lines import on, settled
from storagelab.parsers.text import printf_number, without_prefix
from storagelab.parsers.trusted_lines import metric, refusal
from storagelab.schema import line_of

_ALMOST_TWO = re.compile(r"(?m)\+\d+[ \xa0\u202f]\S(?:(?!\+\d).)*$")
"""Two counts from a plus sign on: what begins with a literal is looked for many times as fast."""

_SIZES = re.compile(r"\(\d+(?:[.,]\d+)? [kMGT]?B(?:, \d+(?:[.,]\d+)? [KMGT]iB)?\) [^\d\n]{1,40}, \d")
"""Bytes in other units, as GNU's dd puts them in the line with its rate."""

_COUNTS = tuple(f"{last}+{partial}{blank}" for last in range(10) for partial in (0, 1) for blank in " \xa0\u202f")
"""The ends of most counts of records, which are the same in every language."""

FORMAT = Format(
    name="dd",
    tool="dd",
    versions="coreutils 5 to 9, BSD and macOS, busybox 1.x, toybox",
    reads="reports of the end, of status=progress and of signals; `time` behind them, of zsh too",
    source="coreutils/src/dd.c (print_stats, print_xfer_stats), FreeBSD bin/dd/misc.c (summary), busybox dd.c",
    marks=("dd", "bytes copied", "bytes transferred secs"),
    shapes=(_ALMOST_TWO.pattern, _SIZES.pattern),
    opens=(
        "dd if=",
        "dd of=",
        "dd bs=",
        "dd count=",
        "records in",
        "records out",
        " copied, ",
        "bytes transferred in",
        *_COUNTS,
    ),
    reads_returns=True,
)

_COUNT = re.compile(r"(?<![\d:.\ufffd])(\d+)\+(\d+) ?(?![\d:])")
_TWO_COUNTS = re.compile(
    r"(?m)(?<![\d:.\ufffd])\d+\+\d+[ \xa0\u202f]\S(?:(?!\d\+\d).|(?!))*+\n(?:(?!\d\+\d).)*?(?<![\d:.\ufffd])\d+\+\d+[ \xa0\u202f]"  # noqa: E501
)
_NUMBER = r"\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
_RATED = re.compile(
    rf"[^\d(]*(?P<size>\d{{1,300}})(?![\d.\ufffd]) *+[^\d\s(]++ ?(?:\([^()]*\))?"
    rf"[^\d()]*+(?P<seconds>{_NUMBER}) ?[^\W\d]+ ?[,，、;] ?"
    rf"(?P<rate>{_NUMBER}|[Ii]nf\w*)(?P<blank> ?)(?P<prefix>[kKMGTPE]?)(?P<binary>i?)(?P<byte>[Bo]?)/[^\W\d]+"
)
_SUMMED = re.compile(
    rf"(?P<size>(?<!\d)\d{{1,300}}) bytes (?:\([^()]*\) )?transferred in (?P<seconds>{_NUMBER}) sec\w*"
    rf" \((?P<rate>{_NUMBER}|[Ii]nf\w*) (?:bytes|(?P<prefix>[KMGT])iB)/sec\)"
)
_ALONE = re.compile(
    rf"[ \t]*\d+ (?:[^\W\d]+ \([^()]*B\) [^\d\n]{{1,40}}|bytes copied), {_NUMBER} s\w*, {_NUMBER} ?[kMGT]?B/s[ \t]*$"
)
"""The line with the rate, which scripts keep of a report; in other languages it has the sizes in brackets."""
_WITHOUT_RATE = re.compile(r"[ \t]*(\d{1,300}) bytes(?: \([^()\n]{1,40}\))? copied[ \t]*$")
"""All that the dd of ELKS says of its copy, which it does not time."""
_PROGRESS = re.compile(r"\) transferred (?!in ).{1,60}/s")
"""BSD's ``status=progress``; with its end it says "transferred in"."""
_COMMAND = re.compile(r"\bdd((?: +\w+=\S+)+)")
_SHELL_PRODUCT = re.compile(r"\$\(\((\d{1,20}(?:\*\d{1,20}){0,9})\)\)")
_ERROR = re.compile(r"(?:^|/)dd: ")
_TIME = re.compile(rf"([Rr]eal|[Uu]ser|[Ss]ys)\s+(?:(\d+)m\s*)?({_NUMBER})s?$")
_ZSH_TIME = re.compile(
    rf"(?<![\d.,eE+-])(?P<user>{_NUMBER})s user (?P<sys>{_NUMBER})s system \d+% cpu "
    rf"(?P<clock>(?:\d+:){{0,2}})(?P<real>{_NUMBER}) total$"
)
_TIMES = {"real": "elapsed", "user": "cpu_user_time", "sys": "cpu_system_time"}

NO_STORAGE = ("/dev/zero", "/dev/null", "/dev/urandom", "/dev/random")
LONGEST = 1000
ROUNDED = 0.5
"""Seconds by which a line of progress, which counts whole ones, may be ahead of the end."""
SIMPLE = 8
"""Reports whose bytes stand in a ratio of such small numbers are of a scan over sizes, not of one run on its way."""


_PREFIXES = "kMGTPE"


@dataclass(frozen=True, slots=True)
class _Timing:
    """The last line of a report: bytes, seconds, and the rate as printed, in B/s."""

    line: int
    size: int
    seconds: float
    rate: float

    def row(self) -> Row:
        """Bytes, time and rates; nothing copied has no rate."""
        row: Row = {"line": self.line, "data_size": float(self.size), "elapsed": self.seconds}
        if self.size and math.isfinite(self.rate):
            row |= {"throughput": self.rate, "throughput_rounded": self.rate}
        if self.size and self.seconds > 0:
            row |= {"throughput": float(self.size) / self.seconds}
        return row

    def agrees(self) -> bool:
        """Whether bytes over seconds are the rate, which has two digits at least, or one where it is below 1 kB/s."""
        if not (self.size and self.seconds > 0 and math.isfinite(self.rate)):
            return True
        return math.isclose(self.size / self.seconds, self.rate, rel_tol=0.06, abs_tol=500.0)

    def sample(self) -> Row:
        """The same as a sample on the time axis of the run."""
        row = {"time": self.seconds, "operation": "write", **self.row()}
        return {name: value for name, value in row.items() if name not in ("elapsed", "throughput_rounded")}


@dataclass(slots=True)
class _Report:
    """Two counts and, if this dd prints it, their timing; what `time` says behind it.

    `asked` is the line of the command, 0 where none is shown: two calls of one command are two runs. `sides` are the
    operations that counts are of, as their English words say; of two in another language the first is ``read``.
    """

    command: str
    asked: int = 0
    counts: list[tuple[int, float, float]] = field(default_factory=list)
    sides: list[str] = field(default_factory=list)
    timing: _Timing | None = None
    copied: Row = field(default_factory=dict)
    times: Row = field(default_factory=dict)

    def is_whole(self) -> bool:
        """Whether records in and out were counted."""
        return len(self.counts) == 2

    def add_time(self, name: str, seconds: float, line: int) -> None:
        """Keep what `time` says of it; what it says again is of another command, such as the `sync` behind it."""
        if name not in self.times:
            self.times |= on(line, {name: seconds})

    def is_followed_by(self, line: str) -> bool:
        """Whether a line below its counts is of this report: any below two, and below one what surely has a rate."""
        return not self.timing and (self.is_whole() or (len(self.counts) == 1 and _stands_alone(line)))

    def goes_on_in(self, later: _Report) -> bool:
        """Whether a later report is of the same call: all counts have grown, and bytes not to a round multiple."""
        if not (self.timing and later.timing and self.is_whole() and later.is_whole()):
            return False
        if self.times or later.asked != self.asked:
            return False
        both = zip(self.counts, later.counts, strict=True)
        if any(then > now for before, after in both for then, now in zip(before, after, strict=True)):
            return False
        grown = 0 < self.timing.size < later.timing.size and self.timing.seconds < later.timing.seconds
        round_multiple = grown and Fraction(later.timing.size, self.timing.size).denominator <= SIMPLE
        return grown and not round_multiple and self.may_have_the_records_of(later)

    def may_have_the_records_of(self, other: _Report) -> bool:
        """Whether records may be of one size in both: bytes over records, of which partial ones are smaller."""
        (least, most), (other_least, other_most) = self._sizes_of_records(), other._sizes_of_records()
        return max(least, other_least) <= min(most, other_most)

    def _sizes_of_records(self) -> tuple[float, float]:
        _, whole, partial = self.counts[1]
        size = float(self.timing.size) if self.timing else 0.0
        return size / (whole + partial) if whole + partial else 0.0, size / whole if whole else math.inf

    def is_progress_of(self, later: _Report) -> bool:
        """Whether it is a line of ``status=progress`` above others of the same call: it counts whole seconds."""
        if not self.timing or self.counts or self.times or later.asked != self.asked:
            return False
        if not later.timing:
            return later.lacks_its_end() and self.timing.seconds.is_integer()
        if not (self.asked or self.timing.seconds.is_integer()):
            return False
        return self.timing.size <= later.timing.size and self.timing.seconds <= later.timing.seconds + ROUNDED

    def lacks_its_end(self) -> bool:
        """Whether the line with its bytes is left out: what has shown progress has had such a line."""
        return self.is_whole() and not self.timing and not self.copied and "status=progress" in self.command

    def options(self) -> dict[str, str]:
        """Return what the command above asks for; none where it copies fewer records than were: it is another's."""
        options = dict(word.split("=", 1) for word in self.command.split()[1:])
        limit = options.get("count", "")
        if self.counts and limit.isdecimal() and len(limit) < LONGEST and sum(self.counts[0][1:]) > int(limit):
            return {}
        return options

    def rows(self) -> list[Row]:
        """Return the rows of ``read`` and ``write``."""
        options = self.options()
        idle = [operation for operation, side in _SIDES if options.get(side, "").startswith(NO_STORAGE)]
        keys: Row = on(self.asked, {"record_size": size}) if (size := _record_size(options)) else {}
        timed = self.times | self.copied | (on(self.timing.line, self.timing.row()) if self.timing else {})
        if not self.counts:
            return [settled({"operation": operation} | keys | timed) for operation, _ in _SIDES]
        if self.is_whole() and self.counts[0][1:] != self.counts[1][1:]:  # the bytes are those that went out
            idle = ["read"]
        counted = dict(zip(("read", "write") if self.is_whole() else self.sides, self.counts, strict=True))
        return [
            settled({"operation": operation} | _counted(keys, counted.get(operation)) | timing)
            for operation, _ in _SIDES
            if (timing := {} if idle == [operation] else timed) or operation in counted
        ]

    def waited(self) -> list[Row]:
        """Return what the shell says went by, where dd says its own seconds."""
        if not self.timing or "elapsed" not in self.times:
            return []
        return [metric("real", float(self.times["elapsed"]), "s", line_of(self.times, "elapsed"))]


def _counted(keys: Row, count: tuple[int, float, float] | None) -> Row:
    """Return keys with the records of a count, on whose line they stand; a damaged report may lack one."""
    if not count:
        return keys
    line, whole, partial = count
    return {"line": line, **keys} | on(line, {"records": whole, "records_partial": partial})


def sniff(head: str) -> bool:
    """Whether two counts such as ``200+0`` stand in lines that follow each other, or dd names an error."""
    if _ALMOST_TWO.search(head) and _TWO_COUNTS.search(head):
        return True
    return head.lstrip("> \t").startswith("dd: ") or any(map(_stands_alone, head.split("\n")))


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
    reports = [_Report("")]
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
    """Join a line with bytes to the one below where a mail broke it before its rate, and leave nothing there."""
    found = list(lines)
    for at, line in enumerate(lines[:-1]):
        if "B)" in line and "/s" not in line and len(line) < LONGEST:
            whole = " ".join((line.rstrip(), lines[at + 1].strip("> \t\r")))
            if len(whole) < LONGEST and _RATED.fullmatch(whole.lstrip("> \t")):
                found[at : at + 2] = whole, ""
    return found


def _take(line: str, at: int, reports: list[_Report], samples: list[Row], parsed: Parsed) -> None:
    """Read one line into the report it belongs to."""
    last = reports[-1]
    if "s user " in line and (time := _ZSH_TIME.search(line.rstrip())):
        last.times |= on(at, _zsh_times(time))
    elif command := _COMMAND.search(line):
        reports.append(_Report(command[0].strip(), at))
    elif _ERROR.search(line):
        _complain(line, at, parsed)
    elif time := _TIME.match(line.strip()):
        last.add_time(_TIMES[time[1].lower()], 60 * float(time[2] or 0) + printf_number(time[3]), at)
    elif "\r" in line or _PROGRESS.search(line):
        samples += [timing.sample() for part in line.split("\r") if (timing := _timing(part, at, parsed))]
    elif count := _COUNT.search(line):
        if last.is_whole() or (last.timing and not last.counts):
            last = _Report(last.command, last.asked)
            reports.append(last)
        last.counts.append((at, float(count[1]), float(count[2])))
        last.sides.append(_SIDE.get(line[count.end() :].strip(), ""))
    elif last.is_followed_by(line):
        _end(last, line, at, parsed)
    elif (last.timing or not last.counts) and _stands_alone(line):
        reports.append(_Report(last.command, last.asked, timing=_timing(line, at, parsed)))


def _end(report: _Report, line: str, at: int, parsed: Parsed) -> None:
    """Take the bytes of a report, with their time and rate where this dd has them."""
    if copied := _WITHOUT_RATE.match(line):
        report.copied = on(at, {"data_size": float(copied[1])})
    else:
        report.timing = _timing(line, at, parsed)


def _zsh_times(time: re.Match[str]) -> Row:
    """What ``time`` of zsh says in one line, hours and minutes before colons."""
    real = printf_number(time["real"])
    for power, part in enumerate(reversed(time["clock"].split(":")[:-1]), start=1):
        real += float(part) * 60.0**power
    times: Row = {_TIMES[name]: printf_number(time[name]) for name in ("user", "sys")}
    return times | {"elapsed": real}


def _stands_alone(line: str) -> bool:
    """Whether a line is the last one of a report, whatever stands above it."""
    return "/s" in line and bool(_ALONE.match(line) or _SUMMED.search(line))


def _results(reports: list[_Report], samples: list[Row]) -> list[_Report]:
    """Keep the last report of each run; the others become samples."""
    results: list[_Report] = []
    later, ends = _Report(""), False
    for report in reversed(reports):
        on_its_way = report.goes_on_in(later) or (ends and report.is_progress_of(later))
        if on_its_way and report.timing:
            samples.append(report.timing.sample())
        else:
            results.append(report)
        later, ends = report, on_its_way or report.is_whole()
    return results[::-1]


def _timing(line: str, at: int, parsed: Parsed) -> _Timing | None:
    if found := _SUMMED.search(line):
        scale = 1024.0 ** (" KMGT".index(found["prefix"]) if found["prefix"] else 0)
        return _Timing(at, int(found["size"]), printf_number(found["seconds"]), printf_number(found["rate"]) * scale)
    if len(line) > LONGEST:
        parsed.incomplete("a line is too long to be one of dd's", at)
        return None
    if not (found := _RATED.match(line)):
        if "/s" in line and any(map(str.isdecimal, line)):
            parsed.incomplete(f"expected bytes, seconds and a rate, found {line.strip()[:80]!r}", at)
        return None
    binary = found["binary"] or not found["blank"] or not found["byte"]
    scale = (1024.0 if binary else 1000.0) ** (" kMGTPE".index(found["prefix"].replace("K", "k") or " "))
    return _Timing(at, int(found["size"]), printf_number(found["seconds"]), printf_number(found["rate"]) * scale)


def _record_size(options: dict[str, str]) -> float:
    """Bytes of a record by ``bs=``, of which dd (``2x80x18b``) and the shell take products; 0 where not said."""
    said = options.get("bs", "")
    in_shell = _SHELL_PRODUCT.fullmatch(said)
    return math.prod(map(_size, in_shell[1].split("*") if in_shell else said.split("x")))


def _size(said: str) -> float:
    """Bytes of a size: GNU's K is 1024 and kB 1000, BSD's k and m are powers of 2; 0 where it is none."""
    found = re.fullmatch(r"(\d+)([cwbkKmMgGtT]?)(i?)(B?)", said)
    if not found:
        return 0.0
    size, unit, binary, byte = float(found[1]), found[2].lower(), found[3], found[4]
    if unit in _BLOCKS:
        return size * _BLOCKS[unit]
    return size * (1000.0 if byte and not binary else 1024.0) ** (_PREFIXES.index(unit) + 1)


def _complain(line: str, at: int, parsed: Parsed) -> None:
    """Keep a warning as a note; anything else that dd says of itself is a failure."""
    if "warning" in line or "suggest" in line:
        parsed.note(line.strip(), at)
    else:
        parsed.incomplete(line.strip(), at)


def _judge(parsed: Parsed, reports: list[_Report], text: str) -> None:
    """Say where a report stops half way or denies itself, and refuse a log without any."""
    for report in reports:
        if report.timing and not report.timing.agrees():
            expected = f"expected a rate near {report.timing.size / report.timing.seconds:.6g} B/s"
            parsed.incomplete(f"{expected}, found {report.timing.rate:.6g}", report.timing.line)
        if report.lacks_its_end():
            parsed.incomplete("the line with bytes, seconds and rate is missing", report.counts[1][0])
        if len(report.counts) == 1:
            missing = {"write": "in", "read": "out"}.get(report.sides[0], "in or out")
            parsed.incomplete(f"records {missing} are missing", report.counts[0][0])
    if parsed.is_empty() and parsed.complete:
        raise refusal("two counts such as '200+0 records in' and 'records out'", text)


def _line(row: Row) -> float:
    return float(row["line"])


_NARROW = {0xA0: " ", 0x202F: " ", 0xFF08: " (", 0xFF09: ") ", 0xFF0C: ","}
"""French puts blanks that do not break between numbers and words, Chinese wide brackets and commas."""
_SIDES = (("read", "if"), ("write", "of"))
_SIDE = {"records in": "read", "record in": "read", "records out": "write", "record out": "write"}
_BLOCKS = {"": 1.0, "c": 1.0, "w": 2.0, "b": 512.0}
_PREFIXES = "kmgt"
