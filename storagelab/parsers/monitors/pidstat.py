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
from collections.abc import Sequence

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.monitors.pidstat_columns import NAMES, Table, series_of
from storagelab.parsers.monitors.snapshot import is_prompt, whole_lines
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.banner import is_banner, read_banner
from storagelab.parsers.monitors.sysstat.fast_path import reports
from storagelab.parsers.monitors.sysstat.pages import Pages
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.text import moment, number

FORMAT = Format(
    "pidstat",
    "pidstat",
    "sysstat 8 to 12.7",
    "samples of processes and threads",
    "pidstat(1)",
    marks=("UID", "USER", "PID Command"),
    opens=(" CPU)", " UID ", " USER ", " PID ", "# Time", "Average:"),
    in_paragraphs=True,
    in_scripts=True,
    prefixes=("stamped", "numbered", "quoted"),
)

_TIME = rf"(?:#\s+Time|\S{{2,16}}(?: +[AaPp]\.?[Mm]\.?)?(?: {clock.ZONE})?)"
_HEADING = re.compile(
    rf"^(?:\S+[:>] ?|[ \t]{{1,8}})?{_TIME} +(?:(?:UID|USER) +)?(?:PID|TGID) .* Command[ \t]*$", re.MULTILINE
)
_SECONDS = re.compile(r"\d{9,11}")
"""A time in seconds since 1970."""
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
    pages, done = Pages(lines), 0
    for at, line in enumerate(lines, 1):
        if at > done and line.strip():
            reports.read(line.lstrip(" \t"), at)
            if reports.is_open:
                done = at + reports.read_sample(pages.under(at), at + 1)
    reports.close(len(lines))
    reports.parsed.series = series_of(reports.tables.values())
    if reports.parsed.is_empty():
        raise refusal("a process under 'UID PID ... Command'", text)
    return reports.parsed


