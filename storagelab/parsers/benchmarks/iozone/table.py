"""IOzone's automatic table: a line a file and record size, a fixed-width column an operation."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storagelab.parsers.benchmarks.iozone.automatic_columns import LONGEST, LOST, layout, name_columns
from storagelab.parsers.benchmarks.iozone.automatic_sizes import sweep_of
from storagelab.parsers.benchmarks.iozone.fixed_width import read_picture
from storagelab.parsers.benchmarks.iozone.header import FACTORS, Run
from storagelab.parsers.model import Row, Words
from storagelab.parsers.text import floats
from storagelab.units import KIB

if TYPE_CHECKING:
    import numpy as np

HEADING = re.compile(r"\b[kK]B\s+reclen((?:\s+(?:re|f|fre|p|rep)?(?:write|read)v?\b)+)")
_ROW = re.compile(
    r"(?P<label>\s*(?:\S+\s+){0,3}?)(?P<file>\d+)\s+(?P<record>\d+)(?P<cells>(?:\s+\d+)*)(?P<tail>.*)", re.DOTALL
)
_TOUCHED_ROW = re.compile(
    r"(?P<label>)(?P<file> *\d+(?<=^.{16}))(?P<record> *\d+(?<=^.{24}))(?P<cells>\d+(?:\s+\d+)*)(?P<tail>.*)", re.DOTALL
)
"""A line as IOzone prints it whose first number is as wide as its column, so that it touches the record size."""
LONGEST_LINE = 2000
FEW = 4
_QUALIFIERS = re.compile(r"\b(?:random|bkwd|record|stride)\b")


@dataclass(slots=True)
class _Open:
    """A line into which something else printed: what is still to come may stand on a later line."""

    file: str
    record: str
    column: int
    line: int


def is_headless_row(line: str) -> bool:
    """Whether a line can be none but one of a table whose heading is cut off."""
    words = line.split()
    if not 6 <= len(words) <= 19 or len(line) > LONGEST_LINE or not "".join(words).isdecimal():
        return False
    file, record = int(words[0]), int(words[1])
    return 0 < record <= file and file % record == 0 and record & (record - 1) == 0


def _ends_at(line: str, end: int) -> bool:
    return line[end - 1 : end] > " " and line[end : end + 1] in ("", " ")


class Table:
    """The table of one run, from its heading on."""

    def __init__(self, run: Run, heading: str = "", above: str = "") -> None:
        match = HEADING.search(heading)
        start = match.start(1) if match else 0
        self.run = run
        self.operations = name_columns(heading[start:], above[start:])
        self.layout = layout(heading[start:], len(self.operations), tuple(run.command.tests()))
        self.prefixed = match is not None and bool(heading[: match.start()].strip())
        self.label = " ".join(_QUALIFIERS.sub("", above).split()) if "random" in above and not self.prefixed else ""
        self.width = len(self.operations) + 2 if all(self.operations) else 0
        self.quantity, self.factor = run.quantity, FACTORS[run.quantity]
        self.sweep = sweep_of(run)
        self.open: _Open | None = None
        self.before: tuple[tuple[int, ...], tuple[str, ...]] = ((), ())
        self.printed: tuple[str, ...] = ()
        self.tried = 0
        run.tabular = True
        if not self.width:
            run.note(f"columns without a name are left out: {heading.strip()}")

    def read(self, line: str, number: int) -> bool:
        """Take in a line; False if it is no line of the table."""
        self.printed = ()
        if len(line) > LONGEST_LINE:
            return False
        words = line.split()
        operations = self._operations_of(words, line)
        if operations and "".join(words).isdecimal() and not self._touch(words):
            self._add(words[0], words[1], zip(operations, floats(words[2:]), strict=True), number)
            self.printed = operations
            return True
        return any(map(str.isdecimal, words)) and (
            self._continue(line, words, number) or self._read_ragged(line, number)
        )

    def read_alike(self, lines: list[tuple[int, str]], start: int) -> int:
        """Take in at once the lines after `start` that look like the one before it; return where others begin."""
        if not self.printed or start < self.tried:
            return start
        model = lines[start - 1][1]
        end = start
        while end < len(lines) and len(lines[end][1]) == len(model):
            end += 1
        if end - start < FEW:
            return start
        self.tried = end
        numbers = read_picture(model, [line for _, line in lines[start:end]])
        if numbers is None or numbers.shape[1] != len(self.printed) + 2 or numbers.max() >= 10**LONGEST:
            return start
        self._add_lines(numbers, [number for number, _ in lines[start:end]])
        return end

    def _add_lines(self, numbers: np.ndarray[tuple[int, int], np.dtype[np.int64]], lines: list[int]) -> None:
        """Add lines with the columns `printed`: each has a file size, a record size and the cells."""
        import numpy as np

        cells = numbers[:, 2:]
        row, column = cells.nonzero()
        self.sweep.hold_all(numbers[:, :2], lines)
        sizes = numbers[:, :2] * KIB
        self.run.rows.add_columns(
            {
                "operation": Words(self.printed, column.astype(np.int8)),
                "file_size": array("d", sizes[row, 0].tobytes()),
                "record_size": array("d", sizes[row, 1].tobytes()),
                self.quantity: array("d", (cells[row, column] * self.factor).tobytes()),
                "line": array("q", np.array(lines)[row].tobytes()),
            }
        )

    def _operations_of(self, words: list[str], line: str) -> tuple[str, ...]:
        """Return the columns of a line that has all of them, or the same ones as the line before; else ()."""
        if len(words) == self.width and not self.label:
            return self.operations
        ends, operations = self.before
        alike = ends and len(words) == len(ends) + 2 and all(_ends_at(line, end) for end in ends)
        return operations if alike else ()

    @staticmethod
    def _touch(words: list[str]) -> bool:
        """Whether a number is too long to be one."""
        return len(max(words, key=len)) > LONGEST

    def _add(self, file: str, record: str, cells: Iterable[tuple[str, float]], number: int, label: str = "") -> None:
        self.sweep.hold(int(file), int(record), number)
        quantity, factor = self.quantity, self.factor
        file_size, record_size = float(file) * KIB, float(record) * KIB
        rows: list[Row] = [
            {"operation": op, "file_size": file_size, "record_size": record_size, quantity: v * factor, "line": number}
            for op, v in cells
            if v
        ]
        if label:
            for row in rows:
                row["label"] = label
        self.run.rows += rows

    def _read_ragged(self, line: str, number: int) -> bool:
        if self._read_dirty(line.split(), number):
            return True
        match = self._match_row(line)
        if not match:
            return self._is_ruin(line.split(), number)
        cells, tail = self._split_tail(match)
        placed = self.layout.place(cells)
        if placed is None or any(column >= len(self.operations) for column, _ in placed):
            self.run.break_off(f"cannot tell which columns these numbers belong to: {cells.strip()}", number)
            return True
        label = self._label_of(match["label"].strip(), tail)
        named = [(self.operations[column], float(value)) for column, value in placed if self.operations[column]]
        self._add(match["file"], match["record"], named, number, label)
        if len(named) == len(cells.split()) and not label and not tail:
            ends = tuple(word.end() for word in re.compile(r"\S+").finditer(line, match.start("cells")))
            self.before = ends, tuple(operation for operation, _ in named)
        reached = placed[-1][0] + 1 if placed else 0
        if reached < len(self.operations) and (tail or not placed):
            self.open = _Open(match["file"], match["record"], reached, number)
        return True

    def _label_of(self, before: str, tail: str) -> str:
        """Join what stands above the table, in front of the line (on this line only) and in brackets behind it."""
        own = "" if self.prefixed else before
        return " ".join(filter(None, (self.label, own, tail.strip("()") if tail.startswith("(") else "")))

    def _split_tail(self, match: re.Match[str]) -> tuple[str, str]:
        """Tell the numbers from what follows; a number that touches it counts if it fills its column."""
        cells, tail = match["cells"], match["tail"]
        if tail and not tail[0].isspace() and not (tail[0] != LOST and self.layout.ends_whole(cells)):
            cells, _, cut = cells.rpartition(" ")
            tail = cut + tail
        return cells, tail.strip()

    def _read_dirty(self, words: list[str], number: int) -> bool:
        """Read a line with all its columns of which one or two are no numbers any more."""
        dirty = [word for word in words if not word.isdecimal()]
        whole = len(words) == self.width and words[0].isdecimal() and words[1].isdecimal() and words[-1].isdecimal()
        if not whole or not 0 < len(dirty) <= 2 or int(words[0]) < int(words[1]):
            return False
        self.run.break_off(f"no number: {', '.join(dirty)}", number)
        cells = [(op, float(word)) for op, word in zip(self.operations, words[2:], strict=True) if word.isdecimal()]
        self._add(words[0], words[1], cells, number)
        return True

    def _is_ruin(self, words: list[str], number: int) -> bool:
        """Whether a line was one of the table before something happened to its sizes."""
        numbers = sum(word.isdecimal() for word in words)
        ruin = len(words) >= self.width - 1 > 5 and numbers > len(words) // 2 and words[0][0] != '"'
        if ruin:
            self.run.break_off("a damaged line of the table", number)
        return ruin

    def _match_row(self, line: str) -> re.Match[str] | None:
        matches = (row.fullmatch(line) for row in (_ROW, _TOUCHED_ROW))
        return next((match for match in matches if match and self._is_row(match)), None)

    def _is_row(self, match: re.Match[str]) -> bool:
        whole = len(match["cells"].split()) == len(self.operations)
        plausible = 0 < int(match["record"]) <= int(match["file"])
        return plausible and (whole or not match["label"].strip())

    def _continue(self, line: str, words: list[str], number: int) -> bool:
        row = self.open
        if row is None or not "".join(words).isdecimal() or row.column + len(words) > len(self.operations):
            return False
        if not self.layout.goes_on(line, row.column):
            return False
        self.run.note("other text stands inside a line of the table; the line goes on further down", row.line)
        operations = self.operations[row.column :]
        self._add(row.file, row.record, zip(operations, map(float, words), strict=False), number)
        self.open = None
        return True

    def close(self) -> None:
        """Say which line of the table was never finished, and which are not there."""
        if self.open is not None:
            self.run.break_off("a line of the table breaks off", self.open.line)
            self.open = None
        if self.run.finished:
            self.sweep.end()
