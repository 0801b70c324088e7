"""One key for several: ``by="nodes"`` is ``by=["nodes"]``, wherever a function takes names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

NAMES = ("Sequence[str]", "Sequence[str] | None")
"""How parameters that take names are annotated."""


def takes_one_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let the parameters of a function that take names take one alone too; others are passed on as they are."""
    signature = inspect.signature(function)
    several = [name for name, each in signature.parameters.items() if each.annotation in NAMES]
    if not several:
        return function

    @functools.wraps(function)
    def with_one_name(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        for name in several:
            if isinstance(given.arguments.get(name), str):
                given.arguments[name] = [given.arguments[name]]
        return function(*given.args, **given.kwargs)

    return with_one_name


def let_all_take_one_name(room: MutableMapping[str, Any], names: Iterable[str]) -> None:
    """Do so for the public functions of a room, in its own namespace."""
    for name in names:
        if inspect.isfunction(room[name]):
            room[name] = takes_one_name(room[name])
