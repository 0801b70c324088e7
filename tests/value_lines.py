"""Whether what a row says stands on the line that is said for it: each number is looked for there, in any unit.

``python -m tests.value_lines`` shows what is not found, by format and name; ``--write`` keeps the counts.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from storagelab import ingest, schema
from storagelab.errors import StoragelabError
from storagelab.ingest.log_file import lines_of
from storagelab.parsers import Row
from storagelab.units import GIB, KIB, MIB
from tests.conftest import fixture_logs

KEPT = Path(__file__).with_name("value_lines.tsv")
HEADING = """\
# Values of our fixtures that are not printed on the line that is said for them: sums and means that parsers work out,
# and keys of a run that its log states elsewhere. Written by `python -m tests.value_lines --write`; it may only fall.
format\tname\tvalues
"""
Cell = tuple[str, str]
NO_LINE = -1
SAMPLES = 40
"""Of a series, so many samples are looked at, from its beginning, and as many from its end."""

NOT_PRINTED = {"start_time", "end_time", "event_time", "time", "part", "iteration", "complete", "log_count"}
"""Dates, which tools spell in many ways, and what we number ourselves."""

SUM_OF_TWO = {"cpu_utilisation"}
"""What tools print in two numbers of one line: user and system."""

_POWERS = (1.0, 1e-3, 1e-6, 1e-9, 1e3, 1e6, 1e9, 1e12)
_BYTES = (*_POWERS, KIB, 1000 * KIB, MIB, GIB, KIB * GIB, 512.0, 4 * KIB)
_FACTORS: Mapping[str, tuple[float, ...]] = {
    "B": (*_BYTES, *(factor / 8 for factor in _BYTES)),
    "B/s": (*_BYTES, *(factor / 8 for factor in _BYTES)),
    "s": (*_POWERS, 60.0, 3600.0),
    "1/s": _POWERS,
    "1": (*_POWERS, 0.01, KIB, MIB),
}
_NUMBER = re.compile(r"\d[\d,]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?")
_CLOCK = re.compile(r"(?:(\d+)[h:]\s*)?(\d+)[m:]\s*(\d+(?:[.,]\d+)?)s?")
CLOSE = 1e-6


def numbers_on(line: str) -> set[float]:
    """Every number that may be meant on a line: with a comma as a decimal one or between thousands, and times."""
    found: set[float] = set()
    for text in _NUMBER.findall(line):
        for spelt in (text.replace(",", ""), text.replace(",", ".", 1), *text.split(",")):
            try:
                found.add(float(spelt))
            except ValueError:
                continue
    for hours, minutes, seconds in _CLOCK.findall(line):
        found.add(int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds.replace(",", ".")))
    return found


def is_on(value: float, unit: str, line: str, *, as_sum: bool = False) -> bool:
    """Whether a value in SI stands on a line in any unit, or as a hexadecimal number, or as a sum of two numbers."""
    sought, printed = abs(value), numbers_on(line)
    if as_sum:
        printed |= {one + other for one, other in itertools.combinations(printed, 2)}
    spelt = {number * factor for number in printed for factor in _FACTORS.get(unit, _POWERS)}
    if any(math.isclose(sought, number, rel_tol=CLOSE) for number in spelt):
        return True
    return f"{int(sought):x}" in line.lower() if sought.is_integer() and sought < 2**64 else False


def rows_of(log: ingest.Log) -> Iterator[Row]:
    """Rows of a log as the parser gave them, and the keys in its header; of a series the rows at its ends."""
    parsed = log.parsed
    yield _keys_of(parsed.header)
    for node in ("runs", "clients", "events"):
        yield from getattr(parsed, node)
    for columns in parsed.tables():
        count = len(columns["line"])
        for at in sorted({*range(min(SAMPLES, count)), *range(max(0, count - SAMPLES), count)}):
            yield {name: column[at] for name, column in columns.items()}


def _keys_of(header: Row) -> Row:
    """Numeric keys that hold for a whole log, with their lines, as a row that has no line itself."""
    keys = {name: header[name] for name in header if name in schema.LINE_OF and schema.field(name).kind == "key"}
    lines = {line: header[line] for name in keys if (line := schema.LINE_OF[name]) in header}
    return {**keys, **lines, "line": NO_LINE}


def not_on_their_lines(row: Row, lines: Sequence[str]) -> Iterator[tuple[str, int, float]]:
    """Name, line and value of each number of a row that is not on the line that is said for it.

    What the row says was computed is on none; 0 and what is infinite are printed in too many ways. A line that is said
    of no value, or that is the row's own, is one too many.
    """
    for name, value in row.items():
        if name in schema.VALUE_AT and value == value:
            of_value = row.get(schema.VALUE_AT[name])
            if of_value is None or of_value != of_value or value == row["line"]:
                yield name, int(value), float("nan")
        field = schema.field(name)
        if field.kind == "trace" or field.unit is None or name in NOT_PRINTED or isinstance(value, str):
            continue
        at = int(schema.line_of(row, name))
        is_computed = at == schema.COMPUTED and schema.LINE_OF[name] in row
        if is_computed or not value or not math.isfinite(value):
            continue
        if not (0 < at <= len(lines) and is_on(float(value), field.unit, lines[at - 1], as_sum=name in SUM_OF_TWO)):
            yield name, at, float(value)


def missing(path: Path) -> Iterator[tuple[str, str, int, float]]:
    """Format, name, line and value of each number of a log that is not on the line that is said for it."""
    try:
        log = ingest.read_log(path)
    except StoragelabError:
        return
    lines = lines_of(path)
    for row in rows_of(log):
        for found in not_on_their_lines(row, lines):
            yield log.format, *found


def counted() -> Counter[Cell]:
    """How many numbers of our fixtures are not on their lines, by format and name."""
    return Counter((format, name) for log in fixture_logs() for format, name, _, _ in missing(log))


def kept() -> dict[Cell, int]:
    """Return the counts that are kept."""
    rows = [line.split("\t") for line in KEPT.read_text().splitlines() if not line.startswith("#")]
    return {(format, name): int(count) for format, name, count in rows[1:]}


def written(table: Mapping[Cell, int]) -> str:
    """Write the counts as they are kept."""
    return HEADING + "".join(f"{format}\t{name}\t{count}\n" for (format, name), count in sorted(table.items()))


def differing(found: Mapping[Cell, int], before: Mapping[Cell, int]) -> list[str]:
    """Say what has risen, and what has fallen and is not yet kept."""
    said = []
    for cell in sorted({*found, *before}):
        now, then = found.get(cell, 0), before.get(cell, 0)
        where = f"{cell[0]}: {now} values of {cell[1]} are not on their lines"
        if now > then:
            said.append(f"{where}, {then} may be")
        elif now < then:
            said.append(f"{where}, {then} are kept: run python -m tests.value_lines --write")
    return said


def main() -> None:
    """Show, or keep, what is not on its line."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--write", action="store_true", help="keep what has fallen")
    asked.add_argument("--raise", dest="raised", action="store_true", help="keep what has risen too")
    asked.add_argument("--show", default="", metavar="FORMAT", help="print each such value of a format")
    options = asked.parse_args()
    if options.show:
        for log in fixture_logs():
            for format, name, at, value in missing(log):
                if format == options.show:
                    sys.stdout.write(f"{log.name}:{at}: {name} {value:.9g}\n")
        return
    found = counted()
    if options.write:
        before = kept() if KEPT.exists() and not options.raised else found
        KEPT.write_text(written({cell: min(count, before.get(cell, 0)) for cell, count in found.items()}))
    sys.stdout.write(written(found) + f"# {sum(found.values())} values\n")


if __name__ == "__main__":
    main()
