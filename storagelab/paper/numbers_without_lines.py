"""Where a number comes from if from no line of a log: printed, other facts, study.yaml, or our choice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from storagelab.paper import table_traces
from storagelab.paper.published_items import Item

Said = dict[str, Any]
"""What a fact says of where it comes from; the keys are those of `WORDS`, and ``study``, ``facts``."""

WORDS = {
    "printed": "Printed",
    "computed": "Computed",
    "assumed": "Assumed by the model",
    "measured": "Measured",
    "counted": "Counted",
    "quoted": "Quoted from another paper",
    "chosen": "Chosen by us",
    "stated": "Stated in study.yaml",
}
"""How a card begins the sentence that says where a fact comes from, by kind."""


def said(of: Sequence[str] = (), **kinds: str) -> Said:
    """Return what a notebook says of where a value comes from, by kind; nothing where it says nothing."""
    return ({"facts": list(of)} if of else {}) | {kind: words for kind, words in kinds.items() if words}


def sentences(comes_from: Mapping[str, Any]) -> Iterator[str]:
    """Say in sentences where a fact comes from."""
    for kind, word in WORDS.items():
        if kind in comes_from:
            yield f"{word}: {str(comes_from[kind]).removesuffix('.')}."


def silent(tables: Iterable[Item]) -> Iterator[tuple[Item, str]]:
    """Name each table with numbers that reach no line of a log and that does not say where they come from."""
    for item in tables:
        left = item.record.get("numbers", 0) - table_traces.opened(item.record)
        if left and not item.record.get("comes_from"):
            yield (
                item,
                f"table {item.id!r}: {left} of its {item.record['numbers']} numbers reach no line of a log: pass "
                "of=[results], stated=name in study.yaml, computed=how, or counted=what",
            )


def missing(facts: Mapping[str, Mapping[str, Any]], used: Collection[str]) -> Iterator[tuple[str, str]]:
    """Name each fact that is used and does not say where it comes from, or names one that is not there, and why not."""
    for name, fact in facts.items():
        if name not in used:
            continue
        parents = fact["comes_from"].get("facts", ())
        if unknown := [parent for parent in parents if parent not in facts]:
            yield name, f"fact {name!r} is computed from {unknown[0]!r}, which no cell states"
        elif not fact["trace"] and not fact["comes_from"]:
            yield (
                name,
                (
                    f"fact {name!r} reaches no line of a log: pass trace=rows, of=[facts], stated=name in study.yaml, "
                    "or chosen=why"
                ),
            )
