"""What public analyses are asked: every option is heeded, and any value of a parameter is answered or refused by name.

``options.tsv`` holds for each analysis and option what comes of other values, as ``kept.tsv`` does for other data: the
size of the result, or the kind of the error, and a hash of its text. What a result should be is told by other tests. A
change that is meant is kept by ``pytest tests/analysis/test_options.py --update-golden``.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin
from unittest import mock

import pytest
import xarray as xr

from storagelab import analysis
from storagelab.analysis.arguments import SEVERAL
from storagelab.errors import AnalysisError
from tests.analysis.calls import CALLS
from tests.analysis.test_hostile import ALL, answer, data
from tests.analysis.test_kept import written

KEPT = Path(__file__).with_name("options.tsv")
Kept = dict[str, dict[str, str]]
NOWHERE = "nonsense"
NUMBERS = {"float": 0.5, "int": 2}
UNHEEDED = {
    "above_nominal": {"tolerance"}, "compare": {"conditions"}, "compare_campaigns": {"best"},
    "faster_than_links": {"tolerance"}, "losses_survived": {"most"}, "mean_ratios": {"conditions"},
    "message_classes": {"interval"}, "plan_repeats": {"round_cost"}, "plateaus": {"bridge"},
    "run_values": {"blocks", "conditions"}, "stability": {"bridge"}, "summarise": {"conditions"},
    "with_phase": {"at_once"}, "within": {"low"},
}  # fmt: skip
"""Options whose other values change nothing of the small data of these calls."""
ODD: dict[str, list[Any]] = {
    "float": [0.0, -1.0, 1.0, 1e9, math.nan, math.inf, "ten"], "int": [0, -1, 1, 10**6, "ten"], "xr.Dataset": [None],
}  # fmt: skip
"""What few parameters take."""


def parameters(name: str) -> Iterator[tuple[inspect.Parameter, str]]:
    """Go through the parameters of an analysis, with what kind each is beside None."""
    for each in inspect.signature(getattr(analysis, name)).parameters.values():
        if each.kind not in SEVERAL:
            yield each, str(each.annotation).removesuffix(" | None")


def other_values(name: str, option: inspect.Parameter, kind: str) -> list[Any]:
    """Return each other word that an option takes, another number, or a key and a name that nothing has."""
    words = inspect.unwrap(getattr(analysis, name)).__globals__.get(kind)
    if get_origin(words) is Literal:
        return [word for word in get_args(words) if word != option.default]
    if kind == "bool":
        return [not option.default]
    if kind in NUMBERS:
        is_plain = option.default is not None and 0 < option.default < math.inf
        return [type(option.default)(option.default / 2) if is_plain else NUMBERS[kind]]
    if kind == "Sequence[str]":
        return [(NOWHERE,), *[(key,) for key in varying(data(name)) if key not in (option.default or ())][:1]]
    return [NOWHERE] if kind == "str" else []


def varying(ds: xr.Dataset) -> list[str]:
    """Return the keys of a dataset that have more than one level, but for the name of a run."""
    return [str(key) for key, of in ds.coords.items() if key != "run_id" and len({*of.values.tolist()}) > 1]


def asked(name: str, parameter: str, value: Any) -> Any:
    """What an analysis says, or its error, where a parameter has another value."""
    function = getattr(analysis, name)

    def with_value(*arguments: Any, **named: Any) -> Any:
        bound = inspect.signature(function).bind(*arguments, **named)
        bound.arguments[parameter] = value
        return function(*bound.args, **bound.kwargs)

    with mock.patch.object(analysis, name, with_value):
        return answer(name, data(name))


def summary(result: Any) -> str:
    """How much an analysis says, and a hash of it."""
    size, text = written(result)
    return f"{size}\t{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def of_options(name: str) -> dict[tuple[str, str], str]:
    """What an analysis says with each other value of each of its options."""
    return {
        (option.name, repr(value)): summary(asked(name, option.name, value))
        for option, kind in parameters(name) if option.default is not option.empty
        for value in other_values(name, option, kind)
    }  # fmt: skip


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> Kept:
    if request.config.getoption("--update-golden"):
        lines = (
            f"{name}\t{'='.join(one)}\t{said}\n" for name in sorted(CALLS) for one, said in of_options(name).items()
        )
        KEPT.write_text("".join(lines))
    found: Kept = {}
    for line in KEPT.read_text().splitlines():
        name, option, said = line.split("\t", 2)
        found.setdefault(name, {})[option] = said
    return found


@pytest.mark.parametrize("name", sorted(CALLS))
def test_options_are_heeded_as_they_were(name: str, kept: Kept) -> None:
    found, plain = of_options(name), summary(answer(name, data(name)))
    assert {"=".join(one): said for one, said in found.items()} == kept.get(name, {})
    heeded = {option for (option, _), said in found.items() if said != plain}
    assert {option for option, _ in found} - heeded == UNHEEDED.get(name, set())


@ALL
def test_any_value_is_answered_or_refused(name: str, quick: bool) -> None:
    """A column of the data for each name that an analysis takes, and odd numbers; some in quick runs."""
    columns = [*map(str, data(name).variables), NOWHERE, ""]
    values: dict[str, list[Any]] = {"str": columns, "Sequence[str]": [(each,) for each in columns], **ODD}
    calls = [(each.name, value) for each, kind in parameters(name) for value in values.get(kind, ())]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for parameter, value in calls[:: 5 if quick else 1]:
            asked(name, parameter, value)


@pytest.mark.parametrize(
    ("name", "parameter", "value", "message"),
    [
        ("compare_campaigns", "confidence", 1.0, "a confidence lies between 0 and 1, not at 1: 0.95 is 95 %"),
        ("compare", "margin", "ten", "margin: expected a number, got 'ten'"),
        ("plan_repeats", "cells", "ten", "cells: expected a number, got 'ten'"),
        ("change_segments", "penalty", 0.0, "penalty: expected a number above 0, got 0"),
        ("below_limit", "limit", math.inf, "a limit of inf is none: nothing is missing to it"),
        ("pair_ratios", "pair", ["mount"], "mount plays two parts in this question: a key plays one"),
        ("drift", "keep", ["statistic"], "of what is compared no 'statistic' is known"),
        ("percentiles", "by", ["latency_p50"], "latency_p50 is no key of the result: it was put together over it"),
        ("snapshot_dates", "by", ["value"], "value is what a snapshot says: no key tells it apart by that"),
        ("phase_shares", "pair", ["log_id"], "the dataset has no 'log_id'"),
        ("phase_shares", "pair", ["run_id"], "no cell has phases of both protocol=lustre and protocol=dcap"),
    ],
)
def test_what_no_question_takes_is_refused_by_name(name: str, parameter: str, value: Any, message: str) -> None:
    refused = asked(name, parameter, value)
    assert (type(refused), str(refused).partition(";")[0]) == (AnalysisError, message)
