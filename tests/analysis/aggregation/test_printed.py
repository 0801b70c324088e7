from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import over_real_time
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

ROWS = [
    {"operation": "upload", "throughput": 4.0e6, "data_size": 4.0e6, "elapsed": 0.25},
    {"operation": "upload", "throughput": 20.0e6, "data_size": 120.0e6, "elapsed": 5.0},
    {"operation": "transmit", "network_sent": 5.0},
]


def test_the_rate_is_bytes_over_real_time_and_the_printed_one_stays_beside() -> None:
    found = over_real_time(node(ROWS))
    assert found["throughput"].to_numpy()[:2].tolist() == [16e6, 24e6]
    assert found["throughput_rounded"].to_numpy()[:2].tolist() == [4e6, 20e6]
    assert found["printed_share"].to_numpy()[:2] == pytest.approx([0.25, 5 / 6])
    assert found["printed_time"].to_numpy()[:2].tolist() == [1.0, 6.0]
    units = {"throughput": "B/s", "throughput_rounded": "B/s", "printed_share": "1", "printed_time": "s"}
    assert {name: found[name].attrs["units"] for name in units} == units


def test_rows_without_a_rate_are_kept_as_they_are() -> None:
    found = over_real_time(node(ROWS)).isel(obs=2)
    assert np.isnan([found[name].item() for name in ("throughput", "throughput_rounded", "printed_share")]).all()
    assert found["network_sent"].item() == 5.0


def test_what_has_no_real_time_has_no_other_rate() -> None:
    rows = [{**row, "elapsed": np.nan} for row in ROWS]
    with pytest.raises(AnalysisError, match="no row has a printed rate, its bytes and its real time"):
        over_real_time(node(rows))
