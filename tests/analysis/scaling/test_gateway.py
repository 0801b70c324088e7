from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from storagelab.analysis import behind_gateway, summarise
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

COPIES = {"layout": "replicate", "replicas": 3.0, "server_link": 25e6}
CODE = {"layout": "disperse", "replicas": 1.0, "erasure_code": "2+1", "server_link": 25e6}
STRIPES = {"layout": "distribute+shard", "replicas": 1.0, "stripe_size": 4e6, "server_link": 25e6}
OWN = {"layout": "single", "replicas": 1.0, "server_link": np.nan}


def through(operation: str, clients: float, client_link: float, **keys: Any) -> dict[str, Any]:
    """Carry 10 MB/s over a gateway of 100 MB/s in front of three servers; what binds."""
    row = {"operation": operation, "clients": clients, "client_link": client_link, "throughput": 10e6}
    (found,) = frame(behind_gateway(node([row | keys]), 3, 100e6)).to_dict("records")
    return {str(name): value for name, value in found.items()}


@pytest.mark.parametrize(
    ("operation", "clients", "link", "keys", "bound", "bottleneck"),
    [
        ("upload", 1, 10e6, COPIES, 10e6, "client links"),
        ("upload", 1, 250e6, COPIES, 25e6, "server links"),  # 3 servers of 25 MB/s, three times each byte
        ("upload", 1, 250e6, CODE, 50e6, "server links"),  # one and a half times each byte
        ("upload", 1, 250e6, OWN, 100e6, "gateway link"),
        ("upload", 1, 250e6, COPIES | {"server_link": 250e6}, 100e6 / 3, "gateway link"),
        ("read", 1, 250e6, COPIES, 25e6, "server links"),  # a copy lies on one server
        ("read", 2, 250e6, COPIES, 50e6, "server links"),
        ("read", 8, 250e6, COPIES, 75e6, "server links"),  # no more servers than there are
        ("read", 1, 250e6, CODE, 50e6, "server links"),  # two fragments
        ("read", 1, 250e6, STRIPES, 75e6, "server links"),
        ("read", 1, 250e6, OWN, 100e6, "gateway link"),
        ("read", 2, 10e6, STRIPES, 20e6, "client links"),
    ],
)
def test_the_narrowest_link_by_hand(
    operation: str, clients: float, link: float, keys: dict[str, Any], bound: float, bottleneck: str
) -> None:
    found = through(operation, clients, link, **keys)
    assert (found["bound"], found["bottleneck"]) == (pytest.approx(bound), bottleneck)
    assert found["bound_share"] == pytest.approx(10e6 / bound)


def test_units_and_rows_are_kept() -> None:
    rows = [{"operation": "upload", "clients": 1.0, "client_link": 1e6, "throughput": 1e6} | COPIES]
    rows.append({"operation": "receive", "clients": 1.0, "client_link": 1e6, "network_received": 5.0} | COPIES)
    found = behind_gateway(node(rows), 3, 100e6)
    assert found.sizes["obs"] == 2
    assert (found["bound"].attrs["units"], found["bound_share"].attrs["units"]) == ("B/s", "1")
    assert frame(found)["bottleneck"].to_list() == ["client links", ""]


def test_the_share_has_the_interval_of_its_rate() -> None:
    rows = [{"operation": "upload", "clients": 1.0, "client_link": 1e6, "throughput": rate} for rate in (5e5, 6e5, 7e5)]
    means = summarise(
        node([row | COPIES for row in rows]), "throughput", ["operation", "clients", "client_link", "server_link"]
    )
    found = frame(behind_gateway(means, 3, 100e6)).iloc[0]
    assert found["bound_share"] == pytest.approx(0.6)
    assert found["bound_share_low"] == pytest.approx(found["throughput_low"] / 1e6)
    assert found["bound_share_high"] == pytest.approx(found["throughput_high"] / 1e6)


def test_a_row_without_any_link() -> None:
    rows = [{"operation": "read", "clients": 1.0, "client_link": np.nan, "server_link": np.nan, "throughput": 1.0}]
    with pytest.raises(AnalysisError, match="no link of the row with read is known"):
        behind_gateway(node(rows), 3, np.nan)
