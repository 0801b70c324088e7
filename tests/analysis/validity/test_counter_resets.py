"""Counters of clients that fall from run to run: one of 32 bits that ran over fell only by its own size."""

from __future__ import annotations

import pandas as pd
import pytest

from storagelab.analysis.validity.counter_resets import WORD, _fallen


@pytest.mark.parametrize(
    ("after", "before", "falls"),
    [
        (0.9 * WORD, 0.1 * WORD, False),
        (0.6 * WORD, 0.4 * WORD, False),
        (0.4 * WORD, 0.1 * WORD, True),
        (0.9 * WORD, 0.6 * WORD, True),
        (3.0 * WORD, 0.1 * WORD, True),
        (0.1 * WORD, 0.1 * WORD, False),
    ],
)
def test_a_counter_of_32_bits_may_run_over_from_its_upper_half_to_its_lower(
    after: float, before: float, falls: bool
) -> None:
    rows = pd.DataFrame(
        {
            "client": "n1",
            "operation": "read",
            "run_id": ["r1", "r2"],
            "began": [1.0, 2.0],
            "counter_before": [0.0, before],
            "counter_after": [after, before + 100.0],
        }
    )
    fallen = _fallen(rows, ["client"])
    assert fallen["run_id"].tolist() == (["r2"] if falls else [])
    assert fallen["by"].tolist() == ([after - before] if falls else [])
