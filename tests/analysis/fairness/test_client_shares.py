"""Clients of a run over their mean, by their place."""

from __future__ import annotations

import pytest

from storagelab.analysis import client_shares
from storagelab.analysis.table import frame
from storagelab.errors import AnalysisError
from tests.analysis.fairness.clients import clients, run


def test_each_client_is_divided_by_the_mean_of_its_own_run() -> None:
    found = client_shares(clients(run([1e6, 3e6], "one"), run([30e6, 10e6, 20e6], "two")))
    rows = frame(found).set_index(["run_id", "client"])
    assert rows.loc["one", "over_mean"].tolist() == [0.5, 1.5]
    assert rows.loc["two", "over_mean"].tolist() == [1.5, 0.5, 1.0]


def test_places_of_runs_of_any_size_lie_between_zero_and_one() -> None:
    found = client_shares(clients(run([1e6, 3e6], "one"), run([30e6, 10e6, 20e6], "two")))
    rows = frame(found).set_index(["run_id", "client"])
    assert rows.loc["one", "place_share"].tolist() == [0.25, 0.75]
    assert rows.loc["two", "place_share"].tolist() == pytest.approx([5 / 6, 1 / 6, 0.5])


def test_rows_of_a_client_that_differ_are_averaged_only_where_it_is_said() -> None:
    rows = [*run([1e6, 2e6], "one", server="a"), *run([1e6, 6e6], "one", server="b")]
    assert client_shares(clients(rows), over=["server"])["over_mean"].values.tolist() == [0.5, 1.5]
    with pytest.raises(AnalysisError, match="server"):
        client_shares(clients(rows))
