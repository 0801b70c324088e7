"""Effects drawn together."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis.inference.shrinkage import shrunken
from storagelab.errors import AnalysisError

VALUES = np.array([0.30, -0.20, 0.10, 0.02, -0.05, 0.15])


def test_equal_errors_by_hand() -> None:
    """Of equal errors the mean is the plain one, and the variance what the values spread beyond them."""
    error, k = 0.05, VALUES.size
    found = shrunken(VALUES, np.full(k, error))
    variance = VALUES.var(ddof=1) - error**2
    assert (found.mean, found.variance) == (pytest.approx(VALUES.mean()), pytest.approx(variance, rel=1e-6))
    share = (k - 3) / (k - 1) * error**2 / (error**2 + variance)
    assert found.values == pytest.approx(VALUES.mean() + (1 - share) * (VALUES - VALUES.mean()))
    off = VALUES - VALUES.mean()
    spread = np.sqrt(error**2 * (1 - (k - 1) / k * share) + 2 / (k - 3) * share**2 * off**2)
    assert found.high - found.values == pytest.approx(1.959964 * spread, rel=1e-5)
    assert found.values - found.low == pytest.approx(found.high - found.values)


def test_noise_alone_is_drawn_far() -> None:
    found = shrunken(VALUES, np.full(6, 1.0))
    assert found.variance == 0
    assert np.ptp(found.values) < 0.5 * np.ptp(VALUES)


def test_the_noisier_is_drawn_further() -> None:
    errors = np.array([0.05, 0.05, 0.2, 0.05, 0.05, 0.05])
    values = np.array([0.3, -0.2, 0.3, 0.02, -0.05, 0.15])
    found = shrunken(values, errors)
    assert found.values[2] < found.values[0] < 0.3


def test_few_degrees_of_freedom_widen() -> None:
    normal, few = shrunken(VALUES, np.full(6, 0.05)), shrunken(VALUES, np.full(6, 0.05), 2.0)
    assert few.values.tolist() == normal.values.tolist()
    assert (few.high - few.low) == pytest.approx((normal.high - normal.low) * 4.302653 / 1.959964, rel=1e-5)


def test_what_has_no_error_stays_out() -> None:
    found = shrunken([*VALUES, 9.0, np.nan], [*np.full(6, 0.05), np.nan, 0.1])
    assert np.isnan(found.values[6:]).all()
    assert found.values[:6].tolist() == shrunken(VALUES, np.full(6, 0.05)).values.tolist()


def test_too_few_effects() -> None:
    with pytest.raises(AnalysisError, match="4 effects have an error: fewer than 5 are not drawn together"):
        shrunken(VALUES[:4], np.full(4, 0.05))
