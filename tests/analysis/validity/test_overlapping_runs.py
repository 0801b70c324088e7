"""How long a run lasted: its measurements one after the other, unless a tool's runs would run into each other."""

from __future__ import annotations

import pandas as pd
import pytest

from storagelab.analysis.validity.overlapping_runs import _one_after_the_other


@pytest.mark.parametrize(("runs", "late", "follow"), [(101, 3, True), (101, 4, False), (3, 1, True), (3, 2, False)])
def test_three_in_a_hundred_runs_or_one_may_run_into_the_next(runs: int, late: int, follow: bool) -> None:
    rows = pd.DataFrame({"began": 100.0 * pd.RangeIndex(runs), "lasted": 50.0, "of": "tool"})
    summed = [150.0] * late + [90.0] * (runs - late)
    lasted = _one_after_the_other(rows.assign(summed=summed))
    assert lasted.tolist() == (summed if follow else [50.0] * runs)
