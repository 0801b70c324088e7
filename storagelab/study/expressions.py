"""Arithmetic on named numbers with units, as sidecars state it: ``1 - onboard_read / external_read``."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from storagelab import optional_packages, units
from storagelab.errors import ReconstructError, nearest, shorten

if TYPE_CHECKING:
    import pint


def _power(base: Any, exponent: Any) -> Any:
    """Raise a number or a quantity to a power, in floating point: ``9**9**9`` is too large, and not computed.

    Raises
    ------
    ValueError
        If the result is no real number.
    """
    found = (float(base) if isinstance(base, int) else base) ** exponent
    if isinstance(getattr(found, "magnitude", found), complex):
        raise ValueError("a root of a negative number")
    return found


_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
    ast.USub: operator.neg,
}
_FUNCTIONS = {
    "sqrt": lambda number: _power(number, 0.5),
    "hypot": lambda *numbers: _power(sum(number**2 for number in numbers), 0.5),
    "min": min,
    "max": max,
    "abs": abs,
    "floor": lambda number: math.floor(plain(number)),
}

LONGEST = 1000
"""Characters of an expression."""
DEEPEST = 50
"""Operations inside each other in an expression: few enough for every interpreter, so that all refuse the same."""

_ARITHMETIC = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context),
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call),
)


def _parsed(expression: str) -> ast.Expression:
    """Take an expression apart.

    Raises
    ------
    ReconstructError
        If it is longer than `LONGEST`, nested too deeply, or holds anything but arithmetic.
    """
    if len(expression) > LONGEST:
        raise ReconstructError(f"{shorten(expression)!r}: more than {LONGEST} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError as error:
        raise ReconstructError(f"{expression!r}: {error.msg}") from None
    except (MemoryError, RecursionError, ValueError) as error:
        raise ReconstructError(f"{shorten(expression)!r}: no expression: {str(error) or 'nested too deeply'}") from None
    if _depth(tree) > DEEPEST:
        raise ReconstructError(f"{shorten(expression)!r}: nested too deeply, more than {DEEPEST} operations")
    for node in ast.walk(tree):
        if not isinstance(node, _ARITHMETIC) or (
            isinstance(node, ast.Constant) and type(node.value) not in (int, float)
        ):
            what = type(node).__name__ if not isinstance(node, ast.Constant) else repr(node.value)
            raise ReconstructError(f"{expression!r}: expected arithmetic (+ - * / ** and functions), found {what}")
    return tree


def _depth(tree: ast.AST) -> int:
    """Count the operations that stand inside each other."""
    level, depth = [tree], 0
    while level := [child for node in level for child in ast.iter_child_nodes(node)]:
        depth += any(isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call)) for node in level)
    return depth


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
    optional_packages.require("study", "arithmetic in a sidecar")
    import simpleeval

    known = {*names, *_FUNCTIONS}
    _parsed(expression)
    try:
        found = simpleeval.SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=dict(names)).eval(expression)
        if isinstance(found, (int, float)):
            return units.registry().Quantity(found, "")
        if not hasattr(found, "magnitude"):
            raise TypeError(f"expected a number, found {type(found).__name__}")
        quantity: pint.Quantity[Any] = found
        return quantity
    except simpleeval.NameNotDefined as error:
        name = str(getattr(error, "name", ""))
        raise ReconstructError(f"{expression!r}: unknown name {name!r}{nearest(name, known)}") from None
    except _wrong() as error:
        raise ReconstructError(f"{expression!r}: {str(error) or type(error).__name__}") from None


def _wrong() -> tuple[type[Exception], ...]:
    """What arithmetic raises; imported where it is needed, for both libraries are slow to import."""
    import pint
    import simpleeval

    own = (SyntaxError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError, RecursionError)
    return (simpleeval.InvalidExpression, pint.PintError, *own)


def names_in(expression: str) -> list[str]:
    """List the names of an expression, each once, with their dots: ``["server.link", "bm_read"]``.

    Raises
    ------
    ReconstructError
        If it is no expression.
    """
    tree = _parsed(expression)
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
