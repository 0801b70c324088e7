"""Do something once another package is imported, now or later, without importing it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def run(name: str, action: Callable[[], object]) -> None:
    """Call `action` after the package `name` is imported: at once where that has happened.

    Parameters
    ----------
    name : str
        A top-level package.
    action : callable
        Called once, without arguments.
    """
    if name in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _Finder(name, action))


class _Finder:
    """Finds one package where everybody else finds it, and has its loader call the action."""

    def __init__(self, name: str, action: Callable[[], object]) -> None:
        self._name = name
        self._action = action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec and spec.loader:
            spec.loader = _Loader(spec.loader, self._action)  # type: ignore[assignment]  # importlib.abc is slow
        return spec


class _Loader:
    """Loads as another loader does, and calls the action then."""

    def __init__(self, loader: Loader, action: Callable[[], object]) -> None:
        self._loader = loader
        self._action = action

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec:
            module.__loader__ = spec.loader = self._loader
        self._loader.exec_module(module)
        self._action()
