"""Averages, their errors and intervals by hand, by scipy, and where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from storagelab.analysis.inference.averages import averaged
from storagelab.analysis.inference.interval_guarantees import BY_FACTORS, BY_FACTORS_AND_ZERO, caveat, differ_by_factors
from storagelab.analysis.inference.intervals import harmonic_t_interval, standard_error, t_interval
from storagelab.analysis.inference.seeds import generator
from storagelab.errors import AnalysisError

TIGHT = [10.0, 12.0, 11.0, 10.5]
MANY = np.linspace(9, 11, 12).tolist()
CLOSE = st.lists(st.floats(0.9, 1.1), min_size=3, max_size=12, unique=True).filter(lambda x: np.ptp(x) > 1e-3)


def test_standard_error_is_that_of_scipy() -> None:
    assert standard_error(TIGHT) == pytest.approx(stats.sem(TIGHT))
    # s = 1, n = 3
    assert standard_error([1.0, 2.0, 3.0]) == pytest.approx(1 / np.sqrt(3))
    assert np.isnan(standard_error([1.0]))


def test_harmonic_mean_by_hand() -> None:
    # 60 km/h there and 40 back are 48; 1/60 and 1/40 have s = sqrt(2) / 240, se = 1 / 240, so that 48^2 / 240 = 9.6
    found = averaged([60.0, 40.0], "harmonic")
    assert found.value == pytest.approx(48)
    assert found.error == pytest.approx(9.6)


def test_harmonic_interval_is_that_of_the_reciprocals() -> None:
    low, high = t_interval([1 / x for x in TIGHT])
    assert harmonic_t_interval(TIGHT) == pytest.approx((1 / high, 1 / low))
    assert averaged(TIGHT, "harmonic").value == pytest.approx(stats.hmean(TIGHT))


def test_a_harmonic_mean_without_upper_end() -> None:
    found = averaged([1.0, 2.0, 3.0], "harmonic")
    assert np.isnan(found.interval).all()
    assert found.caveat == "values spread too far: a harmonic mean has no upper end"


def test_geometric_mean_and_its_error() -> None:
    found = averaged([1.0, 100.0], "geometric")
    # logs 0 and ln 100: mean ln 10, s = ln 100 / sqrt(2), se = ln 100 / 2 = ln 10
    assert found.value == pytest.approx(10)
    assert found.error == pytest.approx(10 * np.log(10))
    assert found.caveat == ""


def test_median_by_ranks() -> None:
    found = averaged([7.0, 1.0, 3.0, 2.0, 9.0, 5.0], "median", "quantile")
    assert (found.value, found.interval) == (4.0, (1.0, 9.0))
    assert np.isnan(found.error)


@given(CLOSE, st.sampled_from(["arithmetic", "geometric", "harmonic"]))
def test_an_average_scales_with_its_values(values: list[float], average: Any) -> None:
    once, scaled = averaged(values, average), averaged(np.array(values) * 1024, average)
    assert scaled.value == pytest.approx(1024 * once.value)
    assert scaled.error == pytest.approx(1024 * once.error)
    assert scaled.interval == pytest.approx([1024 * end for end in once.interval], nan_ok=True)
    assert scaled.caveat == once.caveat


@given(CLOSE)
def test_harmonic_below_geometric_below_arithmetic(values: list[float]) -> None:
    found = [averaged(values, average).value for average in ("harmonic", "geometric", "arithmetic")]  # type: ignore[arg-type]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("average", "method"), [("median", "t"), ("median", "bca"), ("arithmetic", "quantile"), ("geometric", "quantile")]
)
def test_an_interval_belongs_to_its_average(average: Any, method: Any) -> None:
    with pytest.raises(AnalysisError, match=f"by '{method}' is none of the {average} average"):
        averaged(TIGHT, average, method)


def test_a_bootstrap_needs_random_numbers() -> None:
    with pytest.raises(AnalysisError, match="a bootstrap needs a generator of random numbers"):
        averaged(MANY, "arithmetic", "bca")


# --- what is not claimed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "average", "method", "words"),
    [
        (TIGHT, "arithmetic", "t", ""),
        (TIGHT, "harmonic", "t", ""),
        ([5.0], "arithmetic", "t", "one value: no interval"),
        ([5.0, 5.0, 5.0], "geometric", "t", "values without spread: no interval"),
        (TIGHT, "median", "quantile", "4 values: an interval of a median needs 6"),
        ([1.0, 2.0, 3.0, 40.0, 5.0, 6.0], "median", "quantile", ""),
        (TIGHT, "arithmetic", "bca", "4 values: a bootstrap needs 10"),
        (MANY, "arithmetic", "bca", ""),
        ([1.0, 2.0, 9.0], "arithmetic", "t", BY_FACTORS),
        ([-1.0, -2.0, -9.0], "arithmetic", "t", BY_FACTORS),
        ([0.0, 2.0, 2.1], "arithmetic", "t", BY_FACTORS_AND_ZERO),
        ([-1.0, 2.0, 9.0], "arithmetic", "t", ""),
        ([1.0, 2.0, 9.0], "geometric", "t", ""),
        ([float(2**i) for i in range(12)], "arithmetic", "bca", BY_FACTORS),
    ],
)
def test_caveats(values: list[float], average: Any, method: Any, words: str) -> None:
    assert caveat(values, average, method) == words
    found = averaged(values, average, method, generator("test"), resamples=200)
    assert found.caveat == words
    assert np.isnan(found.interval[0]) == bool(words and "factors" not in words)


def test_the_border_of_factors() -> None:
    # logs 0 and d have s = d / sqrt(2)
    border = 0.4 * np.sqrt(2)
    assert not differ_by_factors([1.0, np.exp(border - 1e-9)])
    assert differ_by_factors([1.0, np.exp(border + 1e-9)])
