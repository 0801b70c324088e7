"""Tables of a paper in LaTeX: columns as wide as their words where a line holds them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab.errors import PaperError
from storagelab.paper.latex import _alignment, numbers


@pytest.mark.parametrize(("letters", "kept"), [(79, True), (80, False)])
def test_a_table_as_wide_as_a_line_keeps_its_columns_and_a_wider_one_shares_the_line(letters: int, kept: bool) -> None:
    columns: Any = [
        SimpleNamespace(words_of_head="operation", cells=["x" * letters], number=False),
        SimpleNamespace(words_of_head="n", cells=["3"], number=True),
    ]
    found = list(_alignment(columns))
    assert (found == ["l", "r"]) is kept
    shares = [float(share) for column in found for share in re.findall(r"p\{([\d.-]+)\\linewidth", column)]
    assert kept or (len(shares) == 2 and 0.9 < sum(shares) < 1)


def test_two_numbers_of_one_name_in_latex_are_refused() -> None:
    facts = [
        {"name": name, "value": 1.0, "unit": "1", "digits": 3, "display": "", "interval": None}
        for name in ("rate_2", "rate_two")
    ]
    with pytest.raises(PaperError, match=r"two facts of tiny are \\factRateTwo in LaTeX: LaTeX has no digits"):
        numbers(facts, "tiny")
    assert "factRateTwo}" in numbers(facts[:1], "tiny")
