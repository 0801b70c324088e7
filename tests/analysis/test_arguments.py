"""Wrong arguments: each is refused by name, before anything is computed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, get_origin

import numpy as np
import pytest

from storagelab import analysis, figures
from storagelab.dataset import frame
from storagelab.errors import StoragelabError, UnknownNameError
from tests.analysis.tables import node, repeats

DS = node(repeats([10.0, 11.0, 12.0], layout="a") + repeats([20.0, 21.0, 23.0], layout="b"))
SIDES = ("throughput", "layout", "a", "b")
OBJECTS = DS.assign(throughput=("obs", np.array([2**70] * 6, dtype=object), DS["throughput"].attrs))
WORDS = DS.assign(
    {
        name: ("obs", ["fast"] * 6, DS["throughput"].attrs)
        for name in ("throughput", "throughput_common", "throughput_span")
    }
)

NEGATIVE = "tolerance: expected a share from 0 on, got -1"
INFINITE = DS.assign(throughput=DS["throughput"].where(DS["repeat"] > 1, np.inf).assign_attrs(DS["throughput"].attrs))

REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "a negative tolerance": (NEGATIVE, lambda: analysis.above_nominal(DS, 1e9, tolerance=-1)),
    "a negative tolerance of links": (NEGATIVE, lambda: analysis.faster_than_links(DS, 1, tolerance=-1)),
    "a negative tolerance of volumes": (NEGATIVE, lambda: analysis.volume_check(DS, DS, tolerance=-1)),
    "no tolerance": ("from 0 on, got nan", lambda: analysis.above_nominal(DS, 1e9, tolerance=float("nan"))),
    "a hue that is not there": ("unknown column 'nonsense'", lambda: figures.scatter(DS, "throughput", hue="nonsense")),
    "no end of an axis": (
        "throughput has values that are not positive and finite",
        lambda: figures.scatter(INFINITE, "throughput"),
    ),
    "a frame": ("ds: expected a Dataset .*, got a DataFrame", lambda: analysis.run_values(frame(DS), "throughput", [])),
    "a number for a name": ("variable: expected a text, got 3", lambda: analysis.summarise(DS, 3, ["layout"])),
    "a number among names": (r"by: expected names, got \[3\]", lambda: analysis.summarise(DS, "throughput", [3])),
    "no names": ("by: expected names, got None", lambda: analysis.summarise(DS, "throughput", None)),
    "a text for a number": (
        "low: expected a number, got 'ten'",
        lambda: analysis.between(DS, "throughput", low="ten"),
    ),
    "a name twice": (
        "by names layout twice: once is enough",
        lambda: analysis.summarise(DS, "throughput", ["layout", "layout"]),
    ),
    "cells of the factor": (
        "layout is named in by and in factor: a key is one of them",
        lambda: analysis.compare(DS, *SIDES, by="layout"),
    ),
    "cells of the key along which it looks, which is not named": (
        "clients is named in by and in x",
        lambda: analysis.over_peak(DS, by="clients"),
    ),
    "a scan of the factor": (
        "layout is named in factor and in x",
        lambda: analysis.largest_ratio(DS, *SIDES, "layout"),
    ),
    "aggregates that are words": (
        "throughput: expected a variable of numbers, got text",
        lambda: analysis.aggregates(WORDS, ["layout"]),
    ),
    "an unknown correction": (
        "unknown correction 'simultaneus'; did you mean 'simultaneous'",
        lambda: analysis.compare(DS, *SIDES, correction="simultaneus"),
    ),
    "an unknown spread": (
        "unknown spread 'pooled'; known: own, shrunken",
        lambda: analysis.compare(DS, *SIDES, spread="pooled"),
    ),
    "an unknown family": (
        "unknown family 'tables'; did you mean 'table'",
        lambda: analysis.winners(DS, "throughput", "layout", [], family="tables"),
    ),
    "a text as variable": (
        "layout: expected a variable of numbers, got text",
        lambda: analysis.summarise(DS, "layout", []),
    ),
    "numbers too large": (
        "throughput: expected a variable of numbers, got values of the type object",
        lambda: analysis.summarise(OBJECTS, "throughput", ["layout"]),
    ),
    "rounds of a key that is not there": (
        "the dataset has no 'round'",
        lambda: analysis.winners(DS.drop_vars("round", errors="ignore"), "throughput", "layout", [], blocks="round"),
    ),
    "pairs of a key that is not there": (
        "the dataset has no 'clients'",
        lambda: analysis.group_differences(
            DS.drop_vars("clients", errors="ignore"), *SIDES, pair="clients", by=[]
        ),
    ),
    "snapshots by a key that is not there": (
        "the dataset has no 'host'",
        lambda: analysis.snapshot_dates(
            DS.assign_coords(metric=("obs", ["uptime"] * 6)).assign(value=("obs", [1.0] * 6)), by="host"
        ),
    ),
    "no pattern": (
        "most: expected one pattern or more, got 0",
        lambda: analysis.losses_survived(DS.assign_coords(erasure_code=("obs", ["2+1"] * 6)), most=0),
    ),
    "a case of files whose memory is not known": (
        "has no 'cached'",
        lambda: analysis.regimes(
            DS.assign_coords(file_size=("obs", [1e9] * 6), server_memory=("obs", [1e9] * 6)).drop_vars(
                ["client_memory", "memory_limit"], errors="ignore"
            )
        ),
    ),
    "one of all rows": ("^6 rows: name the keys that choose one", lambda: analysis.stated(DS, "throughput")),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_each_is_refused_by_name(case: str) -> None:
    message, call = REFUSED[case]
    with pytest.raises(StoragelabError, match=message):
        call()


def test_python_names_the_function_whose_arguments_are_wrong() -> None:
    with pytest.raises(TypeError, match=r"summarise\(\) got an unexpected keyword argument 'margin'"):
        analysis.summarise(DS, "throughput", ["layout"], margin=0.1)  # type: ignore[call-arg]


def test_words_that_a_parameter_takes_are_checked_in_every_function() -> None:
    """A word that is checked nowhere would be taken for the default, without a word."""
    functions = [getattr(room, name) for room in (analysis, figures) for name in room.__all__]
    worded = [
        (function, name)
        for function in functions if inspect.isfunction(function)
        for name, each in inspect.signature(function).parameters.items() if _takes_words(function, each.annotation)
    ]  # fmt: skip
    assert len(worded) > 20
    for function, name in worded:
        with pytest.raises(UnknownNameError, match=f"unknown {name} 'nonsense'"):
            function(**_named_first(function, name))


def _takes_words(function: Callable[..., Any], annotation: str) -> bool:
    said = inspect.unwrap(function).__globals__.get(annotation.removesuffix(" | None"))
    return get_origin(said) is Literal


def _named_first(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Arguments of a call with a wrong word, and sound ones where there must be some."""
    plain = {"str": "throughput", "float": 1.0, "int": 1, "Sequence[str]": [], "xr.Dataset": DS}
    needed = {
        each.name: plain.get(each.annotation, 1.0)
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }
    return {**needed, name: "nonsense"}
