"""What a text permits of a curve that it does not print: its constraints as data, and the envelope that follows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
import pydantic
import xarray as xr

from storagelab.analysis import columns
from storagelab.claims.envelope import Bounds, Link, envelope, ranked
from storagelab.claims.record import Record, Row
from storagelab.claims.study_numbers import Numbers
from storagelab.errors import ReconstructError, StoragelabError, nearest
from storagelab.study.amount import amount
from storagelab.study.validation import Strict

Level = float | str
Spot = tuple[str, Level]
"""A curve and a place on its axis."""
Written = Annotated[str, pydantic.BeforeValidator(str)]
CLOCK = "clock"
"""Key of an axis of times of day."""
Names = Annotated[tuple[str, ...], pydantic.BeforeValidator(lambda one: (one,) if isinstance(one, str) else one)]


class Said(Strict):
    """One thing that a text says of curves; a number is an expression over printed numbers and parts of the test bed.

    Attributes
    ----------
    curve : str or sequence of str
        Of which curves it is said; of all where it is left out.
    at, between : level, or two
        Where on the axis; everywhere where both are left out.
    value, error : str
        The printed number, and its printed error.
    least, most : str
        Ends; of the ratio to another curve where `of` names one.
    of : str
        That other curve.
    somewhere : bool
        That number, or that lower end, is reached, and the text does not say where: none of the places is fixed by it.
    average : bool
        The number is a mean over the whole axis: it bounds no place from above.
    rises, falls : bool
        From each place to the next.
    mean, count : str
        Of that many values in rising order between `least` and `most`, a place each, this mean is printed.
    because : str
        The sentence of the paper, in our words.
    """

    curve: Names = ()
    at: Level | None = None
    between: tuple[float, float] | None = None
    value: Written = ""
    error: Written = ""
    least: Written = ""
    most: Written = ""
    of: str = ""
    somewhere: bool = False
    average: bool = False
    rises: bool = False
    falls: bool = False
    mean: Written = ""
    count: int = 0
    because: str

    @pydantic.model_validator(mode="after")
    def _says_something(self) -> Self:
        said = [bool(self.value), bool(self.least or self.most), self.rises, self.falls]
        if sum(said) != 1:
            raise ValueError("a rule says one thing: `value`, `least` and `most`, `rises` or `falls`")
        if self.somewhere and (self.at is not None or self.most or not (self.value or self.least)):
            raise ValueError("what is reached somewhere is a `value` or a `least`, and has no place")
        if bool(self.mean) != bool(self.count) or (self.mean and not (self.least and self.most)):
            raise ValueError("values in order need `mean`, `count`, `least` and `most`")
        return self


class Permit(Strict):
    """Curves of one figure, and what the text says of them.

    Attributes
    ----------
    figure : str
        Key of a figure of the paper.
    variable : str
        What is on the vertical axis: a name of the contract or of an analysis.
    x : str
        Key on the other axis.
    at : sequence of levels
        Places on it.
    curves : mapping
        Name of each curve, and its keys.
    says : sequence of Said
    """

    figure: str
    variable: str
    x: str
    at: tuple[Level, ...]
    curves: Mapping[str, Mapping[str, Level]]
    says: tuple[Said, ...]

    @pydantic.model_validator(mode="after")
    def _names(self) -> Self:
        for said in self.says:
            for name in (*said.curve, *([said.of] if said.of else [])):
                if name not in self.curves:
                    raise ValueError(f"{self.figure} has no curve {name!r}{nearest(name, self.curves)}")
            if said.at is not None and said.at not in self.at:
                raise ValueError(f"{self.figure} has no place {said.at!r} on its axis, which has {list(self.at)}")
        return self


@dataclass(frozen=True, slots=True)
class _Plan:
    """A permit with its numbers worked out."""

    permit: Permit
    numbers: Numbers

    def si(self, expression: str, unit: str) -> float:
        """Work out an expression, which must have a unit."""
        try:
            written = amount(expression)
            value, found = written.si, written.si_unit
        except ValueError:
            value, found = self.numbers.printed(expression)
        if found != unit:
            raise ReconstructError(f"{self.permit.figure}: {expression} is in {found!r}, expected {unit!r}")
        return value

    def place(self, at: Level) -> Level:
        """Where a place is on the axis; on one of times of day it is worked out, in seconds since midnight."""
        return self.si(str(at), "s") if self.permit.x == CLOCK else at

    @property
    def unit(self) -> str:
        return str(columns.field(self.permit.variable).unit)

    def curves(self, said: Said) -> Sequence[str]:
        return said.curve or tuple(self.permit.curves)

    def places(self, said: Said) -> list[Level]:
        """Places on the axis of which something is said."""
        if said.at is not None:
            return [said.at]
        low, high = said.between or (-math.inf, math.inf)
        return [at for at in self.permit.at if isinstance(at, str) or low <= at <= high]


def permits(asked: Sequence[Permit], numbers: Numbers) -> list[Row]:
    """Work out the envelopes of all curves of a paper that have constraints.

    Returns
    -------
    list of rows
        A row a place of a curve: figure, variable, x, at, curve, keys, low, high, printed, error (numbers in SI).

    Raises
    ------
    ReconstructError
        If an expression cannot be worked out, has the wrong unit, or no curve satisfies all that is said.
    """
    return [row for permit in asked for row in _rows(_Plan(permit, numbers))]


def _rows(plan: _Plan) -> Iterator[Row]:
    permit = plan.permit
    printed, reached = dict(_printed(plan)), dict(_reached(plan))
    try:
        found = envelope(_bounds(plan, printed), list(_links(plan)))
    except ReconstructError as wrong:
        raise ReconstructError(f"{permit.figure}: {wrong}") from None
    for (curve, at), (low, high) in found.items():
        value, error = printed.get((curve, at), (math.nan, math.nan))
        most, beyond = reached.get(curve, (math.nan, False))
        yield {
            "figure": permit.figure, "variable": permit.variable, "x": permit.x, "at": plan.place(at), "curve": curve,
            "keys": dict(permit.curves[curve]), "low": low, "high": high, "printed": value, "error": error,
            "reached": most, "beyond": beyond,
        }  # fmt: skip


def _printed(plan: _Plan) -> Iterator[tuple[Spot, tuple[float, float]]]:
    for said in plan.permit.says:
        if said.value and not said.somewhere:
            value = plan.si(said.value, plan.unit)
            error = plan.si(said.error, plan.unit) if said.error else math.nan
            for curve, at in itertools.product(plan.curves(said), plan.places(said)):
                yield (curve, at), (value, error)


def _reached(plan: _Plan) -> Iterator[tuple[str, tuple[float, bool]]]:
    """Numbers that each curve reaches at a place that nobody names, and whether it goes beyond."""
    for said in plan.permit.says:
        if said.somewhere:
            for curve in plan.curves(said):
                yield curve, (plan.si(said.value or said.least, plan.unit), not said.value)


def _bounds(plan: _Plan, printed: Mapping[Spot, tuple[float, float]]) -> Bounds[Spot]:
    """What is said of each spot by itself; a rate or a time is no less than nothing."""
    found: Bounds[Spot] = {
        (curve, at): (0.0, math.inf) for curve in plan.permit.curves for at in plan.permit.at[: _length(plan, curve)]
    }
    for spot, (value, error) in printed.items():
        aside = 0.0 if math.isnan(error) else error
        _narrow(found, spot, value - aside, value + aside)
    for said in plan.permit.says:
        if said.somewhere and said.value and not said.average:
            for curve, at in itertools.product(plan.curves(said), plan.places(said)):
                _narrow(found, (curve, at), 0.0, plan.si(said.value, plan.unit))
        if (said.least or said.most) and not said.of and not said.somewhere:
            for curve in plan.curves(said):
                for at, low, high in _ends(plan, said):
                    _narrow(found, (curve, at), low, high)
    return found


def _length(plan: _Plan, curve: str) -> int | None:
    """How many places a curve has, where it is one of values in order; None for all."""
    counts = [said.count for said in plan.permit.says if said.count and curve in plan.curves(said)]
    return min(counts) if counts else None


def _ends(plan: _Plan, said: Said) -> Iterator[tuple[Level, float, float]]:
    least = plan.si(said.least, plan.unit) if said.least else 0.0
    most = plan.si(said.most, plan.unit) if said.most else math.inf
    if not said.mean:
        yield from ((at, least, most) for at in plan.places(said))
        return
    ordered = ranked(said.count, plan.si(said.mean, plan.unit), least, most)
    yield from ((at, *ends) for at, ends in zip(plan.permit.at, ordered, strict=False))


def _narrow(found: Bounds[Spot], spot: Spot, low: float, high: float) -> None:
    if spot in found:
        found[spot] = max(found[spot][0], low), min(found[spot][1], high)


def _links(plan: _Plan) -> Iterator[Link]:
    for said in plan.permit.says:
        for curve in plan.curves(said):
            if said.of:
                yield from _ratios(plan, said, curve)
            elif said.rises or said.falls:
                for one, other in itertools.pairwise(plan.places(said)):
                    yield Link((curve, one), (curve, other)) if said.rises else Link((curve, other), (curve, one))


def _ratios(plan: _Plan, said: Said, curve: str) -> Iterator[Link]:
    for at in plan.places(said):
        if said.most:
            yield Link((curve, at), (said.of, at), plan.si(said.most, "1"))
        if said.least:
            yield Link((said.of, at), (curve, at), 1 / plan.si(said.least, "1"))


def permitted(record: Record, figure: str) -> xr.Dataset:
    """Lay out what the text of a paper permits of the curves of a figure.

    Parameters
    ----------
    record : Record
    figure : str
        Key of the figure.

    Returns
    -------
    Dataset, dimension obs
        Coordinates: the key of the axis and those of the curves. Variables in SI: permitted_low, permitted_high
        (infinite where nothing bounds the curve), printed and printed_error (NaN where no number is printed), reached
        (a number that the curve has at a place that the text does not name), beyond (1 where it goes beyond that).
        Attributes: variable, x, origin.

    Raises
    ------
    StoragelabError
        If nothing is said of a figure of this name; says the nearest.
    """
    rows = [row for row in record.permits if row["figure"] == figure]
    if not rows:
        raise StoragelabError(
            f"no constraints of a figure {figure!r}{nearest(figure, {r['figure'] for r in record.permits})}"
        )
    variable, x = str(rows[0]["variable"]), str(rows[0]["x"])
    unit = str(columns.field(variable).unit)
    numbers = {
        "permitted_low": "low",
        "permitted_high": "high",
        "printed": "printed",
        "printed_error": "error",
        "reached": "reached",
        "beyond": "beyond",
    }
    names = list(dict.fromkeys(name for row in rows for name in row["keys"]))
    coords = {x: _column([row["at"] for row in rows], x)}
    coords |= {name: _column([row["keys"].get(name, "") for row in rows], name) for name in names}
    said = {
        name: (
            "obs",
            np.array([row[short] for row in rows], float),
            {"units": unit, "long_name": name.replace("_", " ")},
        )
        for name, short in numbers.items()
    }
    return xr.Dataset(said, coords, {"variable": variable, "x": x, "origin": "published", "study": record.study})


def _column(values: Sequence[Any], name: str) -> tuple[str, np.ndarray, dict[str, str]]:
    number = all(isinstance(value, int | float) for value in values)
    kind = np.array(values, float) if number else np.array([str(value) for value in values])
    long_name = columns.field(name).long_name if name in columns.KNOWN else name
    return "obs", kind, {"long_name": long_name}


def permits_table(asked: Sequence[Permit]) -> list[Row]:
    """Lay out what is said of each curve, and why: figure, curve, says, because."""
    return [
        {"figure": permit.figure, "curve": ", ".join(said.curve or permit.curves), "says": _in_words(said, permit),
         "because": said.because}
        for permit in asked
        for said in permit.says
    ]  # fmt: skip


def _in_words(said: Said, permit: Permit) -> str:
    where = f" at {said.at:g}" if isinstance(said.at, float | int) else f" at {said.at}" if said.at else ""
    if said.between:
        where = f" from {said.between[0]:g} to {said.between[1]:g}"
    if said.somewhere:
        return f"{said.value or f'more than {said.least}'} {'on average' if said.average else 'somewhere'}"
    if said.value:
        error = f" +- {said.error}" if said.error else ""
        return f"{said.value}{error}{where}"
    if said.rises or said.falls:
        return f"{'rises' if said.rises else 'falls'} with {permit.x.replace('_', ' ')}{where}"
    ends = [f"at least {said.least}" if said.least else "", f"at most {said.most}" if said.most else ""]
    ratio = f" times {said.of}" if said.of else ""
    mean = f", {said.count} values in order with the mean {said.mean}" if said.mean else ""
    return f"{' and '.join(filter(None, ends))}{ratio}{where}{mean}"


def rules_table(record: Record) -> pd.DataFrame:
    """Lay out what every band of a paper rests on, a row a constraint: figure, curve, says, because.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a constraint.
    """
    shown = pd.DataFrame(list(record.rules))
    shown.attrs["origin"] = "published"
    return shown
