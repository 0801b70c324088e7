"""What users call, and what sidecars hold, takes what it took: names, their order and defaults, and bounds of numbers.

A change that is meant is kept by ``pytest tests/test_signatures.py --update-golden``, and told in CHANGELOG.md.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic.fields import FieldInfo

import storagelab
from storagelab import claims, cli, paper, study
from storagelab.interactive.accessor import NodeStorage, StudyStorage
from storagelab.study.validation import Strict
from tests.test_docstrings import public

KEPT = Path(__file__).parent / "signatures.tsv"
HOMES = ("storagelab", *(f"storagelab.{room}" for room in storagelab.ROOMS))
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def test_what_users_call_takes_what_it_took(request: pytest.FixtureRequest) -> None:
    taken = {**dict(functions()), **dict(commands()), **dict(sidecars())}
    found = [f"{name}\t{takes}\n" for name, takes in sorted(taken.items())]
    if request.config.getoption("--update-golden"):
        KEPT.write_text("".join(found), encoding="utf-8")
    assert found == KEPT.read_text(encoding="utf-8").splitlines(keepends=True)


def functions() -> Iterator[tuple[str, str]]:
    """Go through the public functions of every room, and the methods of the accessor of datasets."""
    for home in HOMES:
        for name, function in public(home):
            yield f"{home}.{name}", defaults(function)
    for kind, accessor in (("Dataset", NodeStorage), ("DataTree", StudyStorage)):
        for name, method in inspect.getmembers(accessor, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{kind}.storage.{name}", defaults(method)


def defaults(function: Any) -> str:
    """Say what a function takes, without types: `test_docstrings` holds these against what is written of them."""
    signature = inspect.signature(function)
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return _ADDRESS.sub("", str(signature.replace(parameters=bare, return_annotation=signature.empty)))


def commands() -> Iterator[tuple[str, str]]:
    """Go through the commands, and what each says that it takes."""
    for name, command in typer.main.get_command(cli.app).commands.items():  # type: ignore[attr-defined]
        yield f"storagelab {name}", " ".join(map(option, command.params))


def sidecars() -> Iterator[tuple[str, str]]:
    """Go through the models of what stands in sidecars, and the fields of each."""
    for home in (study, claims, paper):
        for module in pkgutil.iter_modules(home.__path__):
            import_module(f"{home.__name__}.{module.name}")
    for model in models(Strict):
        if model.__module__.startswith("storagelab."):
            fields = ", ".join(f"{name}{holds(field)}" for name, field in model.model_fields.items())
            yield f"{model.__module__}.{model.__qualname__}", f"({fields})"


def models(of: type[Strict]) -> Iterator[type[Strict]]:
    for model in of.__subclasses__():
        yield model
        yield from models(model)


def holds(field: FieldInfo) -> str:
    """Say what a field of a model is where it is left out, and between which bounds."""
    bounds = "".join(f" {bound!r}" for bound in field.metadata if type(bound).__module__ == "annotated_types")
    return f"{'' if field.is_required() else f'={field.default!r}'}{bounds}"


def option(one: Any) -> str:
    """Say how an option or argument is spelt, and its default."""
    return f"{'/'.join((*one.opts, *one.secondary_opts))}={one.default!r}"
