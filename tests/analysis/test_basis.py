"""What a result rests on goes with it, and changes nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import schema
from tests.analysis.calls import CALLS
from tests.analysis.test_hostile import LABELLED, data, found

NOT_OF_ROWS = {"validity", "validity_findings", "sent_over_payload"}
"""Analyses of a whole study, which rest on no rows of it; one of two nodes, of which here the other says nothing."""
COMPUTED = {"both_directions", "together"}
"""Of those that mark rows, one that takes ratios, and one that takes its rows in another order."""


def resting(ds: xr.Dataset) -> xr.Dataset:
    """Rows that rest on printed numbers and on a model by turns, also inside each cell."""
    turns = np.resize(["published", "model"], ds.sizes["obs"])
    return ds.assign_coords(basis=("obs", turns, {"long_name": "basis"}))


def results(name: str) -> tuple[Any, Any]:
    return found(name), CALLS[name].run(resting(data(name)), 1.0)


@LABELLED
def test_basis_splits_no_cells_and_is_said_of_every_row(name: str) -> None:
    without, result = results(name)
    if not isinstance(result, xr.Dataset):
        pytest.skip("gives no rows")
    xr.testing.assert_identical(result.drop_vars("basis", errors="ignore"), without)
    if name not in NOT_OF_ROWS:
        assert set(result["basis"].values.tolist()) <= set(schema.BASES)
        assert result["basis"].dims == ("obs",)


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.marks and name not in COMPUTED])
def test_rows_with_something_added_keep_their_basis(name: str) -> None:
    _, result = results(name)
    rows = resting(data(name))
    if result.sizes["obs"] == rows.sizes["obs"]:
        assert result["basis"].values.tolist() == rows["basis"].values.tolist()
