"""The rows of the conclusions that stand under an abstract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storagelab.paper import short_answers as module
from storagelab.paper.document import Document, compose
from storagelab.paper.short_answers import MOST, Answers
from tests.paper.conftest import notebook, opened, stated

ASKED = ["one", "two", "three", "four", "five", "six", "seven"]
TABLE = "\n".join(
    ["| Question | Answer | Evidence |", "|---|:--:|---|"]
    + [f"| Is {name}? | It is {{{{{name}}}}} \\| so | [@iozone] |" for name in ASKED]
)


def composed(bibliography: Path, conclusions: str, abstract: str = "All.", **more: Any) -> Document:
    facts = [stated(name, place, **more) for place, name in enumerate(ASKED, start=1)]
    return compose(
        notebook(
            "# Title", ("begin()", [opened()]), f"## Abstract\n\n{abstract} [@iozone]", "## Results\n\nNone.",
            ("x", facts), conclusions,
        ),
        bibliography,
    )  # fmt: skip


def found(bibliography: Path, conclusions: str, abstract: str = "All.", **more: Any) -> Answers:
    told = composed(bibliography, conclusions, abstract, **more).answers
    assert told is not None
    return told


def questions(told: Answers) -> list[str]:
    return [row[0] for row in told.rows]


def test_rows_of_a_long_table_are_its_first_and_those_of_the_abstract(bibliography: Path) -> None:
    told = found(bibliography, f"## Conclusions\n\n{TABLE}\n\nMore.", "Told: {{seven}}, {{four}}.")
    assert told.heads == ("Question", "Answer", "Evidence")
    assert questions(told) == ["Is one?", "Is two?", "Is three?", "Is four?", "Is seven?"]
    assert (len(told.rows), told.all, told.section.number) == (MOST, len(ASKED), "2")


def test_numbers_have_their_intervals_and_open_their_cards(bibliography: Path) -> None:
    told = found(bibliography, f"## Conclusions\n\n{TABLE}", interval=[0.5, 8.5])
    button = '<button type="button" class="fact" popovertarget="card-one">'
    assert told.rows[0][1] == f"It is {button}1 (95\u202f% CI 0.500 to 8.50)</button> \\| so"


def test_a_number_without_an_interval_is_as_in_the_conclusions(bibliography: Path) -> None:
    told = found(bibliography, f"## Conclusions\n\n{TABLE}")
    assert 'popovertarget="card-one">1</button>' in told.rows[0][1]


@pytest.mark.parametrize(
    ("points", "heads", "rows"),
    [
        (
            "* *Is it fast?* Yes, 2.6 times. It may\n  be more.\n* *Is it fair?* No.",
            ("Question", "Answer"),
            [("Is it fast?", "Yes, 2.6 times."), ("Is it fair?", "No.")],
        ),
        (
            "1. **It is fast.** By 2\n10. **It is not fair.** See <https://a.example/b.c> here. So.\n\n   And.",
            ("Answer", "Evidence"),
            [("It is fast.", "By 2"), ("It is not fair.", "See <https://a.example/b.c> here.")],
        ),
        ("- nothing is emphasised\n- **One is.** Here.", ("Answer", "Evidence"), [("One is.", "Here.")]),
    ],
)
def test_points_of_a_list_begin_with_their_answers(
    points: str, heads: tuple[str, ...], rows: list[tuple[str, ...]], bibliography: Path
) -> None:
    told = found(
        bibliography, f"## What should a site take from it?\n\nThis:\n\n{points}\n\n## Limits\n\n* **No.** No."
    )
    assert told.heads == heads
    assert list(told.rows) == rows


@pytest.mark.parametrize("conclusions", ["## Conclusions\n\nIt works.", f"## Results again\n\n{TABLE}"])
def test_a_paper_that_does_not_conclude_so_has_no_findings(conclusions: str, bibliography: Path) -> None:
    assert composed(bibliography, conclusions).answers is None


def test_the_last_section_that_concludes_counts(bibliography: Path) -> None:
    told = found(bibliography, f"## What they conclude\n\n* **They.** So.\n\n## Conclusions\n\n{TABLE}")
    assert questions(told)[0] == "Is one?"


def test_a_table_ends_where_its_lines_end() -> None:
    heads, rows = module._table("Text\n\n| a | b |\n|---|---|\n| 1 | 2 |\nText | more\n| 3 | 4 |") or ((), [])
    assert (heads, rows) == (("a", "b"), [("1", "2")])
