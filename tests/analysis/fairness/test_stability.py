from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from storagelab.analysis import stability
from storagelab.errors import AnalysisError
from tests.analysis.tables import node


def series(rates: list[float], step: float = 1.0) -> xr.Dataset:
    rows = [{"run_id": "a", "client": "srv", "time": step * i, "throughput": rate} for i, rate in enumerate(rates, 1)]
    return node(rows)


def test_steadiness_by_hand() -> None:
    plateau = [100.0, 104.0, 96.0, 102.0, 98.0, 100.0, 101.0, 99.0]
    found = stability(series([0.0, 0.0, *plateau, 1.0, 0.0]))
    assert found["series_variation"].item() == pytest.approx(np.std(plateau, ddof=1) / np.mean(plateau))
    assert (found["samples"].item(), found["sample_time"].item(), found["caveat"].item()) == (8, 1, "")
    units = {"series_variation": "1", "sample_time": "s", "throughput": "B/s", "throughput_std": "B/s", "samples": "1"}
    assert {name: found[name].attrs["units"] for name in units} == units
    wider = stability(series([0.0, 0.0, *(1024 * x for x in plateau), 1.0, 0.0]))
    assert wider["series_variation"].item() == pytest.approx(found["series_variation"].item())


def test_two_samples_have_no_spread() -> None:
    found = stability(series([0.0, 100.0, 90.0, 0.0], step=5.0))
    assert np.isnan(found["series_variation"].item())
    assert found["caveat"].item() == "fewer than 3 samples on the plateau"


def test_a_series_without_a_plateau() -> None:
    with pytest.raises(AnalysisError, match=r"no series stays above 0\.5 of its height for 5 s"):
        stability(series([0.0, 100.0, 0.0, 0.0]))
