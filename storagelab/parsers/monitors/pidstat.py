"""Reports of sysstat's ``pidstat``: what each process or thread of a host did.

A blank line and a line of columns start a table, anew for each sample; both begin with a time, as in sar. Averages come
where an interval was given, under "Average:" in the user's language; without one, the report is since boot and its time
that of its columns. With ``-h`` the columns of all tables stand in one line behind ``# Time``, and there are no
averages; its time is of day or, up to sysstat 11.6, in seconds since 1970. Documented in pidstat(1) of sysstat 8 to
12.7; columns in its pidstat.c.

`process` is the PID, TGID or TID and `job` the command as it is printed; ``|__`` stands before that of a thread. Of the
RSS is `memory_used`, of %CPU `utilisation`, which is that of one processor unless ``-I`` says otherwise. What has no
name in the contract is a `metric`, the processor on which a process ran among them. A kB is 1024 bytes; ``--human``
prints a unit behind the number. Rates of -1 are of a process that may not be looked at, and are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.monitors.snapshot import is_prompt, whole_lines
from storagelab.parsers.monitors.sysstat import clock, meanings
from storagelab.parsers.monitors.sysstat.banner import is_banner, read_banner
from storagelab.parsers.monitors.sysstat.cells import numbers
from storagelab.parsers.monitors.sysstat.meanings import Meaning
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.text import moment, number
from storagelab.parsers.trusted_lines import fill
from storagelab.units import KIB, PERCENT

FORMAT = Format(
    "pidstat",
    "pidstat",
    "sysstat 8 to 12.7",
    "samples of processes and threads",
    "pidstat(1)",
    marks=("UID", "USER", "PID Command"),
    opens=(" UID ", " USER ", " PID ", "# Time"),
    in_paragraphs=True,
    prefixes=("stamped", "numbered", "quoted"),
)

_TIME = rf"(?:#\s+Time|\S{{2,16}}(?: +[AaPp]\.?[Mm]\.?)?(?: {clock.ZONE})?)"
_HEADING = re.compile(
    rf"^(?:\S+[:>] ?|[ \t]{{1,8}})?{_TIME} +(?:(?:UID|USER) +)?(?:PID|TGID) .* Command[ \t]*$", re.MULTILINE
)
_NAMES = {"UID", "USER", "PID", "TGID", "TID"}
_TEXTS = {"policy"}
_MEANINGS = {
    "%usr": Meaning("", "cpu_user", PERCENT),
    "%user": Meaning("", "cpu_user", PERCENT),
    "%system": Meaning("", "cpu_system", PERCENT),
    "%guest": Meaning("", "cpu_guest", PERCENT),
    "%CPU": Meaning("", "utilisation", PERCENT),
    "RSS": Meaning("", "memory_used", KIB),
    "kB_rd/s": Meaning("read", "throughput", KIB),
    "kB_wr/s": Meaning("write", "throughput", KIB),
}
_UNITS = {"VSZ": "kB", "StkSize": "kB", "StkRef": "kB", "usr-ms": "ms", "system-ms": "ms", "guest-ms": "ms",
          "kB_ccwr/s": "kB/s"}  # fmt: skip
_COLONS = ":："


def sniff(head: str) -> bool:
    """Whether columns of pidstat stand here."""
    return "Command" in head and _HEADING.search(clock.plain(head)) is not None


def parse(text: str) -> Parsed:
    """Read every line of every table into `series`.

    Raises
    ------
    ParseError
        If no line stands under columns of pidstat.
    """
    reports = _Reports(clock.day_comes_first(text))
    lines = whole_lines(clock.plain(text), reports.parsed, _HEADING)
    for at, line in enumerate(lines, 1):
        if line.strip():
            reports.read(line.lstrip(" \t"), at)
    reports.close(len(lines))
    return fill(reports.parsed, reports.rows, "a process under 'UID PID ... Command'", text)


class _Reports:
    """What has been read so far."""

    def __init__(self, day_first: bool | None) -> None:
        self.parsed = Parsed({"tool": "pidstat"})
        self.rows: list[Row] = []
        self._day_first = day_first
        self._part = 0
        self._date = ""
        self._origin = math.nan
        self._last = 0.0
        self._columns: tuple[str, ...] = ()
        self._opened = math.nan
        self._headings = set[tuple[str, ...]]()
        self._is_in_one_line = False
        self._listed: dict[tuple[str, ...], float] = {}
        """When each process was listed last under the heading."""
        self._live: dict[tuple[str, ...], tuple[float, set[str]]] = {}
        self._means: dict[tuple[str, ...], set[str]] = {}
        """Processes with an average, under each heading of averages, which may have none."""

    def read(self, line: str, at: int) -> None:
        """Take a line that is not blank."""
        words = line.split()
        if is_banner(line):
            self._banner(line, at)
        elif words[:2] == ["#", "Time"]:
            self._open(words[2:], math.nan, at)
            self._is_in_one_line = True
        elif found := self._stamp(words):
            time, taken = found
            self._timed(words[taken:], time, at)
        elif is_prompt(line) or words[0] == "pidstat":
            self._headings = set()
        else:
            remark(self.parsed, "not a line of a table", at, lost=len(words) > len(_NAMES))

    def _stamp(self, words: list[str]) -> tuple[float, int] | None:
        """Return when a line was measured, NaN where it is an average, and how many words say so."""
        if timed := clock.time_of_day(words):
            return self._seconds(timed[0], day=clock.DAY), timed[1]
        if re.fullmatch(r"\d{9,11}", words[0]):
            return self._seconds(number(words[0]), day=0.0), 1
        ends = next((at for at, word in enumerate(words[:2], 1) if word[-1] in _COLONS), 0)
        return (math.nan, ends) if ends and len(words) > ends else None

    def _seconds(self, time: float, day: float) -> float:
        """Seconds since the first time of the log, past midnight too."""
        if math.isnan(self._origin):
            self._origin = self._last = time
            if day and self._date:
                self.parsed.header["started"] = f"{self._date}T{clock.clock_text(time)}"
            elif not day:
                self.parsed.header["started"] = moment(time).isoformat()
        while day and clock.past_midnight(self._last, time):
            time += day
        self._last = time
        return time - self._origin

    def _banner(self, line: str, at: int) -> None:
        banner = read_banner(line, at, self.parsed, self._day_first)
        if banner:
            self.close(at)
            self._part += 1
            self._origin = self._origin if self.rows else math.nan
            self._date = self._date or banner.date
            self.parsed.header.setdefault("host", banner.host)

    def _timed(self, words: list[str], time: float, at: int) -> None:
        if words and words[0] in _NAMES and words[-1] == "Command":
            self._open(words, time, at)
        elif not self._columns:
            remark(self.parsed, "numbers without columns over them", at, lost=True)
        else:
            self._process(words, time, at)

    def _open(self, columns: list[str], time: float, at: int) -> None:
        self._columns, self._opened = tuple(columns), time
        self._headings.add(self._columns)
        self._listed, self._is_in_one_line = {}, False
        if math.isnan(time):
            self._means.setdefault(self._columns, set())
        elif self._columns in self._live:
            self._live[self._columns] = time, set()
        if "\ufffd" in "".join(columns):
            remark(self.parsed, "a name of a column is not UTF-8", at, lost=True)

    def _process(self, words: list[str], time: float, at: int) -> None:
        names = self._columns[:-1]
        if len(words) <= len(names):
            remark(self.parsed, f"{len(self._columns)} columns wanted, found {len(words)}", at, lost=True)
            return
        cells = dict(zip(names, words, strict=False))
        if self._lacks_heading(tuple(cells[name] for name in names if name in _NAMES), time):
            said = "expected the heading of another table above a process that is listed already, found none"
            self.parsed.incomplete(said, at)
            self._columns = ()
            return
        who = next((cells[name] for name in ("TID", "PID", "TGID") if cells.get(name, "-") != "-"), "")
        self._remember(who, time)
        common: Row = {"part": float(self._part)} if self._part > 1 else {}
        common |= {"time": time, "process": who}
        common |= {"statistic": "mean" if math.isnan(time) else "single", "job": " ".join(words[len(names) :])}
        common |= {"phase": "since boot" if time == self._opened else "", "line": at}
        try:
            if not who.isdecimal():
                raise ValueError(f"no process id: {who or '-'}")
            self.rows += _rows(cells, common)
        except ValueError as error:
            remark(self.parsed, f"not a line of the table: {error}", at, lost=True)

    def _lacks_heading(self, process: tuple[str, ...], time: float) -> bool:
        """Whether a process is of another table than that of the heading, which lists each once at each time.

        Of several tables of a run each has its heading at each time; of one alone it may stand once.
        """
        before = self._listed.get(process)
        self._listed[process] = time
        if before is None or self._is_in_one_line:
            return False
        return len(self._headings) > 1 or before == time or (math.isnan(before) and math.isnan(time))

    def _remember(self, who: str, time: float) -> None:
        if math.isnan(time):
            self._means.setdefault(self._columns, set()).add(who)
        elif time > self._opened:
            before, live = self._live.get(self._columns, (time, set()))
            self._live[self._columns] = time, ({who} if time > before else live | {who})

    def close(self, at: int) -> None:
        """Hold the averages at the end of a report against its last sample."""
        means = {columns: self._means.get(columns) for columns in self._live}
        if any(found is None or self._live[columns][1] - found for columns, found in means.items()):
            self.parsed.incomplete("a table without all its averages: the tool was stopped, or the log is cut", at)
        self._live, self._means, self._columns, self._headings = {}, {}, (), set()


def _rows(cells: dict[str, str], common: Row) -> Iterator[Row]:
    """A row a direction, one without, and one for each column that the contract has no name for."""
    printed = {
        name: word
        for name, word in cells.items()
        if name not in _NAMES | _TEXTS and "\ufffd" not in name and word != "-"
    }
    natives = tuple(_native(name) for name in printed)
    rows: dict[str, Row] = {}
    for name, value in zip(printed, numbers(list(printed.values()), natives), strict=True):
        operation, quantity, factor = _MEANINGS.get(name, ("", "", 1.0))
        if not math.isfinite(value) or (name.startswith("kB_") and value < 0):
            continue
        if quantity:
            rows.setdefault(operation, {**common, "operation": operation})[quantity] = value * factor
        else:
            rows[name] = {**common, "operation": "", "metric": name, "value": value, "unit": _unit(name)}
    yield from rows.values()


def _unit(name: str) -> str:
    return _UNITS.get(name) or meanings.unit_of(name)


def _native(name: str) -> float:
    meaning = _MEANINGS.get(name)
    return KIB if meaning and meaning.factor == KIB else meanings.bytes_of(_unit(name))
