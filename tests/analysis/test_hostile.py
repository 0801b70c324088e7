"""Every public analysis on data that cannot answer: one clear error or a flagged result, never a plausible number."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache, partial, reduce
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.analysis import columns
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, StoragelabError
from tests import damage
from tests.analysis.calls import CALLS, NO_DATASET, Call, as_runs, scaled
from tests.analysis.comparison.campaigns import series

NAMES = sorted(CALLS)
Check = Callable[..., None]


def room(name: str) -> str:
    """The folder or module of `storagelab.analysis` in which an analysis is."""
    return getattr(analysis, name).__module__.split(".")[2]


def each(names: Collection[str]) -> Callable[[Check], Check]:
    """Make a test of a check of an analysis: a case a room, which tells all of its analyses that failed by name."""

    def as_test(check: Check) -> Check:
        @pytest.mark.parametrize("where", sorted({room(name) for name in names}))
        def test(where: str, quick: bool) -> None:
            more = {"quick": quick} if "quick" in signature(check).parameters else {}
            found = damage.faults(lambda name: check(name, **more), [name for name in names if room(name) == where])
            assert found == {}

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return as_test


ALL = each(NAMES)
IN_WORDS = {
    "count",
    "leaders",
    "level",
    "levels",
    "median",
    "stated",
    "value_counts",
    "times_slower",
    "verdict",
    "pivot",
    "within",
}
"""Analyses whose result is no dataset."""

LABELLED = each([name for name in NAMES if name not in IN_WORDS])
OF_RUNS = each([name for name in NAMES if CALLS[name].spread and name not in ("compare_given", "compatibility")])
"""Those of a variable of runs, but for two that are given their errors."""

EPSILON = 2e-16


def test_no_public_function_is_forgotten() -> None:
    assert set(CALLS) | NO_DATASET == set(analysis.__all__)


@cache
def data(name: str) -> xr.Dataset:
    return CALLS[name].data()


@cache
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
        outcomes = frame(analysis.validity(as_runs(mixed))).set_index("check")["outcome"]
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
def test_what_is_missing_is_named(name: str) -> None:
    for key in CALLS[name].needs:
        refused = answer(name, data(name).drop_vars(key))
        assert isinstance(refused, StoragelabError), key
        assert key in str(refused) or columns.field(key).long_name in str(refused), key


@pytest.mark.slow
@ALL
def test_anything_may_be_missing_without_a_crash(name: str) -> None:
    for key in map(str, data(name).variables):
        answer(name, data(name).drop_vars(key))


@pytest.mark.slow
@ALL
def test_a_zero_is_no_divisor(name: str) -> None:
    """Nothing was measured where a size, a time or a link is 0: no warning of numpy's, and nothing infinite."""
    for column, values in numbers(data(name)).items():
        for zero in (values * 0, np.where(np.arange(values.size), values, 0)):
            result = answer(name, with_column(data(name), column, zero))
            assert infinite(result) <= infinite(found(name)) | OPEN_ENDS, column


OPEN_ENDS = {"accepted_low", "accepted_high", "freedom"}
"""What an interval accepts may be open, and an error of 0 says that it is known without limit."""


def numbers(ds: xr.Dataset) -> dict[str, Any]:
    """Return the measured numbers and keys of a dataset; where a value stands is none."""
    kept = {str(name): each for name, each in ds.variables.items() if each.dtype.kind == "f"}
    return {name: each.to_numpy() for name, each in kept.items() if not name.endswith("line")}


def infinite(result: Any) -> set[str]:
    """Name the columns of a result that hold an infinite number."""
    return (
        {name for name, values in numbers(result).items() if np.isinf(values).any()}
        if isinstance(result, xr.Dataset)
        else set()
    )


TAKE_LOGS = {
    "change_points", "compare", "compare_campaigns", "compare_series", "crossovers", "drift",
    "drift_test", "enough_runs", "factor_suspects", "factorial_effects", "fitted_curves", "half_peaks",
    "largest_ratio", "outliers", "over_peak", "over_straight_line", "pair_ratios", "peaks", "plan_repeats",
    "quantile_ratios", "regressions", "robustness", "run_spread", "scaling_curve", "scaling_fits", "series_offsets",
    "share_changes", "shift_functions", "tail_off", "tiers_needed", "tool_agreement", "useful_throughput",
    "variance_components", "winners",
}  # fmt: skip
"""Analyses that speak of ratios, and take logs of all runs."""


def test_a_run_of_zero_has_no_log() -> None:
    of_runs = {name: call.variable for name, call in CALLS.items() if call.spread}
    said = {name: str(answer(name, with_a_zero(data(name), variable))) for name, variable in of_runs.items()}
    told = r"{}: 1 of \d+ runs are not positive, ratios and logs need that"
    assert {name for name, text in said.items() if re.fullmatch(told.format(of_runs[name]), text)} == TAKE_LOGS


def with_a_zero(ds: xr.Dataset, variable: str) -> xr.Dataset:
    return with_column(ds, variable, np.where(np.arange(ds.sizes["obs"]) == 1, 0.0, ds[variable].to_numpy()))


