"""Rounds that stand apart: the parts of a campaign in which they are looked for."""

from __future__ import annotations

import numpy as np

from storagelab.analysis.cells import Rows
from storagelab.analysis.validity.rounds import _scopes
from storagelab.analysis.validity.spreads import Logged


def test_each_operation_is_looked_at_alone_and_in_each_level_of_keys_that_differ() -> None:
    cells = Rows(
        {
            "what": np.array(["read", "read", "read", "read", "write"]),
            "layout": np.array(["a", "a", "b", "b", "a"]),
            "clients": np.array([1.0, 2.0, 3.0, 4.0, 1.0]),
            "driver": np.array(["virtio"] * 5),
        },
        5,
    )
    found = {scope: sorted(places.tolist()) for scope, places in _scopes(Logged("throughput", cells, [*cells]), cells)}
    assert found == {"read": [0, 1, 2, 3], "read, layout=a": [0, 1], "read, layout=b": [2, 3], "write": [4]}
