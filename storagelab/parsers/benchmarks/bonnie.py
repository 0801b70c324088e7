"""bonnie++: its CSV rows, of 1.03 and of 1.9x to 2.x, wherever they stand in a log; else its table for people.

A row of CSV is one run; each of its tests is a row: ``write``, ``rewrite`` and ``read`` in blocks, ``write`` and
``read`` by character (`label` "per character"), ``seek``, and creating, statting and removing files in sequential and
random order. K/sec are 1024 bytes a second. `cpu_utilisation` is the printed percentage, `latency_max` the longest
single operation, `items` the files that are created, which bonnie++ counts in units of 1024. ``+++++`` means too fast
to be measured: no rate, but the latency of a test that has one. An empty field is a test that was not run.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Container, Iterator, Mapping, Sequence

from storagelab.errors import UnknownNameError
from storagelab.parsers.benchmarks import bonnie_csv, bonnie_table
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.several_lines import on, settled
from storagelab.parsers.text import number
from storagelab.parsers.trusted_lines import refusal
from storagelab.units import KIB, MICROSECOND, MILLISECOND, PERCENT, binary_size

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

_RATES = (
    *("putc", "put_block", "rewrite", "getc", "get_block", "seeks"),
    *("seq_create", "seq_stat", "seq_del", "ran_create", "ran_stat", "ran_del"),
)
_WITH_CPU = [name for rate in _RATES for name in (rate, f"{rate}_cpu")]
_FILES = ["num_files", "max_size", "min_size", "num_dirs", "file_chunk_size"]
NEW = [
    *("format_version", "bonnie_version", "name", "concurrency", "seed", "file_size", "io_chunk_size"),
    *(*_WITH_CPU[:12], *_FILES, *_WITH_CPU[12:]),
    *(f"{rate}_latency" for rate in _RATES),
]
NEWEST = [*NEW[:7], "seek_count", "seek_processes", *NEW[7:]]
"""Format 1.98 has two fields more than its own heading names."""
OLD = ["name", "file_size", *_WITH_CPU[:12], "num_files", *_WITH_CPU[12:]]
_NEW_ROW = re.compile(r"(1\.9[3-9]),\d[\w.]+,")
_OLD_ROW = re.compile(r"[^,\s]*,\d+[MG](?::\d+k?)?,(?:\d*,|\++,){5}")
_LATENCY = re.compile(r"(\d+)(us|ms|s)")
_SECONDS = {"us": MICROSECOND, "ms": MILLISECOND, "s": 1.0}
_HEADING = "format_version,bonnie_version,"
_NAMES = re.compile(r"[a-z_,]+")
_TOO_FAST = re.compile(r"\++")
_NO_NUMBER = re.compile(r"-?(?:nan|inf)")
_OF_TABLE = re.compile(r"(?:\bVersion|^[> \t]*(?=\d)) *(\d[\w.,]*) +-{3,}Sequential")

_FEWEST_COMMAS = 8
"""In a row that a mail has wrapped, of what is left on its first line."""

_KIND: Mapping[str, Row] = {
    "putc": {"operation": "write", "label": "per character"},
    "put_block": {"operation": "write", "label": "block"},
    "rewrite": {"operation": "rewrite"},
    "getc": {"operation": "read", "label": "per character"},
    "get_block": {"operation": "read", "label": "block"},
    "seeks": {"operation": "seek", "access_pattern": "random"},
    **{
        f"{short}_{what}": {"operation": operation, "access_pattern": pattern}
        for short, pattern in (("seq", "sequential"), ("ran", "random"))
        for what, operation in (("create", "file_create"), ("stat", "file_stat"), ("del", "file_remove"))
    },
}
_OF_OUTPUT = ("Sequential Output", "-Rewrite-")
"""Words of the heading of output and input, on two lines."""
_IN_BYTES = ("putc", "put_block", "rewrite", "getc", "get_block")
_COUNT_OF_FILES = re.compile(r"(\d{1,9})(?::|$)")
"""What ``-n`` says first; behind it may stand sizes and folders."""
_UNIT_OF_FILES = 1024


def sniff(head: str) -> bool:
    """Whether a row of bonnie++'s CSV, or its heading, stands here."""
    if ("Sequential Output" in head and "-Per Chr-" in head) or ("-Sequential Create-" in head and "-Delete--" in head):
        return True
    return "," in head and any(_fields(line) for line in head.split("\n") if line.count(",") > _FEWEST_COMMAS)


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
        if row.startswith(_HEADING):
            has_heading = True
            _hold_heading(row, at, parsed)
        elif version := _OF_TABLE.search(line):
            parsed.header.setdefault("tool_version", version[1].replace(",", "."))
        elif names := _fields(row):
            _csv_row(row, names, lines, at, rows, parsed)
        elif row and at == len(lines):
            parsed.cut_line(row, at)
    has_table = (_read_rest if rows else _read_table)(lines, parsed)
    _read_alone(lines, rows, parsed)
    _hold_headings(text, parsed)
    if len({test["part"] for test in parsed.runs}) == 1:
        for test in parsed.runs:
            del test["part"]
    if not rows and not has_heading and not has_table:
        raise refusal("a row of bonnie++'s CSV", text)
    if not parsed.runs:
        parsed.incomplete("no test has a value")
    return parsed


