"""Small parts that parsers share, where a whole log shows too little of them."""

from __future__ import annotations

import pytest

from storagelab.parsers import sample_checks
from storagelab.parsers.monitors.sysstat.cells import plain_cells


@pytest.mark.parametrize(("count", "said"), [(1, ""), (2, " (the first of 2)"), (3, " (the first of 3)")])
def test_the_first_of_several_is_called_so(count: int, said: str) -> None:
    assert sample_checks._first_of(count) == said


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["1.5", "20"], [1.5, 20.0]),
        (["1,5", "2,0"], [1.5, 2.0]),
        (["1.5", "n/a"], []),
        (["1.5", "\u0662"], []),
        (["1,2,3"], []),
    ],
)
def test_cells_are_read_at_once_where_all_are_numbers(words: list[str], numbers: list[float]) -> None:
    assert plain_cells(words) == numbers
