"""Rates from counters: where they run over, and what a reset leaves."""

from __future__ import annotations

from typing import Any

import pytest
import xarray as xr

from storagelab.analysis import counter_rates
from storagelab.dataset import frame, select
from tests.analysis.tables import node

WORD, LONG_WORD, STEP = 2.0**32, 2.0**64, 8192.0


def readings(*received: float, packets: float = 1000.0) -> xr.Dataset:
    """Readings of received bytes, two seconds apart; sent bytes and packets go on."""
    rows: list[dict[str, Any]] = [
        {
            "operation": operation, "interface": "eth0", "time": 2.0 * i, "line": 1,
            "counter_bytes": value if operation == "receive" else 100.0 + i, "counter_packets": packets + 10 * i,
        }
        for i, value in enumerate(received)
        for operation in ("receive", "transmit")
    ]  # fmt: skip
    return node(rows)


@pytest.mark.parametrize(
    ("before", "after", "moved", "caveat"),
    [
        (100.0, 700.0, 600.0, ""),
        (WORD - 400, 200.0, 600.0, "a 32-bit counter ran over: right if less than 4 GiB moved"),
        (LONG_WORD - 4096 * 1024, 2048.0 * 1024, 6144.0 * 1024, ""),
        (3 * WORD, 3 * WORD + 600, 600.0, ""),
    ],
    ids=["no overflow", "at 2^32", "at 2^64", "a counter of 64 bits beyond 2^32"],
)
def test_bytes_over_time(before: float, after: float, moved: float, caveat: str) -> None:
    found = frame(select(counter_rates(readings(before, after)), operation="receive"))
    assert found["data_size"].tolist() == [moved]
    assert found["throughput"].tolist() == [moved / 2]
    assert found["packet_rate"].tolist() == [5]
    assert found["caveat"].tolist() == [caveat]


@pytest.mark.parametrize(
    ("before", "after"),
    [(3 * WORD, 600.0), (LONG_WORD * 0.75, LONG_WORD * 0.6), (LONG_WORD * 0.4, 5.0)],
    ids=["beyond 32 bits", "in the upper half of 64 bits", "in the lower half of 64 bits"],
)
def test_a_counter_that_cannot_have_run_over_was_reset(before: float, after: float) -> None:
    found = counter_rates(readings(before, after, after + STEP))
    assert found.attrs["resets"] == "1"
    assert frame(select(found, operation="receive"))["data_size"].tolist() == [STEP]


def test_units_of_rates() -> None:
    found = counter_rates(readings(0.0, 1.0))
    units = {name: found[name].attrs["units"] for name in ("throughput", "packet_rate", "data_size", "elapsed", "time")}
    assert units == {"throughput": "B/s", "packet_rate": "1/s", "data_size": "B", "elapsed": "s", "time": "s"}