def _hold_headings(text: str, parsed: Parsed) -> None:
    first, second = map(text.count, _OF_OUTPUT)
    if second > first:
        parsed.incomplete("a table of output and input lacks the first line of its heading", text.count("\n") + 1)


def _csv_row(row: str, names: list[str], lines: list[str], at: int, rows: list[int], parsed: Parsed) -> None:
    """Take a row of CSV, unless it has more fields than names: nothing says where the one too many stands."""
    pieces = bonnie_csv.pieces(row, lines[at:], len(names))
    words = "".join(pieces).split(",")
    names = _names_of(words, names)
    if any(words[len(names) :]):
        parsed.incomplete(f"a row of {len(names)} fields has {len(words)}", at)
        return
    rows.append(at)
    cells = dict(zip(names, words, strict=False))
    cells["name"] = cells.get("name") or _name_in_table(cells, lines)
    _row(cells | bonnie_csv.lines_of(pieces, names, at), names, (at, len(rows)), at + len(pieces) > len(lines), parsed)


def _name_in_table(cells: dict[str, str], lines: list[str]) -> str:
    """Name of the machine that a row of CSV leaves out, from the row of the table with the same rates."""
    said = ("file_size", *_RATES[:6])
    for _, _, row in bonnie_table.read(lines[:-1]):
        if "put_block" in row and all(cells.get(name, "") == row.get(name, "") for name in said):
            return row.get("name", "")
    return ""


def _hold_heading(row: str, at: int, parsed: Parsed) -> None:
    if not _NAMES.fullmatch(row):
        parsed.incomplete("the heading is damaged", at)


def _read_table(lines: list[str], parsed: Parsed) -> bool:
    """Read the table for people; whether there is one."""
    rows = list(bonnie_table.read(lines[:-1]))
    for at, part, cells in rows:
        keys: Row = {"line": at, "part": float(part), **_keys(cells)}
        parsed.runs += [settled({**keys, **test}) for test in _tests(cells, at, parsed)]
    parsed.header.setdefault("tool_version", "unknown")
    tables, files = (len([1 for _, _, cells in rows if name in cells]) for name in ("put_block", "seq_create"))
    if tables and files and tables != files:
        parsed.incomplete(f"the table has {tables} rows of output and input, and {files} of files")
    if files and not tables and any(heading in line for line in lines for heading in _OF_OUTPUT):
        parsed.incomplete("the table has no row of output and input")
    if not files:
        parsed.incomplete("the table has no row of files")
    elif any(map(_prints_latencies, rows)) and not any("seq_create_latency" in cells for _, _, cells in rows):
        parsed.incomplete("the table has no latencies of files")
    return bool(rows) or any("Sequential Output" in line for line in lines)


def _read_rest(lines: list[str], parsed: Parsed) -> bool:
    """Read from the table above it what the only row of CSV has lost where it is cut; whether there is a table."""
    table = Parsed({})
    if parsed.complete or {row["part"] for row in parsed.runs} != {1.0} or not _read_table(lines, table):
        return False
    known = {_test_of(row): row for row in parsed.runs}
    for row in table.runs:
        if row["part"] == 1.0 and (test := known.get(_test_of(row))):
            latency = {name: row[name] for name in ("latency_max",) if name in row and name not in test}
            test.update(on(float(row.get("latency_max_line", row["line"])), latency))
        elif row["part"] == 1.0:
            parsed.runs.append(row)
    return True


