"""The module that says which logs a published study had: of the project, or of an installed package."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from storagelab import entry_points
from storagelab.errors import ReconstructError
from storagelab.reconstruct.log import Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

FOLDER = "reconstructions"
"""Folder of a project beside raw/, with a module or a package of each published study."""

GROUP = "storagelab.studies"
"""Entry points of other packages: name of the study = its module."""

Campaign = Callable[[Published, TestBed], Iterator[Log]]


def campaign_of(folder: Path) -> Campaign:
    """Find the function ``logs`` of a study: ``reconstructions/bnl_2007`` of the project for raw/bnl-2007.

    Parameters
    ----------
    folder : Path
        ``raw/<study>``. No file in it names code: what is run is the project's own, or was installed.

    Raises
    ------
    ReconstructError
        If there is none, with the names of those that there are; if there are two; if it has no function ``logs``.
    StoragelabError
        If the module of an installed package cannot be imported.
    """
    study, home = folder.resolve().name, folder.resolve().parent.parent / FOLDER
    own, others = _modules(home), entry_points.one_a_name(GROUP)
    if study in own and study in others:
        raise ReconstructError(f"{own[study]}: {entry_points.described(others[study])} renders {study} too")
    if study in own:
        return _logs(_imported(own[study]), str(own[study]))
    if study in others:
        return _of_package(others[study])
    known = ", ".join(sorted({*own, *others}))
    only = f", only {known}" if known else f": {home} has no module that renders logs"
    raise ReconstructError(f"{study}: no campaign to reconstruct{only}")


def _modules(home: Path) -> dict[str, Path]:
    """Modules and packages of a folder, by the studies whose names they have."""
    found = [*home.glob("*.py"), *(path.parent for path in home.glob("*/__init__.py"))]
    return {path.stem.replace("_", "-"): path for path in sorted(found) if path.stem != "__init__"}


def _of_package(entry: EntryPoint) -> Campaign:
    return _logs(entry_points.loaded(entry), entry_points.described(entry))


def _logs(module: Any, place: str) -> Campaign:
    logs = getattr(module, "logs", None)
    if not callable(logs):
        raise ReconstructError(f"{place}: expected a module with a function logs(published, bed), found {module!r}")
    found: Campaign = logs
    return found


def _imported(path: Path) -> ModuleType:
    """Import a module or a package once, under a name that no other project's has."""
    name = f"{FOLDER}_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    file = path / "__init__.py" if path.is_dir() else path
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ReconstructError(f"{path}: no module of Python")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the module of a project raises
        del sys.modules[name]
        raise ReconstructError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from error
    return module
