"""IOzone's throughput mode: six lines a test, with ``-+u`` the processor time, with ``-C`` a line a child.

"Children see" is the sum of the children's own rates, "Parent sees" all bytes over the parent's time. "Min throughput"
and "Min xfer" pass over a first child that moved nothing, and are left out where the mean proves it.
"""

from __future__ import annotations

import functools
import re

from storagelab.parsers.iozone.run import Run
from storagelab.parsers.iozone.tests import THROUGHPUT_NAMES
from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.units import KIB, PERCENT

_NUMBER = r"(\d+(?:[.,]\d+)?)(?=[\s,]|$)"
_SEEN = re.compile(
    rf"(Children see|Parent sees) throughput for\s+(\d+)\s+([a-z][a-z -]{{0,40}}?)\s*=\s*{_NUMBER}\s*(\w*)"
)
_SPREAD = re.compile(rf"(Min|Max|Avg|Mean) throughput per (?:process|thread)\s*=\s*{_NUMBER}\s*(\w*)")
_LEAST = re.compile(rf"Min xfer\s*=\s*{_NUMBER}\s*(\w*)")
_CHILD = re.compile(
    rf"Child\[(\d+)\] xfer count =\s*{_NUMBER} (\w+), Throughput =\s*{_NUMBER} (\w+)/sec(.*)", re.DOTALL
)
_TIMES = {
    "elapsed": re.compile(rf"(?:Wall time|wall=)\s*{_NUMBER}"),
    "cpu_time": re.compile(rf"(?:CPU time|cpu=)\s*{_NUMBER}"),
    "cpu_utilisation": re.compile(rf"(?:CPU utilization|%=)\s*{_NUMBER}"),
}
_SUFFIXES = {
    "Children see": "",
    "Parent sees": "_parent",
    "Min": "_min",
    "Max": "_max",
    "Avg": "_mean",
    "Mean": "_mean",
}
_MOVED = {"throughput": "data_size", "operation_rate": "operations"}
_UNITS = {"ops": ("operation_rate", 1.0)} | dict.fromkeys(("kB", "KB", "kb", "kbytes"), ("throughput", KIB))
_UNIT_OF = {"operation_rate": "ops"}
_BEFORE = {"rewrite": "write", "reread": "read"}
"""What always ran just before; nothing else does."""


class Throughput:
    """The throughput tests of one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.row: Row = {}
        self.rows: list[Row] = []
        self.headless: Row = {}
        self.seen: set[tuple[str | None, ...]] = set()

    def lose_name(self) -> None:
        """Do not give what follows to the test before: the line that names its test is unreadable."""
        self.row = {}

    def repeats(self, line: str) -> bool:
        """Whether a line stands in this run already: then it is another run's."""
        match = _match_seen(line)
        return match is not None and match.groups()[:3] in self.seen

    def read(self, line: str, number: int) -> bool:
        """Take in a line; False if it is none of a throughput test."""
        if "xfer count" in line:
            return self._read_child(line, number)
        if " throughput for " in line:
            return self._read_seen(line, number)
        if " throughput per " in line:
            return self._read_spread(line, number)
        return self._read_least(line, number) or self._read_cpu(line, number)

    def _read_seen(self, line: str, line_number: int) -> bool:
        match = _match_seen(line)
        if not match or match[3] not in THROUGHPUT_NAMES:
            return False
        self.seen.add(match.groups()[:3])
        operation, processes = THROUGHPUT_NAMES[match[3]], float(match[2])
        quantity, value = _rate(match[4], match[5], self.run)
        name = quantity + _SUFFIXES[match[1]]
        if self.row.get("operation") != operation or self.row.get("processes") != processes or name in self.row:
            self._begin(operation, processes, line_number)
        self.row[name] = value
        return True

    def _begin(self, operation: str, processes: float, line_number: int) -> None:
        if self.headless and operation in _BEFORE:
            self._name_headless(_BEFORE[operation], processes)
        self.headless = {}
        self.row = {"operation": operation, "processes": processes, "line": line_number}
        self._keep(self.row)

    def _keep(self, row: Row) -> None:
        self.rows.append(row)
        self.run.rows.append(row)

    def _name_headless(self, operation: str, processes: float) -> None:
        line_number = int(self.headless["line"])
        row: Row = {"operation": operation, "processes": processes}
        self._keep(row | self.headless)
        self.run.note(f"the name of this test is cut off; {operation} always runs before what follows", line_number)

    def _read_spread(self, line: str, line_number: int) -> bool:
        match = _SPREAD.search(line)
        if match:
            quantity, value = _rate(match[2], match[3], self.run)
            self._put(quantity + _SUFFIXES[match[1]], value, line_number)
        return bool(match)

    def _read_least(self, line: str, line_number: int) -> bool:
        match = _LEAST.search(line)
        if match:
            quantity, value = _rate(match[1], match[2], self.run)
            self._put(f"{_MOVED[quantity]}_min", value, line_number)
        return bool(match)

    def _put(self, name: str, value: float, line_number: int) -> None:
        if name in self.row:
            self.row = {}
        if not self.row:
            self.run.break_off("a test whose name is cut off", line_number)
            self.headless.setdefault("line", line_number)
        (self.row or self.headless)[name] = value

    def _read_child(self, line: str, line_number: int) -> bool:
        match = _CHILD.search(line)
        if not match or not self.row:
            return False
        quantity, rate = _rate(match[4], match[5], self.run)
        moved, amount = _rate(match[2], match[3], self.run)
        child: Row = {
            "operation": self.row["operation"],
            "processes": self.row["processes"],
            "share": "process",
            "process": match[1],
            quantity: rate,
            _MOVED[moved]: amount,
        }
        if match[6]:
            child |= _times(match[6])
        child["line"] = line_number
        self.run.clients.append(child)
        return True

    def _read_cpu(self, line: str, line_number: int) -> bool:
        if not self.row or "Wall time" not in line:
            return False
        self.row |= _times(line)
        return True

    def close(self) -> None:
        """Leave out tests that moved nothing and minima that cannot be, and add up what all processes moved."""
        names = {name for row in self.rows for name in row if name not in _TIMES}
        for row in self.rows:
            if names - set(row) and self.run.finished:
                self.run.break_off(f"the test {row['operation']} lacks a line that others have", int(row["line"]))
            if _moved_nothing(row):
                self.run.drop(row)
                self.run.break_off(f"no process finished the test {row['operation']}", int(row["line"]))
            else:
                _finish(self.run, row)


