"""Keys and values as sidecars give them, held against the contract one by one."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from storagelab import schema, units
from storagelab.errors import UnknownNameError, nearest
from storagelab.escaping.characters import harmless, is_harmless
from storagelab.units import number

if TYPE_CHECKING:
    from storagelab.study.study_yaml import Column

Key = str | float
Keys = dict[str, Key]

LOG_LEVEL = frozenset({"elapsed", "exit_status", *(entry.name for entry in schema.LOG_FIELDS)})
"""Names that describe a log rather than a measurement; they stay in the node ``logs``."""

DATES = ("started", "ended")
ANEW = 1000.0
"""Numbers that begin anew in each level of another key are told apart by a thousand."""

_OFFSET = re.compile(r"[+-]\d\d:?\d\d")


WHERE_KEYS_ARE = "`storagelab keys` lists the keys of the contract, and `keys` of study.yaml declares others"


def written(level: Key) -> str:
    """Write a level: whole numbers without a decimal point."""
    return level if isinstance(level, str) else f"{level:.15g}"


def known_key(name: str) -> str:
    """Refuse a name that no sidecar may set; a ValueError, for pydantic."""
    known = _settable()
    if name not in known:
        raise ValueError(unknown_key(name, known))
    return name


def known_in(name: str, own: Collection[str]) -> str:
    """Refuse a key that is neither the contract's nor one that the study declares.

    Raises
    ------
    ValueError
        If it is one that only another study declares.
    """
    known = [key for key in _settable() if key in own or not schema.field(key).own]
    if name not in known:
        raise ValueError(unknown_key(name, known))
    return name


def unknown_key(name: str, known: Iterable[str]) -> str:
    """Say that a name is no key, what may have been meant, and where keys are to be found."""
    told = str(UnknownNameError("key", name, known))
    return told if "did you mean" in told else f"{told}; {WHERE_KEYS_ARE}"


def _settable() -> list[str]:
    return [entry.name for entry in schema.FIELDS.values() if entry.kind == "key" or entry.name in LOG_LEVEL]


def known_event(name: str) -> str:
    """Refuse an event that the contract does not know; a ValueError, for pydantic."""
    try:
        schema.check_value("event", name)
    except UnknownNameError as error:
        raise ValueError(str(error)) from None
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
    schema.check_value(name, value)
    if name in DATES:
        moment(name, value)
    if name == "time_zone":
        zone(value)
    return value


def moment(name: str, text: str) -> datetime:
    """Read a date and time in ISO 8601, with or without its offset from UTC.

    Parameters
    ----------
    name : str
        What the date is of, for the message.
    text : str
        The date.

    Returns
    -------
    datetime.datetime
        The date, naive where it has no offset.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{name}: expected a date and time in ISO 8601, found {text!r}") from None


def zone(text: str) -> tzinfo:
    """Read a time zone: ``UTC``, ``+02:00``, or a name of the IANA database such as ``Europe/Zurich``.

    Parameters
    ----------
    text : str
        Name or offset.

    Returns
    -------
    datetime.tzinfo
        The zone.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        if _OFFSET.fullmatch(text):
            return datetime.fromisoformat(f"2000-01-01T00:00:00{text}").tzinfo or UTC
        return UTC if text == "UTC" else ZoneInfo(text)
    except (ValueError, ZoneInfoNotFoundError, OSError):
        wanted = "UTC, an offset such as +02:00, or a name such as Europe/Zurich"
        near = nearest(text, available_timezones())
        raise ValueError(f"time_zone: expected {wanted}, found {text!r}{near}") from None


Known = dict[tuple[str, str], Key]
"""Values that cells stand for, by column and text."""


def to_keys(cells: Mapping[str, str], columns: Mapping[str, Column], known: Known | None = None) -> Keys:
    """Translate words and units of a row into keys of the contract; an empty cell says nothing.

    Text is made harmless (`storagelab.escaping.characters`); `hidden_in` says where it was not. `known` are cells of
    these columns that were read before: in a table most say again what one above said.
    """
    known = {} if known is None else known
    keys: Keys = {}
    for name, text in cells.items():
        column = columns[name]
        if column.key and text != "":
            if (name, text) not in known:
                seen = _seen(column.key, text)
                known[name, text] = _value(column, column.key, column.words.get(seen, seen))
            keys[column.key] = known[name, text]
    return keys | _numbered_on(keys, columns.values())


def hidden_in(cells: Mapping[str, str], columns: Mapping[str, Column]) -> list[str]:
    """Keys whose cells hold characters that nobody sees, or are too long."""
    return [str(columns[name].key) for name, text in cells.items() if columns[name].key and not is_harmless(text)]


def _seen(key: str, text: str) -> str:
    """Return a cell as it is read; a NUL is no text but damage."""
    if "\0" in text:
        raise ValueError(f"{key}: expected text, found a NUL character in {text!r}")
    return harmless(text)


def _numbered_on(keys: Keys, columns: Iterable[Column]) -> Keys:
    """Tell numbers apart that begin anew in each level of another key: block 5 of repeat 2 is 2005."""
    found: Keys = {}
    for column in columns:
        if column.within and column.key in keys:
            outer, inner = keys.get(column.within), keys[column.key]
            if not isinstance(outer, float) or not isinstance(inner, float) or not 0 <= inner < ANEW:
                wanted = f"a number below {ANEW:g} and its {column.within}"
                raise ValueError(f"{column.key}: expected {wanted}, found {inner!r} and {outer!r}")
            found[column.key] = outer * ANEW + inner
    return found


def _value(column: Column, key: str, text: str) -> Key:
    if schema.is_text(key):
        return checked(key, text)
    try:
        value = number(text)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    checked(key, value)
    return checked(key, value * units.factor(column.unit, str(schema.field(key).unit)) if column.unit else value)


def to_events(cells: Mapping[str, str], columns: Mapping[str, Column]) -> dict[str, str]:
    """Moments of a row at which something was done to the run, by what that was; an empty cell says nothing."""
    events = {event: text for name, text in cells.items() if (event := columns[name].event) and text != ""}
    for event, text in events.items():
        moment(event, text)
    return events
