"""Reading a YAML file into a pydantic model, with the line of every mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import pydantic
import yaml

from storagelab.errors import SidecarError, all_of
from storagelab.study import yaml_reading
from storagelab.study.violations import in_words, nearest_field
from storagelab.study.yaml_reading import Steps


class Strict(pydantic.BaseModel):
    """A model that refuses what it does not know, and does not change."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


def doc(default: Any, description: str) -> Any:
    """Give a field of a model its default (... where there is none) and what the reference says of it."""
    return pydantic.Field(default, description=description)


Model = TypeVar("Model", bound=Strict)


def read_model(path: Path, model: type[Model]) -> tuple[Model, yaml.Node | None]:
    """Read one YAML file, and its nodes, which know their lines.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    content, tree = yaml_reading.read(path)
    if not isinstance(content, dict):
        found = "nothing" if content is None else type(content).__name__
        raise SidecarError(str(path), f"expected keys and values ({', '.join(model.model_fields)}), found {found}", 1)
    try:
        return model.model_validate(content), tree
    except pydantic.ValidationError as error:
        raise _violations(path, tree, error, model) from None


def _violations(
    path: Path, tree: yaml.Node | None, error: pydantic.ValidationError, model: type[Strict]
) -> SidecarError:
    """Make one error of all violations: the first, with the others behind it."""
    found: list[Any] = error.errors(include_url=False)
    return all_of([_violation(path, tree, each, model) for each in found])


def _violation(path: Path, tree: yaml.Node | None, found: Any, model: type[Strict]) -> SidecarError:
    steps = _in_the_file(tree, found["loc"])
    return SidecarError(str(path), _said(steps, found, model), yaml_reading.line_of(tree, steps))


def _said(steps: Steps, found: Any, model: type[Strict]) -> str:
    if found["type"] == "extra_forbidden":
        return f"unknown key {dotted(steps)!r}{nearest_field(steps, model)}"
    return f"{dotted(steps)}: {in_words(found)}"


def first_violation(error: pydantic.ValidationError, model: type[Strict]) -> str:
    """Say the first thing that what stands somewhere in a file breaks of a model of its own."""
    found: Any = error.errors(include_url=False)[0]
    return _said(found["loc"], found, model)


def _in_the_file(tree: yaml.Node | None, steps: Steps) -> Steps:
    """Leave out of a place what pydantic adds to it: which of several models it tried, and that it means a name."""
    return tuple(
        step for place, step in enumerate(steps) if step not in ADDED or yaml_reading.holds(tree, steps[: place + 1])
    )


ADDED = ("[key]", "declared", "said")


def dotted(steps: Steps) -> str:
    """Name a place in a file: ``values.n21_bare.unit``."""
    return ".".join(str(step) for step in steps)
