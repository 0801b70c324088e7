"""tables.yaml: the tables of a study, their columns and lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pydantic

from storagelab.errors import nearest
from storagelab.study.validation import Strict, read_model

NAME = "tables.yaml"


PAIR = ("a", "b", "difference", "z", "p_value", "relative_difference", "compatible_2sigma", "equivalent_5pct")


class Line(Strict):
    """A row of a table: its name, its cells by column, the claim whose verdict it has, words to repeat it for."""

    row: str
    cells: Mapping[str, Any] = {}
    claim: str = ""
    pair: tuple[str, ...] = ()
    each: Mapping[str, tuple[str | float, ...]] = {}

    @pydantic.model_validator(mode="after")
    def _two_of_a_pair(self) -> Line:
        if len(self.pair) not in (0, 2):
            raise ValueError(f"a pair has two printed numbers, found {len(self.pair)}")
        return self


class Table(Strict):
    """A table that a paper should have.

    Attributes
    ----------
    id : str
    drawn : str
        Key of the table in the paper.
    columns : tuple of str
        What its CSV has beside the name of the row.
    rows : tuple of Line
        None where the notebook makes it from the dataset.
    """

    id: str
    section: str = ""
    shows: str
    drawn: str
    columns: tuple[str, ...]
    claims: tuple[str, ...] = ()
    rows: tuple[Line, ...] = ()

    @pydantic.model_validator(mode="after")
    def _columns_are_filled(self) -> Table:
        known = {*self.columns}
        for line in self.rows:
            if unknown := [name for name in line.cells if name not in known]:
                raise ValueError(f"{self.id}, row {line.row!r}: no column {unknown[0]!r}{nearest(unknown[0], known)}")
        given = {name for line in self.rows for name in [*line.cells, *(PAIR if line.pair else ())]}
        given |= {"verdict"} if any(line.claim for line in self.rows) else set()
        if self.rows and (empty := [name for name in self.columns if name not in given]):
            raise ValueError(f"{self.id}: no row has anything in the column {empty[0]!r}")
        return self


class Tables(Strict):
    """All tables of a paper."""

    tables: tuple[Table, ...]

    @pydantic.model_validator(mode="after")
    def _once(self) -> Tables:
        ids = [each.id for each in self.tables]
        if doubled := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"{doubled[0]} stands here again")
        return self


def read_tables(folder: Path) -> tuple[Table, ...]:
    """Read the tables.yaml of a study; none where there is no such file.

    Raises
    ------
    SidecarError
        If it is no YAML or breaks the model; names the file and the line.
    """
    path = folder / NAME
    return read_model(path, Tables)[0].tables if path.exists() else ()
