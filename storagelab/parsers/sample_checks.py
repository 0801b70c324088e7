"""Samples of series held against each other.

They are as far apart as the others, each item has one at each time, and shares of processor time add up to it.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from storagelab import schema
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.model import Parsed, Value

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

FEWEST_STEPS = 2
"""Steps of a series from which its interval is known."""
UNEVEN = 0.3
"""How far a step may be from the usual one in a series that is called steady."""
WIDE = 1.0 + 2 * UNEVEN
"""Usual steps from which one is too long."""
LONGEST = 20.0
"""Steps of a hole that a lost piece of a log leaves; a longer one is a pause of the tool."""

_CLOCKS = ("time", "iteration")
_NO_KEY = frozenset({"phase", "unit", "statistic", "severity", "message"})
_OF_NO_ITEM = frozenset({"line", *schema.VALUE_AT, *_CLOCKS, "part", "elapsed", "start_time", "end_time"})
_ITEMS = ("interface", "device", "cpu", "host")

Series = Mapping[str, Sequence[Value]]


def no_sample_missing(parsed: Parsed, checks: Checks) -> None:
    """Say where a series has a hole, and which item of a table lacks a sample that the others have."""
    series: Series = parsed.series
    may_lack = checks.lacking_samples or checks.of_events in series
    if may_lack or (len(series["line"]) <= FEW and _is_regular_at_a_glance(series)):
        return
    clocks = ((name, _floats(series[name])) for name in _CLOCKS if name in series)
    name, clock = next(((name, clock) for name, clock in clocks if np.isfinite(clock).any()), ("", np.empty(0)))
    if not name:
        return
    known = np.isfinite(clock)
    if clock[known].min() == clock[known].max():
        return
    if not known.all():
        series = {name: list(itertools.compress(column, known)) for name, column in series.items() if _is_asked(name)}
    clock = clock[known]
    places = _places_of_items(clock, series)
    if places is not None and (
        _are_regular(clock, places, series, may_pause=bool(checks.pauses)) or _has_each_once(clock, places, series)
    ):
        return
    samples = Samples(clock, _codes(series, _keys(series)), np.asarray(series["line"], dtype=np.int64))
    hole = None if checks.pauses else first_hole(samples) or _interval_hole(samples, series)
    lack = None if hole else first_lack(samples, _codes(series, _kinds(series)), _items(series))
    if hole:
        parsed.note(*hole)
    elif lack:
        parsed.note(*lack)


def no_sample_twice(parsed: Parsed) -> None:
    """Mark a log incomplete in which an item has the same counters twice at a time, which are of another item.

    Samples without a time, an iteration or a part say nothing of when they were taken.
    """
    series: Series = parsed.series
    when = [series[name] for name in (*_CLOCKS, "part") if name in series]
    names = [name for name in series if name not in _OF_NO_ITEM]
    items = [series[name] for name in names if schema.is_text(name)]
    if not when or not items or len(set(zip(*when, *items, strict=True))) == len(series["line"]):
        return
    counters = [series[name] for name in names if not schema.is_text(name)]
    seen: dict[Any, int] = {}
    rows = zip(series["line"], *(zip(*columns, strict=True) for columns in (when, items, counters)), strict=True)
    for line, moment, item, values in rows:
        key = moment, item, tuple(value == value for value in values)
        if any(value == value for value in moment) and seen.setdefault(key, int(line)) != line:
            what = " ".join(str(word) for word in item if word)
            said = f"expected the heading of another item than {what!r}, whose counters stand on line {seen[key]}"
            parsed.incomplete(said, int(line))
            return


FEW = 512
"""Samples up to which Python is done before numpy has begun."""


def _is_regular_at_a_glance(series: Series) -> bool:
    """Whether the same items come in the same order at each time, with steps that are alike; no may be yes.

    What has no time stands behind all that has one, as averages do.
    """
    clocks: Iterator[Any] = (series[name] for name in _CLOCKS if name in series)
    clock, timed = next(((clock, timed) for clock in clocks if (timed := sum(map(operator.eq, clock, clock)))), ([], 0))
    clock = clock[:timed]
    if not timed or not all(map(math.isfinite, clock)):
        return False
    width = next((at for at, time in enumerate(clock) if time != clock[0]), timed)
    if width == timed or _is_of_snapshots(clock, series):
        return True
    times: Sequence[Any] = clock[::width]
    steps = list(map(operator.sub, times[1:], times))
    if min(steps) <= 0 or max(steps) > WIDE * min(steps) or list(clock) != _each(times, width):
        return False
    intervals: Any = series.get("elapsed", [])[width:timed]
    return not any(
        0 < WIDE * printed < step for printed, step in zip(intervals, _each(steps, width), strict=False)
    ) and all(column[width:timed] == column[: timed - width] for column in _key_lists(series))


def _is_of_snapshots(clock: Sequence[Any], series: Series) -> bool:
    """Whether each part was taken at one time: then nothing has a sample before that could be missed."""
    if "part" not in series:
        return False
    parts = series["part"][: len(clock)]
    return len(set(zip(parts, clock, strict=True))) == len(set(parts))


def _each(values: Sequence[Any], width: int) -> list[Any]:
    return list(itertools.chain.from_iterable(map(itertools.repeat, values, itertools.repeat(width))))


def _has_each_once(clock: Floats, places: Codes, series: Series) -> bool:
    """Whether there is one sample of all that is asked of each item, as of disks that are listed once."""
    items = list(zip(*(series[name] for name in (*_ITEMS, "part") if name in series), strict=True))
    return places.shape[1] == 1 and 0 < len(set(items)) == len(set(zip(clock.tolist(), items, strict=True)))


def _places_of_items(clock: Floats, series: Series) -> Codes | None:
    """Return where the samples of each item stand, a row an item; None where one has more of them than another.

    Most monitors print the same items in the same order at each time, which is seen at a glance.
    """
    width = int(np.argmax(clock != clock[0]))
    columns = _key_lists(series)
    if not len(clock) % width and all(column[width:] == column[:-width] for column in columns):
        return np.arange(len(clock)).reshape(-1, width).T
    codes = _codes(series, columns)
    counts = np.bincount(codes)
    return np.argsort(codes, kind="stable").reshape(len(counts), -1) if counts.min() == counts.max() else None


def _are_regular(clock: Floats, places: Codes, series: Series, *, may_pause: bool) -> bool:
    """Whether all items have samples at the same times, with steps between them that are alike: nothing is missing."""
    times = clock[places]
    steps = np.diff(times[0])
    if not len(steps) or steps.min() <= 0 or (times != times[0]).any():
        return False
    if may_pause:
        return True
    if "elapsed" in series:
        printed = _floats(series["elapsed"])[places[:, 1:]]
        if ((printed > 0) & (steps > WIDE * printed)).any():
            return False
    return bool(steps.max() <= WIDE * steps.min())


_SHARES = ("cpu_user", "cpu_nice", "cpu_system", "cpu_iowait", "cpu_steal", "cpu_idle")
_MORE_SHARES = ("cpu_irq", "cpu_softirq", "cpu_guest", "cpu_guest_nice")
_PERCENT, _HUNDREDTH = 1e-2, 1e-4
"""Steps in which tools print shares: whole percents, or two decimals of them."""


def shares_fit(parsed: Parsed) -> None:
    """Say where shares of a processor's time do not add up to it, in a log in which they do elsewhere."""
    series = parsed.series
    if not all(name in series for name in _SHARES):
        return
    names = (*_SHARES, *(name for name in _MORE_SHARES if name in series))
    if len(series["line"]) <= FEW and _add_up_at_a_glance([series[name] for name in names]):
        return
    shares = np.array([series[name] for name in names], dtype=np.float64)
    known = np.isfinite(shares)
    whole = np.where(known, shares, 0.0).sum(axis=0)
    there = known[: len(_SHARES)].all(axis=0) & (whole > 0)
    spare = len(shares) / 2
    if not (there & (np.abs(whole - 1.0) > _HUNDREDTH * spare)).any():
        return
    printed = np.concatenate([share[there] for share in shares]) / _PERCENT
    step = _PERCENT if np.allclose(printed, np.round(printed), equal_nan=True) else _HUNDREDTH
    cut_off = len(shares) if step == _PERCENT else spare  # collectl cuts each of its whole percents off
    odd = there & ((whole - 1.0 > step * spare) | (1.0 - whole > step * cut_off))
    if odd.any() and odd.sum() <= max(1, there.sum() // 10):
        at = int(np.flatnonzero(odd)[0])
        said = f"expected shares of processor time that add up to 100 %, found {100 * whole[at]:.6g} %"
        parsed.note(f"{said}{_first_of(int(odd.sum()))}", int(series["line"][at]))


def _add_up_at_a_glance(shares: Sequence[Sequence[Any]]) -> bool:
    """Whether shares add up in each sample that has the usual ones; no may be yes."""
    wholes, usual = (list(map(sum, zip(*some, strict=True))) for some in (shares, shares[: len(_SHARES)]))
    if sum(map(operator.eq, wholes, wholes)) < sum(map(operator.eq, usual, usual)):
        return False
    there = list(itertools.compress(wholes, map(operator.eq, wholes, wholes)))
    spare = _NEARLY_ALL * _HUNDREDTH * len(shares) / 2
    return not there or (min(there) >= 1.0 - spare and max(there) <= 1.0 + spare)


_NEARLY_ALL = 0.9
"""Of what shares may be apart from all of it for being rounded, as much as no rounding of ours makes more of."""


def _is_asked(name: str) -> bool:
    return name in ("line", "part", "elapsed") or _is_key(name)


class Samples(NamedTuple):
    """When each sample was taken, of what, and on which line it stands."""

    clock: Floats
    key: Codes
    line: Codes


def _floats(column: Sequence[Value]) -> Floats:
    return np.asarray(column, dtype=np.float64)


def _keys(series: Series) -> list[Sequence[Value]]:
    """Return the columns that say of what a sample is."""
    return [series[name] for name in _key_names(tuple(series))]


def _key_lists(series: Series) -> list[list[Value]]:
    return [column if isinstance(column, list) else list(column) for column in _keys(series)]


@functools.lru_cache(maxsize=1024)
def _key_names(names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name == "part" or _is_key(name)]


def _is_key(name: str) -> bool:
    return schema.is_text(name) and name not in _NO_KEY


def _kinds(series: Series) -> list[Sequence[Value]]:
    """Return columns that say of which table a sample is: one of interfaces, of disks, of processors."""
    kinds: list[Sequence[Value]] = [list(map(bool, series[name])) for name in _ITEMS if name in series]
    return kinds + [series[name] for name in ("part",) if name in series]


def _items(series: Series) -> Codes:
    return _codes(series, [series[name] for name in _ITEMS if name in series])


def _codes(series: Series, columns: Sequence[Sequence[Value]]) -> Codes:
    """Number the distinct combinations of some columns, as they come."""
    if not columns:
        return np.zeros(len(series["line"]), dtype=np.int64)
    places: dict[tuple[Value, ...], int] = {}
    return np.array([places.setdefault(words, len(places)) for words in zip(*columns, strict=True)], dtype=np.int64)


def first_hole(samples: Samples) -> tuple[str, int] | None:
    """Find where the samples of a series that are steady otherwise leave some out: what to say, and the line."""
    order = np.lexsort((samples.clock, samples.key))
    clock, key, line = samples.clock[order], samples.key[order], samples.line[order]
    steps = clock[1:] - clock[:-1]
    places = np.flatnonzero((key[1:] == key[:-1]) & (steps > 0))
    series = _uneven(steps, places, np.flatnonzero(np.diff(key[places])) + 1)
    holes = [(int(line[place + 1]), place, usual) for own in series for place, usual in _holes(steps, own)]
    if not holes:
        return None
    at, place, usual = min(holes)
    between = f"between {clock[place]:.6g} and {clock[place + 1]:.6g}"
    return f"expected a sample every {usual:.4g}, found none {between}{_first_of(len(holes))}", at


def _uneven(steps: Floats, places: Codes, ends: Codes) -> list[Codes]:
    """Cut places of steps into series, and return those in which one step is so much longer than another."""
    if not len(places):
        return []
    own, starts = steps[places], np.concatenate([[0], ends])
    uneven = np.maximum.reduceat(own, starts) > WIDE * np.minimum.reduceat(own, starts)
    return [series for series, odd in zip(np.split(places, ends), uneven, strict=True) if odd] if uneven.any() else []


def _interval_hole(samples: Samples, series: Series) -> tuple[str, int] | None:
    """Find a sample whose printed interval does not reach back to the one before it."""
    if "elapsed" not in series:
        return None
    order = np.lexsort((samples.clock, samples.key))
    clock, key, printed = samples.clock[order], samples.key[order], _floats(series["elapsed"])[order][1:]
    steps = np.diff(clock)
    wide = (np.diff(key) == 0) & (printed > 0) & (steps > WIDE * printed)
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
    wide = own > WIDE * usual
    steady = np.abs(own - usual) <= UNEVEN * usual
    if (wide | steady).all() and 3 * wide.sum() <= len(own) + 1 and (own[wide] <= LONGEST * usual).all():
        yield from ((int(place), usual) for place in places[wide])


def first_lack(samples: Samples, tables: Codes, items: Codes) -> tuple[str, int] | None:
    """Find an item that lacks a sample where the others of its table have one: what to say, and the line.

    Where a table has two times, only interfaces, disks, processors and hosts are held against each other: what else one
    of them lacks may be what happened only once, an operation or an error.
    """
    lacks: list[tuple[int, float]] = []
    for own in _groups(tables):
        clock, line = samples.clock[own], samples.line[own]
        is_short = len(np.unique(clock)) == FEWEST_TIMES
        lacks += _lacks(clock, items[own] if is_short else samples.key[own], line, at_most=1.0 if is_short else np.inf)
    if not lacks:
        return None
    at, when = min(lacks)
    return f"expected a sample of each item at {when:.6g}, as at other times, found one less{_first_of(len(lacks))}", at


def _groups(codes: Codes) -> list[Codes]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _lacks(clock: Floats, key: Codes, line: Codes, at_most: float) -> list[tuple[int, float]]:
    """Return line and time of what a table lacks; nothing where it lacks so much that it is no such table."""
    times, at = np.unique(clock, return_inverse=True)
    items, item = np.unique(key, return_inverse=True)
    if len(times) < FEWEST_TIMES or len(items) < 2 or len(times) * len(items) > MOST_EMPTY * len(clock):
        return []
    counts = np.bincount(item * len(times) + at, minlength=len(items) * len(times)).reshape(len(items), len(times))
    counts = np.minimum(counts, at_most)
    if counts.min() == counts.max():
        return []
    lacks = counts < np.median(counts, axis=1, keepdims=True)
    odd = lacks.any(axis=0)
    if odd.sum() > max(1, len(times) // 10) or (2 * lacks.sum(axis=0) > len(items)).any():
        return []
    return [(int(line[at == when].min()), float(times[when])) for when in np.flatnonzero(odd)]


FEWEST_TIMES = 2
"""Times from which a table lacks what stands at another time."""
MOST_EMPTY = 4
"""Places in a table of items and times that a sample may stand for: where more are empty, it is no such table."""


def _first_of(count: int) -> str:
    return f" (the first of {count})" if count > 1 else ""
