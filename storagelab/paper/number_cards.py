"""What opens where a reader asks a number where it comes from: its value, its origin, and the log lines themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from storagelab.errors import PaperError, shorten
from storagelab.escaping.characters import shown
from storagelab.paper.document import Document
from storagelab.paper.published_items import Item
from storagelab.paper.table_traces import opened

SAMPLES = 4
"""Lines that a card shows."""
SAMPLES_OF_CELLS = 2
"""Lines that the card of a cell shows: a page has more cells than facts."""
WIDTH = 240
"""Characters of a line that a card shows."""
TABLE = ".csv"
CELL = 40
"""Characters of a cell of an experimenter's table that a card shows."""

Lines = Callable[[str], list[str]]
"""From the path of a log, below the root of the project, to its lines; none where it is not here."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a log: its path, its number (0 where a log counts as a whole), and what stands there.

    The heading of a table is shown with its rows, and states nothing itself.
    """

    log: str
    line: int
    text: str
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A fact as its card shows it: the record, the facts it is computed from, lines of its logs, and how many."""

    fact: Mapping[str, Any]
    parents: tuple[Mapping[str, Any], ...]
    samples: tuple[Sample, ...]
    logs: int
    lines: int

    @property
    def shown(self) -> int:
        """How many of the lines are shown."""
        return sum(not sample.is_heading for sample in self.samples)


@dataclass(frozen=True, slots=True)
class CellCard:
    """Numbers of a table as their card shows them: names and values in SI, what they are of, lines, and how many."""

    id: str
    table: str
    anchor: str
    of: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]
    samples: tuple[Sample, ...]
    logs: int
    lines: int

    @property
    def shown(self) -> int:
        """How many of the lines are shown."""
        return sum(not sample.is_heading for sample in self.samples)


def of_cells(document: Document, lines: Lines) -> list[CellCard]:
    """Make the cards that cells of tables open, in the order of the tables."""
    return [_of_cells(item, card, lines) for item in document.tables for card in item.record.get("cards", ())]


def _of_cells(item: Item, card: Mapping[str, Any], lines: Lines) -> CellCard:
    trace: Mapping[str, list[int]] = card["trace"]
    samples = tuple(_samples(trace, lines, SAMPLES_OF_CELLS))
    told = tuple(map(tuple, card["of"])), tuple(map(tuple, card["values"]))
    return CellCard(card["id"], item.name, item.anchor, *told, samples, len(trace), sum(map(len, trace.values())))


def reach_of_tables(document: Document) -> tuple[int, int]:
    """Count the numbers of all tables that open lines of logs, and all of them; levels of keys are none."""
    records = [item.record for item in document.tables]
    return sum(map(opened, records)), sum(record.get("numbers", 0) for record in records)


def cards(document: Document, lines: Lines) -> list[Card]:
    """Make a card of each fact that the paper quotes, and of those behind it, in the order of the notebook."""
    facts = {fact["name"]: fact for fact in document.facts}
    wanted = {name for kind, name in document.registry.used if kind == "fact"}
    for name in reversed(facts):
        wanted |= set(_parents(facts[name])) if name in wanted else set()
    return [_card(facts[name], facts, lines) for name in facts if name in wanted]


def _parents(fact: Mapping[str, Any]) -> Sequence[str]:
    named: Sequence[str] = fact["comes_from"].get("facts", ())
    return named


def _card(fact: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]], lines: Lines) -> Card:
    trace: Mapping[str, list[int]] = fact["trace"]
    parents = tuple(facts[name] for name in _parents(fact))
    return Card(fact, parents, tuple(_samples(trace, lines, SAMPLES)), len(trace), sum(map(len, trace.values())))


def _samples(trace: Mapping[str, list[int]], lines: Lines, most: int) -> list[Sample]:
    """Return some lines of a trace, in its order; those first that say most of where a number comes from."""
    places = list(dict.fromkeys(_by_weight(trace)))[:most]
    chosen = sorted(places, key=lambda place: ([*trace].index(place[0]), place[1]))
    return [_sample(log, number, lines(log), is_heading=number not in (trace[log] or [0])) for log, number in chosen]


def _by_weight(trace: Mapping[str, list[int]]) -> Iterator[tuple[str, int]]:
    """Go through the lines of a trace by what they add.

    The heading of an experimenter's table and a row of it; of the first log the first and the last line, which are
    likely to state different things; the first lines of the other logs; what is left of each.
    """
    tables = [log for log, numbers in trace.items() if log.endswith(TABLE) and numbers]
    logs = [log for log in trace if log not in tables]
    for table in tables[:1]:
        yield from ((table, 1), (table, trace[table][0]))
    for log in logs[:1]:
        yield from ((log, (trace[log] or [0])[end]) for end in (0, -1))
    yield from ((log, (trace[log] or [0])[0]) for log in logs)
    yield from ((log, number) for log in trace for number in trace[log])


def _sample(log: str, number: int, text: Sequence[str], *, is_heading: bool) -> Sample:
    if text and not number <= len(text):
        raise PaperError(f"{log}: expected line {number}, found {len(text)} lines: run `storagelab ingest` again")
    line = shown(text[number - 1].strip()) if text and number else ""
    return Sample(log, number, _short_cells(line) if log.endswith(TABLE) else shorten(line, WIDTH), is_heading)


def _short_cells(row: str) -> str:
    """Cut the long cells of a row, such as commands, so that its numbers and moments are seen."""
    return ",".join(shorten(cell, CELL) for cell in row.split(","))


def reader(root: Path | None) -> Lines:
    """Return what reads the lines of logs below a folder, each log once; without a folder nothing can be read."""

    @cache
    def lines(log: str) -> list[str]:
        if root is None or not (root / log).is_file():
            return []
        from storagelab.ingest.log_file import lines_of

        return lines_of(root / log)

    return lines
