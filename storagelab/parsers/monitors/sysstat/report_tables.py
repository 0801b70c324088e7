"""Tables of a report of sar or mpstat: samples, and the averages that end each, under the columns that stand last."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping

from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.snapshot import is_prompt
from storagelab.parsers.monitors.sysstat import clock
from storagelab.parsers.monitors.sysstat.cells import is_number
from storagelab.parsers.monitors.sysstat.meanings import KEYS, is_of_mpstat
from storagelab.parsers.monitors.sysstat.remarks import remark
from storagelab.parsers.monitors.sysstat.report_lines import COLONS, is_column
from storagelab.parsers.monitors.sysstat.sheet import Sheet
from storagelab.parsers.monitors.sysstat.timed_table import INTERRUPTS, SINCE_BOOT, STAMP, Stamp, TimedTable

_ALL_ON_AIX = "-"
_ITEMS_OF_UNIX = ("device", "cpu")
_SUMMARIES = {"minimum": "min", "maximum": "max"}
"""What other lines than averages end a table."""
_LEFT_OUT = "CPU"
"""A column of processes that their averages do not have."""
_OF_FILE_SYSTEMS = "MBfsfree"
"""A column of the table whose last lines, headed "Summary:", are the last values and no averages (pr_stats.c)."""


class ReportTables:
    """The tables that have been read so far, of which one is open; behind a restart all begin anew.

    Of mpstat, a sample taken at the very time of its columns is one since boot: it prints that without an interval.

    Parameters
    ----------
    parsed : Parsed
        What is known of the log; its header names the tool.
    first_words : mapping of int to int
        As in `ReportLines`.
    """

    def __init__(self, parsed: Parsed, first_words: Mapping[int, int]) -> None:
        self.sheets: list[Sheet] = []
        self.current: TimedTable | None = None
        self.stamp: Stamp = ()
        """Of the line that was read last; () where it was no row."""
        self.part = 1.0
        self.day = 0
        self.origin = math.nan
        self._parsed = parsed
        self._tool = str(parsed.header["tool"])
        self._first_words = first_words
        self._tables: dict[tuple[str, ...], TimedTable] = {}
        self._last_stamp: Stamp = ()
        self._cut: Sheet | None = None
        """The table that was opened last whose times were cut off."""

    def are_known(self, columns: tuple[str, ...]) -> bool:
        """Whether a table has these columns."""
        return columns in self._tables

    def open(self, columns: tuple[str, ...], time: float, number: int) -> None:
        """Take a line of columns: the first of a table, or of its next page."""
        if _is_damaged(columns):
            remark(self._parsed, "a name of a column is not UTF-8", number, lost=True)
        if self._is_foreign(columns, number):
            return
        table = self._tables.get(columns)
        if table is None:
            table = self._tables[columns] = TimedTable(columns, self.day, time)
            self.sheets.append(table)
        table.opened = table.seconds(time)
        table.is_awaited = True
        self.current = table

    def _is_foreign(self, columns: tuple[str, ...], number: int) -> bool:
        """Whether these are columns of another tool, or say twice whose a line is: then no table is open."""
        items = [name for name in columns if name in KEYS]
        is_of_another = is_of_mpstat(columns) != (self._tool == "mpstat") or columns[-1] == "Command"
        is_foreign = is_of_another or len({*items}) < len(items)
        if is_foreign:
            remark(self._parsed, f"a table that {self._tool} does not print", number, lost=True)
            self.current = self._cut = None
        return is_foreign

    def open_without_time(self, columns: tuple[str, ...], number: int) -> None:
        """Take a line of columns from which the time was cut off, as from the lines under it."""
        if self._is_foreign(columns, number):
            return
        if self._cut is None:
            self._parsed.incomplete(
                "no times: which lines are samples and which averages, the log does not tell", number
            )
        self.current = None
        self._cut = Sheet(columns, ("part",))
        self.sheets.append(self._cut)

    def add_without_time(self, words: list[str], number: int) -> bool:
        """Take a line from which the time was cut off; False where it is none."""
        if self.current or self._cut is None or not is_number(words[-1]):
            return False
        try:
            self._cut.add(words, (self.part,), number, self._cut.lines_of(number, self._first_words))
        except ValueError:
            return False
        return True

    def add_beside(self, words: list[str], number: int) -> bool:
        """Take the next item of the sample that was read last; False where it is none."""
        if not self.current:
            return False
        try:
            self.current.add(words, self.stamp, number, self.current.lines_of(number, self._first_words))
        except ValueError:
            return False
        return True

    def add_sample(self, words: list[str], time: float, number: int) -> None:
        """Take a line of a sample."""
        table = self.current
        if table is None:
            remark(self._parsed, "numbers without columns over them", number, lost=True)
            return
        self._add(table, words, self._stamp_of_sample(table, time), number)

    def add_samples(self, rows: list[list[str]], time: float, number: int) -> bool:
        """Take all items of a sample, from a line on; False where one has other cells than plain numbers."""
        table = self.current
        numbers = table.plain_numbers(rows) if table and table.layout.columns[0] not in _ITEMS_OF_UNIX else []
        if table is None or not numbers:
            return False
        self.stamp = self._last_stamp = self._stamp_of_sample(table, time)
        table.add_rows(rows, numbers, [self.stamp] * len(rows), number)
        return True

    def _stamp_of_sample(self, table: TimedTable, time: float) -> Stamp:
        seconds = table.seconds(time)
        boot = seconds == table.opened and (self._tool == "mpstat" or not table.lines)
        return (self.part, seconds - self.origin, "single", SINCE_BOOT if boot else "")

    def add_item_of_unix(self, words: list[str], number: int) -> bool:
        """Take a further item of a sample, which Solaris, AIX and HP-UX print without time; False where it is none."""
        table = self.current
        if not table or not self._last_stamp or table.layout.columns[0] not in _ITEMS_OF_UNIX:
            return False
        if len(words) != len(table.layout.columns) or not all(map(is_number, words[1:])):
            return False
        self._add(table, words, self._last_stamp, number)
        self.stamp = ()
        return True

    def add_summary(self, words: list[str], title: str, number: int) -> None:
        """Take averages, or the columns over them; newer versions print lowest values too."""
        if words and not any(map(is_number, words)) and self._open_averages(tuple(words), number):
            return
        table = self.current
        if table is None or not words:
            self.foreign(words, number)
            return
        ended = "last" if _OF_FILE_SYSTEMS in table.layout.columns else "mean"
        statistic = _SUMMARIES.get(title.rstrip(COLONS).lower(), ended)
        self._add(table, words, (self.part, math.nan, statistic, ""), number)

    def _open_averages(self, columns: tuple[str, ...], number: int) -> bool:
        """Find the table whose columns stand over its averages; it may be new where those were picked out."""
        self.current = self._tables.get(columns) or self._tables.get((*columns, _LEFT_OUT))
        if self.current is None and (is_column(columns[0]) or columns[-1] in KEYS) and math.isnan(self.origin):
            self.open(columns, 0.0, number)
            self._parsed.incomplete("an excerpt: the samples above the averages are missing", number)
        elif self.current is None and columns[0] == INTERRUPTS:
            self.open(columns, 0.0, number)
        return self.current is not None

    def _add(self, table: TimedTable, words: list[str], stamp: Stamp, number: int) -> None:
        try:
            words = ["all", *words[1:]] if words[0] == _ALL_ON_AIX and table.layout.columns[0] == "cpu" else words
            table.add(words, stamp, number, table.lines_of(number, self._first_words))
            self.stamp = self._last_stamp = stamp
        except ValueError as error:
            if not table.layout.is_ignored:
                remark(self._parsed, f"not a line of the table: {error}", number, lost=True)

    def restart(self, words: list[str], time: float, number: int) -> None:
        """Begin everything anew; the processors that the host has since then are a sample."""
        self.day = max([self.day, *(table.day for table in self._tables.values())])
        self.close(number)
        count = re.search(r"\((\d+) CPU", " ".join(words))
        if count:
            note = Sheet(("CPUs",), STAMP)
            note.add([count[1]], (self.part, self.day * clock.DAY + time - self.origin, "single", ""), number)
            self.sheets.append(note)

    def foreign(self, words: list[str], number: int) -> None:
        """Note a line that is of no table."""
        if not is_prompt(" ".join(words)):
            lost = words[:1] != [self._tool] and sum(map(is_number, words)) > 1
            remark(self._parsed, "not a line of a table", number, lost=lost)

    def _miss_samples(self) -> None:
        """Say where something is averaged that has no sample; samples of interrupts may have other columns."""
        tables = list(self._tables.values())
        interrupts = [table for table in tables if table.is_of_interrupts]
        for table in tables:
            line = table.first_unsampled(interrupts if table.is_of_interrupts else [table])
            if line:
                self._parsed.incomplete("an average of what no sample above it is of: samples are missing", line)
                return

    def close(self, number: int) -> None:
        """Hold the averages that end each table against its samples."""
        tables = self._tables.values()
        interrupts = {item for table in tables if table.is_of_interrupts for item in table.averaged()}
        for table in tables:
            averaged = interrupts if table.is_of_interrupts else table.averaged()
            if table.is_awaited and not table.layout.is_ignored:
                self._parsed.incomplete("columns without a sample under them", number)
            elif not table.has_averages(averaged):
                self._parsed.incomplete(
                    "a table without all its averages: the tool was stopped, or the log is cut", number
                )
                break
        if not math.isnan(self.origin):
            self._miss_samples()
        self._tables = {}
        self.current = None
        self._last_stamp = ()


@functools.lru_cache(maxsize=256)
def _is_damaged(columns: tuple[str, ...]) -> bool:
    """Whether a name of a column is not UTF-8."""
    return "\ufffd" in "".join(columns)
