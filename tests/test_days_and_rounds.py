"""Order, days and rounds of runs, from when they started."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab import days_and_rounds

HOUR = 3600.0
NOON = 12 * HOUR


@pytest.mark.parametrize(
    ("hours", "days"),
    [
        ([0, 1, 2], [1, 1, 1]),
        ([0, 7, 8], [1, 2, 2]),
        ([11.9, 12.1], [1, 1]),  # past midnight without a pause
        ([11.5, 12.6], [1, 2]),  # an hour's pause over midnight
        ([5, 0, 30], [1, 1, 2]),
        ([0, 6, 11.5, 12.5], [1, 2, 2, 3]),  # six hours, and one over midnight, to the second
        ([0, 5.999, 11.6, 12.599], [1, 1, 1, 1]),
    ],
)
def test_a_day_ends_with_a_pause(hours: list[float], days: list[int]) -> None:
    assert days_and_rounds.days(NOON + HOUR * np.array(hours)).tolist() == days


def test_runs_without_a_start_have_no_place() -> None:
    assert np.isnan(days_and_rounds.order([np.nan])).all()
    assert days_and_rounds.order([]).size == 0
    assert days_and_rounds.order([5.0, np.nan, 1.0]).tolist()[::2] == [2, 1]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1970-01-01T00:00:10+00:00", ""], [10, np.nan]),
        (["1970-01-01T00:00:10", "1970-01-01T01:00:00"], [10, 3600]),
        (["1970-01-01T00:00:10", "1970-01-01T01:00:00+01:00"], [np.nan, 0]),
        (["no time"], [np.nan]),
    ],
)
def test_times_are_read_as_utc_unless_others_say_their_zone(texts: list[str], expected: list[float]) -> None:
    assert np.array_equal(days_and_rounds.seconds(texts), expected, equal_nan=True)


def test_rounds_follow_each_other_or_are_none() -> None:
    assert days_and_rounds.rounds([5, 6, 1, 2], [1, 1, 2, 2]).tolist() == [2, 2, 1, 1]
    assert np.isnan(days_and_rounds.rounds([1, 3, 2, 4], [1, 1, 2, 2])).all()
    assert np.isnan(days_and_rounds.rounds([1, np.nan], [1, 2])).all()
