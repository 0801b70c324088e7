"""bonnie++'s table for people, of 1.00 to 2.00: the same cells as its CSV, where a log has no CSV.

bonnie++ prints a table a run; `bon_csv2txt` prints a row a run, and names the machine in rows of files too. The n-th
row of files belongs to the n-th row above. People leave out the machine, or what is the same as in the row before.

1.98 and 2.00 print how many files there are in place of each rate of files: ``%5d`` of a double (print_stat in
bon_time.cpp). Their CSV has the rates, and so has what bon_csv2txt makes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from storagelab.parsers.text import number

OUTPUT = ("putc", "put_block", "rewrite", "getc", "get_block", "seeks")
FILES = ("seq_create", "seq_stat", "seq_del", "ran_create", "ran_stat", "ran_del")
FAST = ("put_block", "rewrite", "get_block", "seeks")
"""With ``-f`` nothing is done by character, and its columns are blank."""

_HEADING = re.compile(r"(?:(?:Version +)?(\d[\w.,]*) +|\.+ +)?-{3,}Sequential (Output|Create)")
"""People leave out the word in front of the version, and pad the second heading with dots."""
_CONCURRENCY = re.compile(r"Concurrency +(\d+)")
_MACHINE = re.compile(r"([^\s-]\S{0,200}) +-Create--")
_ROW = re.compile(r"(?:(?!\d+[MG][: ])(\S{1,200}) +)?(\d+[MG](?::\d+k?)?)(?::[\d:]*)? +(\S.*)")
_PHRASE_ROW = re.compile(r"(\S.{0,40}?(?:[^\w\s]| )) *(\d+[MG](?::\d+k?)?)(?::[\d:]*)? +(\S.*)")
"""A row of a machine whose name has blanks, or fills its column up to the size: ``Raid0 (8 disk)15744M``."""
_IN_MB = re.compile(r"(?:Machine +)?MB +K/sec %CP ")
"""Old Bonnie writes %CPU there."""
_MB_ROW = re.compile(r"(?:(?!\d+ )(\S.{0,40}?) +)?(\d{1,9}) +(\S.*)")
"""A row of 1.00, whose heading has the unit of the size, and whose machines people name with words."""
_RATE = re.compile(r"(\d+(?:[.,]\d+)?)([kmg]?)|\++|-?nan|-?inf")
_SHARE = re.compile(r"-?\d+(?:[.,]\d+)?|\++|-?nan")
_SCALE = {"": 1.0, "k": 1.0, "m": 1024.0, "g": 1024.0**2}
_QUOTE = " \t>"

UNIT_OF_FILES = 1024
NUMBER_OF_FILES = "number of files"
"""Cell of a rate in whose place the number of files was printed."""
_FIRST_WITHOUT_RATES = "1.98"

LATENCY_LINE = "latency line"
"""Cell with the number of the line on which the latencies stand."""
SIZE_LINE = "size line"
"""Cell with that of the line on which the size of the file stands."""


class Cells(NamedTuple):
    """Cells of a line of the table, by the names of the CSV, and those of the latencies below it."""

    line: int
    part: int
    cells: dict[str, str]


def read(lines: list[str]) -> Iterator[Cells]:
    """Yield the cells of each row of a table, with the latencies that stand below it."""
    table = _Table()
    row: Cells | None = None
    for at, quoted in enumerate(lines, start=1):
        line = quoted.lstrip(_QUOTE)
        words = line.split()
        if row and words[:1] == ["Latency"]:
            if any(name.endswith("_latency") for name in row.cells):
                continue
            names = _names(len(words) - 1, FILES if table.is_files else OUTPUT)
            row.cells.update({f"{name}_latency": word for name, word in zip(names, words[1:], strict=False)})
            row.cells[LATENCY_LINE] = str(at)
        elif not table.heading(line) and (cells := table.row(line, lines[at : at + 1], at)):
            if row:
                yield row
            row = Cells(at, table.part, cells)
    if row:
        yield row


class _Table:
    """The table that is read: what its headings say, and its rows of output, to which the rows of files belong."""

    def __init__(self) -> None:
        self.is_files = False
        self.part = 0
        self._is_begun = self._is_in_mb = False
        self._shared: dict[str, str] = {}
        self._rows: list[tuple[int, dict[str, str]]] = []
        self._rows_of_files = 0

    def heading(self, line: str) -> bool:
        """Whether the line is one of a heading; it may name version, concurrency or machine."""
        if found := _HEADING.match(line):
            if found[2] == "Output":
                self._shared = {}
            if self.is_files or found[2] == "Output":
                self._rows = []
            self._is_begun, self.is_files, self._rows_of_files = True, found[2] == "Create", 0
            self._is_in_mb = False
            self._shared |= {"bonnie_version": found[1].replace(",", ".")} if found[1] else {}
        elif concurrency := _CONCURRENCY.match(line):
            self._shared["concurrency"] = concurrency[1]
        elif machine := _MACHINE.match(line):
            self._shared["name"] = machine[1]
        elif _IN_MB.match(line):
            self._is_in_mb = True
        else:
            return False
        return True

    def row(self, line: str, below: list[str], at: int) -> dict[str, str]:
        """Cells of a row, with what a mail put on the line below; nothing where the line is none."""
        if not self._is_begun:
            return {}
        return self._cells(line, at) or self._cells(_whole(line, below), at)

    def _cells(self, line: str, at: int) -> dict[str, str]:
        return self._files(line.split()) if self.is_files else self._output(line, at)

    def _output(self, line: str, at: int) -> dict[str, str]:
        """Cells of a row of output and input; machine and size may be those of the row before."""
        found = _MB_ROW.match(line) if self._is_in_mb else _ROW.match(line) or _PHRASE_ROW.match(line)
        cells = _pairs(found[3].split() if found else line.split() if self._rows else [], OUTPUT)
        if not cells:
            return {}
        if found:
            self._shared |= {"file_size": found[2], SIZE_LINE: str(at)}
        if found and found[1]:
            self._shared["name"] = found[1].rstrip()
        self.part += 1
        self._rows.append((self.part, dict(self._shared)))
        return self._shared | cells

    def _files(self, words: list[str]) -> dict[str, str]:
        """Cells of a row of files, with the machine and the size of the row of output to which it belongs."""
        *name, count = words[: -2 * len(FILES)] or [""]
        cells = _pairs(words[-2 * len(FILES) :], FILES) if count[:1].isdigit() else {}
        if not cells:
            return {}
        cells = self._without_counts(cells, count) | {"num_files": count}
        cells |= {"name": " ".join(name)} if name else {}
        nth, self._rows_of_files = self._rows_of_files, self._rows_of_files + 1
        if nth < len(self._rows):
            self.part, shared = self._rows[nth]
            if cells.get("name", shared.get("name")) == shared.get("name"):
                return shared | cells
        self.part += 1
        return {key: value for key, value in self._shared.items() if key != "file_size"} | cells

    def _without_counts(self, cells: dict[str, str], files: str) -> dict[str, str]:
        """Say in which cells the number of files stands for a rate, where the version is one that prints it so."""
        if self._shared.get("bonnie_version", _FIRST_WITHOUT_RATES) < _FIRST_WITHOUT_RATES:
            return cells
        count = str(int(re.split(r"\D", files)[0]) * UNIT_OF_FILES)
        return {name: NUMBER_OF_FILES if cell == count else cell for name, cell in cells.items()}


def _whole(line: str, below: list[str]) -> str:
    """Return a row with its last share of CPU, which a mail put on a line of its own; "" where it did not."""
    share = below[0].strip(_QUOTE) if below else ""
    return f"{line.rstrip()} {share}" if line.strip() and _SHARE.fullmatch(share) else ""


def _pairs(words: list[str], names: tuple[str, ...]) -> dict[str, str]:
    """Rates and shares of CPU by turns; nothing where a word is none of the two."""
    names = _names(len(words) // 2, names)
    if not names or len(words) % 2 or not (_are(_RATE, words[::2]) and _are(_SHARE, words[1::2])):
        return {}
    rates = {name: _plain(word) for name, word in zip(names, words[::2], strict=True)}
    return rates | {f"{name}_cpu": word for name, word in zip(names, words[1::2], strict=True)}


def _are(kind: re.Pattern[str], words: list[str]) -> bool:
    return all(map(kind.fullmatch, words))


def _names(count: int, names: tuple[str, ...]) -> tuple[str, ...]:
    return names if count == len(names) else FAST if count == len(FAST) and names is OUTPUT else ()


def _plain(word: str) -> str:
    """Write a rate as the CSV does: 2.00 prints ``2149k`` and ``1.2m`` for K/sec."""
    found = _RATE.fullmatch(word)
    if not found or not found[1] or not found[2]:
        return word
    return str(number(found[1]) * _SCALE[found[2]])
