"""Arithmetic on named numbers with units, as sidecars state it: ``1 - onboard_read / external_read``."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from storagelab import units
from storagelab.errors import ReconstructError, nearest

if TYPE_CHECKING:
    import pint

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
_FUNCTIONS = {
    "sqrt": lambda number: number**0.5,
    "hypot": lambda *numbers: sum(number**2 for number in numbers) ** 0.5,
    "min": min,
    "max": max,
    "abs": abs,
    "floor": lambda number: math.floor(plain(number)),
}


def evaluate(expression: str, names: Mapping[str, Any]) -> pint.Quantity[Any]:
    """Evaluate arithmetic with units: + - * / **, sqrt, hypot, min, max, abs, floor, and nothing else of Python.

    Parameters
    ----------
    expression : str
        Such as ``bm_write / vi_write`` or ``server.link * ost.count``.
    names : mapping of str
        Quantities of pint, numbers, or namespaces that hold them, for names with a dot.

    Returns
    -------
    pint.Quantity
        The result, with its unit.

    Raises
    ------
    ReconstructError
        If it is no arithmetic, a name is unknown, or the units do not fit; says the expression.
    """
    import pint
    import simpleeval

    known = {*names, *_FUNCTIONS}
    try:
        found = simpleeval.SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=dict(names)).eval(expression)
        return units.registry().Quantity(found, "") if isinstance(found, (int, float)) else found
    except simpleeval.NameNotDefined as error:
        name = str(getattr(error, "name", ""))
        raise ReconstructError(f"{expression!r}: unknown name {name!r}{nearest(name, known)}") from None
    except (simpleeval.InvalidExpression, pint.PintError, SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        raise ReconstructError(f"{expression!r}: {error}") from None


def names_in(expression: str) -> list[str]:
    """List the names of an expression, each once, with their dots: ``["server.link", "bm_read"]``.

    Raises
    ------
    ReconstructError
        If it is no expression.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError as error:
        raise ReconstructError(f"{expression!r}: {error.msg}") from None
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = (node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute)))
    whole = sorted((node for node in names if id(node) not in inner | called), key=lambda node: node.col_offset)
    return list(dict.fromkeys(map(ast.unparse, whole)))


def in_si(quantity: pint.Quantity[Any]) -> tuple[float, str]:
    """Turn a quantity into a number in the SI unit of the contract, and that unit."""
    unit = units.si_of(quantity)
    return float(quantity.to("" if unit == "1" else unit).magnitude), unit


def plain(number: Any) -> float:
    """Turn a number, or a quantity without dimension, into a number."""
    return float(number) if isinstance(number, (int, float)) else in_si(number)[0]
