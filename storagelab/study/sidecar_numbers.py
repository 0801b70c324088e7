"""How a number comes out of a dataset, as sidecars state it: rows, analyses, and a column of their result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pydantic

from storagelab.study.validation import Strict

Step = Annotated[Mapping[str, Mapping[str, Any]], pydantic.Field(min_length=1, max_length=1)]
Node = Literal["runs", "clients", "series", "events", "logs"]


class Quantity(Strict):
    """A number out of a dataset, or arithmetic on such numbers.

    Attributes
    ----------
    node : str
        Node of the study (``from`` in YAML).
    where : mapping
        Keys that choose rows: a value, several, or ``{low:, high:}`` for a range.
    steps : tuple of mapping
        Functions of `storagelab.analysis` with their arguments; each takes what the one before returned.
    take : str
        Column of the last result.
    at : mapping
        Keys that choose the one row of it.
    expression : str
        In place of all these: arithmetic on published values and the numbers of the test bed.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    node: Node = pydantic.Field(default="runs", alias="from")
    where: Mapping[str, Any] = {}
    steps: tuple[Step, ...] = ()
    take: str = ""
    at: Mapping[str, Any] = {}
    expression: str = ""

    @pydantic.model_validator(mode="after")
    def _one_way(self) -> Quantity:
        if bool(self.take) == bool(self.expression):
            raise ValueError("a quantity needs either `take`, a column of a result, or an `expression`")
        if self.expression and (self.where or self.steps or self.at):
            raise ValueError("an expression stands alone: its names have their own `where`, `steps` and `at`")
        return self
