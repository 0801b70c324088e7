"""Where the text of a log becomes rows: what nobody can see in it, or what is too long, is made harmless and said."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from storagelab import schema
from storagelab.escaping.characters import BUDGET, harmless, is_harmless, is_visible
from storagelab.parsers.model import Columns, Grouped, Note, Parsed, Row, Rows, Value, Words

Escapes = Mapping[Value, str]
"""Texts that are not harmless, and what stands for them."""

HIDDEN = "holds control, invisible or direction characters, which are written as escapes"
LONG = f"is longer than {BUDGET} characters, and cut"


def pass_through(parsed: Parsed) -> Parsed:
    """Make all text of a log harmless, and say in its notes where it was not.

    Surrogates, NUL, control, invisible and direction characters become escapes, a text over the budget is cut
    (`storagelab.escaping.characters`); the rest of the log is as it was.
    """
    said: dict[str, None] = {}
    if not parsed.harmless:
        parsed.header = _row(parsed.header, _escapes(parsed.header.items(), said))
        _pass_rows(parsed.runs, said)
        _pass_rows(parsed.clients, said)
    _pass_rows(parsed.events, said)
    if parsed.series:
        parsed.series = pass_table(parsed.series, said)
    parsed.notes = [Note(note.line, harmless(note.text)) for note in parsed.notes]
    parsed.notes += [Note(0, text) for text in said]
    return parsed


def are_harmless(header: Row, rows: Iterable[Grouped], *, are_numbers: bool = False) -> bool:
    """Whether nothing in a header and in rows needs an escape; no is only said to be looked at value by value.

    Operations are those of the contract, which was asked before, as may have been what should be numbers.
    """
    texts: set[Value] = {value for value in header.values() if isinstance(value, str)}
    for table in chain.from_iterable(part.tables for part in rows):
        text, numbers = _kinds(tuple(table))
        columns = (table[name] for name in text if name != "operation")
        texts.update(*(column.words if isinstance(column, Words) else column for column in columns))
        if not are_numbers and not _are_numbers([table[name] for name in numbers]):
            return False
    return is_harmless("".join(map(str, texts)))


def _are_numbers(columns: list[Any]) -> bool:
    """Whether columns hold numbers alone, of which some may be missing: all can be added up."""
    try:
        sum(chain.from_iterable(column for column in columns if not isinstance(column, array)))
    except TypeError:
        try:
            sum(sum(filter(None, column)) for column in columns)
        except TypeError:
            return False
    return True


@lru_cache(maxsize=1024)
def _kinds(names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return which names are of text, and which of numbers."""
    text = [name for name in names if schema.is_text(name)]
    return text, [name for name in names if name not in text]


def pass_table(table: Columns, said: dict[str, None] | None = None) -> Columns:
    """Make the text of a table harmless."""
    texts = {name: table[name] for name in _kinds(tuple(table))[0] if not _is_of_numbers(table[name])}
    if _is_harmless(set(chain.from_iterable(map(_words, texts.values())))):
        return table
    said = {} if said is None else said
    found = {name: _escapes(((name, word) for word in _words(column)), said) for name, column in texts.items()}
    return table | {name: _column(texts[name], escapes) for name, escapes in found.items() if escapes}


def _is_harmless(words: set[Value]) -> bool:
    """Whether texts are harmless together, and so is each of them."""
    try:
        return is_harmless("".join(words))  # type: ignore[arg-type]
    except TypeError:
        return False


def _pass_rows(rows: list[Row] | Rows, said: dict[str, None]) -> None:
    """Make the text of rows harmless, in place; those that are whole are not looked at one by one."""
    for part in rows.parts if isinstance(rows, Rows) else (rows,):
        if isinstance(part, dict):
            part.update(pass_table(part, said))
        elif not all(map(is_harmless, {value for row in part for value in row.values() if isinstance(value, str)})):
            escapes = _escapes(chain.from_iterable(map(dict.items, part)), said)
            part[:] = [_row(row, escapes) for row in part]


def _escapes(named: Iterable[tuple[str, Value]], said: dict[str, None]) -> Escapes:
    """Return what stands for each text that is not harmless, and say under which name it was found."""
    found: dict[Value, str] = {}
    for name, text in named:
        if isinstance(text, str) and not is_harmless(text):
            found[text] = harmless(text)
            said[f"{name} {LONG if is_visible(text) else HIDDEN}"] = None
    return found


def _row(row: Row, escapes: Escapes) -> Row:
    return {name: escapes.get(value, value) for name, value in row.items()} if escapes else row


def _column(column: Iterable[Value], escapes: Escapes) -> list[Value] | Words:
    if isinstance(column, Words):
        return Words([escapes.get(word, word) for word in column.words], column.codes)
    return [escapes.get(value, value) for value in column]


def _words(column: Iterable[Value]) -> Iterator[Value]:
    return iter(column.words if isinstance(column, Words) else set(column))


def _is_of_numbers(column: object) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind != "U"
