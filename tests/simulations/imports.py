"""Which files of the analyses a file imports, directly or through others, found by reading them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = "storagelab.analysis"


def code_behind(root: Path, file: Path) -> list[Path]:
    """Return the files of the analyses that may run when the code of a file runs, in order of their paths.

    A name that a package passes on (``from storagelab.analysis import compare``) stands for the module that defines it,
    not for all that the package imports. Imports inside functions count.
    """
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        for module, name in _imports(waiting.pop()):
            home = _home(root, module, name)
            if home is not None and home not in found:
                found.add(home)
                waiting.append(home)
    return sorted(found)


def _home(root: Path, module: str, name: str) -> Path | None:
    """File of what is imported; None where it is none of the analyses."""
    if not f"{module}.".startswith(f"{PACKAGE}."):
        return _home(root, f"{module}.{name}", "") if f"{module}.{name}" == PACKAGE else None
    folder = root.joinpath(*module.split("."))
    inside = _file(folder / name) if name else None
    if inside:
        return inside
    package = _file(folder)
    if package is None or package.name != "__init__.py" or not name:
        return package
    passed_on = {passed: source for source, passed in _imports(package)}
    return _home(root, passed_on[name], name) if name in passed_on else package


def _file(place: Path) -> Path | None:
    """File of a module or of a package."""
    module, package = place.with_suffix(".py"), place / "__init__.py"
    return module if module.is_file() else package if package.is_file() else None


@cache
def _imports(file: Path) -> tuple[tuple[str, str], ...]:
    """Modules that a file imports, each with the name that it takes from it ("" where it takes the module)."""
    return tuple(_named(ast.parse(file.read_text(encoding="utf-8"))))


def _named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
