"""A fact in words: the value, its interval, both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from storagelab.paper import number_format


def in_words(record: dict[str, Any]) -> str:
    """Print a fact as prose quotes it."""
    return _text(record)


def in_form(record: dict[str, Any], form: str) -> str | None:
    """Print a fact in one of its `FORMS`; None if it has none such."""
    return FORMS[form](record) if form in FORMS else None


def _text(record: dict[str, Any]) -> str:
    return number_format.text(record["value"], record["unit"], record["digits"], record["display"])


def _value(record: dict[str, Any]) -> str | None:
    value = record["value"]
    if isinstance(value, str):
        return None
    return number_format.bare(value, number_format.scale(value, record["unit"], record["display"]), record["digits"])


def _interval(record: dict[str, Any]) -> str | None:
    if record["interval"] is None:
        return None
    low, high = record["interval"]
    return number_format.interval(record["value"], (low, high), record["unit"], record["digits"], record["display"])


def _count(record: dict[str, Any]) -> str | None:
    return None if record["n"] is None else number_format.text(record["n"])


def _full(record: dict[str, Any]) -> str | None:
    if record["interval"] is None:
        return None
    level = f"{100 * record['level']:g}{number_format.THIN}%"
    number = f", n = {record['n']}" if record["n"] is not None else ""
    ends = "within the last digit" if _is_within_digits(record) else _interval(record)
    return f"{_text(record)} ({level} CI {ends}{number})".replace("n = ", "n\u00a0=\u00a0")


def _is_within_digits(record: dict[str, Any]) -> bool:
    """Whether both ends of an interval are printed alike, so that they would say nothing."""
    chosen = number_format.scale(record["value"], record["unit"], record["display"])
    printed = {number_format.bare(end, chosen, record["digits"]) for end in record["interval"]}
    return len(printed) == 1 and number_format.MISSING not in printed


FORMS: dict[str, Callable[[dict[str, Any]], str | None]] = {
    "": _text,
    "value": _value,
    "interval": _interval,
    "n": _count,
    "full": _full,
}
"""What may stand behind the colon in ``{{name:form}}``; None where a fact lacks it."""
