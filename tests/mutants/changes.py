"""What is changed in a module: one place at a time, so that a test should fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import NamedTuple

OTHER_OPERATOR: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
EMPTY = {"''": "return '?'", "()": "return (None,)", "[]": "return [None]", "{}": "return {None: None}"}
"""What is returned instead of nothing: None is as false, and who asks only that is right not to tell them apart."""
NOT_RUN = (ast.JoinedStr, ast.AnnAssign, ast.arg, ast.ImportFrom, ast.Import)
"""Nodes of which only a value is looked at, or nothing: text of messages and annotations."""


class Mutant(NamedTuple):
    """A place in a module, what stands there, and what is tried instead."""

    path: Path
    line: int
    start: int
    end: int
    instead: str
    in_function: bool

    def source(self) -> str:
        """Return the module with the change, each other line where it was."""
        text = self.path.read_bytes()
        was, new = text[self.start : self.end], self.instead.encode()
        missing = b"\n" * (was.count(b"\n") - new.count(b"\n"))
        changed = new[:-1] + missing + new[-1:] if new.endswith(b")") else new + missing
        return (text[: self.start] + changed + text[self.end :]).decode()

    def __str__(self) -> str:
        was = self.path.read_bytes()[self.start : self.end].decode()
        return f"{self.path}:{self.line}: {' '.join(was.split())}  ->  {self.instead}"


def mutants(path: Path) -> list[Mutant]:
    """Return every mutant of a module."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, instead, in_function in _changes(ast.parse(text), False):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        found.append(Mutant(path, node.lineno, start, end, instead, in_function))
    return found


def _changes(node: ast.AST, in_function: bool) -> Iterator[tuple[ast.expr | ast.stmt, str, bool]]:
    if isinstance(node, ast.expr) and not isinstance(node, ast.JoinedStr):
        yield from ((node, f"({ast.unparse(changed)})", in_function) for changed in _other_expressions(node))
    elif isinstance(node, ast.stmt):
        yield from ((node, changed, in_function) for changed in _other_statements(node))
    for child in _run(node):
        inside = (
            in_function or (isinstance(node, ast.FunctionDef) and child in node.body) or isinstance(node, ast.Lambda)
        )
        yield from _changes(child, inside)


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Return what is run of a node: no annotation, no text between braces, nothing for type checkers alone.

    Nor the promises of a dataclass that nobody assigns to it, and of a zip that its sides are as long, nor how much a
    cache keeps or whether several threads read a file: without them a right program runs as it did.
    """
    if isinstance(node, ast.keyword) and node.arg in ("frozen", "slots", "strict", "maxsize", "use_threads"):
        return
    if isinstance(node, ast.AnnAssign):
        yield from filter(None, [node.value])
    elif isinstance(node, ast.FunctionDef):
        yield from (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults), *node.body)
    elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    elif not isinstance(node, NOT_RUN):
        yield from ast.iter_child_nodes(node)


def _other_expressions(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            ops = [*node.ops[:at], OTHER_OPERATOR[type(operator)](), *node.ops[at + 1 :]]
            yield ast.Compare(node.left, ops, node.comparators)  # type: ignore[arg-type]
    elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in OTHER_OPERATOR:
        changed = copy(node)
        changed.op = OTHER_OPERATOR[type(node.op)]()  # type: ignore[assignment]
        yield changed
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def _other_statements(node: ast.stmt) -> Iterator[str]:
    stored = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if isinstance(node, ast.Return) and node.value is not None:
        yield from _other_returns(node.value)
    elif stored or called or isinstance(node, ast.Raise | ast.Continue | ast.Break | ast.AugAssign):
        yield "pass"


def _other_returns(value: ast.expr) -> Iterator[str]:
    """Return None instead, or something instead of nothing; False and 0 become others as any constant does."""
    said = ast.unparse(value)
    if said in EMPTY:
        yield EMPTY[said]
    elif not isinstance(value, ast.Constant) or value.value:
        yield "return None"
