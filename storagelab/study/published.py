"""``published.yaml``: the numbers that a paper prints, each with its place in the paper and its way out of the logs."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pydantic

from storagelab import units
from storagelab.errors import ReconstructError, UnknownNameError, nearest
from storagelab.study.amount import Amount
from storagelab.study.sidecar_numbers import Quantity
from storagelab.study.validation import Strict, read_model

NAME = "published.yaml"


def _as_printed(value: object) -> object:
    """Refuse a number that is not quoted: YAML would lose the digits of 9.0."""
    if not isinstance(value, str):
        raise ValueError(f"expected the number as it is printed, in quotes, found {value!r}")
    try:
        Decimal(value)
    except InvalidOperation:
        raise ValueError(f"expected a number as it is printed, found {value!r}") from None
    return value


def _known_unit(unit: str) -> str:
    try:
        units.si_unit(unit)
    except UnknownNameError as error:
        raise ValueError(str(error)) from None
    return unit


Printed = Annotated[str, pydantic.BeforeValidator(_as_printed)]
Unit = Annotated[str, pydantic.AfterValidator(_known_unit)]


class Value(Strict):
    """One number that a paper prints.

    Attributes
    ----------
    what : str
        What it is of.
    value, error : str
        The number, and what stands behind its "+-", with the digits that are printed.
    unit : str
        For pint; "1" where it has none.
    as_printed : str
        How the paper writes it, where that is not this number in this unit: "15:45" for 945 minutes.
    about : bool
        Whether the paper says "about".
    section : str
        Where it stands in the paper.
    quantity : Quantity, optional
        How it comes out of the logs.
    setting : str
        Or the expression over the test bed that it states.
    context : str
        Or why nothing here can give it.
    """

    what: str
    value: Printed
    error: Printed | None = None
    unit: Unit = "1"
    as_printed: str = ""
    about: bool = False
    section: str = ""
    quantity: Quantity | None = None
    setting: str = ""
    context: str = ""
    note: str = ""

    @property
    def amount(self) -> Amount:
        """The number with its unit."""
        return Amount(Decimal(self.value), self.unit)

    @property
    def error_amount(self) -> Amount | None:
        """The printed error with its unit."""
        return None if self.error is None else Amount(Decimal(self.error), self.unit)

    @property
    def rounded_by(self) -> float:
        """How far from the number lies what rounds to it, in the SI unit; 0 where nothing was rounded.

        A count and a setting are printed whole. Where an error is printed, it says more than the digits.
        """
        is_count = self.unit == "1" and Decimal(self.value) == int(Decimal(self.value))
        return 0.0 if self.setting or self.error or is_count else self.amount.half_digit

    @pydantic.model_validator(mode="after")
    def _one_source(self) -> Value:
        if sum(map(bool, (self.quantity, self.setting, self.context))) != 1:
            raise ValueError("a value needs one of `quantity`, `setting` and `context`")
        return self


class Published(Strict):
    """All numbers that a paper prints, by name."""

    values: Mapping[str, Value]

    def __getitem__(self, name: str) -> Value:
        """Return one number.

        Raises
        ------
        ReconstructError
            If no number has the name; says the nearest.
        """
        if name not in self.values:
            raise ReconstructError(f"no published value {name!r}{nearest(name, self.values)}")
        return self.values[name]

    def si(self, name: str) -> float:
        """Return a number in its SI unit."""
        return self[name].amount.si

    def error(self, name: str) -> float:
        """Return the printed error of a number in its SI unit.

        Raises
        ------
        ReconstructError
            If the paper prints none.
        """
        return self.error_amount(name).si

    def error_amount(self, name: str) -> Amount:
        """Return the printed error of a number with its digits.

        Raises
        ------
        ReconstructError
            If the paper prints none.
        """
        found = self[name].error_amount
        if found is None:
            raise ReconstructError(f"the published value {name} has no error")
        return found

    def namespace(self) -> dict[str, Any]:
        """Return the numbers for arithmetic with units."""
        return {name: value.amount.quantity for name, value in self.values.items()}


def read_published(folder: Path) -> Published:
    """Read the published.yaml of a study.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    return read_model(folder / NAME, Published)[0]


def joined(published: Published, others: Mapping[str, SimpleNamespace]) -> dict[str, Any]:
    """Join published numbers and parts of the test bed to the names of an expression.

    Raises
    ------
    ReconstructError
        If a number and a part share a name.
    """
    if both := sorted(set(published.values) & set(others)):
        raise ReconstructError(f"{both[0]!r} is both a published value and a part of the test bed")
    return {**published.namespace(), **others}
