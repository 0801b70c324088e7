"""IOzone's throughput mode: six lines a test, with ``-+u`` the processor time, with ``-C`` a line a child.

"Children see" is the sum of the children's own rates, "Parent sees" all bytes over the parent's time. "Min throughput"
and "Min xfer" pass over a first child that moved nothing, and are left out where the mean proves it.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from storagelab.parsers.benchmarks.iozone.header import Run
from storagelab.parsers.benchmarks.iozone.operations import THROUGHPUT_NAMES
from storagelab.parsers.model import Row, Value
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import computed, on, settled
from storagelab.schema import LINE_OF, VALUE_AT
from storagelab.units import KIB, PERCENT

_HAS_TWO_DECIMALS = re.compile(r"\d+\.\d\d").fullmatch
_NUMBER = r"(\d+(?:[.,]\d+)?)(?=[\s,]|$)"
_SEEN = re.compile(
    rf"(Children see|Parent sees) throughput for\s+(\d+)\s+([a-z][a-z -]{{0,40}}?)\s*=\s*{_NUMBER}\s*(\w*)"
)
_SPREAD = re.compile(rf"(Min|Max|Avg|Mean) throughput per (?:process|thread)\s*=\s*{_NUMBER}\s*(\w*)")
_LEAST = re.compile(rf"Min xfer\s*=\s*{_NUMBER}\s*(\w*)")
_CHILD = re.compile(
    rf"Child\[(\d+)\] xfer count =\s*{_NUMBER} (\w+), Throughput =\s*{_NUMBER} (\w+)/sec(.*)", re.DOTALL
)
CHILD = "\tChild["
_CHILDREN = re.compile(
    rf"{re.escape(CHILD)}(\d+)\] xfer count = *(\d+\.\d\d) (\w+), Throughput = *(\d+\.\d\d) (\w+)/sec\n"
)
TEST = "\tChildren see "
SIZE = 6
_VALUE = r"[ \t]*= *(\d{1,20}\.\d\d)"
_TEST = (
    rf"\tChildren see throughput for +(?P<processes>\d{{1,9}}) (?P<name>[a-z][a-z -]{{0,40}}?){_VALUE} "
    r"(?P<unit>kB|KB|ops)/sec\n"
    rf"\tParent sees throughput for +(?P=processes) (?P=name){_VALUE} (?P=unit)/sec\n"
    + "".join(
        rf"\t{which} throughput per (?:process|thread){_VALUE} (?P=unit)/sec *\n" for which in ("Min", "Max", "Avg")
    )
    + rf"\tMin xfer{_VALUE} (?P=unit)\n"
)
"""The six lines of a test as nearly all logs have them, below each other; any others are read one by one."""
_SIX_LINES = re.compile(_TEST)
WITH_CHILDREN = re.compile(
    rf"{_TEST}(?P<children>(?>{re.escape(CHILD)}\d{{1,9}}\] xfer count = *\d{{1,20}}\.\d\d (?P=unit), "
    r"Throughput = *\d{1,20}\.\d\d (?P=unit)/sec\n)*)"
)
"""A test with the lines of its children."""
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
_RATE, _BYTES = ("operation_rate", 1.0), ("throughput", KIB)
_UNITS = dict.fromkeys(("ops", "ops/sec"), _RATE) | dict.fromkeys(
    ("kB", "KB", "kb", "kbytes", "kB/sec", "KB/sec"), _BYTES
)
_UNIT_OF = {"operation_rate": "ops"}
_BEFORE = {"rewrite": "write", "reread": "read"}
"""What always ran just before; nothing else does."""


Line = tuple[int, str]


class _Label(NamedTuple):
    """What stands in front of a number: the suffix of its name, and the test where it says it."""

    suffix: str
    operation: str = ""
    processes: float = 0.0
    of_data: bool = False


class Throughput:
    """The throughput tests of one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.row: Row = {}
        self.rows: list[Row] = []
        self.headless: Row = {}
        self.seen: set[_Label] = set()
        self.moved: dict[tuple[Value, ...], list[float]] = {}

    def lose_name(self) -> None:
        """Do not give what follows to the test before: the line that names its test is unreadable."""
        self.row = {}

    def repeats(self, line: str) -> bool:
        """Whether a line stands in this run already: then it is another run's."""
        said = _read_line(line)
        return said is not None and said[0] in self.seen

    def read(self, line: str, line_number: int) -> bool:
        """Take in a line; False if it is none of a throughput test."""
        if "xfer count" in line:
            return self._read_child(line, line_number)
        said = _read_line(line)
        if said is None:
            return self._read_cpu(line, line_number)
        label, value, unit = said
        quantity, factor = _unit(unit, self.run)
        if label.operation:
            self._put_seen(label, quantity + label.suffix, number(value) * factor, line_number)
        else:
            name = _MOVED[quantity] if label.of_data else quantity
            self._put(name + label.suffix, number(value) * factor, line_number)
        return True

    def _put_seen(self, label: _Label, name: str, value: float, line_number: int) -> None:
        self.seen.add(label)
        operation, processes = label.operation, label.processes
        if self.row.get("operation") != operation or self.row.get("processes") != processes or name in self.row:
            self._begin(operation, processes, line_number)
        self.row |= self._on(line_number, name, value)

    def _on(self, line_number: int, name: str, value: float) -> Row:
        """Return a value with its line, where that is not the one with which the test begins."""
        return {name: value} if line_number == self.row.get("line") else on(line_number, {name: value})

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
        self._keep(settled(row | self.headless))
        self.run.note(f"the name of this test is cut off; {operation} always runs before what follows", line_number)

    def _put(self, name: str, value: float, line_number: int) -> None:
        if name in self.row:
            self.row = {}
        if not self.row:
            self.run.break_off("a test whose name is cut off", line_number)
            self.headless.setdefault("line", line_number)
        (self.row or self.headless).update(on(line_number, {name: value}))

    def read_test(self, lines: list[Line], start: int) -> int:
        """Take in at once the lines of a test that begins on a line; return where others begin."""
        six = lines[start : start + SIZE]
        found = _SIX_LINES.fullmatch("".join([f"{line}\n" for _, line in six]))
        return start + SIZE if found and self.add_test(found, [number for number, _ in six]) else start

    def add_test(self, found: re.Match[str], numbers: Sequence[int]) -> bool:
        """Take in a test, its lines numbered; False where it is one that was there already."""
        count, name, seen, unit, *others = found.groups()[: SIZE + 3]
        operation, processes = THROUGHPUT_NAMES.get(name), float(count)
        if not operation or self.row.get("operation") == operation:
            return False
        labels = {_Label(suffix, operation, processes) for suffix in ("", "_parent")}
        if labels & self.seen:
            return False
        quantity, factor = _UNITS[unit]
        self.seen |= labels
        self._begin(operation, processes, numbers[0])
        self.row[quantity] = float(seen) * factor
        for name, line_number, value in zip(_names_of(quantity), numbers[1:], others, strict=True):
            self.row[name] = float(value) * factor
            self.row[LINE_OF[name]] = line_number
        return True

    def read_children(self, lines: list[Line], start: int) -> int:
        """Take in at once all children from a line on that are as IOzone prints them; return where others begin."""
        end = start
        while end < len(lines) and lines[end][1].startswith(CHILD):
            end += 1
        found = _CHILDREN.findall("".join([f"{line}\n" for _, line in lines[start:end]]))
        if not self.row or len(found) != end - start:
            return start
        self._add_children(found, [number for number, _ in lines[start:end]])
        return end

    def add_children(self, text: str, first: int) -> None:
        """Take in children that are as IOzone prints them, from a line on."""
        found = _CHILDREN.findall(text)
        self._add_children(found, range(first, first + len(found)))

    def _add_children(self, found: Iterable[Iterable[str]], lines: Sequence[int]) -> None:
        for printed, line_number in zip(found, lines, strict=True):
            self._add_child(printed, line_number, {})

    def _read_child(self, line: str, line_number: int) -> bool:
        match = _CHILD.search(line)
        if not match or not self.row:
            return False
        *printed, rest = match.groups()
        self._add_child(printed, line_number, _times(rest) if rest else {})
        return True

    def _add_child(self, printed: Iterable[str], line_number: int, times: Row) -> None:
        child, amount, unit, rate, rate_unit = printed
        operation, processes = self.row["operation"], self.row["processes"]
        quantity, factor = _unit(rate_unit, self.run)
        moved, scale = _unit(unit, self.run)
        moved = _MOVED[moved]
        row: Row = {
            "operation": operation,
            "processes": processes,
            "share": "process",
            "process": child,
            quantity: number(rate) * factor,
            moved: number(amount) * scale,
        }
        row |= times
        row["line"] = line_number
        self.run.clients.append(row)
        self.moved.setdefault((operation, processes, moved), []).append(float(row[moved]))

    def _read_cpu(self, line: str, line_number: int) -> bool:
        if not self.row or "Wall time" not in line:
            return False
        self.row |= on(line_number, _times(line))
        return True

    def close(self) -> None:
        """Leave out tests that moved nothing and minima that cannot be, and add up what all processes moved."""
        file_size = self.run.keys().get("file_size")
        names = {name for row in self.rows for name in row if name not in _TIMES and name not in VALUE_AT}
        for row in self.rows:
            if names - row.keys() and self.run.finished:
                self.run.break_off(f"the test {row['operation']} lacks a line that others have", int(row["line"]))
            if _moved_nothing(row):
                self.run.drop(row)
                self.run.break_off(f"no process finished the test {row['operation']}", int(row["line"]))
            else:
                self._leave_out_false_minima(row)
                self._count_children(row)
                self._add_up(row, file_size)

    def _leave_out_false_minima(self, row: Row) -> None:
        for quantity, moved in _MOVED.items():
            seen = float(row.get(quantity, 0.0)) / float(row["processes"] or 1.0)
            least, mean = row.get(f"{quantity}_min"), row.get(f"{quantity}_mean", seen)
            if least is not None and mean and float(least) > float(mean) * 1.0001:
                for name in (f"{quantity}_min", f"{moved}_min"):
                    row.pop(name, None)
                    row.pop(LINE_OF[name], None)
                why = "a minimum above the mean: IOzone passes over a first process that moved nothing"
                self.run.note(why, int(row["line"]))

    def _count_children(self, row: Row) -> None:
        """Say where a test shows fewer processes than it ran, or more, in a run that shows them (``-C``)."""
        operation, processes = row["operation"], row["processes"]
        shown = sum(len(self.moved.get((operation, processes, moved), ())) for moved in _MOVED.values())
        if self.moved and self.run.finished and shown != processes:
            expected = f"expected a line Child[...] of each of {processes:g} processes of the test {operation}"
            self.run.note(f"{expected}, found {shown}", int(row["line"]))

    def _add_up(self, row: Row, file_size: Value | None) -> None:
        for quantity, moved in _MOVED.items():
            shares = self.moved.get((row["operation"], row["processes"], moved), [])
            total = math.fsum(shares) if len(shares) == row["processes"] else 0.0
            if total or (total := self._moved_by_all(row, quantity, file_size)):
                row |= computed({moved: total})

    def _moved_by_all(self, row: Row, quantity: str, file_size: Value | None) -> float:
        """All bytes, where no process can have been idle and even the slowest one moved its whole file."""
        least = float(row.get("data_size_min", 0.0))
        total, most = float(row.get(quantity, 0.0)), float(row.get(f"{quantity}_max", 0.0))
        processes = float(row["processes"])
        all_worked = total > (processes - 1) * most or (quantity in row and not self.run.stonewalled)
        return processes * least if all_worked and least and least == file_size else 0.0


