"""Every interval over runs heeds that they depend on the ones before, or its caveat says that it does not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from storagelab.analysis.inference import dependence
from storagelab.errors import StoragelabError
from tests.analysis.calls import CALLS
from tests.analysis.test_hostile import answer, data, rows

INDEPENDENT, STRONG = dependence.Dependence(0.0, 0.0, 0.0), dependence.Dependence(0.9, 0.8, 0.99)

OF_RESULTS = {
    "between", "both_directions", "claim_quantity", "compare_given", "extreme", "robustness", "serialisation_delays",
    "verdicts",
}  # fmt: skip
"""They take results with their intervals, or values with their errors."""
WITH_ANOTHER_UNIT = {
    "change_points",
    "compare_series",
    "message_classes",
    "plan_repeats",
    "pooled_ratios",
    "series_offsets",
}
"""Their unit is a series, a round, a block of pairs or a message, and they say so."""
ALONG_LEVELS = {"crossovers", "fitted_curves", "half_peaks", "onsets", "scaling_fits", "tail_off"}
"""Runs of a level share offsets: their intervals allow for them, or say that they do not."""
ASKED_FOR = {"drift_test"}
"""What is asked is how runs follow each other."""
EXEMPT = OF_RESULTS | WITH_ANOTHER_UNIT | ALONG_LEVELS | ASKED_FOR


def _intervals(table: pd.DataFrame) -> list[str]:
    """Columns with the lower end of an interval that some row has."""
    ends = [name for name in table if str(name).endswith("_low")]
    return [name for name in ends if np.isfinite(table[name].astype(float)).any()]


def _given(monkeypatch: pytest.MonkeyPatch, found: dependence.Dependence) -> None:
    """Make everybody find a dependence, whatever the runs are."""
    original = dependence.dependence

    def same(samples: Sequence[Any]) -> dependence.Dependence:
        return found

    for module in list(sys.modules.values()):
        if getattr(module, "dependence", None) is original:
            monkeypatch.setattr(module, "dependence", same)


def _table(name: str) -> pd.DataFrame | None:
    found = answer(name, data(name))
    if isinstance(found, StoragelabError):
        return None
    table = rows(found)
    return table if isinstance(table, pd.DataFrame) else None


def _heeds(name: str) -> bool | None:
    """Whether a result is another for runs that depend on each other; None where it has no interval."""
    data(name)  # made and kept before anything is patched
    with pytest.MonkeyPatch.context() as patched:
        _given(patched, INDEPENDENT)
        free = _table(name)
    if free is None or not _intervals(free):
        return None
    with pytest.MonkeyPatch.context() as patched:
        _given(patched, STRONG)
        bound = _table(name)
    return bound is None or free.to_csv() != bound.to_csv()


def test_every_interval_over_runs_heeds_that_they_depend_on_each_other() -> None:
    found = {name: _heeds(name) for name in CALLS}
    with_interval = {name for name, heeds in found.items() if heeds is not None}
    assert {name for name in with_interval if not found[name]} == EXEMPT
    assert len(with_interval - EXEMPT) >= 28