@functools.lru_cache(maxsize=1)
def _match_seen(line: str) -> re.Match[str] | None:
    """Look for the first number of a test; each such line is asked twice."""
    return _SEEN.search(line)


def _rate(value: str, unit: str, run: Run) -> tuple[str, float]:
    quantity, factor = _UNITS.get(unit) or _UNITS.get(unit.lower()) or _UNITS[_UNIT_OF.get(run.quantity, "kb")]
    return quantity, number(value) * factor


def _times(text: str) -> Row:
    """Wall and processor time and their ratio; 0 is below the resolution of the clock and no value."""
    times: Row = {}
    for name, pattern in _TIMES.items():
        if (match := pattern.search(text)) and (value := number(match[1])):
            times[name] = value * PERCENT if name == "cpu_utilisation" else value
    return times


def _moved_nothing(row: Row) -> bool:
    return not any(row.get(quantity + suffix) for quantity in _MOVED for suffix in ("", "_parent", "_max"))


def _finish(run: Run, row: Row) -> None:
    for quantity, moved in _MOVED.items():
        least, mean = row.get(f"{quantity}_min"), row.get(f"{quantity}_mean")
        if least is not None and mean is not None and float(least) > float(mean) * 1.0001:
            del row[f"{quantity}_min"]
            row.pop(f"{moved}_min", None)
            run.note(
                "a minimum above the mean: IOzone passes over a first process that moved nothing", int(row["line"])
            )
        total = _moved_by_children(run, row, moved) or _moved_by_all(row, quantity, run)
        if total:
            row[moved] = total


def _moved_by_children(run: Run, row: Row, moved: str) -> float:
    shares = [
        float(child[moved])
        for child in run.clients
        if moved in child and child["operation"] == row["operation"] and child["processes"] == row["processes"]
    ]
    return sum(shares) if len(shares) == row["processes"] else 0.0


def _moved_by_all(row: Row, quantity: str, run: Run) -> float:
    """All bytes, where no process can have been idle and even the slowest one moved its whole file."""
    least = float(row.get("data_size_min", 0.0))
    total, most = float(row.get(quantity, 0.0)), float(row.get(f"{quantity}_max", 0.0))
    processes = float(row["processes"])
    all_worked = total > (processes - 1) * most or not run.stonewalled
    return processes * least if all_worked and least and least == run.keys().get("file_size") else 0.0
