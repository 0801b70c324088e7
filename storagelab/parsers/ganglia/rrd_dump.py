"""XML of ``rrdtool dump``: the data sources of a round-robin database, and every row of every archive.

Written by rrd_dump.c, versions 0001 (blanks inside the tags) to 0005. A row is one line,
``<!-- 2026-11-20 16:40:00 UTC / 1795192800 --> <row><v>1.0e+08</v><v>NaN</v></row>``: a value a data source, and the
seconds at which its step *ends*, in a comment. Where the comments were stripped, the last row of an archive ends at the
last multiple of its step before ``lastupdate``. NaN is no data.

An archive (`part`, from 1) consolidates steps: AVERAGE, MIN, MAX and LAST are statistics; what the others hold
(HWPREDICT, SEASONAL, FAILURES, ...) are predictions, and is left out. `elapsed` is the time that one row covers. What
was written last of all (``last_ds``, of a COUNTER its count) is a sample of its own, `phase` "last update"; its `label`
is the type of the data source. The dump does not name the metric: that is the name of the file.

It is read as lines of text, not as a tree: the dump of a year has some 10^5 rows. No entity is ever expanded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.ganglia.samples import Series, Table, columns, reading
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import line_at, utc

CHECKS = Checks(
    together=(
        words("<rra>", "<pdp_per_row>", "<database>", "</database>", "</rra>"),
        words("<minimal_heartbeat>", "<last_ds>", "<unknown_sec>"),
    ),
    lacking_samples="steps whose value is not known are left out",
)

FORMAT = Format(
    "rrd-dump",
    "rrdtool",
    "1.7",
    "archives of a round-robin database",
    "rrddump(1), rrd_dump.c",
    marks=("rrd", "Robin", "pdp"),
    opens=(
        "<rrd>",
        "Round Robin Database Dump",
    ),
    checks=CHECKS,
)

_STATISTICS = {"AVERAGE": "mean", "MIN": "min", "MAX": "max", "LAST": "single"}
_TOKEN = re.compile(r"<!--([^<>]*)-->|<(/?)([a-z_]{1,30})>(?:([^<]*)</\3>)?")
_EPOCH = re.compile(r"/ *(\d{1,12}) *$")


def sniff(head: str) -> bool:
    """Whether the root element or an archive of a dump stands here."""
    return "<rrd>" in head or "Round Robin Database Dump" in head or "<pdp_per_row>" in head


def parse(text: str) -> Parsed:
    """Read every archive into `series`, and the last update of every data source.

    Raises
    ------
    ParseError
        If there is no row in an archive, or the document declares entities.
    """
    if "<!ENTITY" in text:
        at = line_at(text, text.index("<!ENTITY"))
        raise ParseError("XML without entity declarations, which are refused", "<!ENTITY", at)
    dump = _Dump(Parsed({"tool": "rrdtool"}))
    for number, line in enumerate(text.split("\n"), 1):
        if "<row>" in line and line.count("<row>") == line.count("</row>") == 1:
            dump.row_of(line, number)
        elif "<" in line:
            dump.tokens(line, number)
    return dump.finished(text)


@dataclass(slots=True)
class _Archive:
    """Rows of one archive: seconds (None where the log has no comment), cells, line."""

    statistic: str = ""
    per_row: float = math.nan
    rows: list[tuple[float | None, list[str], int]] = field(default_factory=list)


@dataclass(slots=True)
class _Dump:
    """What has been read of a dump."""

    parsed: Parsed
    step: float = math.nan
    updated: float = math.nan
    sources: list[str] = field(default_factory=list)
    kind: str = ""
    archive: _Archive = field(default_factory=_Archive)
    archives: int = 0
    series: list[Series] = field(default_factory=list)
    started: float = math.nan
    epoch: float | None = None
    cells: list[str] | None = None

    def row_of(self, line: str, number: int) -> None:
        """Take a row that stands on one line, as rrdtool writes it."""
        head, _, rest = line.partition("<row>")
        epoch = _EPOCH.search(head.rpartition("-->")[0])
        cells = rest.partition("</row>")[0].replace("</v>", "").split("<v>")[1:]
        self.archive.rows.append((float(epoch[1]) if epoch else None, cells, number))

    def tokens(self, line: str, number: int) -> None:
        """Take the tags and comments of any other line."""
        for comment, closing, tag, value in _TOKEN.findall(line):
            if comment:
                epoch = _EPOCH.search(comment)
                self.epoch = float(epoch[1]) if epoch else None
            elif action := _ACTIONS.get(closing + tag):
                try:
                    action(self, value.strip(), number)
                except ValueError:
                    self.parsed.incomplete(f"{tag} is no number", number)

    def source(self, name: str, number: int) -> None:
        self.sources.append(name)

    def last(self, value: str, number: int) -> None:
        keys: Row = {
            "operation": "",
            "metric": self.sources[-1] if self.sources else "",
            "unit": "",
            "label": self.kind,
        }
        series = Series(keys | {"statistic": "single", "phase": "last update"}, "value")
        series.add(self.updated, reading(value), number)
        self.series.append(series)

    def new_archive(self, function: str, number: int) -> None:
        self.archives += 1
        self.archive = _Archive(_STATISTICS.get(function, ""))
        if not self.archive.statistic:
            self.parsed.note(f"archive {self.archives} holds predictions ({function}): left out", number)

    def new_dump(self, value: str, number: int) -> None:
        if self.sources:
            self.parsed.note("another dump begins here", number)
        self.sources, self.archive = [], _Archive()

    def end_row(self, value: str, number: int) -> None:
        if self.cells is not None:
            self.archive.rows.append((self.epoch, self.cells, number))
        self.cells, self.epoch = None, None

    def end_archive(self, value: str, number: int) -> None:
        """Turn the rows of the archive that ends here into series."""
        times = self._times(number)
        archive, self.archive = self.archive, _Archive()
        if times and self.started != self.started:
            self.started = times[0]
        if not (times and archive.statistic):
            return
        table = Table(self.parsed, self._series_of(archive))
        for time, (_, cells, line) in zip(times, archive.rows, strict=True):
            table.row(time, cells, line)
        table.close()
        self.series += table.series

    def _times(self, number: int) -> list[float]:
        """End of each row's step: from the comments or, where there are none, counted back from the last update."""
        rows, width = self.archive.rows, self.step * self.archive.per_row
        dated = [row for row in rows if row[0] is not None]
        if rows and not dated and number and math.isfinite(width * self.updated) and width > 0:
            end = self.updated - self.updated % width
            return [end - width * back for back in reversed(range(len(rows)))]
        if len(dated) < len(rows):
            self.parsed.incomplete(f"{len(rows) - len(dated)} rows without a time are left out", number)
            self.archive.rows = dated
        return [epoch for epoch, _, _ in dated if epoch is not None]

    def _series_of(self, archive: _Archive) -> list[Series]:
        width = self.step * archive.per_row
        keys: Row = {"part": float(self.archives), "operation": "", "unit": "", "statistic": archive.statistic}
        if math.isfinite(width):
            keys["elapsed"] = width
        return [Series(keys | {"metric": name}, "value") for name in self.sources]

    def finished(self, text: str) -> Parsed:
        """Write the header and the columns."""
        self.end_archive("", 0)
        if self.started != self.started:
            raise refusal("a row of an archive of a round-robin database", text)
        if "</rrd>" not in text[max(text.rfind("<rrd>"), 0) :]:
            self.parsed.incomplete("the dump does not end with </rrd>", text.count("\n") + 1)
        for name, epoch in (("started", self.started), ("ended", self.updated)):
            if utc(epoch):
                self.parsed.header[name] = utc(epoch)
        self.parsed.series = columns(self.series, self.started)
        return self.parsed