def _read_alone(lines: list[str], rows: list[int], parsed: Parsed) -> None:
    """Read the tables that have no row of CSV below them, where those of others have theirs, or none of its rates."""
    starts = [at for at, line in enumerate(lines, start=1) if _OF_OUTPUT[0] in line]
    if not rows or not starts:
        return
    rates = _rates_by_table(lines, starts)
    known = {(_test_of(row), _rate(row)) for row in parsed.runs}
    foreign = {start for start in starts if rates[start] and rates[start].isdisjoint(known)}
    theirs = [start for start in starts if start not in foreign]
    last = {row: theirs[at - 1] if (at := bisect.bisect_left(theirs, row)) else 0 for row in rows}
    alone = foreign
    if theirs and (0 in last.values() or len(set(last.values())) < len(rows)):
        for start in theirs:
            if rates[start] - known:
                parsed.incomplete("expected rows of CSV with the rates of the table", start)
    else:
        alone = foreign | (set(theirs) - set(last.values()))
    if not alone:
        return
    before = len(parsed.runs)
    _read_table(_of_tables(lines, set(starts), alone), parsed)
    for test in parsed.runs[before:]:
        test["part"] = float(str(test["part"])) + len(rows)
    parsed.runs = sorted(parsed.runs, key=lambda test: float(str(test["line"])))
    parts = {part: float(at) for at, part in enumerate(dict.fromkeys(test["part"] for test in parsed.runs), start=1)}
    for test in parsed.runs:
        test["part"] = parts[test["part"]]


def _rates_by_table(lines: list[str], starts: Sequence[int]) -> dict[int, set[tuple[object, object]]]:
    """Return what is measured, with its rate, in each of the tables that begin on some lines."""
    tables = Parsed({})
    _read_table(lines, tables)
    rates: dict[int, set[tuple[object, object]]] = {start: set() for start in starts}
    for row in tables.runs:
        start = starts[max(0, bisect.bisect_right(starts, float(str(row["line"]))) - 1)]
        rates[start].add((_test_of(row), _rate(row)))
    return rates


def _of_tables(lines: list[str], starts: Container[int], some: Container[int]) -> list[str]:
    """Leave the lines of some tables; those of the others are empty."""
    table = 0
    of_these: list[str] = []
    for at, line in enumerate(lines, start=1):
        table = at if at in starts else table
        of_these.append(line if table in some else "")
    return of_these


def _rate(row: Row) -> object:
    return row.get("throughput", row.get("operation_rate"))


def _test_of(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("operation", "label", "access_pattern"))


def _prints_latencies(row: bonnie_table.Cells) -> bool:
    """Whether a row has a line of latencies below it, or is of a version that prints one: 1.9x and later."""
    return "put_block_latency" in row.cells or row.cells.get("bonnie_version", "").startswith(("1.9", "2"))


def _fields(line: str) -> list[str]:
    """Names of the fields of a row of CSV, by its first fields; nothing where it is none."""
    if line.startswith(_HEADING):
        return NEW
    if version := _NEW_ROW.match(line):
        return NEWEST if version[1] >= "1.98" else NEW
    return OLD if _OLD_ROW.match(line) and line.count(",") < len(OLD) + 6 else []


def _names_of(words: list[str], names: list[str]) -> list[str]:
    """Names of the fields of a row; 1.96 prints one too few for a test of files alone (`-s 0`)."""
    files = NEW.index("num_files")
    filled = [word for word in words[NEW.index("file_size") : files - 1] if word]
    if names is NEW and len(filled) <= 1 and len(words) >= files and words[files - 1]:
        return [name for name in NEW if name != "io_chunk_size"]
    return names


