"""How numbers, levels and lines are put into words, at the ends of what each wording is for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from storagelab.analysis.inference.dependence import LESS_THAN_ONE
from storagelab.wording import quantities, words
from storagelab.wording.quantities import Scale


def test_a_unit_fits_from_one_of_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [quantities.scale("B/s", value).symbol for value in (0.0, 999.0, 1e3)] == ["B/s", "B/s", "kB/s"]
    rounded = 1e6 / quantities.ROUNDED
    assert [quantities.scale("B/s", value).symbol for value in (rounded * 0.9999, rounded * 1.0001)] == ["kB/s", "MB/s"]
    monkeypatch.setattr(quantities, "ROUNDED", 1.0)
    assert quantities.scale("B/s", [np.nan, -1e6, 5.0]).symbol == "MB/s"


@pytest.mark.parametrize(("low", "high", "log", "each"), [
    (1.0, 1000.0, True, ""), (1.0, 1001.0, True, "B/s"), (1.0, 1001.0, False, ""), (0.0, 1001.0, True, ""),
    (-1.0, 1001.0, True, ""),
])  # fmt: skip
def test_ticks_of_a_long_log_axis_say_their_own_units(low: float, high: float, log: bool, each: str) -> None:
    assert quantities.for_axis("B/s", low, high, log).each == each
    assert quantities.for_axis("1", 1.0, 1e9, log=True).each == ""


def test_a_number_is_written_to_three_digits() -> None:
    shown = Scale("MB/s", 1e6)
    assert [shown.number(value) for value in (99.94e6, 99.96e6, 100e6, 1234.5e6, np.inf)] == [
        "99.9", "100", "100", "1,234", "n/a",
    ]  # fmt: skip
    assert (shown(np.nan), shown(5e6), Scale("", 1.0)(5.0)) == ("n/a", "5 MB/s", "5")
    assert [quantities.compact("B/s", value) for value in (np.nan, 56.2e3, 5.0)] == ["", "56.2k", "5"]
    assert [quantities.plain(unit) for unit in ("B/s", "s", "1")] == ["B/s", "s", ""]
    assert [quantities.size(value) for value in (1023.0, 1024.0, 3 * 2.0**30, 64e6)] == [
        "1023 B", "1 KiB", "3 GiB", "64 MB",
    ]  # fmt: skip
    assert [quantities.title("rate", one) for one in (shown, Scale("", 1.0))] == ["rate (MB/s)", "rate"]


def test_points_without_an_interval_say_why() -> None:
    rows = pd.DataFrame({"n": [1.0, 2.0], "runs": [2.0, 2.0], "caveat": ["", LESS_THAN_ONE]})
    one, less = "n = 1", "runs depend too much on the ones before"
    assert words.without_interval(rows, "bar") == f"; no bar where {one} or {less}"
    assert words.without_interval(rows, "bar", ["runs", "n"]) == f"; no bar where {one} or {less}"
    assert words.without_interval(rows, "bar", ["runs"]) == f"; no bar where {less}"
    assert words.without_interval(rows[1:].drop(columns="caveat"), "bar") == ""
    assert words.without_interval(rows[:1].drop(columns="caveat"), "bar") == f"; no bar where {one}"


@pytest.mark.parametrize(("name", "low", "is_below"), [
    ("throughput_low", 0.0, False), ("throughput_low", -1.0, True), ("unheard_of_low", -1.0, False),
    ("elapsed_low", -1.0, False), ("throughput", -1.0, False),
])  # fmt: skip
def test_an_interval_of_a_rate_that_reaches_below_zero_is_told(name: str, low: float, is_below: bool) -> None:
    told = words.without_interval(pd.DataFrame({"n": [2.0, 2.0], name: [1.0, low]}), "bar")
    assert told == "; an interval that reaches below zero is of too few runs: no rate is negative" * is_below


def test_words_of_keys_and_counts() -> None:
    assert words.effect("driver_net x of nobody x clients") == f"{words.long_name('driver_net')} x of nobody x clients"
    assert [words.listed("abc"[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    said = [words.numbered(n, what) for n, what in (([], "run"), ([0, np.nan], "run"), ([0, 1, np.nan], "run"),
                                                    ([3, 3], "run"), ([1, 3], "block"), ([2], "series"))]  # fmt: skip
    assert said == ["n = 0", "n = 0", "n = 1 run", "n = 3 runs", "n = 1 to 3 blocks", "n = 2 series"]
    ds = xr.Dataset({"n": ("obs", [1.0, 2.0]), "pairs": ("obs", [5.0, 5.0])})
    assert words.counted(ds) == "n = 1 to 2 runs"
    assert words.counted(ds.assign_attrs(unit="block"), "pairs") == "n = 5 blocks"
    assert words.counted(ds, "n", "pairs") == "n = 1 to 5 runs"


@pytest.mark.parametrize(("values", "said"), [
    ([100, 120, 85],
     "rises from 100 MB/s with 1 client to 120 MB/s with 2 clients, then falls to 85 MB/s with 3 clients"),
    ([100, 60, 81],
     "falls from 100 MB/s with 1 client to 60 MB/s with 2 clients, then rises to 81 MB/s with 3 clients"),
    ([50, 100, 75], "rises from 50 MB/s with 1 client to 100 MB/s with 2 clients, then stays"),
    ([50, 80, 100], "rises from 50 MB/s with 1 client to 80 MB/s with 2 clients, then stays"),
    ([100, 90, 75], "stays near 88.3 MB/s from 1 client to 3 clients"),
    ([50, 70, 100], "rises from 50 MB/s with 1 client to 100 MB/s with 3 clients"),
    ([np.nan, 70, np.nan], "is 70 MB/s at 2 clients"), ([np.nan] * 3, "has no value"),
])  # fmt: skip
def test_a_line_turns_where_it_is_first_as_far_as_it_gets_but_for_a_quarter(
    values: list[float], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "STILL", 0.25)
    told = words.describe_trend("clients", [1, 2, 3], [value * 1e6 for value in values], quantities.say("B/s"))
    assert told == said
