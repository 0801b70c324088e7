"""Every regular expression of storagelab, with the ways in which it is asked."""

from __future__ import annotations

import ast
import hashlib
import importlib
import itertools
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeGuard

import storagelab
from storagelab import parsers
from storagelab.parsers import companion_lines

MODES = {"match": "match", "fullmatch": "fullmatch", "search": "search"}
"""Ways to ask a pattern; all others go through the text like ``finditer``."""

EVERYWHERE = "finditer"


class Asked(NamedTuple):
    """A regular expression, where it stands, and how it is asked."""

    place: str
    pattern: str
    flags: int
    mode: str

    def fingerprint(self) -> str:
        """Return what a verdict on the pattern rests on, as a short hash: itself, how it is asked, and who tries it."""
        said = f"{self.pattern}\0{self.flags}\0{self.mode}\0{self.modules()}"
        return hashlib.sha256(said.encode(errors="backslashreplace")).hexdigest()[:16]

    @staticmethod
    @cache
    def modules() -> str:
        """Return a hash of the modules that try patterns."""
        folder = Path(__file__).parent
        return hashlib.sha256(b"".join((folder / f"{name}.py").read_bytes() for name in TRIERS)).hexdigest()


TRIERS = ("pumped", "steps")


@cache
def all_patterns() -> list[Asked]:
    """Return every pattern once for each way in which it is asked: of modules, of formats, and written in calls."""
    found = dict.fromkeys([*_of_modules(), *_in_calls(), *_of_formats()])
    unique: dict[tuple[str, int, str], Asked] = {}
    for asked in found:
        unique.setdefault(asked[1:], asked)
    everywhere = {one[:2] for one in unique if one[2] == EVERYWHERE}
    return [one for one in unique.values() if one.mode == EVERYWHERE or (one.pattern, one.flags) not in everywhere]


def _of_modules() -> Iterator[Asked]:
    modes = _modes()
    for info in pkgutil.walk_packages(storagelab.__path__, "storagelab."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            for attribute, pattern in _patterns(name, value, set()):
                if isinstance(pattern.pattern, str):
                    owned = _owned(_path(module), name) if attribute == name else f".{attribute}"
                    for mode in modes.get(owned) or {EVERYWHERE}:
                        yield Asked(f"{info.name}.{name}", pattern.pattern, pattern.flags, mode)


def _path(module: ModuleType) -> str:
    return str(Path(str(module.__file__)).relative_to(Path(storagelab.__path__[0])))


def _patterns(name: str, value: Any, seen: set[int]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Patterns in a value, with the name or the attribute under which they are asked."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif id(value) not in seen:
        seen.add(id(value))
        for own, part in _parts(name, value):
            yield from _patterns(own, part, seen)


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((name, part) for part in (*value, *value.values()))
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((name, part) for part in value)
    elif type(value).__module__.startswith("storagelab"):
        yield from getattr(value, "__dict__", {}).items()
        yield from ((one, getattr(value, one, None)) for one in getattr(type(value), "__slots__", ()))


def _of_formats() -> Iterator[Asked]:
    for parser in parsers.PARSERS:
        for pattern in (*parser.FORMAT.shapes, *filter(None, [parser.FORMAT.names])):
            yield Asked(f"format {parser.FORMAT.name}", pattern, re.UNICODE, "search")
        checks, place = parser.FORMAT.checks, f"checks of {parser.FORMAT.name}"
        for line in itertools.chain(*checks.together, *checks.alike, *checks.below):
            yield Asked(place, line.pattern, re.UNICODE, EVERYWHERE)
        for line in checks.whole_lines:
            yield Asked(place, companion_lines.whole_line(line), re.UNICODE, "fullmatch")
        if checks.numbers_aside:
            yield Asked(place, "|".join(checks.numbers_aside), re.UNICODE, "search")


@cache
def _sources() -> dict[str, list[ast.AST]]:
    """Every module, as all that stands in it: itself first."""
    folder = Path(storagelab.__path__[0])
    parsed = ((path, ast.parse(path.read_text())) for path in sorted(folder.rglob("*.py")))
    return {str(path.relative_to(folder)): list(ast.walk(tree)) for path, tree in parsed}


def _in_calls() -> Iterator[Asked]:
    """Patterns written where they are asked: ``re.search("...", text)``, ``re.compile("...").search(text)``."""
    for path, nodes in _sources().items():
        for node in nodes:
            compiled = node.value if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) else None
            call = compiled or node
            if isinstance(call, ast.Call) and _is_re(call.func) and isinstance(call.args[0], ast.Constant):
                assert isinstance(call.func, ast.Attribute)
                asked = node.attr if compiled and isinstance(node, ast.Attribute) else call.func.attr
                if asked in METHODS:
                    yield Asked(f"{path}:{call.lineno}", call.args[0].value, re.UNICODE, MODES.get(asked, EVERYWHERE))


def _is_re(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"


def _modes() -> dict[str, set[str]]:
    """How each name is asked; what is handed on is asked in each way in which its modules ask unnamed patterns.

    A name with an underscore is its module's own; another may be asked in all modules of its family.
    """
    modes: dict[str, set[str]] = defaultdict(set)
    modules = [nodes[0] for nodes in _sources().values()]
    named = frozenset(_target(node) for tree in modules if isinstance(tree, ast.Module) for node in tree.body) - {""}
    for path, nodes in _sources().items():
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in METHODS and (name := _name(node.value)):
                modes[_owned(path, name)].add(MODES.get(node.attr, EVERYWHERE))
                if isinstance(node.value, ast.Attribute):
                    modes[f".{name}"].add(MODES.get(node.attr, EVERYWHERE))
        asked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        asked |= {id(one) for node in nodes if isinstance(node, ast.Compare) for one in ast.walk(node)}
        for name in {_name(node) for node in nodes if _is_read(node) and id(node) not in asked} & named:
            modes[_owned(path, name)] |= _unnamed(path, named)
    return modes


def _owned(path: str, name: str) -> str:
    return f"{path} {name}" if name.startswith("_") else f"{'/'.join(path.split('/')[:2])} {name}"


def _target(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign):
        return _name(node.targets[0])
    return _name(node.target) if isinstance(node, ast.AnnAssign) else ""


METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


def _is_read(node: ast.AST) -> TypeGuard[ast.Name | ast.Attribute]:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)


@cache
def _unnamed(path: str, named: frozenset[str]) -> frozenset[str]:
    """How a module, or else those of its folder that it may hand a pattern to, ask patterns without a name."""
    folder = path.rpartition("/")[0]
    near = (other for other in _sources() if other.rpartition("/")[0] == folder)
    found = _own(path, named) or frozenset().union(*(_own(other, named) for other in near))
    return found or frozenset({EVERYWHERE})


@cache
def _own(path: str, named: frozenset[str]) -> frozenset[str]:
    known = {*named, "re", ""}
    return frozenset(
        MODES.get(node.attr, EVERYWHERE)
        for node in _sources()[path]
        if isinstance(node, ast.Attribute) and node.attr in METHODS[:-1] and _name(node.value) not in known
    )


def _name(node: ast.AST) -> str:
    """Return the name of a module's pattern: ``_ROW``, or ``tables.ROW``."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
