"""Panels of what a text permits: which there are, and what they are called."""

from __future__ import annotations

import pandas as pd

from storagelab.figures.band_panels import panel_groups

ROWS = pd.DataFrame({"operation": ["write", "read", "read"], "layout": ["a", "b", "a"], "clients": [1.0, 2.0, 1.0]})


def test_a_panel_of_one_key_is_its_level_and_of_several_is_called_by_all() -> None:
    assert panel_groups(ROWS, []) == {"": ""}
    assert panel_groups(ROWS, ["operation"]) == {"write": "write", "read": "read"}
    assert panel_groups(ROWS, ["clients"]) == {1.0: 1.0, 2.0: 2.0}
    assert list(panel_groups(ROWS, ["operation", "layout"]).items()) == [
        ("write, a", "write"),
        ("read, a", "read"),
        ("read, b", "read"),
    ]
