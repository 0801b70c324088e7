"""Reading a YAML file into a pydantic model, with the line of the first mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import pydantic
import yaml

from storagelab.errors import SidecarError, nearest
from storagelab.study import document
from storagelab.study.document import Steps


class Strict(pydantic.BaseModel):
    """A model that refuses what it does not know, and does not change."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=Strict)


def read_model(path: Path, model: type[Model]) -> tuple[Model, yaml.Node | None]:
    """Read one YAML file, and its nodes, which know their lines.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    content, tree = document.read(path)
    if not isinstance(content, dict):
        found = "nothing" if content is None else type(content).__name__
        raise SidecarError(str(path), f"expected keys and values ({', '.join(model.model_fields)}), found {found}", 1)
    try:
        return model.model_validate(content), tree
    except pydantic.ValidationError as error:
        raise _first_violation(path, tree, error, model) from None


def _first_violation(
    path: Path, tree: yaml.Node | None, error: pydantic.ValidationError, model: type[Strict]
) -> SidecarError:
    first: Any = error.errors(include_url=False)[0]
    message = f"{dotted(first['loc'])}: {first['msg'].removeprefix('Value error, ')}"
    if first["type"] == "extra_forbidden":
        known = model.model_fields if len(first["loc"]) == 1 else ()
        message = f"unknown key {dotted(first['loc'])!r}{nearest(str(first['loc'][-1]), known) if known else ''}"
    return SidecarError(str(path), message, document.line_of(tree, first["loc"]))


def dotted(steps: Steps) -> str:
    """Name a place in a file: ``values.n21_bare.unit``."""
    return ".".join(str(step) for step in steps)
