"""What a name of the contract is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from storagelab.schema.vocabularies import VALUES

Kind = Literal["key", "variable", "trace"]


@dataclass(frozen=True, slots=True)
class Field:
    """One name of the contract; `unit` is None for text, "1" for pure numbers.

    `own` ones are declared by a study (`storagelab.schema.own_keys`); `values` are then its levels.
    """

    name: str
    kind: Kind
    unit: str | None
    long_name: str
    values: tuple[str | float, ...] = ()
    own: bool = False
    description: str = ""


def fields(kind: Kind, rows: Iterable[tuple[str, str | None, str]]) -> list[Field]:
    """Make fields of one kind, each with the words that its vocabulary allows."""
    return [Field(name, kind, unit, long_name, VALUES.get(name, ())) for name, unit, long_name in rows]
