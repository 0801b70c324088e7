from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import bounds, redundancy
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

COSTS = ["write_amplification", "space_overhead", "losses_tolerated", "tolerated_share"]


@pytest.mark.parametrize(
    ("code", "costs"),
    [
        ("32+4", [1.125, 0.125, 4, 4 / 36]),
        ("10+2", [1.2, 0.2, 2, 2 / 12]),
        ("2+1", [1.5, 0.5, 1, 1 / 3]),
        ("4+0", [1.0, 0.0, 0, 0.0]),
    ],
)
def test_erasure_codes(code: str, costs: list[float]) -> None:
    found = redundancy(node([{"erasure_code": code}]))
    assert [found[name].item() for name in COSTS] == pytest.approx(costs)
    assert {found[name].attrs["units"] for name in COSTS} == {"1"}


def test_copies_and_copies_of_codes() -> None:
    rows = [{"replicas": 2.0}, {"replicas": 3.0}, {"replicas": 3.0}, {"replicas": 2.0, "erasure_code": "2+1"}]
    found = frame(redundancy(node(rows)))
    assert found.loc[found["erasure_code"] == "", "space_overhead"].tolist() == [1, 2]
    # two copies of 2+1: all of one copy and one more fragment may go, but not two of the other
    assert found.loc[found["erasure_code"] == "2+1", COSTS].to_numpy().tolist() == [[3, 2, 3, 0.5]]


def test_what_the_network_allows_of_replicated_writes() -> None:
    # three servers with 350 MB/s together, each byte written three times: 117 MB/s
    links = {"client_link": 125e6, "server_link": 350e6 / 3, "clients": 21.0}
    rows = [{"operation": "write", "replicas": copies, **links} for copies in (1.0, 3.0)]
    found = frame(bounds(node(rows), servers=3)).set_index("replicas")["bound_servers"]
    assert found.to_dict() == pytest.approx({1.0: 350e6, 3.0: 116.67e6}, rel=1e-4)


def test_what_is_no_redundancy() -> None:
    with pytest.raises(AnalysisError, match="no row has replicas or an erasure_code"):
        redundancy(node([{"layout": "distribute", "replicas": np.nan}]))
    with pytest.raises(AnalysisError, match="replicas count all copies, from 1 on, got 0"):
        redundancy(node([{"replicas": 0.0}]))
    with pytest.raises(AnalysisError, match=r"erasure code 'RAID6': expected data\+redundancy"):
        redundancy(node([{"erasure_code": "RAID6"}]))
