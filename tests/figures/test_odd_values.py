"""A name that nothing has, and a number that few parameters take, are drawn or refused by name in every figure."""

from __future__ import annotations

import inspect
import warnings
from typing import Any
from unittest import mock

import matplotlib.pyplot as plt
import pytest

from storagelab import figures
from storagelab.errors import StoragelabError
from tests.figures.kinds import KINDS, same

NAMES = ("nonsense", "")
ODD: dict[str, list[Any]] = {
    "str": [*NAMES], "Sequence[str]": [(name,) for name in NAMES], "float": [0.0, -1.0, 1e9], "int": [0, -1],
}  # fmt: skip


class _TakenError(Exception):
    """The arguments of a figure are known: it need not be drawn."""


def arguments(name: str) -> dict[str, Any]:
    """What a kind gives to its figure."""
    taken: dict[str, Any] = {}
    signature = inspect.signature(getattr(figures, name))

    def take(*given: Any, **named: Any) -> None:
        taken.update(signature.bind(*given, **named).arguments)
        raise _TakenError

    with mock.patch.object(figures, name, take), pytest.raises(_TakenError):
        KINDS[name](same)
    return taken


def asked(name: str, parameter: str, value: Any) -> Any:
    """What a figure draws, or its error, where a parameter has another value."""
    try:
        return getattr(figures, name)(**{**arguments(name), parameter: value})
    except StoragelabError as error:
        return error
    finally:
        plt.close("all")


@pytest.mark.parametrize("name", [name for name in KINDS if " " not in name])
def test_odd_values_are_drawn_or_refused(name: str, quick: bool) -> None:
    parameters = inspect.signature(getattr(figures, name)).parameters.values()
    calls = [(each.name, value) for each in parameters for value in ODD.get(str(each.annotation), ())]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for parameter, value in calls[:: 3 if quick else 1]:
            asked(name, parameter, value)


@pytest.mark.parametrize(
    ("name", "parameter", "value", "message"),
    [
        ("timeline", "hue", "nonsense", "unknown column 'nonsense'; did you mean 'onset', 'notes', 'noise'?"),
        ("winners_map", "facet", "nonsense", "unknown column 'nonsense'; did you mean 'onset', 'notes', 'noise'?"),
        ("ordered_clients", "hue", "", "unknown column ''"),
        ("failover", "window", 0.0, "window: expected a number above 0, got 0"),
        ("heatmap", "clip", 0.5, "clip: expected a share from 0 to below 0.5, got 0.5"),
        ("curves", "x", "study", "study is text: this axis shows numbers"),
        ("scaling", "x", "run_id", "run_id is text: this axis shows numbers"),
        ("run_order", "variable", "layout", "layout is text: this axis shows numbers"),
    ],
)
def test_what_no_figure_shows_is_refused_by_name(name: str, parameter: str, value: Any, message: str) -> None:
    refused = asked(name, parameter, value)
    assert isinstance(refused, StoragelabError)
    assert str(refused).partition("; known")[0] == message
