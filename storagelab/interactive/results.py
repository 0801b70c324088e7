"""The rows of a result as a person reads them: values with their intervals, n and verdicts."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import xarray as xr

from storagelab.analysis import columns
from storagelab.interactive.default_variables import main_variables
from storagelab.interactive.levels import differing, written
from storagelab.interactive.sheet import Table
from storagelab.wording import quantities

MOST = 40
"""Rows of a result that are shown; the caption says how many there are."""

BESIDE = ("rank", "winner", "tied", "n", "n_base", "p_adjusted", "p_equivalent_adjusted")
"""Columns that belong to an estimate, or say who is best."""

EPOCH = "since 1970"


def result_table(ds: xr.Dataset) -> Table:
    """Lay a result out: the keys that differ, each estimate with its interval, n, corrected p values, words."""
    keys = list(differing(ds)) or [str(name) for name in ds.coords][:1]
    main = [name for name in main_variables(ds) if columns.low(name) in ds] or main_variables(ds)
    beside = [name for name in BESIDE if name in ds and name not in main]
    said = [str(name) for name, values in ds.data_vars.items() if values.dtype.kind == "U"]
    rows = ds.isel(obs=slice(MOST))
    cells = [
        *([written(key, level) for level in rows[key].to_numpy().tolist()] for key in keys),
        *(_with_interval(rows, name) for name in main),
        *([quantity(rows[name], value) for value in rows[name].to_numpy().tolist()] for name in beside),
        *(rows[name].to_numpy().tolist() for name in said),
    ]
    shown = f"Rows, {MOST} of {ds.sizes['obs']:,}" if ds.sizes["obs"] > MOST else "Rows"
    intervals = [f"{name} (95 % interval)" if columns.low(name) in ds else name for name in main]
    return Table(shown, (*keys, *intervals, *beside, *said), tuple(zip(*cells, strict=True)))


def _with_interval(ds: xr.Dataset, name: str) -> list[str]:
    values = [quantity(ds[name], value) for value in ds[name].to_numpy().tolist()]
    if columns.low(name) not in ds:
        return values
    ends = zip(ds[columns.low(name)].to_numpy().tolist(), ds[columns.high(name)].to_numpy().tolist(), strict=True)
    return [value + _interval(ds[name], low, high) for value, (low, high) in zip(values, ends, strict=True)]


def _interval(of: xr.DataArray, low: float, high: float) -> str:
    return f" ({quantity(of, low)} to {quantity(of, high)})" if np.isfinite([low, high]).all() else " (no interval)"


def quantity(of: xr.DataArray, value: float) -> str:
    """Write a value with its unit and SI prefix; a date as a date, and a unit that is not the contract's as it is."""
    if not np.isfinite(value):
        return ""
    unit = str(of.attrs.get("units", "1"))
    if EPOCH in str(of.attrs.get("long_name", "")):
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return quantities.say(unit)(value) if unit in quantities.LADDERS else f"{value:g} {unit}"
