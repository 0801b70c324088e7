"""A sentence that quotes another paper says what that paper says of the number, or does not build."""

from __future__ import annotations

from typing import Any

import pytest

from storagelab.paper.cross_references import resolve
from storagelab.paper.published_items import Registry
from storagelab.paper.quotations import refused, sentences

LAYOUT = {"one_of": ["distributed"], "because": "layout distribute: higher, distribute+shard: undecided"}
OPEN = {"one_of": ["not shown", "undecided"], "because": "its source leaves it undecided"}
ADDED = {"one_of": ["added", "sum"], "because": "it is a sum of the clients' rates, and no bandwidth"}


def fact(*demands: dict[str, Any], value: float | str = 1.2) -> dict[str, Any]:
    known = {"value": value, "unit": "1", "display": "", "digits": 3, "interval": None, "n": None, "level": 0.95}
    return {**known, "source": {"study": "xrootd-2026", "demands": list(demands)}}


@pytest.mark.parametrize(
    ("demand", "told", "dropped"),
    [
        (LAYOUT, "On the distributed volume a mount takes {{m}} times as long.", "A mount takes {{m}} times as long."),
        (OPEN, "Eight jobs run at {{m}} of it, not shown to differ.", "One job shows nothing, eight do ({{m}})."),
        (ADDED, "Rates that are added up reach {{m}}.", "Twelve readers reach {{m}} of the links."),
    ],
)
def test_what_a_source_says_cannot_be_dropped(demand: dict[str, Any], told: str, dropped: str) -> None:
    facts = {"m": fact(demand)}
    assert refused(told, facts) == []
    (problem,) = refused(f"First. {dropped} Last.", facts)
    assert problem.startswith(f"the sentence {dropped!r} quotes 'm' without ")
    assert problem.endswith(f": {demand['because']}")


def test_a_word_that_a_fact_says_counts() -> None:
    facts = {"m": fact(OPEN), "verdict": fact(value="not shown to differ")}
    assert refused("The two are {{verdict}} ({{m:interval}}).", facts) == []
    assert len(refused("The two differ ({{m:interval}}).", facts)) == 1


def test_points_and_rows_are_sentences_of_their_own() -> None:
    assert sentences("One.\nTwo goes\non\n\n* three\n* four\n| a | b |") == [
        "One.",
        "Two goes on",
        "* three",
        "* four",
        "| a | b |",
    ]
    text = "* It is undecided.\n* A mount takes {{m}} times as long."
    assert len(refused(text, {"m": fact(OPEN)})) == 1


def test_a_paper_that_drops_a_verdict_does_not_build() -> None:
    registry = Registry(facts={"m": fact(OPEN)})
    resolve("Eight jobs differ ({{m}}).", registry, "cell-5")
    assert registry.problems == [
        "cell 5: the sentence 'Eight jobs differ ({{m}}).' quotes 'm' without 'not shown' or 'undecided':"
        " its source leaves it undecided"
    ]
