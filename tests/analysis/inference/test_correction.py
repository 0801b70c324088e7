from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from storagelab.analysis.inference.correction import holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_that_of_statsmodels(p: list[float]) -> None:
    with patch("gc.collect"):  # statsmodels goes through every object of the process each time it is asked
        theirs = multipletests(p, method="holm")[1]
    assert np.allclose(holm(p), theirs)


def test_holm_by_hand_and_tests_not_made() -> None:
    assert holm([0.01, np.nan, 0.04, 0.03]).tolist()[0] == 0.03
    assert np.allclose(holm([0.01, np.nan, 0.04, 0.03]), [0.03, np.nan, 0.06, 0.06], equal_nan=True)