def shuffled(ds: xr.Dataset) -> xr.Dataset:
    return ds.isel(obs=np.random.default_rng(1).permutation(ds.sizes["obs"]))


@each(sorted(IN_WORDS | {"claim_quantity", "verdicts"}))
def test_the_order_of_rows_says_nothing(name: str) -> None:
    same(answer(name, shuffled(data(name))), found(name))


@each(sorted(set(NAMES) - IN_WORDS - {"claim_quantity", "verdicts"}))
def test_neither_the_order_of_rows_nor_1024_times_the_bytes_say_anything(name: str) -> None:
    """Ratios and p stay, bytes and rates grow. (The unit of a claim stands in a column of its own.)"""
    same(CALLS[name].run(scaled(shuffled(data(name)), 1024.0), 1024.0), scaled(found(name), 1024.0))


def lacking(ds: xr.Dataset, key: str, rows: slice) -> xr.Dataset:
    """A dataset of which some rows do not say a key."""
    values = ds[key].to_numpy()
    text = values.dtype.kind in "UO"
    some = values.astype("U64" if text else float)
    some[rows] = "" if text else np.nan
    return with_column(ds, key, some)


FIRST, ALL_ROWS = slice(1), slice(None)


@ALL
def test_no_key_needs_to_be_known(name: str, quick: bool) -> None:
    """Neither in one row nor in any: there is no crash. What it does not ask for, no row says at once."""
    keys = {*map(str, data(name).coords)}
    needed = keys & {*CALLS[name].needs}
    for key in sorted(needed if quick else keys):
        answer(name, lacking(data(name), key, FIRST))
    for key in () if quick else sorted(needed):
        answer(name, lacking(data(name), key, ALL_ROWS))
    if not quick:
        answer(name, reduce(partial(lacking, rows=ALL_ROWS), sorted(keys - needed), data(name)))


def certain(result: Any) -> list[str]:
    """Columns with an interval or a p in rows without a caveat."""
    if not isinstance(result, xr.Dataset):
        return []
    table = frame(result)
    bare = table[table["caveat"] == ""] if "caveat" in table else table
    ends = [name for name in map(str, bare) if name.endswith(("_low", "_high")) or name in ("p", "p_equivalent")]
    return [name for name in ends if bare[name].notna().any()]


def silent(result: Any) -> list[str]:
    """Intervals that are missing beside a number, in rows that do not say why."""
    if not isinstance(result, xr.Dataset):
        return []
    table = frame(result)
    bare = table[table["caveat"] == ""] if "caveat" in table else table
    ended = [str(name).removesuffix("_low") for name in bare if str(name).endswith("_low")]
    return [name for name in ended if name in bare and (bare[name].notna() & bare[f"{name}_low"].isna()).any()]


@OF_RUNS
def test_one_run_has_no_interval(name: str) -> None:
    ds = data(name)
    first = ds.isel(obs=np.flatnonzero(ds["repeat"] == ds["repeat"].min()))
    result = answer(name, first)
    assert (certain(result), silent(result)) == ([], [])


@OF_RUNS
def test_runs_that_are_all_equal_have_no_interval(name: str) -> None:
    """Equal, or equal but for the last bit, as averages of equal values are."""
    ds = series(shift=0.0, noise=0.0) if name in ("compare_series", "series_offsets") else data(name)
    (variable,) = CALLS[name].variables
    cells = [key for key in map(str, ds.coords) if key not in ("run_id", "repeat", "log_id", "line", "start_time")]
    equal = frame(ds).groupby(cells, dropna=False)[variable].transform("first").to_numpy()
    for noise in (0.0, EPSILON):
        wobble = 1 + noise * (np.arange(equal.size) % 3 - 1)
        result = answer(name, with_column(ds, variable, equal * wobble))
        assert (certain(result), silent(result)) == ([], []), noise


@each([name for name in NAMES if name not in (*IN_WORDS, "memory_release", "over_real_time")])
def test_a_row_without_a_value_is_left_out_and_not_zero(name: str) -> None:
    """Whatever is still said was said of all rows, or is said without the row.

    But for an activity, which is read between its samples, and for a printed rate, which stays where no time is known.
    """
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
    if isinstance(holed, StoragelabError):
        return
    fewer = answer(name, ds.isel(obs=np.delete(np.arange(ds.sizes["obs"]), place)))
    for column in holed.variables:
        said = [_said(result, str(column)) for result in (holed, found(name), fewer)]
        assert said[0] <= said[1] | said[2], column


def _said(result: Any, column: str) -> set[str]:
    """Finite numbers in a column."""
    if not isinstance(result, xr.Dataset) or column not in result.variables or result[column].dtype.kind != "f":
        return set()
    return {f"{value:.9g}" for value in result[column].to_numpy() if np.isfinite(value)}


@ALL
def test_no_rows_are_an_error(name: str) -> None:
    """But for what counts, a table that takes nothing but the origin, and the checks of a study, which say so."""
    refused = answer(name, data(name).isel(obs=slice(0)))
    if name in ("validity", "validity_report"):
        assert frame(refused)["outcome"].str.startswith("not checked").sum() > 10
    elif name not in ("stage_table", "validity_findings", "validity_lines", "between", "count", "within"):
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
