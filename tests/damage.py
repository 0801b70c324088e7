"""What happens to logs on their way, and what a parser may make of it.

The functions of the first half damage a text; those of the second half check what a parser makes of damaged text, and
raise AssertionError where it is wrong. They take the parser as a function, so that a test can hand them a bad one.
"""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from types import FrameType

import pytest

from storagelab import schema
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import decode

Parse = Callable[[str], Parsed]
Damage = Callable[[str], str]

SECONDS = 300.0
"""CPU seconds after which a parser hangs: a thousand times what the slowest takes, so that no machine decides it."""

END_MARKS = (
    "iozone test complete.",
    "-- finished at",
    "Finished            : ",
    "Run finished: ",
    "; END ",
    "[SCORE",
    "</FrameworkJobReport>",
)
"""What tools print when they are done; a log that lost one of these is not whole, even if no number is missing."""

ENDLESS = {
    "bonnie": "rows are appended run by run",
    "elbencho": "phases follow each other, and which were asked for is not said",
    "hdparm": "a timing follows the other, and which were asked for is not said",
    "lfs_getstripe": "a layout follows the other, and their objects are not counted",
    "lustre_iokit": "lines are appended test by test",
    "warp": "reports follow each other, and which there are depends on the operations that ran",
    "testdfsio": "blocks are appended run by run",
    "dd": "some builds of busybox print no line with bytes, seconds and rate: a report may end with its two counts",
    "proc_net_dev": "the kernel prints no end: a table cut between two interfaces is that of a smaller host",
    "root_iotools": "a summary may have any number of cases",
    "root_readspeed": "what comes behind the throughput depends on the version",
    "root": "a program reads and prints what it likes: where no files are named, any print may be the last",
    "xrdcl_log": "a client that lives on may be between two requests",
    "xrdcp": "what may follow the last bar (a checksum, the message of a failure, time) is not announced",
    "dccp": "there is no end: a log cut behind a transfer is that of fewer transfers",
    "globus_url_copy": "there is no end, and a file too short for a sample has none",
    "gfal_copy": "there is no end, and without -v a copy says only that it begins",
    "gridftp_log": "a server's log has no end",
    "nfsiostat": "reports follow each other until somebody stops them",
    "lctl_get_param": "the kernel prints no end: what is cut between two lines counts less",
    "vdbench": "run follows run: totals and flat files have no end",
    "darshan_parser": "records and totals of the last module are not counted",
    "gpfsperf": "test follows test, and the load of the processor behind one is printed where somebody asked for it",
    "smallfile": "tests follow each other",
    "mmperfmon": "the table has no end: one cut between two rows is that of a shorter time",
    "vnstat": "tables follow each other, and nothing says how many periods were kept",
    "hpss": "transfers follow each other",
    "mountstats": "the kernel prints no end: what is cut between two lines counts less",
    "ifconfig": "there is no end: a table cut between two interfaces is that of a smaller host",
    "ip_link": "there is no end: a table cut between two interfaces is that of a smaller host",
    "ifstat": "there is no end, and nothing says how many samples were wanted",
    "nicstat": "there is no end, and nothing says how many samples were wanted",
    "vmstat": "there is no end, and nothing says how many samples were wanted",
    "dstat": "there is no end, and nothing says how many samples were wanted",
    "collectl": "there is no end, and nothing says how many samples were wanted",
    "syslog": "a kernel goes on talking: nothing says that a message is the last",
    "glusterfs_log": "a daemon goes on talking: nothing says that a message is the last",
    **dict.fromkeys(
        ("fio_bw_log", "fio_iops_log", "fio_clat_log", "fio_slat_log", "fio_lat_log", "fio_log", "fio_hist_log"),
        "fio writes samples and nothing after them: a log cut between two lines is that of a shorter job",
    ),
    "fio_terse": "a line a job and nothing after the last: a log cut between two lines is that of fewer jobs",
    "iostat": "reports follow each other until somebody stops them",
    "sadf": "its lines end with the samples of the data file",
    "cmssw_timereport": "services may print behind the end of the framework's report",
    "fileop": "there is no trailer, and the heading does not say at which force factor the table stops",
    "ganglia_host_page": "a page copied as text has no end, and does not say how many metrics it has",
    "ganglia_csv": "the front end prints no end: a table cut between two rows is that of a shorter time",
    "rrd_csv": "rrdtool prints no end: a table cut between two rows is that of a shorter time",
    "rrd_graph": "rrdtool prints no end, and does not say how much it was told to print",
    "rrd_info": "rrdtool prints no end, and the count of data sources is not given",
    "rrd_fetch": "rrdtool prints no end: a table cut between two rows is that of a shorter time",
}
"""Formats in which a cut between two lines cannot be seen, and why."""


