"""bonnie++: its CSV rows, of 1.03 and of 1.9x to 2.x, wherever they stand in a log; else its table for people.

A row of CSV is one run; each of its tests is a row: ``write``, ``rewrite`` and ``read`` in blocks, ``write`` and
``read`` by character (`label` "per character"), ``seek``, and creating, statting and removing files in sequential and
random order. K/sec are 1024 bytes a second. `cpu_utilisation` is the printed percentage, `latency_max` the longest
single operation, `items` the files that are created, which bonnie++ counts in units of 1024. ``+++++`` means too fast
to be measured: no rate, but the latency of a test that has one. An empty field is a test that was not run.
"""

from __future__ import annotations

import re

from storagelab.errors import UnknownNameError
from storagelab.parsers.benchmarks.bonnie import broken_rows
from storagelab.parsers.benchmarks.bonnie.fields import HEADING, OLD, field_names, printed_names
from storagelab.parsers.benchmarks.bonnie.results import LATENCY, keys_of, tests_of
from storagelab.parsers.benchmarks.bonnie.table_runs import (
    hold_headings,
    machine_of,
    read_alone,
    read_rest,
    read_tables,
)
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row

FORMAT = Format(
    name="bonnie",
    tool="bonnie++",
    versions="1.00 to 1.03, 1.96, 1.98 (2.00a)",
    reads="CSV rows, with and without heading; the table for people where there is no CSV",
    source="bonnie++ sources: bonnie++.cpp (printing of CSV), bon_csv2html.cpp (its fields); heading of bonnie++ 2.00a",
    marks=("bonnie", "Chr", "Create Delete"),
    shapes=(r",\d[\w.:]*+,",),
    opens=(
        "------Sequential Output------ ",
        "------Sequential Create------",
        "bonnie_version",
        "Writing a byte at a time",
        "Writing with putc()",
        "Using uid:",
        *(f"{version},{version}," for version in ("1.96", "1.97", "1.98", "2.00")),
    ),
)

_NAMES = re.compile(r"[a-z_,]+")
_OF_TABLE = re.compile(r"(?:\bVersion|^[> \t]*(?=\d)) *(\d[\w.,]*) +-{3,}Sequential")

_FEWEST_COMMAS = 8
"""In a row that a mail has wrapped, of what is left on its first line."""


def sniff(head: str) -> bool:
    """Whether a row of bonnie++'s CSV, or its heading, stands here."""
    if ("Sequential Output" in head and "-Per Chr-" in head) or ("-Sequential Create-" in head and "-Delete--" in head):
        return True
    return "," in head and any(field_names(line) for line in head.split("\n") if line.count(",") > _FEWEST_COMMAS)


def parse(text: str) -> Parsed:
    """Read every row of CSV.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "bonnie++", "statistic": "single"})
    rows: list[int] = []
    has_heading = False
    lines = text.split("\n")
    for at, line in enumerate(lines, start=1):
        row = line.strip(" \t>")
        if row.startswith(HEADING):
            has_heading = True
            _hold_heading(row, at, parsed)
        elif version := _OF_TABLE.search(line):
            parsed.header.setdefault("tool_version", version[1].replace(",", "."))
        elif names := field_names(row):
            _csv_row(row, names, lines, at, rows, parsed)
        elif row and at == len(lines):
            parsed.cut_line(row, at)
    has_table = (read_rest if rows else read_tables)(lines, parsed)
    read_alone(lines, rows, parsed)
    hold_headings(text, parsed)
    if len({test["part"] for test in parsed.runs}) == 1:
        for test in parsed.runs:
            del test["part"]
    if not rows and not has_heading and not has_table:
        raise refusal("a row of bonnie++'s CSV", text)
    if not parsed.runs:
        parsed.incomplete("no test has a value")
    return parsed


def _csv_row(row: str, names: list[str], lines: list[str], at: int, rows: list[int], parsed: Parsed) -> None:
    """Take a row of CSV, unless it has more fields than names: nothing says where the one too many stands."""
    pieces = broken_rows.pieces(row, lines[at:], len(names))
    words = "".join(pieces).split(",")
    names = printed_names(words, names)
    if any(words[len(names) :]):
        parsed.incomplete(f"a row of {len(names)} fields has {len(words)}", at)
        return
    rows.append(at)
    cells = dict(zip(names, words, strict=False))
    cells["name"] = cells.get("name") or machine_of(cells, lines)
    _row(cells | broken_rows.lines_of(pieces, names, at), names, (at, len(rows)), at + len(pieces) > len(lines), parsed)


def _hold_heading(row: str, at: int, parsed: Parsed) -> None:
    if not _NAMES.fullmatch(row):
        parsed.incomplete("the heading is damaged", at)


def _row(cells: dict[str, str], names: list[str], place: tuple[int, int], is_last: bool, parsed: Parsed) -> None:
    """Take the tests of one row of CSV; a cut one loses its last field, which may have lost its tail."""
    at, part = place
    there = [name for name in names if name in cells]
    if len(there) < len(names) or (is_last and not LATENCY.fullmatch(cells[names[-1]])):
        parsed.incomplete(f"a row of {len(names)} fields ends after {len(there)}", at)
        cells.pop(there[-1])
    if "file_size" not in cells:
        return
    if not cells["file_size"] and any("\ufffd" in cell for cell in cells.values()):
        parsed.incomplete("the row is damaged, and nothing says which of its fields are there", at)
        return
    try:
        keys: Row = {"line": at, "part": float(part), **keys_of(cells)}
    except UnknownNameError as error:
        parsed.incomplete(f"expected the size of a file: {error}", at)
        return
    if version := cells.get("bonnie_version", "1.03" if names is OLD else ""):
        parsed.header.setdefault("tool_version", version)
    parsed.runs += [{**keys, **test} for test in tests_of(cells, at, parsed)]
