"""``claims.yaml``, ``checks.yaml`` and ``figures.yaml``: what a paper says and shows, and what follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

import pydantic

from storagelab.analysis.verdicts.claim import Claim, Operator, Tolerance
from storagelab.claims.bands import Permit
from storagelab.errors import AnalysisError, SidecarError
from storagelab.study import document
from storagelab.study.amount import Amount, amount
from storagelab.study.model import Strict, read_model
from storagelab.study.quantity import Quantity

CLAIMS, CHECKS, FIGURES = "claims.yaml", "checks.yaml", "figures.yaml"

Role = Literal["result", "nominal", "context", "expectation", "plan", "cited", "assertion", "derived"]
Severity = Literal["high", "medium", "low"]
Written = Annotated[Amount, pydantic.BeforeValidator(amount)]


class _Stated(Strict):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Slack(_Stated):
    """How far a quantity may lie from what is stated: exactly one of these.

    Attributes
    ----------
    exact : bool
        Not at all, but for rounding.
    relative : float
        Of the stated value.
    absolute : Amount
        With its unit.
    z : float
        Standard errors of the difference.
    gap : float
        By how much, relative, an ordering must show at least.
    judgement : bool
        No number decides.
    """

    exact: bool = False
    relative: float | None = None
    absolute: Written | None = None
    z: float | None = None
    gap: float | None = None
    judgement: bool = False

    @pydantic.model_validator(mode="after")
    def _one(self) -> Slack:
        values = {name: getattr(self, name) for name in type(self).model_fields}
        given = [name for name, value in values.items() if value is not None and value is not False]
        if len(given) != 1:
            raise ValueError(
                f"expected one of {', '.join(type(self).model_fields)}, found {', '.join(given) or 'none'}"
            )
        return self

    def tolerance(self) -> Tolerance:
        """Return the tolerance in SI."""
        if self.absolute is not None:
            return Tolerance("absolute", self.absolute.si)
        if self.relative is not None:
            return Tolerance("relative", self.relative)
        if self.z is not None:
            return Tolerance("z", self.z)
        if self.gap is not None:
            return Tolerance("gap", self.gap)
        return Tolerance("judgement" if self.judgement else "exact")


class Statement(_Stated):
    """What is stated of a quantity.

    Attributes
    ----------
    quantity : str or Quantity, optional
        The name of a published value, or how the number comes out of the logs.
    operator, stated, until, error, level, tolerance
        As `storagelab.analysis.verdicts.claim.Claim`, each number with its unit.
    """

    quantity: str | Quantity | None = None
    operator: Operator = "approx"
    stated: Written | None = None
    until: Written | None = None
    error: Written | None = None
    level: str = ""
    tolerance: Slack = Slack(judgement=True)


class Second(Statement):
    """What a measured campaign says of the same matter; what is not given here is as the claim states it."""

    study: str
    comparable: bool = True
    because: str

    @pydantic.model_validator(mode="after")
    def _comparable_has_quantity(self) -> Second:
        if self.comparable and self.quantity is None:
            raise ValueError("a verdict from measured data needs a `quantity`, or `comparable: false`")
        if isinstance(self.quantity, str):
            raise ValueError("the quantity of a measured campaign is spelled out: it has no published values")
        return self


class Entry(Statement):
    """One claim of a paper."""

    id: str
    statement: str
    section: str = ""
    role: Role
    testable: bool = True
    because: str = ""
    figures: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    note: str = ""
    measured: tuple[Second, ...] = ()

    @pydantic.model_validator(mode="after")
    def _sound(self) -> Entry:
        self.claim()
        for second in self.measured:
            self.claim(second) if second.comparable else None
        return self

    def claim(self, second: Statement | None = None) -> Claim:
        """Return the claim in SI for `storagelab.analysis.verdicts`, as it stands or as a measured campaign sees it."""
        said = self if second is None else self.model_copy(update=_given(second))
        numbers = {"stated": said.stated, "until": said.until, "error": said.error}
        try:
            return Claim(
                self.id,
                said.operator,
                self.statement,
                **{name: number.si for name, number in numbers.items() if number is not None},
                unit=said.stated.si_unit if said.stated else "1",
                level=said.level,
                tolerance=said.tolerance.tolerance(),
                testable=self.testable,
                contradicts=self.contradicts if second is None else (),
            )
        except AnalysisError as error:
            raise ValueError(str(error)) from None


def _given(second: Statement) -> dict[str, object]:
    names = set(Statement.model_fields) & second.model_fields_set - {"quantity"}
    return {name: getattr(second, name) for name in names}


class Check(_Stated):
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
    """Where a paper does not agree with itself, with what it states of its test bed, or with arithmetic."""

    id: str
    severity: Severity
    statement: str
    claims: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
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
        raise SidecarError(str(folder), error.errors()[0]["msg"].removeprefix("Value error, ")) from None


def _listing(path: Path, model: type[Listing], *parts: str) -> Listing:
    found, tree = read_model(path, model)
    for part in parts:
        seen: set[str] = set()
        for i, each in enumerate(getattr(found, part)):
            if each.id in seen:
                raise SidecarError(str(path), f"{each.id} stands here again", document.line_of(tree, (part, i, "id")))
            seen.add(each.id)
    return found
