"""Every public analysis says of its data what it said: a change that alters a number, a word or an error is seen.

``kept.tsv`` holds for each analysis and some changes of its data the size of the result and a hash of all that is in
it: numbers to six digits, text, attributes, or the error. Which changes those are, ``python -m tests.analysis.choose``
has found. What a result should be is told by other tests. A change that is meant is kept by
``pytest tests/analysis/test_kept.py --update-golden``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import xarray as xr

from storagelab.errors import StoragelabError
from tests.analysis.calls import CALLS
from tests.analysis.test_hostile import answer, data, rows

KEPT = Path(__file__).with_name("kept.tsv")
Kept = dict[str, dict[str, str]]
Values = npt.NDArray[np.float64]
Change = Callable[[xr.Dataset], xr.Dataset]


def measured(change: Callable[[Values], Values]) -> Change:
    """Change what was measured, and no key."""

    def changed(ds: xr.Dataset) -> xr.Dataset:
        names = [name for name, values in ds.data_vars.items() if values.dtype.kind == "f" and values.dims == ("obs",)]
        return ds.assign({name: ("obs", change(ds[name].to_numpy().copy()), ds[name].attrs) for name in names})

    return changed


def rows_at(places: Callable[[int], Any]) -> Change:
    """Take rows of so many."""
    return lambda ds: ds.isel(obs=places(ds.sizes["obs"]))


def put(at: slice, value: float) -> Callable[[Values], Values]:
    """Put a number in place of some."""

    def changed(values: Values) -> Values:
        values[at] = value
        return values

    return changed


USUAL = "uneven"
CHANGES: dict[str, Change] = {
    USUAL: measured(lambda values: values * (1 - np.arange(values.size) % 4 / 4)),
    "all": lambda ds: ds,
    "some": rows_at(lambda size: np.arange(size) % 3 != 1),
    "few": rows_at(lambda size: slice(2)),
    "one": rows_at(lambda size: slice(1)),
    "half": rows_at(lambda size: slice(size // 2)),
    "shuffled": rows_at(lambda size: np.random.default_rng(1).permutation(size)),
    "twice": lambda ds: xr.concat([ds, ds], "obs"),
    "with gaps": measured(put(slice(1, None, 3), np.nan)),
    "with a zero": measured(put(slice(2, 3), 0.0)),
    "alike": measured(lambda values: np.full(values.size, values[0])),
    "below zero": measured(lambda values: np.where(np.arange(values.size) == 1, -values, values)),
    "with an outlier": measured(
        lambda values: np.where(np.arange(values.size) == values.size - 1, 100 * values, values)
    ),
    "backwards": measured(lambda values: values[::-1]),
    "spread": measured(lambda values: values * np.random.default_rng(3).lognormal(0, 0.5, values.size)),
    "rising": measured(lambda values: values * (1 + np.arange(values.size) / values.size)),
}
"""What may become of the data of an analysis: each is asked with `USUAL`, and what `tests.analysis.choose` adds."""
SLOW = ("all", "some")
"""Changes with which each is asked by slow tests."""


def written(result: Any) -> tuple[str, str]:
    """The size of a result, and as text its rows, its keys, and what is said of it and its columns; or the error."""
    if isinstance(result, StoragelabError):
        return type(result).__name__, str(result)
    table = rows(result)
    cells = table.map(lambda value: f"{value:.6g}" if isinstance(value, float) else str(value))
    said = [str(sorted(getattr(result, "attrs", {}).items()))]
    if isinstance(result, xr.Dataset):
        said += [f"keys: {sorted(map(str, result.coords))}"]
        said += [f"{name}: {sorted(values.attrs.items())}" for name, values in sorted(result.variables.items())]
    return "{} x {}".format(*table.shape), "\n".join([cells.to_csv(index=False), *said])


def summary(name: str, change: str) -> str:
    """The size of a result, or the kind of its error, and a hash of its text."""
    size, text = written(answer(name, CHANGES[change](data(name))))
    return f"{size}\t{hashlib.sha256(text.encode()).hexdigest()[:10]}"


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> Kept:
    if request.config.getoption("--update-golden"):
        write({name: read().get(name, (USUAL, *SLOW)) for name in sorted(CALLS)})
    return read()


def read() -> Kept:
    """Return what is kept of each analysis with each change that is asked."""
    found: Kept = {}
    for line in KEPT.read_text().splitlines():
        name, change, rest = line.split("\t", 2)
        found.setdefault(name, {})[change] = rest
    return found


def write(asked: Mapping[str, Iterable[str]]) -> None:
    """Keep what analyses say now with some changes."""
    KEPT.write_text(
        "".join(f"{name}\t{change}\t{summary(name, change)}\n" for name, of in asked.items() for change in of)
    )


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize("is_slow", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["quick", "slow"])
def test_an_analysis_says_what_it_said(name: str, is_slow: bool, kept: Kept) -> None:
    was = {change: rest for change, rest in kept[name].items() if (change in SLOW) is is_slow}
    assert {change: summary(name, change) for change in was} == was


def test_what_is_kept_is_what_is_public(kept: Kept) -> None:
    assert list(kept) == sorted(CALLS)
    assert [name for name, changes in kept.items() if not {USUAL, *SLOW} <= {*changes}] == []
