"""Every public analysis says of its data what it said: a change that alters a number, a word or an error is seen.

``kept.tsv`` holds for each analysis and a few changes of its data the size of the result and a hash of all that is in
it: numbers to six digits, text, attributes, or the error. What a result should be is told by other tests. A change that
is meant is kept by ``pytest tests/analysis/test_kept.py --update-golden``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab.errors import StoragelabError
from tests.analysis.calls import CALLS
from tests.analysis.test_hostile import answer, data, rows

KEPT = Path(__file__).with_name("kept.tsv")


def some(ds: xr.Dataset) -> xr.Dataset:
    """Leave out every third row."""
    return ds.isel(obs=np.arange(ds.sizes["obs"]) % 3 != 1)


def few(ds: xr.Dataset) -> xr.Dataset:
    """Take the first two rows."""
    return ds.isel(obs=slice(2))


def uneven(ds: xr.Dataset) -> xr.Dataset:
    """Make what was measured smaller from row to row, by a quarter, a half and so on, by turns."""
    share = 1 - (np.arange(ds.sizes["obs"]) % 4) / 4
    measured = [name for name, values in ds.data_vars.items() if values.dtype.kind == "f" and values.dims == ("obs",)]
    return ds.assign({name: (ds[name] * share).assign_attrs(ds[name].attrs) for name in measured})


CHANGES: dict[str, Callable[[xr.Dataset], xr.Dataset]] = {
    "all": lambda ds: ds, "some": some, "few": few, "uneven": uneven,
}  # fmt: skip
FIRST = ("few", "uneven")
"""Changes that together run nearly every line of the analyses."""
SECOND = tuple(change for change in CHANGES if change not in FIRST)


def written(result: Any) -> tuple[str, str]:
    """The size of a result, and as text its rows and what is said of it and its columns; or the error."""
    if isinstance(result, StoragelabError):
        return type(result).__name__, str(result)
    table = rows(result)
    cells = table.map(lambda value: f"{value:.6g}" if isinstance(value, float) else str(value))
    said = [str(sorted(getattr(result, "attrs", {}).items()))]
    if isinstance(result, xr.Dataset):
        said += [f"{name}: {sorted(values.attrs.items())}" for name, values in sorted(result.variables.items())]
    return "{} x {}".format(*table.shape), "\n".join([cells.to_csv(index=False), *said])


def summary(name: str, change: str) -> str:
    """The size of a result, or the kind of its error, and a hash of its text."""
    size, text = written(answer(name, CHANGES[change](data(name))))
    return f"{size}\t{hashlib.sha256(text.encode()).hexdigest()[:10]}"


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> dict[tuple[str, str], str]:
    if request.config.getoption("--update-golden"):
        lines = [f"{name}\t{change}\t{summary(name, change)}\n" for name in sorted(CALLS) for change in CHANGES]
        KEPT.write_text("".join(lines))
    found = (line.split("\t", 2) for line in KEPT.read_text().splitlines())
    return {(name, change): rest for name, change, rest in found}


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize("changes", [FIRST, pytest.param(SECOND, marks=pytest.mark.slow)], ids=" and ".join)
def test_an_analysis_says_what_it_said(name: str, changes: tuple[str, ...], kept: dict[tuple[str, str], str]) -> None:
    assert {change: summary(name, change) for change in changes} == {change: kept[name, change] for change in changes}


def test_what_is_kept_is_what_is_public(kept: dict[tuple[str, str], str]) -> None:
    assert list(kept) == [(name, change) for name in sorted(CALLS) for change in CHANGES]
