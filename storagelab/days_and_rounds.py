"""When the runs of a campaign were made: their order, their days and their rounds, from their start times.

Runs that follow each other resemble each other, and runs of one day share what the machine did that day. Statistics
must know the order and the day of each run for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

NIGHT = 6 * 3600.0
"""Seconds without a start after which the next run is one of another day."""

MIDNIGHT = 3600.0
"""The same where the date changes in between: work that goes on past midnight stays one day."""

DAY = 86400.0


def seconds(moments: Sequence[str]) -> Floats:
    """Read start times in ISO 8601 as seconds since 1970, UTC; NaN where there is none.

    Times without an offset are taken for UTC where no time has one, and are not known among others that have.

    Parameters
    ----------
    moments : sequence of str
        Start times; empty where none is known.

    Returns
    -------
    ndarray, shape (runs,)
        Seconds.

    Examples
    --------
    >>> seconds(["1970-01-01T00:01:00", ""]).tolist()
    [60.0, nan]
    """
    read = [_moment(text) for text in moments]
    aware = any(moment is not None and moment.tzinfo for moment in read)
    return np.array([_seconds(moment, aware) for moment in read], dtype=np.float64)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _seconds(moment: datetime | None, aware: bool) -> float:
    if moment is None or (aware and not moment.tzinfo):
        return np.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def order(starts: ArrayLike) -> Floats:
    """Number runs by their start, from 1; runs that start together share a number, NaN stays NaN.

    Parameters
    ----------
    starts : array_like, shape (runs,)
        Seconds.

    Returns
    -------
    ndarray, shape (runs,)
        Numbers from 1.

    Examples
    --------
    >>> order([30.0, 10.0, np.nan, 30.0]).tolist()
    [2.0, 1.0, nan, 2.0]
    """
    return _numbered(np.asarray(starts, dtype=np.float64), lambda known: np.ones(known.size - 1, dtype=bool))


def days(starts: ArrayLike) -> Floats:
    """Number the days on which runs were made, from 1.

    A day ends with a pause of six hours, or with a pause of an hour over which the date (UTC) changes.

    Parameters
    ----------
    starts : array_like, shape (runs,)
        Seconds since 1970, UTC.

    Returns
    -------
    ndarray, shape (runs,)
        Numbers from 1; NaN where the start is not known.

    Examples
    --------
    >>> evening = 20 * 3600.0
    >>> days([evening, evening + 4 * 3600, evening + 12 * 3600, np.nan]).tolist()
    [1.0, 2.0, 3.0, nan]
    """
    return _numbered(np.asarray(starts, dtype=np.float64), _nights)


def _nights(known: Floats) -> NDArray[np.bool_]:
    pauses, dates = np.diff(known), np.floor(known / DAY)
    return np.asarray((pauses >= NIGHT) | ((pauses >= MIDNIGHT) & (np.diff(dates) > 0)))


def _numbered(starts: Floats, steps: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    known, places = np.unique(starts[~np.isnan(starts)], return_inverse=True)
    found = np.full(starts.shape, np.nan)
    if known.size:
        found[~np.isnan(starts)] = (1.0 + np.r_[0, np.cumsum(steps(known))])[places]
    return found


def rounds(starts: ArrayLike, repeats: ArrayLike) -> Floats:
    """Number the rounds of a campaign: repeats that were made one after the other, none begun before the last ended.

    Parameters
    ----------
    starts, repeats : array_like, shape (runs,)
        Seconds, and the repeat of each run.

    Returns
    -------
    ndarray, shape (runs,)
        From 1; all NaN where repeats overlap in time, or a start or a repeat is not known.

    Examples
    --------
    >>> rounds([1.0, 2.0, 3.0, 4.0], [7.0, 7.0, 9.0, 9.0]).tolist()
    [1.0, 1.0, 2.0, 2.0]
    >>> rounds([1.0, 2.0, 3.0, 4.0], [7.0, 9.0, 7.0, 9.0]).tolist()
    [nan, nan, nan, nan]
    """
    when, named = np.asarray(starts, dtype=np.float64), np.asarray(repeats, dtype=np.float64)
    unknown = np.full(when.shape, np.nan)
    if not when.size or np.isnan(when).any() or np.isnan(named).any():
        return unknown
    levels, place = np.unique(named, return_inverse=True)
    first = np.array([when[place == at].min() for at in range(levels.size)])
    last = np.array([when[place == at].max() for at in range(levels.size)])
    turn = np.argsort(first, kind="stable")
    if (last[turn][:-1] >= first[turn][1:]).any():
        return unknown
    number = np.empty(levels.size)
    number[turn] = np.arange(1.0, levels.size + 1)
    return number[place]