def _row(cells: dict[str, str], names: list[str], place: tuple[int, int], is_last: bool, parsed: Parsed) -> None:
    """Take the tests of one row of CSV; a cut one loses its last field, which may have lost its tail."""
    at, part = place
    there = [name for name in names if name in cells]
    if len(there) < len(names) or (is_last and not _LATENCY.fullmatch(cells[names[-1]])):
        parsed.incomplete(f"a row of {len(names)} fields ends after {len(there)}", at)
        cells.pop(there[-1])
    if "file_size" not in cells:
        return
    if not cells["file_size"] and any("\ufffd" in cell for cell in cells.values()):
        parsed.incomplete("the row is damaged, and nothing says which of its fields are there", at)
        return
    try:
        keys: Row = {"line": at, "part": float(part), **_keys(cells)}
    except UnknownNameError as error:
        parsed.incomplete(f"expected the size of a file: {error}", at)
        return
    if version := cells.get("bonnie_version", "1.03" if names is OLD else ""):
        parsed.header.setdefault("tool_version", version)
    parsed.runs += [{**keys, **test} for test in _tests(cells, at, parsed)]


def _keys(cells: Mapping[str, str]) -> Row:
    file_size, _, chunk = cells.get("file_size", "").partition(":")
    keys: Row = {"host": cells["name"]} if cells.get("name") else {}
    sizes: Row = {}
    for name, printed in (("file_size", file_size), ("record_size", chunk or cells.get("io_chunk_size", ""))):
        if printed:
            sizes[name] = binary_size(printed if name == "record_size" or printed[-1:].isalpha() else f"{printed}M")
    at = cells.get(bonnie_table.SIZE_LINE)
    keys |= on(int(at), sizes) if at else sizes
    if cells.get("concurrency", "").isdecimal():
        keys["processes"] = float(cells["concurrency"])
    return keys


def _items(cells: Mapping[str, str]) -> Row:
    """Files that the tests of files create; nothing where the log does not say."""
    found = _COUNT_OF_FILES.match(cells.get("num_files", ""))
    items: Row = {"items": float(found[1]) * _UNIT_OF_FILES} if found and int(found[1]) else {}
    return _placed(items, cells.get(bonnie_csv.line_of("num_files")))


def _tests(cells: Mapping[str, str], at: int, parsed: Parsed) -> Iterator[Row]:
    items = _items(cells)
    for rate, kind in _KIND.items():
        printed = cells.get(rate, "")
        if _NO_NUMBER.fullmatch(printed):
            parsed.note(f"{rate} is {printed}: it was not measured", at)
            continue
        if too_fast := bool(_TOO_FAST.fullmatch(printed)):
            parsed.note(f"{rate} was too fast to be measured", at)
        if printed and not (too_fast and _is_unmeasured(cells.get(f"{rate}_latency", ""))):
            try:
                yield {**kind, **(items if rate in bonnie_table.FILES else {}), **_values(rate, cells)}
            except ValueError:
                parsed.incomplete(
                    f"{rate}: expected numbers, found {printed!r} and {cells.get(f'{rate}_latency', '')!r}", at
                )


def _is_unmeasured(printed: str) -> bool:
    return not printed or bool(_TOO_FAST.fullmatch(printed))


def _values(rate: str, cells: Mapping[str, str]) -> Row:
    row: Row = {}
    if not _TOO_FAST.fullmatch(cells[rate]):
        value = number(cells[rate])
        found: Row = {"throughput": value * KIB} if rate in _IN_BYTES else {"operation_rate": value}
        row |= _placed(found, cells.get(bonnie_csv.line_of(rate)))
    if not _is_unmeasured(cpu := cells.get(f"{rate}_cpu", "")):
        row |= _placed({"cpu_utilisation": number(cpu) * PERCENT}, cells.get(bonnie_csv.line_of(f"{rate}_cpu")))
    if not _is_unmeasured(latency := cells.get(f"{rate}_latency", "")):
        at = cells.get(bonnie_table.LATENCY_LINE) or cells.get(bonnie_csv.line_of(f"{rate}_latency"))
        row |= _placed({"latency_max": _latency(latency)}, at)
    return row


def _placed(found: Row, at: str | None) -> Row:
    """Return values with the line on which they stand, where it is another than that of their row."""
    return on(int(at), found) if at else found


def _latency(printed: str) -> float:
    found = _LATENCY.fullmatch(printed)
    if not found:
        raise ValueError
    return float(found[1]) * _SECONDS[found[2]]
