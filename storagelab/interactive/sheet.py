"""What is shown of a dataset or a study, as plain text that no renderer has touched yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text under a caption; the first cell of a row names it. `folded` ones open on demand."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A heading, the origin, facts as term and text, what to beware of, and tables.

    `origin` is what the data are; `alarming` that a reader must not take them for measurements.
    """

    heading: str
    title: str
    origin: str
    alarming: bool
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