# --- damage ---------------------------------------------------------------------------------------------------------


def cuts_between_lines(text: str, count: int = 0) -> Iterator[str]:
    """Yield the text cut after its lines but the last, or after `count` of them evenly spread.

    Of cuts between lines that are alike but for their numbers the first two and the last are made: what a parser makes
    of a table that lost its last 20 rows says what it makes of one that lost 21.
    """
    lines = [(end, alike(text[start:end])) for start, end in _bounds(text)]
    places = [(end, (line, after)) for (end, line), (_, after) in pairwise(lines)]
    yield from (text[:end] for end in _spread(_first_two_and_last(places), count) if text[end:].strip())


def cuts_inside_lines(text: str, count: int = 0) -> Iterator[str]:
    """Yield the text cut inside words that hold a digit, where a number may lose its tail.

    Of the words at one place of lines that are alike but for their numbers the first two and the last are cut.
    """
    places = [
        (start + found.start() + 1, (alike(text[start:end]), number))
        for start, end in _bounds(text)
        for number, found in enumerate(re.finditer(r"\d[\d.,]*\d", text[start:end]))
    ]
    yield from (text[:at] for at in _spread(_first_two_and_last(places), count))


def alike(line: str) -> str:
    """What a line has in common with others that differ in numbers only, and in how these are aligned.

    Examples
    --------
    >>> alike("  64   8  1273.5\n") == alike(" 128  16   983.2\n")
    True
    """
    return " ".join(re.sub(r"\d[\d.,]*", "0", line).split())


def _bounds(text: str) -> list[tuple[int, int]]:
    """Where each line begins and ends."""
    return [match.span() for match in re.finditer(r"[^\n]*\n|[^\n]+", text)]


def _first_two_and_last(places: Iterable[tuple[int, object]]) -> list[int]:
    """Of the places of each kind the first two and the last, in their order."""
    kinds: dict[object, list[int]] = {}
    for place, kind in places:
        kinds.setdefault(kind, []).append(place)
    return sorted({place for of_kind in kinds.values() for place in (*of_kind[:2], of_kind[-1])})


