"""What a YAML file breaks of its model, in words: what was expected there, and what stands there."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from typing import Any

import pydantic

from storagelab.errors import nearest, shorten
from storagelab.study.yaml_reading import Steps

KEYS_AND_VALUES = "keys and values"
EXPECTED = {
    "string_type": "text",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": KEYS_AND_VALUES,
    "mapping_type": KEYS_AND_VALUES,
    "model_type": KEYS_AND_VALUES,
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "literal_error": "{expected}",
    "too_short": "{min_length} or more",
    "too_long": "{max_length} or fewer",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}",
}
"""What pydantic expects, by its name of the violation; others say it themselves."""


def in_words(violation: Mapping[str, Any]) -> str:
    """Say what was expected and what was found.

    Parameters
    ----------
    violation : mapping
        One of ``pydantic.ValidationError.errors()``; no name that the model does not know.
    """
    if violation["type"] == "missing":
        return "needed, but missing"
    if wanted := EXPECTED.get(violation["type"]):
        return f"expected {wanted.format_map(violation.get('ctx', {}))}, found {_shown(violation['input'])}"
    return str(violation["msg"]).removeprefix("Value error, ")


def _shown(value: object) -> str:
    return "nothing" if value is None else shorten(repr(value))


def nearest_field(steps: Steps, model: type[pydantic.BaseModel]) -> str:
    """Say which fields a model has near a name that it does not know; "" where it is not known what was to stand there.

    Parameters
    ----------
    steps : tuple of str and int
        Where the name stands, itself the last.
    model : type
        Of the whole file.
    """
    *way, name = steps
    known = _fields(way, model)
    return nearest(str(name), known) if known else ""


def _fields(way: Iterable[str | int], model: type[pydantic.BaseModel]) -> Iterable[str]:
    """Fields of the model in which a way through a file ends; none where it leads through a choice of them."""
    here: list[type[pydantic.BaseModel]] = [model]
    for step in way:
        if len(here) == 1 and step in here[0].model_fields:
            here = list(_models(here[0].model_fields[str(step)].annotation))
    return here[0].model_fields if len(here) == 1 else ()


def _models(annotation: Any) -> Iterable[type[pydantic.BaseModel]]:
    """Models that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return [annotation]
    return [found for part in typing.get_args(annotation) for found in _models(part)]
