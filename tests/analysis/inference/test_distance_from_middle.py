from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis.inference.distance_from_middle import modified_z, of_others, p_furthest


def test_modified_z_by_hand() -> None:
    # median 3, absolute deviations 2, 1, 0, 1, 97: median 1
    assert modified_z([1.0, 2.0, 3.0, 4.0, 100.0]) == pytest.approx(0.6745 * np.array([-2, -1, 0, 1, 97]))


@pytest.mark.parametrize("values", [[], [1.0, 2.0, 3.0, 100.0], [1.0, 1.0, 1.0, 1.0, 9.0]])
def test_too_few_or_too_equal_values_have_none(values: list[float]) -> None:
    assert np.isnan(modified_z(values)).all()
    assert np.isnan(p_furthest(modified_z(values), 5)).all()


def test_samples_along_the_last_axis_are_judged_one_by_one() -> None:
    samples = np.array([[1.0, 2.0, 3.0, 4.0, 100.0], [5.0, 5.0, 5.0, 5.0, 9.0], [2.0, 9.0, 4.0, 8.0, 1.0]])
    np.testing.assert_array_equal(modified_z(samples), [modified_z(sample) for sample in samples])


def test_the_others_of_a_value_are_all_but_itself() -> None:
    assert of_others(np.array([1.0, 2.0, 6.0]), np.mean).tolist() == [4.0, 3.5, 1.5]
    assert of_others(np.array([[1.0, 2.0], [3.0, 7.0]]), np.median).tolist() == [[2.0, 1.0], [7.0, 3.0]]


@pytest.mark.parametrize("n", [5, 8, 30])
def test_the_furthest_of_clean_samples_is_found_in_one_of_twenty(n: int) -> None:
    rng = np.random.default_rng(7)
    found = [p_furthest(modified_z(rng.normal(size=n)), n).min() <= 0.05 for _ in range(4000)]
    assert np.mean(found) == pytest.approx(0.05, abs=0.012)


def test_the_usual_limit_marks_clean_samples_of_five() -> None:
    assert p_furthest([3.5], 5) == pytest.approx(0.2, abs=0.02)


def test_further_out_is_less_likely() -> None:
    assert np.diff(p_furthest([1.0, 3.0, 9.0, 1e9], 10)).max() < 0