def _spread(places: list[int], count: int) -> list[int]:
    if not count or len(places) <= count:
        return places
    return [places[index * (len(places) - 1) // (count - 1)] for index in range(count)]


def not_utf8(text: str) -> str:
    """Put a byte that is not UTF-8 in place of the middle one."""
    data = bytearray(text.encode())
    if data:
        data[len(data) // 2] = 0xFF
    return decode(bytes(data))[0]


def crlf(text: str) -> str:
    return decode(text.replace("\n", "\r\n").encode())[0]


def decimal_commas(text: str) -> str:
    return re.sub(r"(?<=\d)\.(?=\d)", ",", text)


def foreign_lines(text: str) -> str:
    """Put a scheduler's and a kernel's line between the lines of the log, about eight times."""
    lines = text.split("\n")
    step = max(1, len(lines) // 8)
    blocks = ["\n".join(lines[at : at + step]) for at in range(0, len(lines), step)]
    return "\nslurmstepd: error: *** STEP 17.0 ON n1 ***\n[ 12.34] nfs: server oss1 not responding\n".join(blocks)


def leading_junk(text: str) -> str:
    return "Warning: Permanently added 'oss1' to the list of known hosts.\n\nmpirun: forwarding signal 18\n" + text


def rank_prefixes(text: str) -> str:
    return "".join(f"190: {line}\n" for line in text.removesuffix("\n").split("\n"))


def blanked_column(text: str) -> str:
    """Blank the characters under one column of the longest table: the second word of its rows."""
    lines = text.split("\n")
    tables = [list(block) for block in _tables(lines)]
    for at in max(tables, key=len, default=[]):
        second = re.compile(r"\s*\S+\s+(\S+)").match(lines[at])
        if second:
            start, end = second.span(1)
            lines[at] = lines[at][:start] + " " * (end - start) + lines[at][end:]
    return "\n".join(lines)


def _tables(lines: list[str]) -> Iterator[list[int]]:
    """Runs of lines with at least three words, one of them a number."""
    block: list[int] = []
    for at, line in enumerate(lines):
        words = line.split()
        if len(words) >= 3 and sum(word.replace(".", "").isdecimal() for word in words) >= 1:
            block.append(at)
        elif block:
            yield block
            block = []
    if block:
        yield block


def two_logs(text: str, other: str = "") -> str:
    """Put another log behind a log; without another, the same one again."""
    return text.removesuffix("\n") + "\n" + (other or text)


DAMAGES: dict[str, Damage] = {
    "not_utf8": not_utf8,
    "decimal_commas": decimal_commas,
    "foreign_lines": foreign_lines,
    "leading_junk": leading_junk,
    "rank_prefixes": rank_prefixes,
    "blanked_column": blanked_column,
    "two_logs": two_logs,
}


# --- checks ---------------------------------------------------------------------------------------------------------


def survive(parse: Parse, text: str) -> Parsed | None:
    """Return what the parser gives, or None for a ParseError; nothing else may come, and something must."""

    def too_late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"the parser hangs: no answer after {SECONDS} CPU seconds")

    before = signal.signal(signal.SIGVTALRM, too_late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return parse(text)
    except (ParseError, AssertionError) as error:
        if isinstance(error, AssertionError):
            raise
        return None
    except Exception as error:
        raise AssertionError(f"the parser raises {type(error).__name__}: {error}") from error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class Whole:
    """An undamaged text and what the parser makes of it, read once for all that is compared with it."""

    def __init__(self, parse: Parse, text: str) -> None:
        self.text, self.parsed = text, survive(parse, text)

    @cached_property
    def values(self) -> set[tuple[str, float]]:
        return values(self.parsed) if self.parsed else set()

    @cached_property
    def records(self) -> Counter[str]:
        return records(self.parsed) if self.parsed else Counter()


def check_cut(parse: Parse, whole: Whole, cut: str, endless: bool = False) -> None:
    """A cut log gives no number that the whole one lacks, and is not passed off as whole.

    It is passed off as whole if it is called complete although its rows or its header differ from the whole log's, or
    although it lost one of the `END_MARKS`. Formats without any end are excused where the cut is between two lines.
    """
    rest = survive(parse, cut)
    if whole.parsed is None or rest is None:
        return
    invented = values(rest) - whole.values
    assert not invented, f"numbers that the whole log does not have: {sorted(invented)[:3]}"
    if rest.complete and not endless:
        assert records(rest) == whole.records, "a cut log is passed off as whole: rows or header are missing"
        lost = [mark for mark in END_MARKS if cut.count(mark) < whole.text.count(mark)]
        assert not lost, f"a cut log is passed off as whole: {lost} is missing"


def check_same(parse: Parse, whole: Whole, damaged: str) -> None:
    """Damage that loses nothing changes nothing."""
    rest = survive(parse, damaged)
    assert (whole.parsed is None) == (rest is None), "one of the two is refused"
    if whole.parsed and rest:
        assert records(rest) == whole.records, "the rows or the header differ"
        assert rest.complete == whole.parsed.complete, "one of the two is called complete"


def check_no_silent_loss(parse: Parse, whole: Whole, damaged: str) -> None:
    """Damaged text gives no number that the whole one lacks; if it is called complete, it has all of them."""
    rest = survive(parse, damaged)
    if whole.parsed is None or rest is None:
        return
    invented = values(rest) - whole.values
    assert not invented, f"numbers that the undamaged log does not have: {sorted(invented)[:3]}"
    if rest.complete:
        missing = whole.values - values(rest)
        assert not missing, f"a damaged log is called complete, but lost {sorted(missing)[:3]}"


def faults(check: Callable[[str], object], names: Iterable[str]) -> dict[str, str]:
    """Make a check under each of some names, and return those under which it failed, with what it said."""
    found = {}
    for name in names:
        try:
            check(name)
        except (Exception, pytest.fail.Exception) as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def values(parsed: Parsed) -> set[tuple[str, float]]:
    """Every number of a log with its name; places (lines, part) apart."""
    rows = [parsed.header, *parsed.runs, *parsed.clients]
    columns = [(name, value) for name, column in parsed.series.items() for value in column]
    pairs = [*(item for row in rows for item in row.items()), *columns]
    return {(name, value) for name, value in pairs if name not in _PLACES and _is_number(value)}


_PLACES = frozenset({"line", "part", "log_id", *schema.VALUE_AT, *schema.LOG_OF.values()})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and value == value


def records(parsed: Parsed) -> Counter[str]:
    """Header, rows and columns as text, to be compared with NaN equal to NaN."""
    rows = [("runs", row) for row in parsed.runs] + [("clients", row) for row in parsed.clients]
    named = [f"{node} {_sorted(row)}" for node, row in rows]
    columns = [f"series {name} {list(column)}" for name, column in parsed.series.items()]
    return Counter([f"header {_sorted(parsed.header)}", *named, *columns])


def _sorted(row: Row) -> list[tuple[str, object]]:
    return sorted(row.items())
