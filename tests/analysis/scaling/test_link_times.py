from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import link_rate, link_times
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

ROWS = [
    {"operation": "receive", "server_link": 25e6, "network_received": 300e6},
    {"operation": "receive", "server_link": np.nan, "network_received": 300e6},
]


def test_a_link_in_megabits_carries_an_eighth_in_bytes() -> None:
    assert link_rate(200) == 25e6


@pytest.mark.parametrize("megabits", [0, -1, np.nan])
def test_a_link_that_carries_nothing_is_none(megabits: float) -> None:
    with pytest.raises(AnalysisError, match="a link carries more than nothing"):
        link_rate(megabits)


def test_links_need_the_bytes_over_what_all_carry() -> None:
    found = link_times(node(ROWS), 3)["link_time"]
    assert found.attrs["units"] == "s"
    assert found.to_numpy() == pytest.approx([4.0, np.nan], nan_ok=True)


def test_what_is_not_in_bytes_needs_no_time() -> None:
    with pytest.raises(AnalysisError, match="links carry bytes, server_link is in B/s"):
        link_times(node(ROWS), 3, "server_link")
    with pytest.raises(AnalysisError, match="one server or more, got 0"):
        link_times(node(ROWS), 0)
    with pytest.raises(AnalysisError, match="no row has network_received and server_link"):
        link_times(node(ROWS[1:]), 3)
