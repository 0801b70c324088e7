from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import clients_in_memory
from storagelab.errors import AnalysisError
from tests.analysis.tables import node


def test_clients_whose_blocks_fit() -> None:
    rows = [{"memory_total": 64e9, "fetch_block": block, "clients": 1000.0} for block in (10e6, 32e6)]
    found = clients_in_memory(node(rows))
    assert found["clients_most"].to_numpy().tolist() == [6400, 2000]
    assert found["memory_demand"].to_numpy() == pytest.approx([1000 / 6400, 0.5])
    assert {found[name].attrs["units"] for name in ("clients_most", "memory_demand")} == {"1"}
    assert clients_in_memory(node(rows), blocks=2.0)["clients_most"].to_numpy().tolist() == [3200, 1000]


def test_whole_clients_only() -> None:
    found = clients_in_memory(node([{"memory_limit": 64.0, "fetch_block": 10.0}]), memory="memory_limit")
    assert found["clients_most"].item() == 6
    assert np.isnan(found["memory_demand"].item())


def test_files_of_clients_that_fit() -> None:
    rows = [{"memory_limit": 256.0, "file_size": 48.0, "clients": clients} for clients in (4.0, 8.0)]
    found = clients_in_memory(node(rows), memory="memory_limit", block="file_size")
    assert found["clients_most"].to_numpy().tolist() == [5, 5]
    assert found["memory_demand"].to_numpy() == pytest.approx([192 / 256, 384 / 256])


def test_what_memory_needs() -> None:
    with pytest.raises(AnalysisError, match="no row has memory_total and fetch_block"):
        clients_in_memory(node([{"memory_total": np.nan, "fetch_block": 10.0}]))
    with pytest.raises(AnalysisError, match="memory and blocks are in B, clients is in 1"):
        clients_in_memory(node([{"clients": 1.0, "fetch_block": 10.0}]), memory="clients")
    with pytest.raises(AnalysisError, match="a client needs a block of a positive size"):
        clients_in_memory(node([{"memory_total": 1.0, "fetch_block": 0.0}]))
