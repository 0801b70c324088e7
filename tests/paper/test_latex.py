"""Tables of a paper in LaTeX: columns as wide as their words where a line holds them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab.errors import PaperError
from storagelab.paper.latex import _alignment, escape, numbers, table


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


def test_a_table_over_several_pages_has_its_caption_within() -> None:
    made = table("\\begin{longtable}{l}\nhead\n\\end{longtable}\n", "rates", "Rates of 2 runs.", "measured")
    assert made == (
        "% needs array, booktabs and longtable\n{\\footnotesize\n\\begin{longtable}{l}\n"
        "\\caption{Rates of 2 runs. Measured data.}\\label{tab:rates} \\\\\nhead\n\\end{longtable}\n}\n"
    )
    short = table("\\begin{tabular}{l}\n\\end{tabular}\n", "rates", "Rates.")
    assert short.splitlines()[1:4] == [
        r"\begin{table}",
        r"\centering\footnotesize",
        r"\caption{Rates.}\label{tab:rates}",
    ]


@pytest.mark.parametrize(("text", "written"), [("a\tb\nc", "a b c"), ("50 %", r"50 \%"), ("日", "[U+65E5]")])
def test_signs_that_latex_lacks_are_written_so_that_it_runs(text: str, written: str) -> None:
    assert escape(text) == written