class _Reports:
    """What has been read so far."""

    def __init__(self, day_first: bool | None) -> None:
        self.parsed = Parsed({"tool": "pidstat"})
        self.tables: dict[tuple[str, ...], Table] = {}
        self._day_first = day_first
        self._part = 0
        self._date = ""
        self._origin = math.nan
        self._last = 0.0
        self._columns: tuple[str, ...] = ()
        self._table: Table | None = None
        self._opened = math.nan
        self._headings = set[tuple[str, ...]]()
        self._is_in_one_line = False
        self.is_open = False
        """Whether the line that was read last is the heading of a sample."""
        self._listed: dict[tuple[str, ...], float] = {}
        """When each process was listed last under the heading."""
        self._live: dict[tuple[str, ...], tuple[float, set[str]]] = {}
        self._has_samples = False
        self._means: dict[tuple[str, ...], set[str]] = {}
        """Processes with an average, under each heading of averages, which may have none."""

    def read(self, line: str, at: int) -> None:
        """Take a line that is not blank."""
        self.is_open = False
        words = line.split()
        if is_banner(line):
            self._banner(line, at)
        elif words[:2] == ["#", "Time"]:
            self._open(words[2:], math.nan, at)
            self._is_in_one_line, self.is_open = True, False
        elif found := self._stamp(words):
            time, taken = found
            self._timed(words[taken:], time, at)
        elif is_prompt(line) or words[0] == "pidstat":
            self._headings = set()
        else:
            remark(self.parsed, "not a line of a table", at, lost=len(words) > len(NAMES))

    def _stamp(self, words: list[str]) -> tuple[float, int] | None:
        """Return when a line was measured, NaN where it is an average, and how many words say so."""
        if timed := clock.time_of_day(words):
            return self._seconds(timed[0], day=clock.DAY), timed[1]
        if _SECONDS.fullmatch(words[0]):
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
            self._origin = self._origin if any(table.cells for table in self.tables.values()) else math.nan
            self._date = self._date or banner.date
            self.parsed.header.setdefault("host", banner.host)

    def _timed(self, words: list[str], time: float, at: int) -> None:
        if words and words[0] in NAMES and words[-1] == "Command":
            self._open(words, time, at)
        elif self._table is None:
            remark(self.parsed, "numbers without columns over them", at, lost=True)
        else:
            self._process(self._table, words, time, at)

    def _open(self, columns: list[str], time: float, at: int) -> None:
        self._columns, self._opened = tuple(columns), time
        self._table = self._table_of(self._columns)
        self._headings.add(self._columns)
        self._listed, self._is_in_one_line, self.is_open = {}, False, True
        if math.isnan(time):
            self._means.setdefault(self._columns, set())
        elif self._columns in self._live:
            self._live[self._columns] = time, set()
        if "\ufffd" in "".join(columns):
            remark(self.parsed, "a name of a column is not UTF-8", at, lost=True)

    def _table_of(self, columns: tuple[str, ...]) -> Table:
        if columns not in self.tables:
            self.tables[columns] = Table(columns)
        return self.tables[columns]

    def _process(self, table: Table, words: list[str], time: float, at: int) -> None:
        if len(words) < len(self._columns):
            remark(self.parsed, f"{len(self._columns)} columns wanted, found {len(words)}", at, lost=True)
            return
        if self._lacks_heading(table.names_of(words), time):
            said = "expected the heading of another table above a process that is listed already, found none"
            self.parsed.incomplete(said, at)
            self._columns, self._table = (), None
            return
        who = table.process_of(words)
        self._remember(who, time)
        about: Row = {"process": who, "job": table.command_of(words), "line": at}
        try:
            if not who.isdecimal():
                raise ValueError(f"no process id: {who or '-'}")
            table.add(table.values_of(words), self._common(time) | about)
        except ValueError as error:
            remark(self.parsed, f"not a line of the table: {error}", at, lost=True)

    def read_sample(self, rows: Sequence[list[str]], first: int) -> int:
        """Take the lines under a heading at once, from the first on; return how many, 0 where one may be no process.

        They begin with one time, and list other processes each.
        """
        table = self._table
        found = self._stamp(rows[0]) if rows and rows[0] else None
        if not table or not found:
            return 0
        time, taken = found
        prefix = rows[0][:taken]
        if any(row[:taken] != prefix or len(row) < taken + len(self._columns) for row in rows):
            return 0
        behind = [row[taken:] for row in rows]
        processes = [table.process_of(words) for words in behind]
        if len(set(processes)) < len(processes) or not all(map(str.isdecimal, processes)):
            return 0
        values = table.values_at_once(behind)
        if len(values) < len(rows):
            return 0
        self._listed |= dict.fromkeys(map(table.names_of, behind), time)
        for who in processes:
            self._remember(who, time)
        common = self._common(time)
        for at, (words, who, cells) in enumerate(zip(behind, processes, values, strict=True), first):
            table.add(cells, {**common, "process": who, "job": table.command_of(words), "line": at})
        return len(rows)

    def _common(self, time: float) -> Row:
        """Return what all processes of a sample share."""
        part: Row = {"part": float(self._part)} if self._part > 1 else {}
        statistic = "mean" if math.isnan(time) else "single"
        return {**part, "time": time, "statistic": statistic, "phase": "since boot" if time == self._opened else ""}

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
            return
        self._has_samples = True
        if time > self._opened:
            before, live = self._live.get(self._columns, (time, set()))
            self._live[self._columns] = time, ({who} if time > before else live | {who})

    def close(self, at: int) -> None:
        """Hold the averages at the end of a report against its last sample."""
        means = {columns: self._means.get(columns) for columns in self._live}
        if any(found is None or self._live[columns][1] - found for columns, found in means.items()):
            self.parsed.incomplete("a table without all its averages: the tool was stopped, or the log is cut", at)
        if any(self._means.values()) and not self._has_samples:
            self.parsed.incomplete("an excerpt: the samples above the averages are missing", at)
        self._has_samples = False
        self._live, self._means, self._headings = {}, {}, set()
        self._columns, self._table = (), None


ORDINARY = reports(sniff, parse, r" {2}[\w./:+-]{1,40}+")
