from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import aggregates, amplification, file_shares, summarise
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, skim


def test_bytes_received_over_bytes_asked_for() -> None:
    found = amplification(skim())
    assert found.sizes["obs"] == 1, "clients on the servers are left out"
    row = found.isel(obs=0)
    assert (row["amplification"], row["bytes_asked"], row["network_received"]) == (2, 10e6, 20e6)
    assert (row["throughput"], row["network_throughput"]) == (12e6, 24e6)


def test_all_operations_of_a_run_are_added_up() -> None:
    keys = {
        "client_location": "external",
        "run_id": "a",
        "layout": "disperse",
        "clients": 1.0,
        "operation_group": "read",
    }
    rows = [
        {**keys, "operation": "read", "data_size": 10.0, "throughput": 1.0},
        {**keys, "operation": "reread", "data_size": 10.0, "throughput": 9.0},
        {**keys, "operation": "receive", "network_received": 10.0},
        {**keys, "operation": "transmit", "network_sent": 1.0},
    ]
    assert amplification(node(rows))["amplification"].item() == 0.5
    assert np.isnan(amplification(node(rows))["throughput"].item())
    assert amplification(node(rows), counter="network_sent")["amplification"].item() == 0.05


def test_a_run_without_all_its_sizes_has_no_amplification() -> None:
    keys = {
        "client_location": "external",
        "run_id": "a",
        "layout": "disperse",
        "clients": 1.0,
        "operation_group": "read",
    }
    rows = [
        {**keys, "operation": "read", "data_size": 10.0},
        {**keys, "operation": "reread"},
        {**keys, "operation": "receive", "network_received": 10.0},
    ]
    with pytest.raises(AnalysisError, match="no run of external clients has network_received and the data_size"):
        amplification(node(rows))


def test_three_aggregates_of_the_same_runs() -> None:
    found = aggregates(skim(), ["layout", "client_location"])
    means = frame(summarise(found, "throughput", ["client_location", "aggregate"])).set_index("aggregate")
    external = means[means["client_location"] == "external"]["throughput"]
    assert external.to_dict() == {
        "sum of the clients' rates": 12e6, "while all clients ran": 11e6, "first start to last end": 8e6,
    }  # fmt: skip


def test_aggregates_need_the_window_of_each_client() -> None:
    rows = [{"run_id": "a", "clients": 1.0, "throughput": 1.0, "throughput_span": np.nan, "throughput_common": 1.0}]
    with pytest.raises(AnalysisError, match="they need the start and end of each client"):
        aggregates(node(rows), ["clients"])


def test_intervals_of_counters_are_added_up() -> None:
    keys = {"client_location": "external", "run_id": "a", "layout": "disperse", "clients": 1.0}
    keys |= {"operation_group": "read"}
    rows = [{**keys, "operation": "read", "data_size": 10.0, "part": part} for part in (1.0, 2.0)]
    rows += [{**keys, "operation": "receive", "network_received": 17.0, "part": part} for part in (1.0, 2.0)]
    assert amplification(node(rows))["amplification"].item() == 1.7


def test_what_of_a_file_moved() -> None:
    found = file_shares(node([{"data_size": 3.0, "file_size": 4.0}, {"data_size": 3.0, "file_size": 6.0}]))
    assert found["file_share"].to_numpy().tolist() == [0.75, 0.5]
    assert found["file_share"].attrs["units"] == "1"
    with pytest.raises(AnalysisError, match="no row has data_size and the file_size of its file"):
        file_shares(node([{"data_size": np.nan, "file_size": 4.0}]))
