"""The numbers of a study by name: as they are printed, and as they come out of the logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
import xarray as xr

from storagelab import units
from storagelab.claims.number_evaluation import Found, take
from storagelab.errors import ReconstructError
from storagelab.study.expressions import evaluate, in_si, names_in
from storagelab.study.published import Published, Value, joined
from storagelab.study.sidecar_numbers import Quantity
from storagelab.study.testbed import TestBed

ERROR = "_error"
"""``bm_read_error`` is the standard error of the published value ``bm_read``."""

CORNERS = 2**10
"""Combinations of ends of rounded numbers that are tried; of more, each number's ends are tried alone."""

NORMAL = 1.959963984540054
"""Standard errors to each side of a value that cover 95 % of a normal distribution."""


class Numbers:
    """Numbers of a study, each worked out when it is first asked for.

    Parameters
    ----------
    published : Published
    bed : TestBed
    tree : DataTree
        The dataset of the study.
    """

    def __init__(self, published: Published, bed: TestBed, tree: xr.DataTree) -> None:
        self.published = published
        self.bed = bed
        self.tree = tree
        self._known: dict[str, Found] = {}
        self._asked: list[str] = []

    def named(self, name: str) -> Found:
        """Return a published value as it comes out of the logs, or out of the test bed.

        Raises
        ------
        ReconstructError
            If there is no such value, nothing here can give it, or it rests on itself.
        AnalysisError
            If the data cannot answer.
        """
        if name in self._asked:
            raise ReconstructError(f"{name} rests on itself: {' -> '.join([*self._asked, name])}")
        if name not in self._known:
            self._asked.append(name)
            try:
                self._known[name] = self._worked_out(name, self.published[name])
            finally:
                self._asked.pop()
        return self._known[name]

    def _worked_out(self, name: str, value: Value) -> Found:
        if value.setting:
            number, unit = in_si(self.bed.quantity(value.setting))
            return Found(number, unit=unit, basis="published")
        if value.quantity is None:
            raise ReconstructError(f"{name}: nothing here can give it: {value.context}")
        return self.quantity(value.quantity, name)

    def quantity(self, quantity: str | Quantity, name: str) -> Found:
        """Return a quantity: a published value by name, an expression, or what the logs say."""
        if isinstance(quantity, str):
            return self.named(quantity)
        return self.expression(quantity.expression) if quantity.expression else take(quantity, self.tree, name)

    def expression(self, expression: str) -> Found:
        """Work out arithmetic on numbers out of the logs; independent standard errors are propagated.

        Each error is moved through by central differences: ``e^2 = sum ((f(x + e_x) - f(x - e_x)) / 2)^2``. Only
        numbers whose errors are printed have one: the scatter of the others is the model's. The names are those of
        printed numbers, so the result is derived, whatever else the rows hold over which they are taken.
        """
        found = {name: self.named(name) for name in self.values_in(expression)}
        known = {
            name: each if self._error_is_known(name) else replace(each, error=np.nan) for name, each in found.items()
        }
        return self._propagated(expression, known)

    def arithmetic(self, expression: str) -> Found:
        """Work out arithmetic on the numbers as they are printed, with their printed errors, whatever the logs hold."""
        known = {name: self._as_printed(name) for name in self.values_in(expression)}
        return self._propagated(expression, known)

    def rounded(self, expression: str) -> tuple[float, float]:
        """Work out arithmetic on all numbers that round to the printed ones; the lowest and the highest result, in SI.

        Sums, products and quotients of positive numbers are largest and smallest at ends of these. Ends for which the
        arithmetic has no result, such as the root of a negative number, are left out.
        """
        ends = {name: self._ends(name) for name in names_in(expression) if "." not in name}
        are_few = prod(map(len, ends.values())) <= CORNERS
        corners = product(*ends.values()) if are_few else self._outermost(expression, ends)
        found = [self._worth(expression, dict(zip(ends, each, strict=True))) for each in corners]
        found.append(self.printed(expression)[0])
        return float(np.nanmin(found)), float(np.nanmax(found))

    def _outermost(self, expression: str, ends: Mapping[str, list[Any]]) -> list[list[Any]]:
        """The two corners to which each number alone lowers and raises the result: all that a long sum needs."""
        ordered = [sorted(found, key=lambda end: self._worth(expression, {name: end})) for name, found in ends.items()]
        return [[found[0] for found in ordered], [found[-1] for found in ordered]]

    def _worth(self, expression: str, instead: Mapping[str, Any]) -> float:
        """Result in SI with some numbers instead of the printed ones; NaN where there is none."""
        try:
            return in_si(evaluate(expression, {**self._as_printed_names, **instead}))[0]
        except ReconstructError:
            return np.nan

    def _ends(self, name: str) -> list[Any]:
        """The ends of what rounds to a printed number, or to a printed error; the number alone where it is whole."""
        if name in self.published.values:
            printed, by = self.published[name].amount, self.published[name].rounded_by
        else:
            printed = self.published.error_amount(name.removesuffix(ERROR))
            by = printed.half_digit
        return [units.quantity(end, printed.si_unit) for end in sorted({printed.si - by, printed.si + by})]

    def _as_printed(self, name: str) -> Found:
        value = self.published[name]
        error = value.error_amount
        return Found(value.amount.si, error=np.nan if error is None else error.si, unit=value.amount.si_unit)

    def _propagated(self, expression: str, found: Mapping[str, Found]) -> Found:
        value, unit = in_si(evaluate(expression, self._names(found)))
        moved = [self._moved(expression, found, name) for name in found if found[name].error > 0]
        error = float(np.hypot.reduce(moved)) if moved else np.nan
        n = min((each.n for each in found.values() if np.isfinite(each.n)), default=np.nan)
        return Found(value, value - NORMAL * error, value + NORMAL * error, error, unit, n, basis="derived")

    def printed(self, expression: str) -> tuple[float, str]:
        """Work out arithmetic on the numbers as they are printed; the result in SI, and its unit."""
        return in_si(evaluate(expression, self._as_printed_names))

    @cached_property
    def _as_printed_names(self) -> dict[str, Any]:
        """What an expression on printed numbers may name: these, their errors, and parts of the test bed."""
        errors = {
            name + ERROR: value.error_amount.quantity
            for name, value in self.published.values.items()
            if value.error_amount is not None
        }
        return {**joined(self.published, self.bed.namespace()), **errors}

    def values_in(self, expression: str) -> list[str]:
        """List the published values that an expression names, itself or by its error."""
        plain = [name for name in names_in(expression) if "." not in name]
        named = [name if name in self.published.values else name.removesuffix(ERROR) for name in plain]
        return list(dict.fromkeys(named))

    def inputs(self, expression: str, within: tuple[str, ...] = ()) -> dict[str, float]:
        """Return the numbers behind an expression, in SI, by name: those that the text prints, and of its test bed.

        A value that is itself arithmetic on others stands for those; `within` names those that were already followed.
        """
        known: dict[str, float] = {}
        for name in self.values_in(expression):
            quantity = self.published[name].quantity
            inner = quantity.expression if quantity and name not in within else ""
            known |= self.inputs(inner, (*within, name)) if inner else {name: self.published.si(name)}
        parts = [name for name in names_in(expression) if "." in name]
        return known | {name: in_si(self.bed.quantity(name))[0] for name in parts}

    def _error_is_known(self, name: str) -> bool:
        """Whether the error of a number is measured or printed, and not of scatter that the model drew."""
        value = self.published[name]
        worked_out = value.quantity is not None and bool(value.quantity.expression)
        return value.error is not None or worked_out or self.named(name).basis == "measured"

    def _moved(self, expression: str, found: Mapping[str, Found], name: str) -> float:
        ends = []
        for sign in (1, -1):
            names = self._names(found)
            names[name] = _with_unit(found[name].value + sign * found[name].error, found[name].unit)
            ends.append(in_si(evaluate(expression, names))[0])
        return abs(ends[0] - ends[1]) / 2

    def _names(self, found: Mapping[str, Found]) -> dict[str, Any]:
        values = {name: _with_unit(each.value, each.unit) for name, each in found.items()}
        errors = {name + ERROR: _with_unit(each.error, each.unit) for name, each in found.items()}
        return {**errors, **values, **self.bed.namespace()}


def input_basis(basis: str) -> str:
    """Return what a printed number rests on: it was put in, whatever the rows rest on over which it is taken."""
    return basis if basis == "measured" else "published"


def _with_unit(value: float, unit: str) -> Any:
    return units.quantity(value, unit)
