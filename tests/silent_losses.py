"""How often damage to a log changes what is read from it, and nobody is told: ``python -m tests.silent_losses``.

Each whole fixture log is damaged in the five ways of `KINDS`, at places that its own name draws, so that a new log
moves no other one's. A loss is silent where rows or values are not those of the undamaged log, and yet the log is
called whole and has no new note. `LIMITS` keeps, for each log and kind, how many of the first `FEW` damages may be
silent, and how many of the first `MANY` were: ``--write`` measures both anew and keeps what has fallen; what has risen
it keeps only with ``--raise``, which a log that is new does not need.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Row, Value
from storagelab.parsers.text import decode
from tests.conftest import LOGS, fixture_logs

LIMITS = Path(__file__).with_name("silent_losses.tsv")
FEW, MANY = 2, 10
LINES = frozenset({"line", *schema.VALUE_AT})
SECTOR = 512

Damage = Callable[[bytes, random.Random], bytes]


# --- damage ---------------------------------------------------------------------------------------------------------


def zeroed_sector(data: bytes, draw: random.Random) -> bytes:
    """Write NUL bytes over a sector, as a crash does where a file had grown and its data were not on disk yet."""
    start = SECTOR * draw.randrange(-(-len(data) // SECTOR))
    end = min(start + SECTOR, len(data))
    return data[:start] + bytes(end - start) + data[end:]


def missing_bytes(data: bytes, draw: random.Random) -> bytes:
    """Leave out as many bytes as a sector has."""
    start = draw.randrange(max(1, len(data) - SECTOR))
    return data[:start] + data[start + SECTOR :]


def dropped_line(data: bytes, draw: random.Random) -> bytes:
    """Leave out a line that is not blank."""
    lines = data.splitlines(keepends=True)
    at = draw.choice([at for at, line in enumerate(lines) if line.strip()])
    return b"".join(lines[:at] + lines[at + 1 :])


def cut(data: bytes, draw: random.Random) -> bytes:
    """End the log somewhere."""
    return data[: draw.randrange(1, len(data))]


def changed_digit(data: bytes, draw: random.Random) -> bytes:
    """Put another digit in place of one."""
    at = draw.choice([match.start() for match in re.finditer(rb"[0-9]", data)])
    other = draw.choice([digit for digit in b"0123456789" if digit != data[at]])
    return data[:at] + bytes([other]) + data[at + 1 :]


KINDS: dict[str, Damage] = {
    "zeroed_sector": zeroed_sector,
    "missing_bytes": missing_bytes,
    "dropped_line": dropped_line,
    "cut": cut,
    "changed_digit": changed_digit,
}


# --- what is read ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """What a log gives, lines apart; nothing where it is refused."""

    content: tuple[object, ...]
    notes: frozenset[str]
    whole: bool


REFUSED = Reading((), frozenset(), whole=False)


def read(data: bytes, name: str) -> Reading:
    """Read a log as ``storagelab parse`` does: by the format that claims it."""
    text, not_utf8 = decode(data)
    try:
        parsed = parsers.parse(text, name=name)
    except ParseError:
        return REFUSED
    notes = {note.text for note in parsed.notes} | ({"bytes that are not UTF-8"} if not_utf8 else set())
    return Reading(tuple(_content(parsed)), frozenset(notes), parsed.complete)


def _content(parsed: Parsed) -> Iterator[object]:
    """What was read, wherever it stands: a line that is gone moves those behind it, which is no loss of theirs."""
    yield repr(_values(parsed.header))
    for node in (parsed.runs, parsed.clients, parsed.events):
        yield sorted(map(repr, map(_values, node)))
    yield [repr((name, list(column))) for name, column in parsed.series.items() if name not in LINES]


def _values(row: Row) -> list[tuple[str, Value]]:
    return sorted(item for item in row.items() if item[0] not in LINES)


def is_silent(before: Reading, after: Reading) -> bool:
    """Whether a damaged log is read otherwise than the undamaged one, and nothing says so."""
    return after.whole and after.notes <= before.notes and after.content != before.content


# --- counting -------------------------------------------------------------------------------------------------------


@cache
def whole_logs(format: str) -> tuple[tuple[Path, Reading], ...]:
    """Fixture logs of a format that are whole: a log that is called incomplete anyway loses nothing in silence."""
    logs = [(log, read(log.read_bytes(), log.name)) for log in fixture_logs(format)]
    return tuple((log, reading) for log, reading in logs if reading.whole and log.stat().st_size)


def silent(log: Path, before: Reading, kind: str, count: int) -> Iterator[tuple[int, bytes]]:
    """Yield the silent ones of the first `count` damages of a kind to a log: their number, and the damaged bytes."""
    for number in range(count):
        damaged = KINDS[kind](log.read_bytes(), random.Random(f"{name_of(log)} {kind} {number}"))
        if is_silent(before, read(damaged, log.name)):
            yield number, damaged


def name_of(log: Path) -> str:
    """Name a log by its format and its file."""
    return f"{log.parent.name}/{log.name}"


def formats() -> list[str]:
    """Return the formats that have a whole fixture log."""
    return [folder.name for folder in sorted(LOGS.iterdir()) if whole_logs(folder.name)]


# --- the table ------------------------------------------------------------------------------------------------------

Table = dict[tuple[str, str], tuple[int, int]]
"""Silent losses of a log and kind: of the first `FEW` damages, and of the first `MANY`."""


def measure(names: Sequence[str], count: int = MANY) -> Table:
    """Count the silent losses of all whole logs of some formats."""
    table: Table = {}
    for log, before in (one for format in names for one in whole_logs(format)):
        for kind in KINDS:
            numbers = [number for number, _ in silent(log, before, kind, count)]
            table[name_of(log), kind] = sum(number < FEW for number in numbers), len(numbers)
    return table


def kept() -> Table:
    """Read the table that is in the repository."""
    if not LIMITS.exists():
        return {}
    rows = [line.split("\t") for line in LIMITS.read_text().splitlines() if not line.startswith("#")][1:]
    return {
        (row[0], kind): (int(few), int(many))
        for row in rows
        if row[0] != "all"
        for kind, cell in zip(KINDS, row[1:], strict=True)
        for few, many in [cell.split(" ")]
    }


def written(table: Table) -> str:
    """Lay the table out: a line a log, a column a kind, the two counts in each cell; sums last."""
    names = sorted({log for log, _ in table})
    sums = [" ".join(str(sum(table[name, kind][at] for name in names)) for at in (0, 1)) for kind in KINDS]
    lines = [
        f"# Silent losses of the first {FEW} and the first {MANY} damages of each kind to each whole log.",
        "# Written by `python -m tests.silent_losses --write`. A test holds the first number: it may only fall.",
        "\t".join(["log", *KINDS]),
        *("\t".join([name, *(" ".join(map(str, table[name, kind])) for kind in KINDS)]) for name in names),
        "\t".join(["all", *sums]),
    ]
    return "".join(f"{line}\n" for line in lines)


def risen(table: Table, limits: Table) -> list[str]:
    """Say which numbers are above those that are kept."""
    return [
        f"{log}, {kind}: {few} of the first {FEW} damages are silent, {limits[log, kind][0]} may be"
        for (log, kind), (few, _) in table.items()
        if few > limits.get((log, kind), (FEW, MANY))[0]
    ]


def lowered(table: Table, limits: Table) -> Table:
    """Return the limits with the lower of the two numbers where one was measured anew."""
    return limits | {
        cell: (min(few, limits.get(cell, counts)[0]), min(many, limits.get(cell, counts)[1]))
        for cell, counts in table.items()
        for few, many in [counts]
    }


def main() -> int:
    """Measure, and print or write the table."""
    options = argparse.ArgumentParser(description="Count silent losses.")
    options.add_argument("formats", nargs="*", help="of these formats alone")
    options.add_argument("--write", action="store_true", help=f"keep the table in {LIMITS.name}")
    options.add_argument("--raise", dest="may_rise", action="store_true", help="keep also numbers that have risen")
    options.add_argument("--show", metavar="KIND", choices=KINDS, help="print where silent losses of a kind are")
    given = options.parse_args()
    names = given.formats or formats()
    if given.show:
        for log, before in (one for format in names for one in whole_logs(format)):
            for number, damaged in silent(log, before, given.show, MANY):
                sys.stdout.write(f"{name_of(log)} #{number}: {_place(log.read_bytes(), damaged)}\n")
        return 0
    table = measure(names)
    worse = risen(table, kept())
    if given.write:
        LIMITS.write_text(written(kept() | table if given.may_rise else lowered(table, kept())))
    else:
        sys.stdout.write(written(table))
    sys.stderr.write("".join(f"{line}\n" for line in worse))
    return 1 if worse and not given.may_rise else 0


def _place(before: bytes, after: bytes) -> str:
    """Say where two texts begin to differ, with the lines there."""
    at = next(
        (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = before.rfind(b"\n", 0, at) + 1
    ends = [text.find(b"\n", at) % (len(text) + 1) for text in (before, after)]
    old, new = before[start : ends[0]], after[start : ends[1]]
    line = before.count(b"\n", 0, at) + 1
    return f"line {line}: {old[:150]!r} -> {new[:150]!r}"


if __name__ == "__main__":
    sys.exit(main())
