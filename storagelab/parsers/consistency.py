"""What a log says twice, held against itself: one place for all formats, and one wording.

Nothing here changes a number. What cannot be true makes a log incomplete, what is odd is a note; each names the line,
the two numbers, and what was expected. `hold` makes all checks of a log that was read:

- text has no control characters: a zeroed sector leaves NUL bytes;
- samples are as far apart as the others of their series, and each item (interface, disk, processor) has one whenever
  the others of its table have;
- lowest <= mean <= highest, and percentiles rise;
- bytes over time are the rate, where the tool measures the three over the same span (`RATES`).
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from storagelab import schema, units
from storagelab.parsers.companions import misshapen, missing
from storagelab.parsers.model import Columns, Parsed, Row, Rows, Value

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


def hold(parsed: Parsed, text: str, format: str) -> Parsed:
    """Hold a log that was read against itself, and say in its notes what does not fit; of a cut log no more is said."""
    no_control_characters(parsed, text)
    no_foreign_digits(parsed, text)
    for row in _rows_to_ask(parsed, _may_be_impossible):
        possible(parsed, row)
    if parsed.complete:
        for row in _rows_to_ask(parsed, lambda names: not _ORDERED.isdisjoint(names)):
            in_order(parsed, row)
        if format in RATES:
            for row in itertools.chain(parsed.runs, parsed.clients):
                rate_fits(parsed, row, RATES[format])
        for said, line in (*missing(text, format), *misshapen(text, format)):
            parsed.note(said, line)
        whole_json(parsed, text, format)
        if parsed.series:
            no_sample_missing(parsed, format)
    return parsed


# --- text -----------------------------------------------------------------------------------------------------------

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f](?! \((?:source|destination)\))")
r"""Characters that no tool prints, but XRootD behind a server's message. Escape sequences are colours, and ``\r``,
``\v`` and ``\f`` move a terminal."""


def no_control_characters(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete that holds bytes which no tool prints: something else was written over it."""
    found = _CONTROL.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        count = len(_CONTROL.findall(text))
        parsed.incomplete(f"expected text, found the control character {found[0]!r} and {count - 1} more", line)


