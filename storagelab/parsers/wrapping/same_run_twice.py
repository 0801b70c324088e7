"""Runs that a tool tells twice in one log, in two formats: fio prints its JSON and its report for people of one run."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from storagelab.parsers.model import Parsed, Row, Value
from storagelab.parsers.wrapping.several_tools import Part

_SAME = ("job", "operation")
_ROUNDED = ("throughput", "operation_rate", "latency")
_AGREE = 0.0055
"""How far a number may be from the same one with the three digits that people are shown: 1.004 of 1.00."""
_MILLISECOND = 0.001
"""What both say of how long a run took, which two runs for the same time often share, and two of a size hardly ever."""


def without_repeated(parts: Sequence[Part]) -> list[Part]:
    """Leave out of each part what a format that may repeat it tells too; where that stands, this format notes."""
    told = {id(part): _told_by_others(part, parts) for part in parts}
    return [part for part in parts if not (told[id(part)] and _drop_repeated(part, told[id(part)]))]


def _told_by_others(part: Part, parts: Sequence[Part]) -> list[Parsed]:
    """Return what the formats tell that may say again what a part says."""
    return [other.parsed for other in parts if part.format.name in other.format.repeats]


def _drop_repeated(part: Part, others: Sequence[Parsed]) -> bool:
    """Take away the tests of which every job is told elsewhere, and say whether nothing is left."""
    parsed, elsewhere = part.parsed, _Told(row for other in others for row in other.runs)
    of_jobs = [row for row in parsed.runs if "job" in row] or list(parsed.runs)
    tests = {_test(row) for row in parsed.runs}
    repeated = {_test(row) for row in of_jobs} - {_test(row) for row in of_jobs if row not in elsewhere}
    if repeated:
        line = min(int(row["line"]) for row in parsed.runs if _test(row) in repeated)
        others[0].note(f"runs that stand here again, as {part.format.name}, are taken once", line)
    if repeated == tests:
        return True
    kept = tests - repeated
    parsed.runs, parsed.clients, parsed.events = (
        list(_of(kept, rows)) for rows in (parsed.runs, parsed.clients, parsed.events)
    )
    if repeated and parsed.series:
        places = [at for at, test in enumerate(parsed.series.get("part", ())) if test in kept]
        parsed.series = {name: [column[at] for at in places] for name, column in parsed.series.items()}
    return False


def _test(row: Row) -> Value:
    return row.get("part", 1.0)


def _of(tests: set[Value], rows: Iterable[Row]) -> Iterable[Row]:
    return (row for row in rows if _test(row) in tests)


class _Told:
    """Runs that are told elsewhere, by whose they are and in the order of their rates: few are near another."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: dict[tuple[Value | None, ...], list[Row]] = defaultdict(list)
        for row in sorted((row for row in rows if _leading(row)), key=_rate):
            self._rows[_whose(row)].append(row)

    def __contains__(self, row: Row) -> bool:
        if not _leading(row):
            return False
        rows = self._rows.get(_whose(row), [])
        first = bisect_left(rows, _rate(row) * (1 - _AGREE), key=_rate)
        last = bisect_right(rows, _rate(row) / (1 - _AGREE), key=_rate)
        return any(_are_one(row, rows[at]) for at in range(first, last))


def _whose(row: Row) -> tuple[Value | None, ...]:
    return (*(row.get(name) for name in _SAME), _leading(row))


def _leading(row: Row) -> str:
    """Return the first name of a rounded number that a row has; "" where it has none."""
    return next((name for name in _ROUNDED if name in row), "")


def _rate(row: Row) -> float:
    return float(row[_leading(row)])


def _are_one(row: Row, other: Row) -> bool:
    """Whether two rows say the same of one run, one of them with fewer digits."""
    said = [name for name in _ROUNDED if name in row and name in other]
    return (
        bool(said)
        and all(row.get(name) == other.get(name) for name in _SAME)
        and all(abs(float(row[name]) - float(other[name])) <= _AGREE * abs(float(other[name])) for name in said)
        and abs(float(row.get("elapsed", 0)) - float(other.get("elapsed", row.get("elapsed", 0)))) <= _MILLISECOND
    )
