"""Every public analysis against data that cannot answer: one clear error or a flagged result, never a plausible number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from storagelab import analysis, schema
from storagelab.analysis import columns
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, StoragelabError
from tests.analysis.calls import BYTES, CALLS, NO_DATASET, Call, scaled

NAMES = sorted(CALLS)
ALL = pytest.mark.parametrize("name", NAMES)
FLOAT = 1e-9


def test_no_public_function_is_forgotten() -> None:
    assert set(CALLS) | NO_DATASET == set(analysis.__all__)


def answer(call: Call, ds: xr.Dataset, factor: float = 1.0) -> Any:
    """What a call gives, or the error of the package that it ends in."""
    try:
        return call.run(ds, factor)
    except StoragelabError as error:
        return error


def rows(result: Any) -> pd.DataFrame:
    """Any result as a frame in an order of its own."""
    if isinstance(result, xr.Dataset):
        found = frame(result)
    elif isinstance(result, pd.DataFrame):
        found = result.reset_index()
    else:
        found = pd.DataFrame([result]) if isinstance(result, dict) else pd.DataFrame({"result": [result]})
    found = found.reindex(columns=sorted(found.columns, key=str))
    texts = found.apply(lambda column: column.map(lambda x: f"{x:.6g}" if isinstance(x, float) else str(x)))
    return found.loc[texts.sort_values(list(texts.columns), kind="stable").index].reset_index(drop=True)


def same(one: Any, other: Any, *, without: tuple[str, ...] = ()) -> None:
    assert not isinstance(one, StoragelabError), one
    assert not isinstance(other, StoragelabError), other
    a, b = (rows(result).drop(columns=list(without), errors="ignore") for result in (one, other))
    pd.testing.assert_frame_equal(a, b, rtol=FLOAT, atol=0, check_dtype=False)


def without_answer(result: Any) -> bool:
    return isinstance(result, AnalysisError)


@ALL
def test_the_call_answers_and_leaves_the_data_alone(name: str) -> None:
    call = CALLS[name]
    ds = call.data()
    before = ds.copy(deep=True)
    one = call.run(ds, 1.0)
    xr.testing.assert_identical(ds, before)
    same(one, call.run(ds, 1.0))


@ALL
def test_two_origins_are_never_mixed(name: str) -> None:
    call = CALLS[name]
    ds = call.data()
    mixed = np.array(["measured", "published"])[np.arange(ds.sizes["obs"]) % 2 if ds.sizes["obs"] > 1 else [1]]
    found = answer(call, ds.assign_coords(origin=("obs", mixed)).assign_attrs(origin="measured"))
    assert without_answer(found), found
    assert "origin" in str(found)


UNITS = [(name, variable) for name in NAMES for variable in CALLS[name].variables]
WRONG = {"B/s": "MB/s", "B": "MB", "s": "ms", "1": "%", "1/s": "1/ms"}


@pytest.mark.parametrize(("name", "variable"), UNITS)
def test_another_unit_is_refused(name: str, variable: str) -> None:
    call = CALLS[name]
    ds = call.data()
    unit = ds[variable].attrs.get("units")
    if unit is None:
        pytest.skip("text")
    ds[variable].attrs["units"] = WRONG.get(unit, "furlong")
    found = answer(call, ds)
    assert without_answer(found), found
    assert variable in str(found)
    assert "the contract says" in str(found)


NEEDS = [(name, key) for name in NAMES for key in CALLS[name].needs]


@pytest.mark.parametrize(("name", "key"), NEEDS)
def test_what_is_missing_is_named(name: str, key: str) -> None:
    call = CALLS[name]
    found = answer(call, call.data().drop_vars(key))
    assert isinstance(found, StoragelabError), found
    assert key in str(found) or columns.field(key).long_name in str(found), str(found)


@ALL
def test_any_other_column_may_be_missing(name: str) -> None:
    call = CALLS[name]
    ds = call.data()
    for column in sorted(set(map(str, ds.variables)) - set(call.needs)):
        answer(call, ds.drop_vars(column))


@ALL
def test_the_order_of_rows_says_nothing(name: str) -> None:
    call = CALLS[name]
    ds = call.data()
    order = np.random.default_rng(1).permutation(ds.sizes["obs"])
    same(call.run(ds, 1.0), call.run(ds.isel(obs=order), 1.0))


@ALL
def test_a_key_that_is_not_known_does_no_harm(name: str) -> None:
    """One row, and then all rows, lack each key: there is an answer or an error of our own."""
    call = CALLS[name]
    ds = call.data()
    for key in map(str, ds.coords):
        text = ds[key].dtype.kind in "UO"
        for places in ([0], slice(None)):
            values = ds[key].to_numpy().astype("U64" if text else float)
            values[places] = "" if text else np.nan
            answer(call, ds.assign_coords({key: ("obs", values, ds[key].attrs)}))


def flagged(found: pd.DataFrame) -> pd.Series:
    return found["caveat"] != "" if "caveat" in found else pd.Series(False, found.index)


def certain(result: Any) -> list[str]:
    """Columns with an interval or a p in rows without a caveat."""
    if not isinstance(result, xr.Dataset):
        return []
    found = frame(result)
    bare = found[~flagged(found)]
    ends = [name for name in bare if str(name).endswith(("_low", "_high")) or name in ("p", "p_holm", "p_equivalent")]
    return [str(name) for name in ends if bare[name].notna().any() and name not in ("accepted_low", "accepted_high")]


OF_RUNS = [name for name in NAMES if CALLS[name].spread]
GIVEN = {"compare_given", "compatibility"}
"""Their errors are given, so that one row has its interval."""


def first_run_of_each(ds: xr.Dataset) -> xr.Dataset:
    if "repeat" in ds.coords:
        return ds.isel(obs=np.flatnonzero(ds["repeat"] == ds["repeat"].min()))
    return ds


@pytest.mark.parametrize("name", [name for name in OF_RUNS if name not in GIVEN])
def test_one_run_has_no_interval(name: str) -> None:
    call = CALLS[name]
    found = answer(call, first_run_of_each(call.data()))
    assert certain(found) == []


@pytest.mark.parametrize("name", [name for name in OF_RUNS if name not in GIVEN])
@pytest.mark.parametrize("noise", [0.0, 2e-16])
def test_runs_that_are_all_equal_have_no_interval(name: str, noise: float) -> None:
    """Equal, or equal but for the last bit, as averages of equal values are."""
    call = CALLS[name]
    ds = call.data()
    (variable,) = call.variables
    cells = [key for key in map(str, ds.coords) if key not in ("run_id", "repeat", "log_id", "line", "start_time")]
    equal = frame(ds).groupby(cells, dropna=False)[variable].transform("first").to_numpy()
    wobble = 1 + noise * (np.arange(equal.size) % 3 - 1)
    found = answer(call, ds.assign({variable: ("obs", equal * wobble, ds[variable].attrs)}))
    assert certain(found) == []


@pytest.mark.parametrize(("name", "variable"), UNITS)
def test_a_row_without_a_value_is_left_out_and_not_zero(name: str, variable: str) -> None:
    call = CALLS[name]
    ds = call.data()
    if ds[variable].dtype.kind != "f" or ds.sizes["obs"] < 2:
        pytest.skip("nothing to leave out")
    known = np.flatnonzero(np.isfinite(ds[variable]))
    values = ds[variable].to_numpy().copy()
    values[known[0]] = np.nan
    holed = answer(call, ds.assign({variable: ("obs", values, ds[variable].attrs)}))
    fewer = answer(call, ds.isel(obs=np.delete(np.arange(ds.sizes["obs"]), known[0])))
    if isinstance(holed, StoragelabError):
        return
    if call.marks:
        holed = holed.isel(obs=np.delete(np.arange(ds.sizes["obs"]), known[0]))
    same(holed, fewer)


@ALL
def test_no_rows_are_an_error(name: str) -> None:
    call = CALLS[name]
    found = answer(call, call.data().isel(obs=slice(0)))
    assert isinstance(found, StoragelabError), found


LABELLED = [name for name in NAMES if isinstance(CALLS[name].run(CALLS[name].data(), 1.0), xr.Dataset)]


@pytest.mark.parametrize("name", LABELLED)
def test_every_result_is_labelled(name: str) -> None:
    call = CALLS[name]
    ds = call.data()
    found = call.run(ds, 1.0)
    assert set(found.dims) == {"obs"}
    assert (found.attrs["origin"], found.attrs.get("study", "")) == (ds.attrs["origin"], ds.attrs.get("study", ""))
    assert call.marks or found.attrs.get("method")
    for column, values in found.variables.items():
        field = columns.field(str(column))
        assert values.attrs.get("units") == field.unit, column
        assert values.dtype.kind == ("U" if field.unit is None else "f"), column
        if column not in ds.variables:
            assert values.attrs["long_name"] == field.long_name


@pytest.mark.parametrize("name", LABELLED)
def test_1024_times_the_bytes(name: str) -> None:
    call = CALLS[name]
    ds = call.data()
    one, other = call.run(ds, 1.0), call.run(scaled(ds, 1024.0), 1024.0)
    same(scaled(one, 1024.0), other)
