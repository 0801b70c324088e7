"""Rates that were rounded in one part of a campaign: told once, in the finest unit."""

from __future__ import annotations

import numpy as np

from storagelab import dataset
from storagelab.analysis.validity.checks import Study
from storagelab.analysis.validity.rounded_rates import heaping
from tests.analysis.tables import node


def test_rates_of_whole_gigabytes_are_told_as_whole_megabytes_and_not_again() -> None:
    finer = np.random.default_rng(3).uniform(1e9, 5e9, 36)
    rows = [
        {
            "operation": operation,
            "tool": "t",
            "run_id": f"{operation}{at}",
            "log_id": float(at),
            "line": 1.0,
            "log_count": 1.0,
            "throughput": rate,
        }
        for operation, rates in (("read", [1e9, 2e9, 3e9] * 4), ("write", finer.tolist()))
        for at, rate in enumerate(rates)
    ]
    looked = heaping(Study(dataset.tree({"runs": node(rows)}, {"study": "tiny-2026", "origin": "measured"})))
    assert looked.checked == 48
    assert [one.found for one in looked.findings] == ["12 of 12 rates are whole MB/s, of the others 0 of 36"]
