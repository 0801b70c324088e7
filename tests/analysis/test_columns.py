"""Every column of a result is declared once, in one room, and none has a name of the contract."""

from __future__ import annotations

from collections import Counter

from storagelab import schema
from storagelab.analysis.columns import ROOMS


def test_a_column_is_declared_once() -> None:
    named = Counter(name for room in ROOMS for name, *_ in room.ROWS)
    assert [name for name, times in named.items() if times > 1] == []
    assert set(named) & set(schema.FIELDS) == set()