@functools.cache
def _names_of(quantity: str) -> list[str]:
    """Return the names of what stands below the first line of a test."""
    return [*(quantity + suffix for suffix in ("_parent", "_min", "_max", "_mean")), f"{_MOVED[quantity]}_min"]


@functools.lru_cache(maxsize=1)
def _read_line(line: str) -> tuple[_Label, str, str] | None:
    """Tell the label, the number and the unit of a line; each first line of a test is asked for twice."""
    text, _, rest = line.partition("=")
    words = rest.split()
    if len(words) != 2 or words[1] not in _UNITS or not _HAS_TWO_DECIMALS(words[0]):
        return _search(line)
    label = _read_label(text)
    return None if label is None else (label, words[0], words[1])


@functools.lru_cache(maxsize=1024)
def _read_label(text: str) -> _Label | None:
    """Tell what stands in front of a number, as if there were one: logs share most labels."""
    said = _search(f"{text}= 1.00 kB/sec")
    return None if said is None else said[0]


def _search(line: str) -> tuple[_Label, str, str] | None:
    if " throughput for " in line:
        match = _SEEN.search(line)
        if not match or match[3] not in THROUGHPUT_NAMES:
            return None
        return _Label(_SUFFIXES[match[1]], THROUGHPUT_NAMES[match[3]], float(match[2])), match[4], match[5]
    if " throughput per " in line:
        match = _SPREAD.search(line)
        return (_Label(_SUFFIXES[match[1]]), match[2], match[3]) if match else None
    match = _LEAST.search(line)
    return (_Label(_SUFFIXES["Min"], of_data=True), match[1], match[2]) if match else None


def _unit(unit: str, run: Run) -> tuple[str, float]:
    """Tell what is counted in a unit, and its size; where the unit is cut off, the run says it."""
    return _UNITS.get(unit) or _UNITS.get(unit.lower()) or _UNITS[_UNIT_OF.get(run.quantity, "kb")]


def _times(text: str) -> Row:
    """Wall and processor time and their ratio; 0 is below the resolution of the clock and no value."""
    times: Row = {}
    for name, pattern in _TIMES.items():
        if (match := pattern.search(text)) and (value := number(match[1])):
            times[name] = value * PERCENT if name == "cpu_utilisation" else value
    return times


def _moved_nothing(row: Row) -> bool:
    return not any(row.get(quantity + suffix) for quantity in _MOVED for suffix in ("", "_parent", "_max"))