def _set_step(dump: _Dump, value: str, number: int) -> None:
    dump.step = float(value)


def _set_updated(dump: _Dump, value: str, number: int) -> None:
    dump.updated = float(value)
    series = Series({"operation": "", "metric": "lastupdate", "unit": "s", "phase": "last update"}, "value")
    series.add(dump.updated, dump.updated, number)
    dump.series.append(series)


def _set_kind(dump: _Dump, value: str, number: int) -> None:
    dump.kind = value


def _set_per_row(dump: _Dump, value: str, number: int) -> None:
    dump.archive.per_row = float(value)


def _begin_row(dump: _Dump, value: str, number: int) -> None:
    dump.cells = []


def _add_cell(dump: _Dump, value: str, number: int) -> None:
    if dump.cells is not None:
        dump.cells.append(value)


_ACTIONS: dict[str, Callable[[_Dump, str, int], None]] = {
    "rrd": _Dump.new_dump,
    "step": _set_step,
    "lastupdate": _set_updated,
    "name": _Dump.source,
    "type": _set_kind,
    "last_ds": _Dump.last,
    "cf": _Dump.new_archive,
    "pdp_per_row": _set_per_row,
    "row": _begin_row,
    "v": _add_cell,
    "/row": _Dump.end_row,
    "/database": _Dump.end_archive,
}
