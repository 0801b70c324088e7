"""An aggregate over those who shared it."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import per_client, summarise
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats, shares


def test_400_over_30_clients() -> None:
    found = per_client(node(repeats((400e6,), clients=30.0)), [])
    assert found["throughput_per_client"].item() == pytest.approx(400e6 / 30)
    assert found["throughput_per_client"].attrs["units"] == "B/s"
    assert (found["throughput"].item(), found["clients"].item()) == (400e6, 30)
    assert found.attrs["method"] == "throughput over clients"


def test_processes_and_operations() -> None:
    ds = node(repeats((80.0, 160.0), "operation_rate", processes=16.0))
    found = per_client(ds, [], "operation_rate", among="processes")
    assert found["operation_rate_per_client"].values.tolist() == [5, 10]
    assert found["operation_rate_per_client"].attrs["units"] == "1/s"
    assert found["run_id"].values.tolist() == ["16.0-1", "16.0-2"], "a row a run"


def test_it_goes_into_summarise() -> None:
    found = summarise(per_client(node(repeats((30.0, 60.0), clients=3.0)), []), "throughput_per_client", ["clients"])
    assert (found["throughput_per_client"].item(), found["n"].item()) == (15, 2)


@pytest.mark.parametrize("clients", [np.nan, 0.0])
def test_of_how_many_must_be_known(clients: float) -> None:
    ds = node([*repeats((1.0,), clients=clients), *repeats((1.0,), clients=2.0)])
    with pytest.raises(AnalysisError, match="of 1 of 2 runs it is not known how many clients shared them"):
        per_client(ds, [])


def test_shares_are_not_divided_again() -> None:
    with pytest.raises(AnalysisError, match="the rows are shares of clients or processes"):
        per_client(shares(), ["layout"])
