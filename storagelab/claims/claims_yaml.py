"""``claims.yaml``, ``checks.yaml`` and ``figures.yaml``: what a paper says and shows, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

import pydantic

from storagelab.claims.claims_yaml_entries import Entry, Stated, Statement
from storagelab.claims.curve_constraints import Permit
from storagelab.errors import SidecarError
from storagelab.study import yaml_reading
from storagelab.study.amount import Amount, amount
from storagelab.study.validation import Strict, read_model
from storagelab.study.violations import in_words

CLAIMS, CHECKS, FIGURES = "claims.yaml", "checks.yaml", "figures.yaml"

Severity = Literal["high", "medium", "low"]


class Check(Stated):
    """Arithmetic on printed numbers, with its result.

    Attributes
    ----------
    expression : str
        Over published values (``name_error`` is the printed error of one) and parts of the test bed.
    result : Amount
        What it gives, with the digits that count.
    """

    id: str
    expression: str
    result: Annotated[str, pydantic.BeforeValidator(str)]
    unit: str = "1"
    meaning: str
    verdict: str = ""

    @property
    def amount(self) -> Amount:
        """The result with its unit."""
        return amount(f"{self.result} {self.unit}" if self.unit != "1" else self.result)


class Group(Strict):
    """Claims about one matter, and whether they hold together."""

    id: str
    claims: tuple[str, ...]
    checks: tuple[str, ...] = ()
    verdict: str
    why: str


class Inconsistency(Strict):
    """Where a paper does not agree with itself, with what it states of its test bed, or with arithmetic.

    Attributes
    ----------
    misfits : mapping of str to str
        Published values that are not what other printed numbers give, each with the arithmetic that gives another one.
    """

    id: str
    severity: Severity
    statement: str
    claims: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    misfits: Mapping[str, str] = {}
    handling: str


class Figure(Strict):
    """A figure of a paper, or one that we propose: where it is drawn, or why it is not."""

    id: str
    number: str = ""
    section: str = ""
    origin: Literal["document", "proposed"]
    status: str
    shows: str
    drawn: tuple[str, ...] = ()
    absent: str = ""
    claims: tuple[str, ...] = ()

    @pydantic.model_validator(mode="after")
    def _drawn_or_absent(self) -> Figure:
        if bool(self.drawn) == bool(self.absent):
            raise ValueError("a figure needs either `drawn`, keys of figures of the paper, or `absent`, the reason")
        return self


class Claims(Strict):
    """All claims of a paper."""

    claims: tuple[Entry, ...]

    @pydantic.model_validator(mode="after")
    def _tolerances_are_told(self) -> Self:
        for entry in self.claims:
            said: tuple[Statement, ...] = (entry, *entry.readings, *entry.measured)
            if not all(each.tolerance.told for each in said):
                raise ValueError(
                    f"{entry.id}: a tolerance needs a `source` and a `reason`, or the name of a shared one"
                )
        return self


class Checks(Strict):
    """All arithmetic on a paper, and what follows from it."""

    checks: tuple[Check, ...] = ()
    groups: tuple[Group, ...] = ()
    inconsistencies: tuple[Inconsistency, ...] = ()


class Figures(Strict):
    """All figures of a paper, drawn or not, and what the text permits of their curves."""

    figures: tuple[Figure, ...]
    permits: tuple[Permit, ...] = ()


Listing = TypeVar("Listing", Claims, Checks, Figures)


class Paper(Strict):
    """What a paper says (claims), what follows from it (checks) and what it shows (figures)."""

    claims: tuple[Entry, ...]
    checks: tuple[Check, ...]
    groups: tuple[Group, ...]
    inconsistencies: tuple[Inconsistency, ...]
    figures: tuple[Figure, ...]
    permits: tuple[Permit, ...] = ()

    @pydantic.model_validator(mode="after")
    def _references(self) -> Self:
        claims = {each.id for each in self.claims}
        checks = {each.id for each in self.checks}
        figures = {each.id for each in self.figures}
        for entry in self.claims:
            _refer(entry.id, "claim", entry.contradicts, claims)
            _refer(entry.id, "figure", entry.figures, figures)
        matters: tuple[Group | Inconsistency, ...] = (*self.groups, *self.inconsistencies)
        for matter in matters:
            _refer(matter.id, "claim", matter.claims, claims)
            _refer(matter.id, "check", matter.checks, checks)
        for figure in self.figures:
            _refer(figure.id, "claim", figure.claims, claims)
        return self


def _refer(owner: str, what: str, names: tuple[str, ...], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{owner} names the {what} {name!r}, which is not there")


def read_paper(folder: Path) -> Paper:
    """Read claims.yaml, checks.yaml and figures.yaml of a study.

    Raises
    ------
    SidecarError
        If one is missing, is no YAML, breaks its model, says an id twice, or names what is not there.
    """
    claims = _listing(folder / CLAIMS, Claims, "claims")
    checks = _listing(folder / CHECKS, Checks, "checks", "groups", "inconsistencies")
    figures = _listing(folder / FIGURES, Figures, "figures")
    try:
        return Paper(
            claims=claims.claims,
            checks=checks.checks,
            groups=checks.groups,
            inconsistencies=checks.inconsistencies,
            figures=figures.figures,
            permits=figures.permits,
        )
    except pydantic.ValidationError as error:
        raise SidecarError(str(folder), in_words(error.errors()[0])) from None


def _listing(path: Path, model: type[Listing], *parts: str) -> Listing:
    found, tree = read_model(path, model)
    for part in parts:
        seen: set[str] = set()
        for i, each in enumerate(getattr(found, part)):
            if each.id in seen:
                raise SidecarError(
                    str(path), f"{each.id} stands here again", yaml_reading.line_of(tree, (part, i, "id"))
                )
            seen.add(each.id)
    return found
