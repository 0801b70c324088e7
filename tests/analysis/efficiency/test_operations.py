from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis import operations_time
from storagelab.errors import AnalysisError
from tests.analysis.tables import node


def test_a_number_over_its_rate() -> None:
    rows = [{"operation_rate": rate, "files": 2400.0} for rate in (1.2e5, np.nan)]
    found = operations_time(node(rows))["operations_time"]
    assert found.to_numpy() == pytest.approx([0.02, np.nan], nan_ok=True)
    assert found.attrs["units"] == "s"
    (row,) = operations_time(node([{"operation_rate": 1e4, "items": 512.0}]), "items")["operations_time"].to_numpy()
    assert row == pytest.approx(0.0512)


def test_what_a_time_needs() -> None:
    with pytest.raises(AnalysisError, match="operations are counted and their rate is in 1/s, data_size is in B"):
        operations_time(node([{"operation_rate": 1.0, "data_size": 2.0}]), "data_size")
    with pytest.raises(AnalysisError, match="operation_rate is not positive in every row"):
        operations_time(node([{"operation_rate": 0.0, "files": 2.0}]))
    with pytest.raises(AnalysisError, match="no row has operation_rate and files"):
        operations_time(node([{"operation_rate": np.nan, "files": 2.0}]))
