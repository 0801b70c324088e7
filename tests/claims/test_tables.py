"""Numbers of tables as they are read, and tolerances as their names say."""

from __future__ import annotations

import math

import pytest

from storagelab.claims.tables import shown_number
from storagelab.claims.tolerances import CONVENTIONS, convention


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (9999.4, "9999"),
        (10_000.0, "10 000"),
        (1_234_567.0, "1 234 567"),
        (1e-4, "0.0001"),
        (0.00001234, "1.234e-05"),
        (math.nan, ""),
    ],
)
def test_numbers_are_written_without_an_exponent_where_they_can_be_read_so(value: float, shown: str) -> None:
    assert shown_number(value) == shown


@pytest.mark.parametrize("name", [name for name in CONVENTIONS if name.rpartition("-")[2].isdecimal()])
def test_a_convention_allows_the_percentage_that_it_is_named_after(name: str) -> None:
    kind, _, percent = name.rpartition("-")
    assert convention(name)[{"alike": "relative", "order": "gap"}[kind]] == int(percent) / 100
