"""Which keys tell the rows of a dataset apart, and how often each of their levels stands there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.errors import UnknownNameError
from storagelab.wording import words
from storagelab.wording.levels import ordered

NAMES = frozenset(
    {"run_id", "time", "log", "log_sha256", "started", "start_time", "ended", "command", "notes", "message"}
)
"""Keys whose levels name single rows, so that nobody would select or count them."""

FEW = 8
"""As many levels are written out; more are abbreviated."""

Levels = Mapping[Any, int]
"""Level -> rows that have it."""


def keys_of(ds: xr.Dataset) -> list[str]:
    """Keys of a dataset in the order of the contract, without traces and without names of single rows."""
    aside = {field.name for field in schema.TRACE} | NAMES
    present = [str(name) for name, values in ds.coords.items() if values.dims == ("obs",) and name not in aside]
    known = list(schema.FIELDS)
    return sorted(present, key=lambda name: known.index(name) if name in known else len(known))


def levels_of(ds: xr.Dataset, key: str) -> Levels:
    """Count the rows of each level of a key, in the order in which figures show levels; a missing one comes last."""
    values = ds[key].to_numpy()
    if values.size and (values == values[0]).all():
        return dict.fromkeys(values[:1].tolist(), int(values.size))
    counts: dict[Any, int] = pd.Series(values).value_counts(dropna=False).to_dict()
    known = [level for level in counts if level == level]
    missing = [level for level in counts if level != level]
    return {level: int(counts[level]) for level in [*ordered(key, known), *missing]}


def differing(ds: xr.Dataset) -> dict[str, Levels]:
    """Keys with two or more levels."""
    found = {key: levels_of(ds, key) for key in keys_of(ds)}
    return {key: levels for key, levels in found.items() if len(levels) > 1}


def shared(ds: xr.Dataset) -> dict[str, Any]:
    """Keys that all rows have in common, with that one level; those that do not apply are left out."""
    found = {key: levels_of(ds, key) for key in keys_of(ds)}
    only = {key: next(iter(levels)) for key, levels in found.items() if len(levels) == 1}
    return {key: level for key, level in only.items() if level not in ("", None) and level == level}


def rows_of_levels(ds: xr.Dataset) -> pd.Series[int]:
    """Lay `differing` out as a series indexed by key and level."""
    counted = [(key, level, rows) for key, levels in differing(ds).items() for level, rows in levels.items()]
    index = pd.MultiIndex.from_tuples([(key, level) for key, level, _ in counted], names=["key", "level"])
    return pd.Series([rows for *_, rows in counted], index if counted else None, dtype=np.int64, name="rows")


def written(key: str, level: object) -> str:
    """Write a level as figures do, also one of a key that the contract does not know."""
    try:
        return words.level(key, level)
    except UnknownNameError:
        return str(level)


def abbreviated(key: str, levels: Levels) -> str:
    """Write a few levels out with their rows, of many numbers the ends, of many words the first."""
    if len(levels) <= FEW:
        return _with_rows(key, levels.items())
    numbers = [level for level in levels if isinstance(level, float) and np.isfinite(level)]
    if numbers:
        unknown = [(level, rows) for level, rows in levels.items() if level not in numbers]
        ends = f"{written(key, min(numbers))} to {written(key, max(numbers))}"
        return ", ".join(part for part in (ends, _with_rows(key, unknown)) if part)
    first = list(levels.items())[: FEW - 2]
    return f"{_with_rows(key, first)} and {len(levels) - len(first)} more"


def _with_rows(key: str, levels: Iterable[tuple[Any, int]]) -> str:
    return ", ".join(f"{written(key, level)} ({rows:,})" for level, rows in levels)
