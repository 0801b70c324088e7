"""IOzone's Excel reports (``-R``): a matrix a test, or a line a throughput test, and the same for the processor time.

A matrix has the record sizes in its first line and a file size in front of each other line; lines may be shorter than
the first. 0 stands for what was not measured. Worksheets that went through a spreadsheet have tabs and no quotes, and
may stand beside each other. The reports repeat what the log says elsewhere: only what is new is taken from them.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from storagelab.parsers.benchmarks.iozone.header import FACTORS, Run
from storagelab.parsers.benchmarks.iozone.operations import COLUMNS, REPORT_NAMES, TESTS
from storagelab.parsers.model import Row, Rows, Value
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import KIB, PERCENT

_TITLE = re.compile(r'(?:^|[\t"]) *([A-Za-z][A-Za-z -]*?) (CPU utilization )?[Rr]eport\b')
_LINE = re.compile(r'\s*"\s*([A-Z][A-Za-z -]{0,40}?)\s*"((?:\s+\d[\d.,]*)+)\s*')
_CELL = re.compile(r'"[^"\t]*"|[^\s"]+')
_ORPHAN = re.compile(r'\s*"\d+"\s+\d')
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)?(?:\n\d+(?:[.,]\d+)?)*")


@dataclass(slots=True)
class _Matrix:
    operation: str
    processor: bool
    column: int
    label: str = ""
    quoted: bool = False
    records: list[str] = field(default_factory=list)


class _Line(NamedTuple):
    matrix: _Matrix
    records: list[str]
    values: list[str]
    number: int


class Excel:
    """The Excel reports of one run."""

    def __init__(self, run: Run, above: list[str]) -> None:
        self.run = run
        self.repeats = bool(run.rows)
        self.matrices: list[_Matrix] = []
        self.shapes: dict[str, dict[str, list[int]]] = {"rate": {}, "processor": {}}
        self.tests: list[list[Row]] = []
        self.processor = -1
        self.above = above
        self.repeated: list[_Line] = []

    def read(self, line: str, line_number: int) -> bool:
        """Take in a line; False if it belongs to no report."""
        if self._read_title(line) or self._read_cells(line, line_number) or self._read_test(line, line_number):
            return True
        if _ORPHAN.match(line):
            self.run.break_off("a line of a report whose title or heading is unreadable", line_number)
        elif line.strip():
            title = re.search("[A-Za-z]", line) and ('"' in line or "eport" in line)
            self.matrices = [] if title else [matrix for matrix in self.matrices if matrix.quoted]
            self.above = [*self.above[-2:], line]
        return False

    def _read_title(self, line: str) -> bool:
        if " Y-axis is type of test" in line:
            self.processor = 0 if line.lstrip().startswith('"CPU') else -1
            return True
        if "eport" not in line:
            return False
        found = [
            _Matrix(
                operation=REPORT_NAMES[match[1].lower()],
                processor=bool(match[2]),
                column=line.count("\t", 0, match.start(1)),
                quoted='"' in line,
            )
            for match in _TITLE.finditer(line)
            if match[1].lower() in REPORT_NAMES
        ]
        for matrix in found:
            matrix.label = self._label(matrix.column, len(found))
            self._shape(matrix)
        self.matrices = found or self.matrices
        return bool(found)

    def _label(self, column: int, tables: int) -> str:
        if tables == len(self.matrices):
            return next((matrix.label for matrix in self.matrices if matrix.column == column), "")
        for cells in (line.split("\t") for line in self.above):
            if len([cell for cell in cells if cell.strip()]) == tables > 1 and column < len(cells):
                return cells[column].strip()
        return ""

    def _read_cells(self, line: str, line_number: int) -> bool:
        if not self.matrices:
            return False
        blocks = [
            (matrix, cells, _numbers(cells)) for matrix, cells in zip(self.matrices, self._blocks(line), strict=True)
        ]
        if not any(values for _, _, values in blocks):
            return False
        for matrix, cells, values in blocks:
            if values and _is_heading(matrix, cells):
                matrix.records = values
            elif values and matrix.records and _is_line(matrix, cells):
                self._read_line(matrix, values, line_number)
            elif values and _is_line(matrix, cells):
                return False
        return True

    def _blocks(self, line: str) -> list[list[str]]:
        if len(self.matrices) == 1:
            separated = line.replace(";", " ") if " " in line.strip() else re.sub("[;,]", " ", line)
            return [_CELL.findall(separated)]
        cells = line.split("\t")
        bounds = [matrix.column for matrix in self.matrices] + [len(cells)]
        return [cells[start:end] for start, end in itertools.pairwise(bounds)]

    def _read_line(self, matrix: _Matrix, values: list[str], line_number: int) -> None:
        self._shape(matrix).append(len(values))
        line = _Line(matrix, matrix.records, values, line_number)
        if self.repeats and not matrix.processor:
            self.repeated.append(line)
        else:
            self._add_line(*line)

    def _add_line(self, matrix: _Matrix, records: list[str], values: list[str], line_number: int) -> None:
        name = "cpu_utilisation" if matrix.processor else self.run.quantity
        factor = PERCENT if matrix.processor else FACTORS[name]
        file_size = number(values[0]) * KIB
        for record, value in zip(records, map(number, values[1:]), strict=False):
            if value:
                row = self._row(matrix, file_size, number(record) * KIB, line_number)
                if matrix.processor or name not in row:
                    found: Row = {name: value * factor}
                    row |= found if row["line"] == line_number else on(line_number, found)

    def _row(self, matrix: _Matrix, file_size: float, record_size: float, line_number: int) -> Row:
        """Return the row that the table gave for these sizes, or else a new one."""
        key = matrix.operation, file_size, record_size, matrix.label
        if key not in self.known:
            row: Row = {"operation": matrix.operation, "file_size": file_size, "record_size": record_size}
            if matrix.label:
                row["label"] = matrix.label
            row["line"] = line_number
            self.known[key] = row
            self.run.rows.append(row)
        return self.known[key]

    def _shape(self, matrix: _Matrix) -> list[int]:
        shapes = self.shapes["processor" if matrix.processor else "rate"]
        return shapes.setdefault(matrix.operation + matrix.label, [])

    def _read_test(self, line: str, line_number: int) -> bool:
        match = _LINE.fullmatch(line) if '"' in line else None
        if not match or match[1].lower() not in REPORT_NAMES:
            return False
        try:
            values = [number(value) for value in match[2].split()]
        except ValueError:
            return False
        if self.repeats:
            return True
        if self.processor >= 0:
            self._add_processor(values, line_number)
        else:
            operation = REPORT_NAMES[match[1].lower()]
            self.tests.append([self._test(operation, at, len(values)) for at in range(len(values))])
            for row, value in zip(self.tests[-1], values, strict=True):
                row |= {self.run.quantity: value * FACTORS[self.run.quantity], "line": line_number}
            self.run.rows += self.tests[-1]
        return True

    def _add_processor(self, values: list[float], line_number: int) -> None:
        """Follow the order of the report above: the processor report names some tests wrongly."""
        rows = self.tests[self.processor] if self.processor < len(self.tests) else []
        for row, value in zip(rows, values, strict=False):
            if value:
                row |= on(line_number, {"cpu_utilisation": value * PERCENT})
        self.processor += 1

    def _test(self, operation: str, at: int, columns: int) -> Row:
        """Key of one value: in IOzone's own reports a column is a number of processes."""
        least, most = self.run.command.count("l"), self.run.command.count("u")
        if least and most and most - least + 1 == columns:
            return {"operation": operation, "processes": least + at}
        if columns == 1:
            return {"operation": operation}
        titles = self.above[-1].split()[-columns:] if self.above else []
        return {"operation": operation, "label": titles[at] if len(titles) == columns else f"column {at + 1}"}

    @functools.cached_property
    def known(self) -> dict[tuple[Value, ...], Row]:
        """The rows of the run by their keys: from now on they are looked up and added to one by one."""
        self.run.rows = Rows(list(self.run.rows))
        return {_key(row): row for row in self.run.rows if "record_size" in row}

    def close(self) -> None:
        """Say whether the reports break off: all matrices of a run have one shape."""
        for line in [] if self._says_nothing_new() else self.repeated:
            self._add_line(*line)
        rates, promised = self.shapes["rate"], self.run.promised
        for kind, shapes in self.shapes.items():
            due = bool(shapes) or (kind in promised and "rate" in promised)
            if due and not self._is_whole(shapes, next(iter(rates.values()), [])):
                self.run.break_off("the Excel report breaks off", 0)
        chosen = {operation for test in self.run.command.tests() if test < len(TESTS) for operation in TESTS[test]}
        every = self.run.rows.distinct("operation") >= (chosen or set(COLUMNS[:13]))
        self.run.reported = bool(rates) and every and not self.repeats and not self.run.cut
        if rates and self.repeats:
            self.run.note("the Excel report repeats the table and is not taken a second time")

    def _says_nothing_new(self) -> bool:
        """Whether the report has the numbers of the table: as many, of the same sum."""
        told = [rate for line in self.repeated for value in line.values[1:] if (rate := number(value))]
        known = [float(rate) for rate in self.run.rows.column(self.run.quantity, 0.0) if rate]
        return len(told) == len(known) and math.isclose(sum(told) * FACTORS[self.run.quantity], sum(known))

    def _is_whole(self, shapes: dict[str, list[int]], shape: list[int]) -> bool:
        rows = self.run.rows
        keys = set(zip(rows.column("operation"), rows.column("label"), rows.column("record_size"), strict=True))
        measured = {f"{operation}{label}" for operation, label, size in keys if size}
        halves = [test for test in TESTS if any(name in shapes for name in test) and set(test) - set(shapes)]
        return measured <= set(shapes) and not halves and all(own == shape for own in shapes.values())


def _is_heading(matrix: _Matrix, cells: list[str]) -> bool:
    """Whether a line holds the record sizes: all in quotes, or nothing above the file sizes."""
    if matrix.quoted:
        return all(cell.startswith('"') for cell in cells)
    return not matrix.records


def _is_line(matrix: _Matrix, cells: list[str]) -> bool:
    return not matrix.quoted or (cells[0].startswith('"') and not any(cell.startswith('"') for cell in cells[1:]))


def _key(row: Row) -> tuple[Value, ...]:
    return row["operation"], row.get("file_size", ""), row["record_size"], row.get("label", "")


def _numbers(cells: list[str]) -> list[str]:
    values = [cell.strip().strip('"') for cell in cells if cell.strip()]
    return values if _NUMBERS.fullmatch("\n".join(values)) else []
