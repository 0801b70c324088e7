"""Every public analysis on data that cannot answer: one clear error or a flagged result, never a plausible number."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.analysis import columns
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, StoragelabError
from tests.analysis.calls import CALLS, NO_DATASET, Call, scaled
from tests.analysis.comparison.campaigns import series

NAMES = sorted(CALLS)
ALL = pytest.mark.parametrize("name", NAMES)
IN_WORDS = {"leaders", "middle", "stated", "tally", "times_slower", "verdict", "wide"}
"""Analyses whose result is no dataset."""

LABELLED = pytest.mark.parametrize("name", [name for name in NAMES if name not in IN_WORDS])
OF_RUNS = pytest.mark.parametrize(
    "name", [name for name in NAMES if CALLS[name].spread and name not in ("compare_given", "compatibility")]
)
"""Those of a variable of runs, but for two that are given their errors."""

EPSILON = 2e-16


def test_no_public_function_is_forgotten() -> None:
    assert set(CALLS) | NO_DATASET == set(analysis.__all__)


@lru_cache
def data(name: str) -> xr.Dataset:
    return CALLS[name].data()


@lru_cache
def found(name: str) -> Any:
    return CALLS[name].run(data(name), 1.0)


def answer(name: str, ds: xr.Dataset) -> Any:
    """What a call gives, or the error of the package that it ends in."""
    try:
        return CALLS[name].run(ds, 1.0)
    except StoragelabError as error:
        return error


def with_column(ds: xr.Dataset, name: str, values: Any, **attrs: str) -> xr.Dataset:
    column = {name: ("obs", values, {**ds[name].attrs, **attrs})}
    return ds.assign_coords(column) if name in ds.coords else ds.assign(column)


def rows(result: Any) -> pd.DataFrame:
    """Any result as a frame in an order of its own."""
    if isinstance(result, pd.DataFrame):
        table = result.reset_index()
    elif isinstance(result, xr.Dataset):
        table = frame(result)
    else:
        table = pd.DataFrame([result]) if isinstance(result, dict) else pd.DataFrame({"result": [result]})
    table = table.reindex(columns=sorted(table.columns, key=str))
    texts = table.apply(lambda column: column.map(lambda x: f"{x:.6g}" if isinstance(x, float) else str(x)))
    return table.loc[texts.sort_values(list(texts.columns), kind="stable").index].reset_index(drop=True)


def same(one: Any, other: Any) -> None:
    assert not isinstance(one, StoragelabError), one
    assert not isinstance(other, StoragelabError), other
    pd.testing.assert_frame_equal(rows(one), rows(other), rtol=1e-7, atol=0, check_dtype=False)


@ALL
def test_a_call_leaves_its_data_alone_and_says_the_same_again(name: str) -> None:
    ds = CALLS[name].data()
    same(CALLS[name].run(ds, 1.0), found(name))
    xr.testing.assert_identical(ds, data(name))


@ALL
def test_two_origins_are_never_mixed(name: str) -> None:
    ds = data(name)
    origins = np.array(["published", "measured"])[np.arange(ds.sizes["obs"]) % 2]
    mixed = ds.assign_coords(origin=("obs", origins)).assign_attrs(origin="measured")
    if name.startswith("validity"):
        outcomes = frame(analysis.validity(xr.DataTree.from_dict({"/runs": mixed}))).set_index("check")["outcome"]
        assert outcomes["origin"].startswith("found"), "it is their finding, and no error"
        return
    refused = answer(name, mixed)
    assert isinstance(refused, AnalysisError), refused
    assert "origin" in str(refused)


WRONG = {"B/s": "MB/s", "B": "MB", "s": "ms", "1": "%", "1/s": "1/ms"}


@ALL
def test_another_unit_is_refused(name: str) -> None:
    ds = data(name)
    for variable in CALLS[name].variables:
        unit = ds[variable].attrs.get("units")
        if unit is not None:
            refused = answer(name, with_column(ds, variable, ds[variable].to_numpy(), units=WRONG.get(unit, "furlong")))
            assert isinstance(refused, AnalysisError), refused
            assert variable in str(refused)
            assert "the contract says" in str(refused)


@ALL
def test_what_is_missing_is_named_and_all_else_may_be(name: str) -> None:
    ds = data(name)
    for key in map(str, ds.variables):
        result = answer(name, ds.drop_vars(key))
        if key in CALLS[name].needs:
            assert isinstance(result, StoragelabError), key
            assert key in str(result) or columns.field(key).long_name in str(result), key


@ALL
def test_the_order_of_rows_says_nothing(name: str) -> None:
    ds = data(name)
    order = np.random.default_rng(1).permutation(ds.sizes["obs"])
    same(answer(name, ds.isel(obs=order)), found(name))


@ALL
def test_a_key_that_is_not_known_is_no_crash(name: str) -> None:
    """One row, and then all rows, lack each key: there is an answer or an error of our own."""
    ds = data(name)
    for key in map(str, ds.coords):
        text = ds[key].dtype.kind in "UO"
        for places in ([0], slice(None)):
            values = ds[key].to_numpy().astype("U64" if text else float)
            values[places] = "" if text else np.nan
            answer(name, with_column(ds, key, values))


def certain(result: Any) -> list[str]:
    """Columns with an interval or a p in rows without a caveat."""
    if not isinstance(result, xr.Dataset):
        return []
    table = frame(result)
    bare = table[table["caveat"] == ""] if "caveat" in table else table
    ends = [name for name in map(str, bare) if name.endswith(("_low", "_high")) or name in ("p", "p_equivalent")]
    return [name for name in ends if bare[name].notna().any()]


@OF_RUNS
def test_one_run_has_no_interval(name: str) -> None:
    ds = data(name)
    first = ds.isel(obs=np.flatnonzero(ds["repeat"] == ds["repeat"].min()))
    assert certain(answer(name, first)) == []


@OF_RUNS
@pytest.mark.parametrize("noise", [0.0, EPSILON])
def test_runs_that_are_all_equal_have_no_interval(name: str, noise: float) -> None:
    """Equal, or equal but for the last bit, as averages of equal values are."""
    ds = series(shift=0.0, noise=0.0) if name in ("compare_series", "series_offsets") else data(name)
    (variable,) = CALLS[name].variables
    cells = [key for key in map(str, ds.coords) if key not in ("run_id", "repeat", "log_id", "line", "start_time")]
    equal = frame(ds).groupby(cells, dropna=False)[variable].transform("first").to_numpy()
    wobble = 1 + noise * (np.arange(equal.size) % 3 - 1)
    assert certain(answer(name, with_column(ds, variable, equal * wobble))) == []


@ALL
def test_a_row_without_a_value_is_left_out_and_not_zero(name: str) -> None:
    for variable in CALLS[name].variables:
        _without_one(CALLS[name], name, variable)


def _without_one(call: Call, name: str, variable: str) -> None:
    ds = data(name)
    values = ds[variable].to_numpy().copy()
    if values.dtype.kind != "f" or not np.isfinite(values).any():
        return
    place = np.flatnonzero(np.isfinite(values))[0]
    values[place] = np.nan
    holed = answer(name, with_column(ds, variable, values))
    rest = np.delete(np.arange(ds.sizes["obs"]), place)
    if not isinstance(holed, StoragelabError):
        same(_known(holed.isel(obs=rest) if call.marks else holed), answer(name, ds.isel(obs=rest)))


def _known(result: Any) -> Any:
    """Rows with a number: an analysis may leave a row out, or say in it that nothing is known."""
    if not isinstance(result, xr.Dataset):
        return result
    numbers = [name for name in result.data_vars if result[name].dtype.kind == "f" and not str(name).startswith("n")]
    some = np.logical_or.reduce([np.isfinite(result[name].to_numpy()) for name in numbers])
    return result.isel(obs=np.flatnonzero(some))


@ALL
def test_no_rows_are_an_error(name: str) -> None:
    refused = answer(name, data(name).isel(obs=slice(0)))
    assert isinstance(refused, StoragelabError), refused


@LABELLED
def test_every_result_is_labelled(name: str) -> None:
    ds, result = data(name), found(name)
    assert set(result.dims) == {"obs"}
    assert (result.attrs["origin"], result.attrs.get("study", "")) == (ds.attrs["origin"], ds.attrs.get("study", ""))
    assert CALLS[name].marks or result.attrs.get("method")
    for column, values in result.variables.items():
        field = columns.field(str(column))
        assert values.attrs.get("units") == field.unit, column
        assert values.dtype.kind == ("U" if field.unit is None else "f"), column
        assert column in ds.variables or values.attrs["long_name"] == field.long_name


@LABELLED
def test_1024_times_the_bytes(name: str) -> None:
    """Ratios and p stay, bytes and rates grow: those of a claim too, whose unit stands in a column of its own."""
    if name not in ("claim_quantity", "verdicts"):
        same(CALLS[name].run(scaled(data(name), 1024.0), 1024.0), scaled(found(name), 1024.0))
