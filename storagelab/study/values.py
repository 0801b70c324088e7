"""Keys and values as sidecars give them, held against the contract one by one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from storagelab import schema, units
from storagelab.errors import UnknownNameError
from storagelab.parsers.text import number

if TYPE_CHECKING:
    from storagelab.study.sidecar import Column

Key = str | float
Keys = dict[str, Key]

LOG_LEVEL = frozenset({"elapsed", "exit_status", *(entry.name for entry in schema.LOG_FIELDS)})
"""Names that describe a log rather than a measurement; they stay in the node ``logs``."""

DATES = ("started", "ended")


def known_key(name: str) -> str:
    """Refuse a name that no sidecar may set; a ValueError, for pydantic."""
    known = [entry.name for entry in schema.FIELDS.values() if entry.kind == "key" or entry.name in LOG_LEVEL]
    if name not in known:
        raise ValueError(str(UnknownNameError("key", name, known)))
    return name


def checked(name: str, value: Key) -> Key:
    """Hold a value against what the contract says of its name.

    Raises
    ------
    ValueError
        If it is text where a number belongs or the other way round, or no finite number, count, size or date.
    UnknownNameError
        If it is outside the closed vocabulary of its name.
    """
    if schema.is_text(name):
        return _text(name, value)
    if isinstance(value, str) or not math.isfinite(value):
        raise ValueError(f"{name}: expected a number, found {value!r}")
    if value < 0 and name not in LOG_LEVEL:
        raise ValueError(f"{name}: expected a number of at least 0, found {value:g}")
    return value


def _text(name: str, value: Key) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected text, found the number {value:g}: put it in quotes")
    if "\0" in value:
        raise ValueError(f"{name}: expected text, found a NUL character in {value!r}")
    schema.check_value(name, value)
    if name in DATES:
        _refuse_no_date(name, value)
    return value


def _refuse_no_date(name: str, value: str) -> None:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{name}: expected a date and time in ISO 8601, found {value!r}") from None


def to_keys(cells: Mapping[str, str], columns: Mapping[str, Column]) -> Keys:
    """Translate words and units of a row into keys of the contract; an empty cell says nothing."""
    keys: Keys = {}
    for name, text in cells.items():
        column = columns[name]
        if column.key and text != "":
            keys[column.key] = _value(column, column.key, column.words.get(text, text))
    return keys


def _value(column: Column, key: str, text: str) -> Key:
    if schema.is_text(key):
        return checked(key, text)
    try:
        value = number(text)
    except ValueError:
        raise ValueError(f"{key}: expected a number, found {text!r}") from None
    return checked(key, value * units.factor(column.unit, str(schema.field(key).unit)) if column.unit else value)
