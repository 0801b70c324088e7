"""Rates that no clock can have given: which are known to a fraction of its steps."""

from __future__ import annotations

import pytest

from storagelab import dataset
from storagelab.analysis.validity.checks import Study
from storagelab.analysis.validity.clock_resolution import clock_steps
from storagelab.errors import AnalysisError
from tests.analysis.tables import node


def study(microseconds: float) -> Study:
    """Twelve rates of bytes over one time, each a little above it."""
    rows = [
        {"tool": "t", "operation": "read", "run_id": f"{kilobytes}", "log_id": 1.0, "line": kilobytes, "log_count": 1.0,
         "throughput": float(round(1e9 * kilobytes / microseconds)) + 1, "data_size": 1e3 * kilobytes}
        for kilobytes in range(101, 113)
    ]  # fmt: skip
    return Study(dataset.tree({"runs": node(rows)}, {"study": "tiny-2026", "origin": "measured"}))


def test_a_time_of_more_than_twenty_steps_shows_the_clock() -> None:
    looked = clock_steps(study(21))
    assert (looked.checked, looked.findings) == (12, [])
    with pytest.raises(AnalysisError, match="no tool prints rates with so many digits"):
        clock_steps(study(20))
