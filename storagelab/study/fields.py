"""Kinds of values that study.yaml may hold: names of keys, levels, days, rounds, reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Literal

import pydantic

from storagelab.escaping.characters import harmless
from storagelab.study.declared_keys import OwnKey, declared, kind_of_entry, own_name
from storagelab.study.value_checks import Key, known_event, known_key

_DAY = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


def _said(value: object) -> object:
    """Refuse what YAML made of a word that was not quoted: a truth value, or nothing at all."""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    shown = "nothing" if value is None else str(value)
    why = " (YAML reads yes, no, on and off so)" if isinstance(value, bool) else ""
    raise ValueError(f"expected text or a number, found {shown}{why}: put text in quotes")


def _day(value: object) -> str:
    """Refuse what is no year, month, day or interval of them in ISO 8601; YAML reads a year as a number."""
    text = str(value)
    if text and not _are_days(text.split("/")):
        wanted = "a date in ISO 8601 (2026, 2026-11, 2026-11-20, or first/last)"
        raise ValueError(f"expected {wanted}, found {text!r}")
    return text


def _are_days(parts: Sequence[str]) -> bool:
    """Whether this is a year, month or day, or two of which the second is not before the first."""
    first, last = parts[0], parts[-1]
    return len(parts) <= 2 and all(map(_is_day, parts)) and first[: len(last)] <= last[: len(first)]


def _is_day(part: str) -> bool:
    try:
        return bool(_DAY.fullmatch(part) and date.fromisoformat(part + "0000-01-01"[len(part) :]))
    except ValueError:
        return False


def _rounds(value: object) -> int | Literal["auto"]:
    """Refuse what is no number of rounds."""
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise ValueError(f"expected a whole number from 1 on, or auto, found {value!r}")


def _given(reason: str) -> str:
    if not reason.strip():
        raise ValueError("expected the reason, found nothing")
    return reason


KeyName = Annotated[str, pydantic.AfterValidator(known_key)]
EventName = Annotated[str, pydantic.AfterValidator(known_event)]
Said = Annotated[Key, pydantic.BeforeValidator(_said)]
Reason = Annotated[str, pydantic.AfterValidator(_given)]
OwnName = Annotated[str, pydantic.AfterValidator(own_name)]
Declared = Annotated[OwnKey, pydantic.BeforeValidator(declared), pydantic.Tag("declared")]
Valued = Annotated[Said, pydantic.Tag("said")]
KeyEntry = Annotated[Declared | Valued, pydantic.Discriminator(kind_of_entry)]
Date = Annotated[str, pydantic.BeforeValidator(_day)]
Repeats = Annotated[int | Literal["auto"], pydantic.PlainValidator(_rounds)]
Factors = Mapping[KeyName, Annotated[tuple[Said, ...], pydantic.Field(min_length=1)]]
