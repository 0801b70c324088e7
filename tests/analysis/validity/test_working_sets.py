"""The cases of the studies: what fits in whose memory."""

from __future__ import annotations

import pytest

from storagelab import analysis
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

GB, GIB = 1e9, 2.0**30


def test_a_file_smaller_than_the_memory_of_its_server() -> None:
    # 10 GB against the 16314992 KiB that a monitor reports
    found = analysis.mark_cached(node([{"file_size": 10 * GB, "processes": 1.0}]), server_memory=16314992 * 1024)
    assert found["server_memory_share"].item() == pytest.approx(0.59857, abs=1e-5)
    assert found["cached_by_servers"].item() == 1
    assert found["server_memory_share"].attrs["units"] == found["cached_by_servers"].attrs["units"] == "1"


def test_two_gigabytes_of_3_to_48_clients_against_72_or_9() -> None:
    rows = [{"file_size": 2 * GB, "clients": float(n), "client_memory": 3 * GB} for n in (3, 4, 5, 36, 37, 48)]
    bare = analysis.mark_cached(node(rows), server_memory=72 * GB)
    assert bare["server_memory_share"].values[[0, -1]] == pytest.approx([6 / 72, 96 / 72])
    assert bare["cached_by_servers"].values.tolist() == [1, 1, 1, 1, 0, 0]
    virtual = analysis.mark_cached(node(rows), server_memory=9 * GB)
    assert virtual["cached_by_servers"].values.tolist() == [1, 1, 0, 0, 0, 0]
    assert bare["client_memory_share"].values == pytest.approx([2 / 3] * 6), "each client has its own file and memory"
    assert bare["cached_by_clients"].values.tolist() == [1] * 6


def test_a_file_of_twice_the_memory() -> None:
    rows = [{"file_size": 2 * memory, "processes": 1.0, "client_memory": memory} for memory in (16 * GIB, 2 * GIB)]
    found = analysis.mark_cached(node(rows))
    assert found["client_memory_share"].values.tolist() == [2.0, 2.0]
    assert found["cached_by_clients"].values.tolist() == [0, 0]
    assert found["client_memory_share"].attrs["units"] == "1"


def test_processes_of_a_client_share_its_memory() -> None:
    rows = [{"file_size": 1 * GB, "processes": 8.0, "clients": 2.0, "memory_limit": 16 * GB}]
    found = analysis.mark_cached(node(rows), client_memory=2 * GB)
    assert found["client_memory_share"].item() == 2.0
    assert found["memory_share"].item() == 0.5


@pytest.mark.parametrize(
    ("message", "row", "memory"),
    [
        ("the dataset has no 'memory_limit'", {"file_size": 1.0}, {}),
        ("client_memory is not above zero in every row", {"file_size": 1.0}, {"client_memory": 0.0}),
        (r"no row has file_size \(or block_size\) and server_memory", {"clients": 1.0}, {"server_memory": 1.0}),
    ],
)
def test_without_memory_nothing_is_known(message: str, row: dict[str, float], memory: dict[str, float]) -> None:
    with pytest.raises(AnalysisError, match=message):
        analysis.mark_cached(node([row]), **memory)
