from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from storagelab.analysis import peaks, tail_off
from storagelab.analysis.scaling.rounds_of_curves import SHARED
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.scaling.campaigns import curve_of, curves_of, in_blocks, noisy

LEVELS = (1.0, 2.0, 4.0, 8.0, 16.0)
TAIL = noisy(LEVELS, (30.0, 60.0, 100.0, 80.0, 60.0))


def test_the_peak_stands_apart() -> None:
    found = peaks(curve_of(TAIL))
    row = frame(found).iloc[0]
    assert (row["clients_peak"], row["clients_peak_low"], row["clients_peak_high"]) == (4, 4, 4)
    assert (row["peak_levels"], row["levels"], row["n"], row["caveat"]) == ("4", 5, 3, SHARED)
    assert row["throughput"] == pytest.approx(100 * (0.97 * 1.04) ** (1 / 3))
    assert found["clients_peak"].attrs["units"] == found["clients_peak_low"].attrs["units"] == "1"
    assert found["throughput_high"].attrs["units"] == "B/s"


def test_levels_that_may_be_the_peak() -> None:
    row = frame(peaks(curve_of(noisy(LEVELS, (30.0, 60.0, 100.0, 99.0, 101.0))))).iloc[0]
    assert (row["clients_peak"], row["clients_peak_low"], row["peak_levels"]) == (16, 4, "4, 8, 16")
    assert row["caveat"] == f"the last level may be the peak: it may lie beyond; {SHARED}"


def test_rounds_are_freed_of_what_they_do_to_all_levels() -> None:
    shifts = (0.7, 1.0, 1.4)
    shifted = {n: [v * s for v, s in zip(values, shifts, strict=True)] for n, values in TAIL.items()}
    jitter = np.random.default_rng(3)
    shifted = {n: [v * jitter.lognormal(0, 0.02) for v in values] for n, values in shifted.items()}
    ds = curve_of(shifted)
    apart, alone = (frame(peaks(one)).iloc[0] for one in (in_blocks(ds), ds))
    assert (apart["peak_levels"], apart["caveat"]) == ("4", "")
    assert alone["peak_levels"] != "4"
    assert frame(tail_off(in_blocks(ds), start=4.0)).iloc[0]["caveat"] == ""


def test_one_run_a_level_has_a_peak_without_ends() -> None:
    row = frame(peaks(curve_of({1.0: [1.0], 2.0: [3.0], 4.0: [2.0]}))).iloc[0]
    assert row["clients_peak"] == 2
    assert np.isnan(row["clients_peak_low"])
    assert row["caveat"] == "one run a level or no spread: not tested"


def test_the_tail_by_another_package() -> None:
    ds = curve_of(TAIL)
    found = tail_off(ds)
    row = frame(found).iloc[0]
    values = np.array(TAIL[8.0] + TAIL[16.0])
    line = stats.linregress(np.repeat([3.0, 4.0], 3), np.log(values))
    assert row["clients_peak"] == 4
    assert row["per_doubling"] == pytest.approx(np.expm1(line.slope)) == pytest.approx(-0.25)
    assert row["per_doubling_low"] == pytest.approx(np.expm1(line.slope - stats.t.ppf(0.975, 4) * line.stderr))
    assert row["rank_correlation"] == pytest.approx(stats.kendalltau(np.repeat([1, 2], 3), values).statistic)
    assert row["p"] == pytest.approx(stats.mannwhitneyu(values[:3], values[3:], method="exact").pvalue) == 0.1
    assert row["verdict"] == "undecided"
    assert row["caveat"] == "too few runs for the rank test to find anything at 5 %"
    units = [found[name].attrs["units"] for name in ("clients_peak", "per_doubling", "rank_correlation", "p_holm")]
    assert units == ["1"] * 4


def test_a_start_that_was_chosen_before_counts_in_the_tail() -> None:
    row = frame(tail_off(curve_of(TAIL), start=4.0)).iloc[0]
    assert (row["levels"], row["n"], row["verdict"], row["caveat"]) == (3, 9, "falls", SHARED)
    rising = frame(tail_off(curve_of(TAIL), start=1.0)).iloc[0]
    assert rising["verdict"] != "falls"


def test_no_tail() -> None:
    with pytest.raises(AnalysisError, match="no cell has two levels of clients above the peak: no tail"):
        tail_off(curve_of(noisy((1.0, 2.0, 4.0), (1.0, 2.0, 3.0))))
    both = frame(tail_off(curves_of({"a": TAIL, "b": noisy(LEVELS, range(1, 6))}), by=["layout"]))
    assert both["caveat"].tolist()[1] == "fewer than two levels in the tail"
    assert np.isnan(both["p"].tolist()[1])
