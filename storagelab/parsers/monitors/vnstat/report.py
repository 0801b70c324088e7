"""What vnstat prints for people: tables of periods, one line, the short form, the table of hours, and live traffic."""

from __future__ import annotations

import re
from collections.abc import Sequence

from storagelab.parsers.line_formats import Rule, apply, metric
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.vnstat.kilobit import Kilobit
from storagelab.parsers.text import finite
from storagelab.units import BIT, GB, GIB, KB, KIB, MB, MIB, PERCENT, TB, TIB, powers

_NAME = r"\S{1,64}?(?: [(\[][^;)\]]{1,60}[)\]]){0,2}"
_NUMBER = r"\d{1,20}(?:[.,]\d{1,6})?"
_SIZE = rf"({_NUMBER}) ?([KkMGTPE]?i?B)?"
_RATE = rf"({_NUMBER}) ?([KkMGT]?i?(?:bit|B)/s)"
ONE_LINE = re.compile(
    rf"^\s*1;((?=[^;\s]){_NAME});([^;]{{1,40}});{_SIZE};{_SIZE};{_SIZE};({_NUMBER})(?: ?([KkMGT]?i?(?:bit|B)/s))?;"
)
HOURS = re.compile(r"^\s*h\s+rx \((\w{1,4})\)\s+tx \((\w{1,4})\)")
_HOUR = re.compile(rf"\s*(\d\d)\s+({_NUMBER})\s+({_NUMBER})\s*$")
_GRAPH = re.compile(rf"^ ?({_NAME}) {{20,100}}\d\d?:\d\d\s*$")
_GROUPED = r"\d{1,3}(?:[.,]\d{3}){0,6}(?:[.,]\d{1,2})?"
_OLD_HOUR = re.compile(rf"(?<!\S)(\d\d)\s+({_GROUPED})\s+({_GROUPED})(?=\s|$)")
_OLD_HOURS = re.compile(rf"(?:\s*\d\d\s+{_GROUPED}\s+{_GROUPED}(?=\s|$)){{2,3}}\s*$")
"""Version 1 has no brackets between hours, and points or commas between thousands."""
_SINCE = re.compile(rf"^\s*({_NAME}) since (\S{{1,40}})\s*$")
_TOTALS = re.compile(rf"^\s*rx: +{_SIZE}\s+tx: +{_SIZE}\s+total: +{_SIZE}\s*$")
_TITLE = re.compile(rf"^\s*({_NAME})(?:  /  | / (?=[a-z]{{3,6}}ly\s*$))(\S.{{0,60}}?)\s*$")
_IN_BRACKETS = re.compile(r" \((\S{1,60})\)")
"""Behind the name that somebody gave to an interface."""
_PHASE = re.compile(r"^\s*(hourly|daily|monthly|yearly|weekly|top \d{1,3})\s*$")
_INTERFACE = re.compile(rf"^\s*({_NAME}):\s*$")
_DATE = re.compile(r"^\s*(\d{4}-\d\d-\d\d|\d\d/\d\d/\d\d(?:\d\d)?|\d\d\.\d\d\.\d{2,4})\s*$")
_CELL = f"(?:{_SIZE}|--)"
_ROW = re.compile(rf"^\s*(\S.{{0,40}}?)\s+{_CELL}\s+[|/]\s+{_CELL}\s+[|/]\s+{_CELL}\s*(?:[|/]\s*(.{{0,60}}))?$")
_LIVE = re.compile(rf"^\s+(bytes|max|average|min|packets|rx|tx)\s+(?:{_NUMBER}).*\|")
_LIVE_CELL = re.compile(rf"({_NUMBER}) ?([KkMGT]?i?(?:bit|B)/s|p/s|[KkMGTPE]?i?B)?")
_LIVE_TIME = re.compile(rf"^\s+time\s+({_NUMBER}) (second|minute|hour|day)s?\s*$")
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_PERCENTILE = re.compile(rf"^\s*(minimum|average|maximum|95th %)\s+{_RATE}\s+\|\s+{_RATE}\s+\|\s+{_RATE}\s*$")
_SPAN = re.compile(
    r"^\s*(\d{4}-\d\d-\d\d \d\d:\d\d - \d{4}-\d\d-\d\d \d\d:\d\d)"
    r"(?: \((\d{1,9}) entries, (\d{1,3}(?:\.\d)?)% coverage\))?\s*$"
)
_TR = re.compile(rf"^\s+(rx|tx)\s+{_RATE}\s+(\d{{1,12}}) (?:p(?:ackets|kts)?/s)")
AVERAGE = re.compile(r"^[> \t]{0,8}Traffic average for (\S{1,64})\s*$", re.MULTILINE)
_OLD_AVERAGE = re.compile(r"\d kB/s(?:[ \d]{15}| {10}\d{6,12}) packets/s")
"""As the first versions print it, whose kB are 1024 bytes; later ones have a blank less there."""
_TORN = re.compile(
    r"[^|/]{0,200}B\b.{0,200}[|/]|[^|/]{0,200}[|/].{0,200}B\b|\s*\d\d\s+\d+\.\d|\s*rx:|\s*\d;|.*(?:bit|B)/s\s*[|]"
)
_ABOVE_ROWS = re.compile(r"^\s*(?:\w{1,10}\s+)?rx\s+[|/]\s+tx\s+[|/]\s+total\b")
_COLUMNS = re.compile(r"\s*(?:rx|tx|time|day|month|hour|year|#)\b.*(?:rx|tx|total)")
_OLD = re.compile(
    r"since \d\d/\d\d/\d\d(?:\d\d)?\b|^[ \t]+(?:[A-Z][a-z]{2} '\d\d|\d\d/\d\d/\d\d(?:\d\d)?)[ \t]", re.MULTILINE
)
_BINARY = {"B": 1.0, "KB": KIB, "MB": MIB, "GB": GIB, "TB": TIB, "PB": 1024 * TIB,
           "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "PiB": 1024 * TIB, "EiB": 1024**2 * TIB}  # fmt: skip
_DECIMAL = {"kB": KB, "MB": MB, "GB": GB, "TB": TB, "PB": 1e15}
_BITS = powers(KB, "KMGT") | {"k": KB}
_BINARY_BITS = powers(KIB, "KMGT") | {"k": KIB}
_OF_VERSION_2 = re.compile(r"^Database updated: \d{4}-|\d bit/s", re.MULTILINE)
"""Whatever the formats of its dates, which a configuration of version 1 may have given it."""
_LIVE_TITLE = "  /  traffic statistics"
"""Of ``vnstat -l``, the same in both versions."""
_IN_KILOBITS = re.compile(r" [kMGT]bit/s")
_KILOBITS = ("kbit/s", "Mbit/s", "Gbit/s", "Tbit/s")
_NOT_KNOWN = ("--", "n/a")
"""An estimate of a period that has just begun, and the mean rate of one of no seconds."""
_DIRECTIONS = ("receive", "transmit", "")
Cell = tuple[str, str | None]


class Report:
    """What has been read so far."""

    def __init__(self, parsed: Parsed, text: str) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        may_be_old = _LIVE_TITLE in text or _OLD.search(text) is not None
        self._kilobit = Kilobit(None if may_be_old and not _OF_VERSION_2.search(text) else 1.0)
        self._in_kilobits: list[tuple[Row, str]] = []
        self._watched: dict[str, dict[str, float]] = {"receive": {}, "transmit": {}}
        self._may_be_of_any = not may_be_old and not _OF_VERSION_2.search(text)
        self._sizes = _BINARY | (_DECIMAL if re.search(r"\d ?kB\b", text) else {})
        if _OLD_AVERAGE.search(text):
            self._sizes |= {"kB": KIB}
        self._interface = ""
        self._phase = ""
        self._has_columns = False
        self._period = ""
        self._date = ""
        self._unit: tuple[str, str] = ("", "")
        self._awaited = 0
        self._rules: Sequence[Rule] = (
            (ONE_LINE, self._one_line),
            (_TOTALS, self._totals),
            (_SINCE, self._since),
            (_TITLE, self._title),
            (_PHASE, self._named_phase),
            (_ABOVE_ROWS, self._columns),
            (_GRAPH, self._named),
            (HOURS, self._hours),
            (AVERAGE, self._average),
            (_SPAN, self._span),
            (_PERCENTILE, self._percentile),
            (_TR, self._live_rate),
            (_LIVE, self._live),
            (_LIVE_TIME, self._live_time),
            (_ROW, self._row),
            (_DATE, self._day),
            (_INTERFACE, self._named),
        )

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        self._kilobit.read(line)
        if self._unit[0] and _OLD_HOURS.match(line):
            self._old_hours(line, at)
        elif self._unit[0] and (_HOUR.match(line.split("][")[0]) or "][" in line):
            self._hour(line, at)
        elif not apply(self._rules, line, at) and _TORN.match(line) and not _COLUMNS.match(line):
            self._parsed.incomplete(f"expected traffic of vnstat, found {line.strip()[:60]!r}", at)

    def finish(self) -> None:
        """Count rates in the kbit that the periods show; leave those of version 1 out where none does."""
        if self._awaited > 0:
            self._parsed.incomplete("an average of traffic lacks what was received or sent")
        factor = self._kilobit.factor
        for row, name in self._in_kilobits:
            rate = float(str(row.pop(name)))
            if factor:
                row[name] = rate * factor
        if not factor and self._in_kilobits:
            line = int(str(self._in_kilobits[0][0]["line"]))
            self._parsed.incomplete("rates left out: no period shows whether a kbit is 1000 bits or 1024", line)

    def _add(self, phase: str, label: str, sizes: Sequence[Cell], at: int, rate: float | None = None) -> Row | None:
        """Take a period; return its last row, which is of both directions together."""
        keys: Row = {"interface": self._interface, "phase": phase, "label": label}
        try:
            rows = [
                {**keys, "operation": operation, "data_size": self._bytes(*cell), "line": at}
                for operation, cell in zip(_DIRECTIONS, sizes, strict=False)
                if cell[0]
            ]
        except (ValueError, KeyError):
            self._parsed.incomplete(f"expected sizes, found {[cell[0] for cell in sizes]}", at)
            return None
        if rate is not None and rows:
            rows[-1]["throughput"] = rate
        self.samples += rows
        return rows[-1] if rows else None

    def _bytes(self, number: str, unit: str | None) -> float:
        return finite(number) * self._sizes[unit or "B"]

    def _rate(self, number: str, unit: str) -> float:
        """Bytes a second behind ``70.16 Mbit/s`` or ``8.3 MiB/s``."""
        if unit.endswith("bit/s"):
            prefix, is_binary = unit.removesuffix("bit/s"), "i" in unit.removesuffix("bit/s")
            return finite(number) * (_BINARY_BITS if is_binary else _BITS)[prefix[:1]] * BIT
        return finite(number) * self._sizes[unit.removesuffix("/s")]

    def _one_line(self, found: re.Match[str], at: int) -> None:
        """Take ``1;eth0;DAY;rx;tx;total;rate;MONTH;rx;tx;total;rate;rx;tx;total``."""
        cells = found.string.strip().split(";")
        if len(cells) != 15:
            self._parsed.incomplete(f"expected 15 fields, found {len(cells)}", at)
            return
        self._interface = _interface(cells[1])
        day, month, ever = cells[2:7], cells[7:12], cells[12:]
        for phase, label, sizes, rate in (
            ("daily", day[0], day[1:4], day[4]),
            ("monthly", month[0], month[1:4], month[4]),
            ("since", "all time", ever, ""),
        ):
            self._add(phase, label, [_cell(size) for size in sizes], at, self._printed_rate(rate, at))

    def _printed_rate(self, rate: str, at: int) -> float | None:
        number, _, unit = rate.strip().partition(" ")
        if not number or ("bit" not in unit and "B/s" not in unit and unit):
            return None
        try:
            return self._rate(number, unit or "B/s")
        except (ValueError, KeyError):
            self._parsed.incomplete(f"expected a rate, found {rate!r}", at)
            return None

    def _since(self, found: re.Match[str], at: int) -> None:
        self._interface, self._period = _interface(found[1]), found[2]

    def _totals(self, found: re.Match[str], at: int) -> None:
        self._add("since", self._period, [(found[1], found[2]), (found[3], found[4]), (found[5], found[6])], at)

    def _title(self, found: re.Match[str], at: int) -> None:
        self._interface, self._phase, self._date = _interface(found[1]), found[2], ""
        self._has_columns = False

    def _named_phase(self, found: re.Match[str], at: int) -> None:
        self._phase, self._date = found[1], ""
        self._has_columns = False

    def _columns(self, found: re.Match[str], at: int) -> None:
        """Take the columns of a table: a second time, they are of another one, whose name is lost."""
        if self._phase and self._has_columns:
            self._parsed.incomplete("expected the name of a table ('daily') above its columns, found none", at)
            self._phase = ""
        self._has_columns = True

    def _named(self, found: re.Match[str], at: int) -> None:
        if found[1] not in ("rx", "tx"):
            self._interface = _interface(found[1])

    def _day(self, found: re.Match[str], at: int) -> None:
        self._date = found[1]

    def _hours(self, found: re.Match[str], at: int) -> None:
        self._unit = (found[1], found[2])

    def _hour(self, line: str, at: int) -> None:
        """Take up to three hours that stand side by side."""
        for part in line.split("]["):
            if found := _HOUR.match(part):
                cells = list(zip((found[2], found[3]), self._unit, strict=True))
                self._add("hours", found[1], cells, at)
            else:
                self._parsed.incomplete(f"expected an hour, found {part.strip()[:40]!r}", at)

    def _old_hours(self, line: str, at: int) -> None:
        for found in _OLD_HOUR.finditer(line):
            cells = [(_ungrouped(number), unit) for number, unit in zip(found.groups()[1:], self._unit, strict=True)]
            self._add("hours", found[1], cells, at)

    def _row(self, found: re.Match[str], at: int) -> None:
        label, rest = found[1].strip(), (found[8] or "").strip()
        sizes = [(found[2], found[3]), (found[4], found[5]), (found[6], found[7])]
        if not all(unit for size, unit in sizes if size) or " /" in label or "|" in label:
            self._parsed.incomplete(f"expected sizes with units, found {found[0].strip()[:60]!r}", at)
            return
        phase = f"estimated {self._phase}".strip() if label == "estimated" else self._phase
        rate = self._printed_rate(rest, at) if "/s" in rest else None
        label = f"{self._date} {label}".strip()
        if row := self._add(phase, label, sizes, at, rate):
            self._explain(row, rate if rate and _IN_KILOBITS.search(rest) else 0.0)
        if rate is None and rest and rest not in _NOT_KNOWN:
            self._estimate(label, rest, at)

    def _explain(self, row: Row, rate: float) -> None:
        """Ask a period with a rate in kbit/s, and the one above it, how many bits that is."""
        if rate:
            self._in_kilobits.append((row, "throughput"))
        table = f"{row['interface']} {row['phase']}"
        self._kilobit.period(table, str(row["label"]), float(str(row["data_size"])), rate)

    def _estimate(self, label: str, printed: str, at: int) -> None:
        """Take the estimate of the short form, which is of both directions together."""
        number, unit = _cell(printed)
        try:
            size = self._bytes(number, unit)
        except (ValueError, KeyError):
            self._parsed.incomplete(f"expected an estimate, found {printed[:40]!r}", at)
            return
        keys: Row = {"interface": self._interface, "phase": "estimated", "label": label, "operation": ""}
        self.samples.append({**keys, "data_size": size, "line": at})

    def _span(self, found: re.Match[str], at: int) -> None:
        """Take the time that samples of five minutes are of, with how many of them there are."""
        self._date = found[1]
        keys: Row = {"interface": self._interface, "phase": self._phase, "label": self._date}
        if found[2]:
            self.samples.append(keys | metric("entries", finite(found[2]), "1", at))
            self.samples.append(keys | metric("coverage", finite(found[3]) * PERCENT, "1", at))

    def _percentile(self, found: re.Match[str], at: int) -> None:
        """Take a line of ``vnstat --95th``: rates of both directions, and of their sum."""
        for operation, place in zip(_DIRECTIONS, (2, 4, 6), strict=True):
            keys: Row = {"interface": self._interface, "phase": self._phase, "label": self._date}
            rate = self._rate(found[place], found[place + 1])
            name = _RATES_OF_SAMPLES.get(found[1])
            unnamed = metric("95th percentile", rate, "B/s", at, operation=operation)
            row: Row = {"operation": operation, name: rate, "line": at} if name else unnamed
            self.samples.append(keys | row)

    def _live(self, found: re.Match[str], at: int) -> None:
        """Take a line of ``vnstat -l``: what was received and sent while it watched."""
        kind = found[1]
        cells = [_LIVE_CELL.search(half) for half in found.string.strip()[len(kind) :].split("|")]
        for operation, cell in zip(_DIRECTIONS[:2], cells, strict=False):
            keys: Row = {"interface": self._interface, "phase": "live", "operation": operation}
            if cell:
                try:
                    value = self._live_value(kind, operation, cell)
                except (ValueError, KeyError, TypeError, AttributeError):
                    self._parsed.incomplete(f"expected traffic, found {cell[0]!r}", at)
                else:
                    self._take_live(kind, operation, keys | value | {"line": at}, _IN_KILOBITS.search(cell[0]))

    def _take_live(self, kind: str, operation: str, row: Row, in_kilobits: object) -> None:
        self.samples.append(row)
        if kind == "bytes":
            self._watched[operation] = {"data_size": float(str(row["data_size"]))}
        elif in_kilobits:
            self._in_kilobits.append((row, _LIVE_RATES[kind]))
            self._watched[operation] |= {kind: float(str(row[_LIVE_RATES[kind]]))}

    def _live_value(self, kind: str, operation: str, cell: re.Match[str]) -> Row:
        """Name and value of a cell; of packets a second only the mean has a name in the contract.

        Raises
        ------
        ValueError
            If it is none of its line.
        """
        if kind == "packets" and cell[2]:
            raise ValueError(cell[0])
        if kind == "packets":
            return {_PACKETS[operation]: finite(cell[1])}
        if kind == "bytes":
            return {"data_size": self._bytes(cell[1], cell[2])}
        if cell[2] != "p/s":
            return {_LIVE_RATES[kind]: self._rate(cell[1], cell[2])}
        if kind == "average":
            return {"packet_rate": finite(cell[1])}
        return {"metric": f"packets {kind}", "value": finite(cell[1]), "unit": "1/s"}

    def _live_time(self, found: re.Match[str], at: int) -> None:
        keys: Row = {"interface": self._interface, "phase": "live", "operation": ""}
        unit = _SECONDS[found[2]]
        elapsed = finite(found[1]) * unit
        self.samples.append({**keys, "elapsed": elapsed, "line": at})
        half_a_digit = 0.5 * unit / 10 ** len(found[1].replace(",", ".").partition(".")[2])
        for seen in self._watched.values():
            self._kilobit.watched(elapsed, half_a_digit, seen.get("data_size", 0.0), seen.get("average", 0.0))

    def _average(self, found: re.Match[str], at: int) -> None:
        """Take the title of ``vnstat -tr``, under which a rate of each direction stands."""
        self._named(found, at)
        self._awaited = max(self._awaited, 0) + len(_RATES_OF_AVERAGE)

    def _live_rate(self, found: re.Match[str], at: int) -> None:
        self._awaited -= 1
        operation = "receive" if found[1] == "rx" else "transmit"
        keys: Row = {"interface": self._interface, "phase": "live", "operation": operation}
        row: Row = {**keys, "throughput": self._rate(found[2], found[3]), "packet_rate": finite(found[4]), "line": at}
        self.samples.append(row)
        if found[3] in _KILOBITS:
            self._in_kilobits.append((row, "throughput"))
            if self._may_be_of_any:
                self._parsed.note("a kbit is read as 1000 bits, as since vnstat 1.13: no line tells the version", at)


_RATES_OF_SAMPLES = {"minimum": "throughput_min", "average": "throughput", "maximum": "throughput_max"}
_RATES_OF_AVERAGE = ("rx", "tx")
_LIVE_RATES = {"max": "throughput_max", "average": "throughput", "min": "throughput_min"}
_PACKETS = {"receive": "packets_received", "transmit": "packets_sent"}


def _ungrouped(number: str) -> str:
    """Return a number without what stands between its thousands; a point or comma before two digits is decimal."""
    *whole, last = re.split("[.,]", number)
    return f"{''.join(whole)}.{last}" if whole and len(last) < 3 else "".join([*whole, last])


def _interface(title: str) -> str:
    """Return the interface of ``eth0``, ``uplink (eth0)`` and ``eth0 [disabled]``."""
    named = _IN_BRACKETS.search(title)
    return named[1] if named else title.partition(" [")[0]


def _cell(text: str) -> Cell:
    number, _, unit = text.strip().partition(" ")
    return number, unit or None
