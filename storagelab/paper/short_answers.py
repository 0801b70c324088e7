"""The answers of a paper in a few rows, for a reader who has half a minute.

A paper concludes with a table of questions and answers, or with a list whose points begin with their answer in
emphasis. The rows that quote most of what the abstract quotes stand under the abstract, their numbers with intervals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from storagelab.paper import cross_references
from storagelab.paper.facts_as_text import in_form
from storagelab.paper.sections import Section, heading_html

MOST = 5
"""Rows that a reader takes in at a glance."""
CONCLUDES = re.compile(r"\bconclu|\btake from\b", re.IGNORECASE)
"""What the heading of a section says whose table or list answers the questions of a paper."""

_RULER = re.compile(r"\|(?:\s*+:?-++:?\s*+\||(?!))++\s*+")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_POINT = re.compile(r"^(?:[*-]|\d+\.)[ \t]+", re.MULTILINE)
_LEAD = re.compile(r"(\*\*?)(?P<lead>[^*]+)\1\s*(?P<rest>.*)", re.DOTALL)
_SENTENCE = re.compile(r"(?:<[^<>]*>|[^<>])*?[.!?](?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Answers:
    """Some rows of the conclusions, as Markdown that needs no more resolving, and where all of them stand."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    section: Section
    all: int


def answers(
    prose: Sequence[str], abstract: str, sections: Sequence[Section], facts: Mapping[str, Mapping[str, Any]]
) -> Answers | None:
    """Take the answers out of the prose of a paper.

    Parameters
    ----------
    prose : sequence of str
        Markdown in its order, with headings as `heading_html` writes them and references resolved.
    abstract : str
        The same of the abstract: rows that quote what it quotes go first.
    sections : sequence of Section
    facts : mapping
        Records of the facts, by name.

    Returns
    -------
    Answers or None
        At most `MOST` rows in their order, and the facts in them in full. None where no section concludes with a
        table or such a list.
    """
    concluding = next((one for one in reversed(sections) if one.level == 2 and CONCLUDES.search(one.entry)), None)
    if concluding is None:
        return None
    text = _part("\n\n".join(prose), heading_html(concluding))
    heads, rows = _table(text) or _points(text)
    if not rows:
        return None
    told = tuple(tuple(_in_full(cell, facts) for cell in rows[place]) for place in _foremost(rows, abstract))
    return Answers(heads, told, concluding, len(rows))


def _part(prose: str, heading: str) -> str:
    """Text from a heading to the next one."""
    return prose.partition(heading)[2].partition("<h2 ")[0]


def _table(text: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]] | None:
    lines = text.splitlines()
    ruler = next((place for place, line in enumerate(lines) if place and _RULER.fullmatch(line)), None)
    if ruler is None:
        return None
    rows = [_cells(line) for line in takewhile(lambda line: line.startswith("|"), lines[ruler + 1 :])]
    return _cells(lines[ruler - 1]), rows


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in _BETWEEN_CELLS.split(line.strip().strip("|")))


def _points(text: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Read a list: what is emphasised at the beginning of a point, and the sentence behind it."""
    rows = list(_leads(text))
    asked = all(lead.endswith("?") for lead, _ in rows)
    return (("Question", "Answer") if asked else ("Answer", "Evidence")), rows


def _leads(text: str) -> Iterator[tuple[str, ...]]:
    for point in _POINT.split(text)[1:]:
        if match := _LEAD.match(" ".join(point.partition("\n\n")[0].split())):
            first = _SENTENCE.match(match["rest"])
            yield match["lead"].strip(), (first[0] if first else match["rest"]).strip()


def _foremost(rows: Sequence[Sequence[str]], abstract: str) -> list[int]:
    """Places of the rows that share most facts with the abstract, in their order; of equals the first."""
    quoted = set(cross_references.quoted(abstract))
    shared = [len(quoted & set(cross_references.quoted(" ".join(row)))) for row in rows]
    return sorted(sorted(range(len(rows)), key=lambda place: -shared[place])[:MOST])


def _in_full(cell: str, facts: Mapping[str, Mapping[str, Any]]) -> str:
    """Print the facts of a cell with their intervals, where they have one."""
    return cross_references.requoted(cell, _fully(facts))


def _fully(facts: Mapping[str, Mapping[str, Any]]) -> Callable[[str], str | None]:
    def words(name: str) -> str | None:
        return in_form(dict(facts[name]), "full")

    return words
