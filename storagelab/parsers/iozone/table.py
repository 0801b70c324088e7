"""IOzone's automatic table: a line a file and record size, a fixed-width column an operation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from storagelab.parsers.iozone.columns import Layout, name_columns
from storagelab.parsers.iozone.run import FACTORS, Run
from storagelab.parsers.model import Row
from storagelab.units import KIB

HEADING = re.compile(r"\b[kK]B\s+reclen((?:\s+(?:re|f|fre|p|rep)?(?:write|read)v?\b)+)")
_ROW = re.compile(
    r"(?P<label>\s*(?:\S+\s+){0,3}?)(?P<file>\d+)\s+(?P<record>\d+)(?P<cells>(?:\s+\d+)*)(?P<tail>.*)", re.DOTALL
)
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
    if not 6 <= len(words) <= 19 or not "".join(words).isdigit():
        return False
    file, record = int(words[0]), int(words[1])
    return 0 < record <= file and file % record == 0 and record & (record - 1) == 0


class Table:
    """The table of one run, from its heading on."""

    def __init__(self, run: Run, heading: str = "", above: str = "") -> None:
        match = HEADING.search(heading)
        start = match.start(1) if match else 0
        self.run = run
        self.operations = name_columns(heading[start:], above[start:])
        self.layout = Layout(heading[start:], len(self.operations), run.command.tests())
        self.label = " ".join(_QUALIFIERS.sub("", above).split()) if "random" in above else ""
        self.width = len(self.operations) + 2
        self.quantity, self.factor = run.quantity, FACTORS[run.quantity]
        self.open: _Open | None = None
        run.tabular = True

    def read(self, line: str, number: int) -> bool:
        """Take in a line; False if it is no line of the table."""
        words = line.split()
        if len(words) == self.width and "".join(words).isdigit() and not self.label:
            self._add(words[0], words[1], zip(self.operations, words[2:], strict=True), number)
            return True
        return len(words) > 1 and (self._continue(line, words, number) or self._read_ragged(line, number))

    def _add(self, file: str, record: str, cells: Iterable[tuple[str, str]], number: int, label: str = "") -> None:
        quantity, factor = self.quantity, self.factor
        file_size, record_size = float(file) * KIB, float(record) * KIB
        rows: list[Row] = [
            {"operation": op, "file_size": file_size, "record_size": record_size, quantity: float(v) * factor,
             "line": number}
            for op, v in cells
            if v != "0"
        ]  # fmt: skip
        if label:
            for row in rows:
                row["label"] = label
        self.run.rows += rows

    def _read_ragged(self, line: str, number: int) -> bool:
        if self._read_dirty(line.split(), number):
            return True
        match = _ROW.fullmatch(line)
        if not match or not self._is_row(match):
            return False
        cells, tail = match["cells"], match["tail"].strip()
        placed = self.layout.place(cells)
        if placed is None:
            self.run.break_off(f"cannot tell which columns these numbers belong to: {cells.strip()}", number)
            return True
        label = " ".join(
            filter(None, (self.label, match["label"].strip(), "" if tail[:1] != "(" else tail.strip("()")))
        )
        named = [(self.operations[column], value) for column, value in placed]
        self._add(match["file"], match["record"], named, number, label)
        reached = placed[-1][0] + 1 if placed else 0
        if reached < len(self.operations) and (tail or not placed):
            self.open = _Open(match["file"], match["record"], reached, number)
        return True

    def _read_dirty(self, words: list[str], number: int) -> bool:
        """Read a line with all its columns of which one or two are no numbers any more."""
        dirty = [word for word in words if not word.isdigit()]
        whole = len(words) == self.width and words[0].isdigit() and words[1].isdigit() and words[-1].isdigit()
        if not whole or not 0 < len(dirty) <= 2 or int(words[0]) < int(words[1]):
            return False
        self.run.break_off(f"no number: {', '.join(dirty)}", number)
        cells = [cell for cell in zip(self.operations, words[2:], strict=True) if cell[1].isdigit()]
        self._add(words[0], words[1], cells, number)
        return True

    def _is_row(self, match: re.Match[str]) -> bool:
        whole = len(match["cells"].split()) == len(self.operations)
        plausible = 0 < int(match["record"]) <= int(match["file"])
        return plausible and (whole or not match["label"].strip())

    def _continue(self, line: str, words: list[str], number: int) -> bool:
        row = self.open
        if row is None or not "".join(words).isdigit() or row.column + len(words) > len(self.operations):
            return False
        if len(line) - len(line.lstrip()) + len(words[0]) > self.layout.column_width + 1:
            return False
        self.run.note("other text stands inside a line of the table; the line goes on further down", row.line)
        operations = self.operations[row.column :]
        self._add(row.file, row.record, zip(operations, words, strict=False), number)
        self.open = None
        return True

    def close(self) -> None:
        """Say which line of the table was never finished."""
        if self.open is not None:
            self.run.break_off("a line of the table breaks off", self.open.line)
            self.open = None
