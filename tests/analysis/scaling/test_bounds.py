from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import bounds, faster_than_links
from storagelab.analysis.scaling.bounds import copies_written
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import LINKS, node

LAYOUTS = {"distribute": {}, "replicate": {"replicas": 3.0}, "disperse": {"replicas": 1.0, "erasure_code": "2+1"}}


def limit(layout: str, operation: str, clients: float, **keys: object) -> float:
    row = {
        "layout": layout,
        "operation": operation,
        "clients": clients,
        "throughput": 1.0,
        "replicas": 1.0,
        "erasure_code": "",
    }
    return float(bounds(node([row | LINKS | LAYOUTS[layout] | keys]), servers=3)["bound"].item())


@pytest.mark.parametrize(
    ("layout", "one", "all_"), [("distribute", 25, 75), ("replicate", 25 / 3, 25), ("disperse", 50 / 3, 50)]
)
def test_writes_carry_every_copy_over_the_links(layout: str, one: float, all_: float) -> None:
    assert limit(layout, "write", 1.0) == pytest.approx(one * 1e6)
    assert limit(layout, "rewrite", 12.0) == pytest.approx(all_ * 1e6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reads_come_once(layout: str) -> None:
    assert limit(layout, "read", 1.0) == 25e6
    assert limit(layout, "read", 12.0) == 75e6


@pytest.mark.parametrize(
    ("layout", "operation", "megabytes"),
    [
        ("replicate", "write", 37.5),
        ("disperse", "write", 75),
        ("disperse", "read", 150),
        ("replicate", "read", 75),
        ("distribute", "write", 75),
    ],
)
def test_clients_on_the_servers_reach_what_is_surely_theirs_without_a_link(
    layout: str, operation: str, megabytes: float
) -> None:
    assert limit(layout, operation, 3.0, client_location="on-board") == pytest.approx(megabytes * 1e6)


def test_a_third_of_what_is_striped_over_three_servers_is_local() -> None:
    assert limit("distribute", "read", 3.0, client_location="on-board", stripe_size=4.0 * 2**20) == pytest.approx(
        112.5e6
    )


def test_read_ahead_lowers_the_limit() -> None:
    row = {"layout": "distribute", "operation": "read", "clients": 12.0} | LINKS
    found = bounds(node([row]), servers=3, amplification=2.0).isel(obs=0)
    assert (found["bound"], found["link_bytes"], found["bottleneck"]) == (37.5e6, 2, "server links")


@pytest.mark.parametrize(
    ("replicas", "code", "copies"), [(np.nan, "", 1), (3, "", 3), (1, "4+2", 1.5), (2, "8+2", 2.5)]
)
def test_copies(replicas: float, code: str, copies: float) -> None:
    assert copies_written(replicas, code) == copies


def test_a_code_that_is_none() -> None:
    with pytest.raises(AnalysisError, match=r"erasure code '2x1': expected data\+redundancy, like 2\+1"):
        copies_written(1, "2x1")


def test_rates_above_the_links_are_marked_not_dropped() -> None:
    rates = {"by links": 74e6, "by windows": 99e6, "by cache": 320e6}
    rows = [
        {"run_id": name, "layout": "distribute", "operation": "read", "clients": 12.0, "throughput": rate} | LINKS
        for name, rate in rates.items()
    ]
    rows.append({"run_id": "counters", "operation": "receive", "clients": 12.0, "network_received": 1.0} | LINKS)
    found = frame(faster_than_links(node(rows), servers=3)).set_index("run_id")
    assert found["faster_than_links"].tolist() == pytest.approx([0, 1, 1, np.nan], nan_ok=True)
    assert found["served_from_cache"].tolist() == pytest.approx([0, 0, 1, np.nan], nan_ok=True)
    assert found.loc["by windows", "bound_share"] == pytest.approx(99 / 75)
    assert found.loc["by cache", "bound_clients"] == 300e6


def test_without_links_there_is_no_limit() -> None:
    row = {"operation": "read", "clients": 1.0, "client_link": 25e6}
    with pytest.raises(AnalysisError, match="the dataset has no 'server_link'"):
        bounds(node([row]), servers=3)
    with pytest.raises(AnalysisError, match="no limit is known"):
        bounds(node([row | {"server_link": np.nan}]), servers=3)
