from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from storagelab.analysis import over_the_link, traffic
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, skim


def run(run_id: str, operation: str, counter: str, crossed: float, **keys: Any) -> list[dict[str, Any]]:
    """Rows of a run that asks for 10 bytes, and what its interface counted in both directions."""
    keys = {"run_id": run_id, "layout": "replicate", "clients": 1.0, "client_location": "external", **keys}
    keys["operation_group"] = operation
    other = {"network_received": "network_sent", "network_sent": "network_received"}[counter]
    return [
        {**keys, "operation": operation, "data_size": 10.0, "throughput": 1.0},
        {**keys, "operation": "receive" if counter == "network_received" else "transmit", counter: crossed},
        {**keys, "operation": "transmit" if counter == "network_received" else "receive", other: 0.1},
    ]


def test_writes_count_what_is_sent_and_reads_what_is_received() -> None:
    rows = run("w", "write", "network_sent", 30.0) + run("r", "read", "network_received", 20.0)
    found = frame(traffic(node(rows))).set_index("run_id")["amplification"]
    assert found.to_dict() == {"w": 3.0, "r": 2.0}


def test_traffic_of_reads_alone_is_that_of_amplification() -> None:
    assert traffic(skim())["amplification"].to_numpy() == [2.0]


def test_traffic_needs_counters() -> None:
    rows = [row for row in run("w", "write", "network_sent", 30.0) if row["operation"] == "write"]
    with pytest.raises(AnalysisError, match="no 'network_sent'"):
        traffic(node(rows))


def on_board(client: str, received: float) -> list[dict[str, Any]]:
    keys = {"client": client, "run_id": "a", "repeat": 1, "layout": "replicate", "share": "client"}
    return [
        {**keys, "operation": "read", "throughput": 5.0, "data_size": 10.0},
        {**keys, "operation": "reread", "throughput": 50.0, "data_size": 10.0},
        {**keys, "operation": "receive", "network_received": received},
    ]


def test_a_client_that_received_nothing_read_its_own_copy() -> None:
    found = over_the_link(node(on_board("oss1", 0.1) + on_board("oss2", 10.5)), ["layout"])
    assert frame(found).set_index("client")["link_share"].to_dict() == {"oss1": 0.01, "oss2": 1.05}
    assert found["throughput"].to_numpy().tolist() == [5.0, 5.0], "the reread is left out"
    assert found["link_share"].attrs["units"] == "1"
    assert found["network_throughput"].to_numpy().tolist() == pytest.approx([0.05, 5.25])
    assert found["network_throughput"].attrs["units"] == "B/s"


def test_no_client_has_both() -> None:
    rows = [row for row in on_board("oss1", 1.0) if row["operation"] != "read"]
    with pytest.raises(AnalysisError, match="no client has both a rate of read and the bytes it received"):
        over_the_link(node(rows), ["layout"])


def test_clients_without_a_counter_are_left_out() -> None:
    rows = on_board("oss1", 10.0) + on_board("oss2", np.nan)
    assert frame(over_the_link(node(rows), ["layout"]))["client"].tolist() == ["oss1"]
