"""What a call gives to a public function, held against the annotations of its parameters before anything is computed.

One name stands for several, wherever a function takes names: ``by="nodes"`` is ``by=["nodes"]``.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any, Literal, get_args, get_origin

import xarray as xr

from storagelab.errors import AnalysisError, UnknownNameError

NAMES = ("Sequence[str]", "Sequence[str] | None")
"""How parameters that take names are annotated."""

SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
"""Kinds of parameters that stand for any number of arguments: the functions look at these themselves."""

PARTS = ("by", "factor", "x", "across")
"""Parts that a key plays in a question: it makes cells, or its levels are held against each other. It plays one."""

POSITIVE = ("base", "memory", "penalty", "window")
"""Parameters whose numbers are above zero."""


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function take what its annotations say, and one name for several; refuse all else by name.

    Raises
    ------
    AnalysisError
        If an argument is none of what the function takes, a name is given twice, or cells are made of the key whose
        levels are held against each other.
    UnknownNameError
        If a word is none of those that a parameter takes; names the nearest there is.
    """
    signature = inspect.signature(function)
    single = {name: each for name, each in signature.parameters.items() if each.kind not in SEVERAL}
    annotated = {name: str(each.annotation) for name, each in single.items()}
    defaults = {name: each.default for name, each in single.items() if each.default is not each.empty}
    words = {name: found for name, said in annotated.items() if (found := _words(function, said))}

    @functools.wraps(function)
    def with_sound_arguments(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # for Python's own message, which names the function
        for name in [name for name in annotated if name in given.arguments]:
            given.arguments[name] = _sound(name, given.arguments[name], annotated[name], words.get(name, ()))
        _refuse_key_of_two_parts({**defaults, **given.arguments})
        return function(*given.args, **given.kwargs)

    return with_sound_arguments


def check_all(room: MutableMapping[str, Any], names: Iterable[str]) -> None:
    """Do so for the public functions of a room, in its own namespace."""
    for name in names:
        if inspect.isfunction(room[name]):
            room[name] = checked(room[name])


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that would make a limit lower.

    Raises
    ------
    AnalysisError
        If it is below zero or no number.
    """
    if not tolerance >= 0:
        raise AnalysisError(f"tolerance: expected a share from 0 on, got {tolerance:g}")


def check_confidence(confidence: float) -> None:
    """Refuse a confidence of which no interval is known.

    Raises
    ------
    AnalysisError
        If it is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise AnalysisError(f"a confidence lies between 0 and 1, not at {confidence:g}: 0.95 is 95 %")


def _words(function: Callable[..., Any], annotation: str) -> tuple[str, ...]:
    """Words that a parameter takes, where its annotation is a name for them."""
    said = inspect.unwrap(function).__globals__.get(annotation.removesuffix(" | None"))
    return get_args(said) if get_origin(said) is Literal else ()


def _sound(name: str, value: Any, annotation: str, words: tuple[str, ...]) -> Any:
    """Return an argument that a parameter takes."""
    if annotation in NAMES:
        return _names(name, value, may_be_none=annotation.endswith("None"))
    if words and value is not None and value not in words:
        raise UnknownNameError(name, str(value), words)
    kind = annotation.removesuffix(" | None")
    if kind in PLAIN and not (value is None and kind != annotation):
        expected, is_one = PLAIN[kind]
        if not is_one(value):
            raise AnalysisError(f"{name}: expected {expected}, got {_shown(value)}")
        if kind == "float" and name in POSITIVE and not 0 < value < math.inf:
            raise AnalysisError(f"{name}: expected a number above 0, got {value:g}")
    return value


def _names(parameter: str, value: Any, *, may_be_none: bool) -> Any:
    if isinstance(value, str):
        return [value]
    if value is None and may_be_none:
        return value
    names = list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(name, str) for name in names):
        raise AnalysisError(f"{parameter}: expected names, got {_shown(value)}")
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise AnalysisError(f"{parameter} names {', '.join(twice)} twice: once is enough")
    return value


def _refuse_key_of_two_parts(arguments: Mapping[str, Any]) -> None:
    parts: dict[str, str] = {}
    for part in PARTS:
        for key in _named(arguments.get(part)):
            if key in parts:
                raise AnalysisError(f"{key} is named in {parts[key]} and in {part}: a key is one of them")
            parts[key] = part


def _named(argument: Any) -> Iterable[str]:
    """Keys that an argument names: none if it is a number, as the factor of outliers is."""
    if isinstance(argument, str):
        return [argument] if argument else []
    return argument if isinstance(argument, list | tuple) else []


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, str)


PLAIN: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "xr.Dataset": (
        'a Dataset with the dimension obs, such as study["runs"].to_dataset()',
        lambda value: isinstance(value, xr.Dataset),
    ),
    "str": ("a text", lambda value: isinstance(value, str)),
    "float": ("a number", _is_number),
    "int": ("a number", _is_number),
}
"""Annotation -> what it is called, and what is such a thing."""


def _shown(value: Any) -> str:
    """An argument as a message may show it: large ones by their kind."""
    plain = isinstance(value, str | int | float | list | tuple) or value is None
    return repr(value) if plain else f"a {type(value).__name__}"
