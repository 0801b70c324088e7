"""What users call takes what it took: parameters, their order and their defaults, of functions, methods and commands.

A change that is meant is kept by ``pytest tests/test_signatures.py --update-golden``, and told in CHANGELOG.md.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import storagelab
from storagelab import cli
from storagelab.interactive.accessor import NodeStorage, StudyStorage
from tests.test_docstrings import public

KEPT = Path(__file__).parent / "signatures.tsv"
HOMES = ("storagelab", *(f"storagelab.{room}" for room in storagelab.ROOMS))
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def test_what_users_call_takes_what_it_took(request: pytest.FixtureRequest) -> None:
    found = [f"{name}\t{takes}\n" for name, takes in sorted({**dict(functions()), **dict(commands())}.items())]
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


def option(one: Any) -> str:
    """Say how an option or argument is spelt, and its default."""
    return f"{'/'.join((*one.opts, *one.secondary_opts))}={one.default!r}"
