"""What a paper states, as claims.yaml writes it: numbers with their tolerances, readings, second verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

import pydantic

from storagelab.analysis.verdicts.claim import Claim, Operator, Tolerance
from storagelab.claims.tolerances import convention
from storagelab.errors import AnalysisError, UnknownNameError
from storagelab.study.amount import Amount, amount
from storagelab.study.sidecar_numbers import Quantity
from storagelab.study.validation import Strict

Role = Literal["result", "nominal", "context", "expectation", "plan", "cited", "assertion", "derived"]
Written = Annotated[Amount, pydantic.BeforeValidator(amount)]


Distance = Literal["same quantity", "same mechanism", "same sign only"]


class Stated(Strict):
    """What a paper states: a part of claims.yaml that holds numbers."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


_KINDS = ("exact", "digits", "about", "relative", "absolute", "z", "gap", "judgement")


class Slack(Stated):
    """How far a quantity may lie from what is stated: exactly one kind, where it comes from, and why it is that wide.

    Attributes
    ----------
    exact : bool
        Not at all, but for rounding.
    digits : bool
        Half a unit of the last digit that is stated.
    about : bool
        Half a unit of the last digit that is stated and not zero.
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
    source, reason : str
        Where the tolerance comes from, and why it is as wide as it is.
    name : str
        Of the shared tolerance, see `storagelab.claims.tolerances`.
    """

    exact: bool = False
    digits: bool = False
    about: bool = False
    relative: float | None = None
    absolute: Written | None = None
    z: float | None = None
    gap: float | None = None
    judgement: bool = False
    source: str = ""
    reason: str = ""
    name: str = ""

    @pydantic.model_validator(mode="after")
    def _one(self) -> Slack:
        values = {name: getattr(self, name) for name in _KINDS}
        given = [name for name, value in values.items() if value is not None and value is not False]
        if len(given) != 1:
            raise ValueError(f"expected one of {', '.join(_KINDS)}, found {', '.join(given) or 'none'}")
        return self

    @property
    def told(self) -> bool:
        """Whether it says where it comes from and why; where no number decides, nothing has to be told."""
        return self.judgement or bool(self.source and self.reason)

    def words(self) -> dict[str, str]:
        """Return what it is, where it comes from, and why, in words: its name, or its kind and size."""
        sizes = {name: getattr(self, name) for name in _KINDS if getattr(self, name)}
        size = ", ".join(name if value is True else f"{name} {value}" for name, value in sizes.items())
        return {"is": self.name or size, "source": self.source, "reason": self.reason}

    def tolerance(self, stated: Amount | None = None) -> Tolerance:
        """Return the tolerance in SI; the digits are those of what is stated."""
        if stated is not None and (self.digits or self.about):
            return Tolerance("absolute", _half_rounded(stated) if self.about else stated.half_digit)
        if self.absolute is not None:
            return Tolerance("absolute", self.absolute.si)
        if self.relative is not None:
            return Tolerance("relative", self.relative)
        if self.z is not None:
            return Tolerance("z", self.z)
        if self.gap is not None:
            return Tolerance("gap", self.gap)
        return Tolerance("judgement" if self.judgement else "exact")


def _half_rounded(stated: Amount) -> float:
    """Half a unit of the last digit that is not zero: 5 MB/s of 270 MB/s."""
    return Amount(stated.digits.normalize(), stated.unit).half_digit


def _named(tolerance: object) -> object:
    """Replace the name of a shared tolerance by what it stands for."""
    if not isinstance(tolerance, str):
        return tolerance
    try:
        return {**convention(tolerance), "name": tolerance}
    except UnknownNameError as error:
        raise ValueError(str(error)) from None


class Statement(Stated):
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
    tolerance: Annotated[Slack, pydantic.BeforeValidator(_named)] = Slack(judgement=True)


class Reading(Statement):
    """Another way to take a sentence, or another part of it; what is not given here is as the claim states it.

    Attributes
    ----------
    reading : str
        The reading in words: "100 operations of each node".
    stated_value
        As `Entry`.
    """

    reading: str
    stated_value: str = ""
    testable: bool = True
    because: str = ""
    note: str = ""


class Second(Statement):
    """What a measured campaign says of the same matter; what is not given here is as the claim states it.

    Attributes
    ----------
    distance : str
        How far what was measured is from what the claim speaks of: the same quantity on another system, the same
        mechanism by another quantity, or the same sign only.
    only : mapping of str to str
        Keys that are confined to one level though the answer changes with it, with the reason why this level alone.
    warns : str
        Why an aggregate is taken that the campaign's paper refuses as a bandwidth.
    """

    study: str
    comparable: bool = True
    because: str
    distance: Distance | None = None
    only: Mapping[str, str] = {}
    warns: str = ""

    @pydantic.model_validator(mode="after")
    def _comparable_has_quantity(self) -> Second:
        if self.comparable and self.quantity is None:
            raise ValueError("a verdict from measured data needs a `quantity`, or `comparable: false`")
        if self.comparable and self.distance is None:
            raise ValueError(f"an analogue needs its `distance`: one of {', '.join(get_args(Distance))}")
        if isinstance(self.quantity, str):
            raise ValueError("the quantity of a measured campaign is spelled out: it has no published values")
        return self


class Entry(Statement):
    """One claim of a paper.

    Attributes
    ----------
    stated_value : str
        Which published value the stated number is, where the text prints it by itself; a number without one is ours.
    forced : str
        Why no numbers that the text could print would fail the claim, where this cannot be seen from their names.
    reading : str
        How the sentence is taken here, where it can be taken in several ways, or which of its parts is judged here.
    readings : tuple of Reading
        The other ways or parts, each judged on its own.
    """

    id: str
    statement: str
    section: str = ""
    role: Role
    testable: bool = True
    because: str = ""
    figures: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    note: str = ""
    stated_value: str = ""
    forced: str = ""
    reading: str = ""
    readings: tuple[Reading, ...] = ()
    measured: tuple[Second, ...] = ()

    @pydantic.model_validator(mode="after")
    def _sound(self) -> Entry:
        if bool(self.readings) != bool(self.reading):
            raise ValueError(f"{self.id}: `reading` says which of several `readings` stands here: give both or neither")
        for each in self.taken():
            each.claim()
        for second in self.measured:
            self._asked(second) if second.comparable else None
        return self

    def _asked(self, second: Second) -> None:
        """Refuse a campaign that is asked for what it cannot say."""
        if self.claim(second).operator == "between" and second.distance == "same sign only":
            raise ValueError(f"{self.id}: of an analogue of the same sign only no size is asked, as `between` does")

    def taken(self) -> tuple[Entry, ...]:
        """Return the claim in each of its readings; the second of ``id`` has the id ``id_2``."""
        return (self, *(self._as(reading, nth) for nth, reading in enumerate(self.readings, 2)))

    def _as(self, reading: Reading, nth: int) -> Entry:
        said = {name: getattr(reading, name) for name in reading.model_fields_set}
        alone = {"id": f"{self.id}_{nth}", "contradicts": (), "readings": (), "measured": ()}
        return self.model_copy(update={**said, **alone})

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
                tolerance=said.tolerance.tolerance(said.stated),
                testable=self.testable,
                contradicts=self.contradicts if second is None else (),
            )
        except AnalysisError as error:
            raise ValueError(str(error)) from None


def _given(second: Statement) -> dict[str, object]:
    names = set(Statement.model_fields) & second.model_fields_set - {"quantity"}
    return {name: getattr(second, name) for name in names}
