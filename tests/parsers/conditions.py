"""How the conditions of modules come out: what they are true for, and whether a comparison meets its bound.

A module is imported with each condition in its functions wrapped in a call that takes down how it came out. A line that
runs is no line that is tested: ``size > LONGEST`` may never have met a size of LONGEST.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

SIDES: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
TESTED = (ast.If, ast.IfExp, ast.While)


class Conditions:
    """What has come out since `seen` was emptied: pairs of a place in a module and an outcome."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, object]] = set()
        self._compare = {operator: eval(f"lambda one, other: one {operator} other") for operator in SIDES.values()}

    def watch(self, folder: Path) -> None:
        """Let modules of a folder that are imported from now on say how their conditions come out."""
        read = SourceFileLoader.get_code

        def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
            path = Path(loader.path)
            return self.compiled(path.read_text(), str(path)) if path.is_relative_to(folder) else read(loader, name)

        SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]

    def compiled(self, text: str, path: str) -> CodeType:
        """Compile a module whose conditions say how they come out."""
        builtins.__dict__.update(outcome__=self._outcome, compared__=self._compared)
        tree = ast.fix_missing_locations(_Wrapped(path).visit(ast.parse(text)))
        return compile(tree, path, "exec", dont_inherit=True)

    def _outcome(self, place: str, value: Any) -> Any:
        with contextlib.suppress(ValueError):  # an array is neither
            self.seen.add((place, bool(value)))
        return value

    def _compared(self, place: str, operator: str, one: Any, other: Any) -> Any:
        if isinstance(one, int | float) and isinstance(other, int | float):
            with contextlib.suppress(OverflowError):  # of a whole number and a float that cannot be as large
                apart = one - other
                self.seen.add((place, apart if apart in (-1, 0, 1) else apart > 0))
        return self._compare[operator](one, other)


class _Wrapped(ast.NodeTransformer):
    def __init__(self, path: str) -> None:
        self._path = path

    def visit(self, node: ast.AST) -> Any:
        """Wrap what a statement tests, what `and` and `or` join, and what is compared with one other."""
        if isinstance(node, ast.JoinedStr | ast.pattern):
            return node
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SIDES:
            sides = [ast.Constant(SIDES[type(node.ops[0])]), self.visit(node.left), self.visit(node.comparators[0])]
            return self._call("compared__", node, *sides)
        self.generic_visit(node)
        if isinstance(node, TESTED):
            node.test = self._call("outcome__", node.test, node.test)
        elif isinstance(node, ast.BoolOp):
            node.values = [self._call("outcome__", one, one) for one in node.values]
        elif isinstance(node, ast.comprehension):
            node.ifs = [self._call("outcome__", one, one) for one in node.ifs]
        return node

    def _call(self, name: str, at: ast.expr, *arguments: ast.expr) -> ast.expr:
        place = ast.Constant(f"{self._path}:{at.lineno}:{at.col_offset}:{name}")
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [place, *arguments], []), at)