def no_foreign_digits(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete in which digits of another script stand: no tool prints them, and Python reads them."""
    found = set() if text.isascii() else {sign for sign in set(text) if sign.isdecimal() and not sign.isascii()}
    if found:
        place = min(map(text.index, found))
        line = text.count("\n", 0, place) + 1
        parsed.incomplete(f"expected digits from 0 to 9, found {text[place]!r} of another script", line)


def whole_json(parsed: Parsed, text: str, format: str) -> None:
    """Say where a log that is JSON from its first character on, or on each line, is not whole."""
    if format in BROKEN_JSON or not text.lstrip().startswith(("{", "[{")):
        return
    try:
        json.loads(text)
    except RecursionError:
        return
    except ValueError as error:
        line = _broken_line(text, error)
        if line:
            parsed.note(f"expected JSON, found {text.split(NEWLINE)[line - 1].strip()[:80]!r}", line)


def _broken_line(text: str, error: ValueError) -> int:
    """Return the line on which JSON breaks, in one document or in a document a line; 0 where it is in documents."""
    lines = text.split(NEWLINE)
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                json.loads(line)
            except RecursionError:
                return 0
            except ValueError:
                return number if number > 1 or not isinstance(error, json.JSONDecodeError) else error.lineno
    return 0


NEWLINE = "\n"
BROKEN_JSON = frozenset({"ior", "fio-json", "rrd-xport"})
"""Formats whose tools print JSON that is none, or several documents with other lines between them."""


# --- rows -----------------------------------------------------------------------------------------------------------

ROUNDING = 0.01
"""How far a mean may be beyond an extreme: some tools print the one with decimals and the other without."""


class Agreement(NamedTuple):
    """How far amount over time may be from the printed rate: a share of it, and half of the last digits printed."""

    share: float
    seconds: float = 0.0
    rate: float = 0.0


RATES = {
    "dccp": Agreement(0.01, rate=0.005 * units.KIB),
    "fio-json": Agreement(0.1),
    "fio-terse": Agreement(0.05),
    "fio-text": Agreement(0.1),
    "hdparm": Agreement(0.01, seconds=0.005, rate=0.005 * units.KIB),
    "iperf3": Agreement(0.02),
    "rados-bench": Agreement(0.05),
}
"""Formats that print amount, time and rate of one span, and how well the three agree."""

_SPANS = (("data_size", "throughput"), ("operations", "operation_rate"))
_MEANS = ("latency", "file_latency", "first_byte_latency")
_EXTREMES = (*_MEANS, "throughput", "operation_rate", "elapsed", "operations")
_PERCENTILES = sorted(
    (float(name.removeprefix("latency_p").replace("_", ".")), name)
    for name in schema.FIELDS
    if re.fullmatch(r"latency_p\d+(?:_\d+)?", name)
)


Named = Mapping[str, Any]
"""A row, or a table with a sequence a name."""


def _rows_to_ask(parsed: Parsed, concerns: Callable[[Named], bool]) -> Iterator[Row]:
    """Yield the rows that a question concerns; tables are asked as a whole, and become rows only where they are."""
    for rows in (parsed.runs, parsed.clients):
        for part in rows.parts if isinstance(rows, Rows) else (rows,):
            if isinstance(part, dict):
                yield from _as_rows(part) if concerns(part) else ()
            else:
                yield from filter(concerns, part)


def _as_rows(table: Columns) -> Iterator[Row]:
    rows = Rows()
    rows.add_columns(table)
    return iter(rows)


def _may_be_impossible(named: Named) -> bool:
    """Whether a value that cannot be below zero is, or is infinite, or may be: a column holds text too."""
    return any(not _is_possible(named[name]) for name in POSITIVE & named.keys())


def _is_possible(value: Any) -> bool:
    if isinstance(value, int | float):
        return not (value < 0 or value == math.inf)
    if isinstance(value, str) or not len(value):
        return True
    try:
        return bool(min(value) >= 0 and max(value) < math.inf)
    except TypeError:
        return False


def possible(parsed: Parsed, row: Row) -> None:
    """Mark a log incomplete in which a rate, an amount or a time is negative or infinite."""
    for name in POSITIVE & row.keys():
        value = row[name]
        if isinstance(value, int | float) and (value < 0 or value == math.inf):
            parsed.incomplete(f"expected {name} from 0 on and finite, found {value:.6g}", _line(row))


POSITIVE = frozenset(
    field.name
    for field in schema.FIELDS.values()
    if field.unit in ("B/s", "1/s") or field.name.startswith(("latency", "elapsed", "data_size", "operations"))
)
"""What cannot be below nothing."""


_ORDERED = frozenset(
    (*(f"{name}_{end}" for name in _EXTREMES for end in ("min", "max")), *(name for _, name in _PERCENTILES))
)
"""What is below or above something else."""


def in_order(parsed: Parsed, row: Row) -> None:
    """Hold lowest, mean and highest, and percentiles, against each other."""
    for name in _EXTREMES:
        _rise(parsed, row, [f"{name}_min", f"{name}_max"])
    for name in _MEANS:
        _rise(parsed, row, [f"{name}_min", name, f"{name}_max"], ROUNDING)
    _rise(parsed, row, [name for _, name in _PERCENTILES])


def _rise(parsed: Parsed, row: Row, names: Iterable[str], rounding: float = 0.0) -> None:
    """Say where a value is below the one before it, by more than rounding; values of one format are rounded alike."""
    found = [(name, value) for name in names if isinstance(value := row.get(name), int | float)]
    for (low, less), (high, more) in itertools.pairwise(found):
        if less > more + rounding * abs(more):
            text = f"expected {low} <= {high}, found {less:.6g} and {more:.6g} ({row.get('operation', '')})"
            parsed.incomplete(text, _line(row))


def rate_fits(parsed: Parsed, row: Row, agreement: Agreement) -> None:
    """Hold amount over time against the rate, where the format prints all three of one span."""
    seconds = row.get("elapsed")
    if not isinstance(seconds, int | float) or not seconds:
        return
    for amount, rate in _SPANS:
        moved, printed = row.get(amount), row.get(rate)
        if not (isinstance(moved, int | float) and isinstance(printed, int | float) and moved and printed):
            continue
        if not _agree(moved, seconds, printed, agreement):
            text = f"expected {rate} = {amount} / elapsed = {moved / seconds:.6g}, found {printed:.6g}"
            parsed.incomplete(f"{text} ({row.get('operation', '')})", _line(row))


def _agree(amount: float, seconds: float, rate: float, agreement: Agreement) -> bool:
    """Whether an amount over any time that is printed as `seconds` is any rate that is printed as `rate`."""
    shortest = seconds - agreement.seconds
    lowest = amount / (seconds + agreement.seconds)
    highest = amount / shortest if shortest > 0 else math.inf
    spare = agreement.rate + agreement.share * max(amount / seconds, rate)
    return lowest - spare <= rate <= highest + spare


def _line(row: Row) -> int:
    return int(row.get("line", 0))


# --- samples --------------------------------------------------------------------------------------------------------

FEWEST_STEPS = 2
"""Steps of a series from which its interval is known."""
UNEVEN = 0.3
"""How far a step may be from the usual one in a series that is called steady."""
LONGEST = 20.0
"""Steps of a hole that a lost piece of a log leaves; a longer one is a pause of the tool."""

PAUSES = {
    **dict.fromkeys(
        ("fio-bw-log", "fio-iops-log", "fio-clat-log", "fio-slat-log", "fio-lat-log", "fio-log"),
        "fio prints no line for a window in which nothing ended",
    ),
    "cmssw-timereport": "records are printed as they begin",
    "xrdcl-log": "messages come as they happen",
}
"""Formats whose series may have holes, and why."""
UNKNOWN_LEFT_OUT = {
    **dict.fromkeys(
        (
            *("rrd-csv", "rrd-dump", "rrd-fetch", "rrd-graph", "rrd-info", "rrd-xport", "ganglia-csv", "ganglia-json"),
            "mmperfmon",
        ),
        "steps whose value is not known are left out",
    ),
    **dict.fromkeys(("ganglia-xml", "ganglia-host-page"), "times are the ages of single values"),
}
"""Formats in which an item may lack a sample, and why."""

_CLOCKS = ("time", "iteration")
_NO_KEY = frozenset({"phase", "unit", "statistic", "severity", "message"})
_ITEMS = ("interface", "device", "cpu", "host")

Series = dict[str, Sequence[Value]]


def no_sample_missing(parsed: Parsed, format: str) -> None:
    """Say where a series has a hole, and which item of a table lacks a sample that the others have."""
    series = parsed.series
    name = next((name for name in _CLOCKS if name in series and np.isfinite(_floats(series[name])).any()), "")
    if not name or format in UNKNOWN_LEFT_OUT:
        return
    clock = _floats(series[name])
    known = np.isfinite(clock)
    series = {name: list(itertools.compress(column, known)) for name, column in series.items()}
    samples = Samples(clock[known], _codes(series, _keys(series)), np.asarray(series["line"], dtype=np.int64))
    hole = None if format in PAUSES else first_hole(samples) or _interval_hole(samples, series)
    lack = None if hole else first_lack(samples, _codes(series, _kinds(series)))
    if hole:
        parsed.note(*hole)
    elif lack:
        parsed.note(*lack)


class Samples(NamedTuple):
    """When each sample was taken, of what, and on which line it stands."""

    clock: Floats
    key: Codes
    line: Codes


def _floats(column: Sequence[Value]) -> Floats:
    return np.asarray(column, dtype=np.float64)


def _keys(series: Series) -> list[Sequence[Value]]:
    """Return the columns that say of what a sample is."""
    return [column for name, column in series.items() if name == "part" or _is_key(name)]


def _is_key(name: str) -> bool:
    return schema.is_text(name) and name not in _NO_KEY


def _kinds(series: Series) -> list[Sequence[Value]]:
    """Return columns that say of which table a sample is: one of interfaces, of disks, of processors."""
    kinds: list[Sequence[Value]] = [list(map(bool, series[name])) for name in _ITEMS if name in series]
    return kinds + [series[name] for name in ("part",) if name in series]


def _codes(series: Series, columns: Iterable[Sequence[Value]]) -> Codes:
    """Number the distinct combinations of some columns."""
    codes = np.zeros(len(series["line"]), dtype=np.int64)
    for column in columns:
        places: dict[Value, int] = {}
        coded = np.array([places.setdefault(word, len(places)) for word in column], dtype=np.int64)
        codes = np.unique(codes * (len(places) + 1) + coded, return_inverse=True)[1]
    return codes


def first_hole(samples: Samples) -> tuple[str, int] | None:
    """Find where the samples of a series that are steady otherwise leave some out: what to say, and the line."""
    order = np.lexsort((samples.clock, samples.key))
    clock, key, line = samples.clock[order], samples.key[order], samples.line[order]
    steps = np.diff(clock)
    places = np.flatnonzero((np.diff(key) == 0) & (steps > 0))
    series = np.split(places, np.flatnonzero(np.diff(key[places])) + 1)
    holes = [(int(line[place + 1]), place, usual) for own in series for place, usual in _holes(steps, own)]
    if not holes:
        return None
    at, place, usual = min(holes)
    between = f"between {clock[place]:.6g} and {clock[place + 1]:.6g}"
    return f"expected a sample every {usual:.4g}, found none {between}{_first_of(len(holes))}", at


def _interval_hole(samples: Samples, series: Series) -> tuple[str, int] | None:
    """Find a sample whose printed interval does not reach back to the one before it."""
    if "elapsed" not in series:
        return None
    order = np.lexsort((samples.clock, samples.key))
    clock, key, printed = samples.clock[order], samples.key[order], _floats(series["elapsed"])[order][1:]
    steps = np.diff(clock)
    wide = (np.diff(key) == 0) & (printed > 0) & (steps > (1.0 + 2 * UNEVEN) * printed)
    wide &= steps <= LONGEST * printed
    if not wide.any() or (wide.sum() > len(steps) // 2):
        return None
    place = min(np.flatnonzero(wide), key=lambda place: int(samples.line[order][place + 1]))
    text = f"expected a sample {printed[place]:.4g} after the one before, found it {steps[place]:.6g} after"
    return text, int(samples.line[order][place + 1])


def _holes(steps: Floats, places: Codes) -> Iterator[tuple[int, float]]:
    """Yield the places of steps that are too long, with the usual step; none where steps are not steady."""
    if len(places) < FEWEST_STEPS:
        return
    own = steps[places]
    usual = float(np.sort(own)[(len(own) - 1) // 2])
    wide = own > (1.0 + 2 * UNEVEN) * usual
    steady = np.abs(own - usual) <= UNEVEN * usual
    if (wide | steady).all() and 3 * wide.sum() <= len(own) + 1 and (own[wide] <= LONGEST * usual).all():
        yield from ((int(place), usual) for place in places[wide])


def first_lack(samples: Samples, tables: Codes) -> tuple[str, int] | None:
    """Find an item that lacks a sample where the others of its table have one: what to say, and the line."""
    lacks = [
        lack for own in _groups(tables) for lack in _lacks(samples.clock[own], samples.key[own], samples.line[own])
    ]
    if not lacks:
        return None
    at, when = min(lacks)
    return f"expected a sample of each item at {when:.6g}, as at other times, found one less{_first_of(len(lacks))}", at


def _groups(codes: Codes) -> list[Codes]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _lacks(clock: Floats, key: Codes, line: Codes) -> list[tuple[int, float]]:
    """Return line and time of what a table lacks; nothing where it lacks so much that it is no such table."""
    times, at = np.unique(clock, return_inverse=True)
    items, item = np.unique(key, return_inverse=True)
    if len(times) < 3 or len(items) < 2 or len(times) * len(items) > MOST_EMPTY * len(clock):
        return []
    counts = np.zeros((len(items), len(times)))
    np.add.at(counts, (item, at), 1)
    lacks = counts < np.median(counts, axis=1, keepdims=True)
    odd = lacks.any(axis=0)
    if odd.sum() > max(1, len(times) // 10) or (2 * lacks.sum(axis=0) > len(items)).any():
        return []
    return [(int(line[at == when].min()), float(times[when])) for when in np.flatnonzero(odd)]


MOST_EMPTY = 4
"""Places in a table of items and times that a sample may stand for: where more are empty, it is no such table."""


def _first_of(count: int) -> str:
    return f" (the first of {count})" if count > 1 else ""
