"""The plan of a study beside what was run, and other results laid out for a table."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import table
from storagelab.errors import AnalysisError

CONFIGURATION = ("filesystem", "mount", "driver_disk")
SPREAD = "spread"
"""Attribute of a frame that `wide` made: the key, the value in the cells, and the level of each column."""


def runs_of_plan(study: xr.DataTree, keys: Sequence[str] = CONFIGURATION) -> xr.Dataset:
    """Count the runs of each planned configuration in each planned repeat; a repeat without any has n = 0.

    Parameters
    ----------
    study : DataTree
        Its root holds the design (the plans of study.yaml), its node ``logs`` the runs.
    keys : sequence of str
        Keys of a configuration; the plans give their levels, by `where` or by `factors`.

    Returns
    -------
    Dataset, dimension obs
        One row a planned configuration and repeat: keys `keys` and repeat; ``n`` [1], the runs there are.

    Raises
    ------
    AnalysisError
        If the study has no design, or no plan in it names all of the keys.
    """
    plans = dataset.about(study).get("design") or []
    cells = [cell for plan in plans for cell in _cells(plan, [*keys, "repeat"])]
    if not cells:
        raise AnalysisError(f"no plan of the design names {', '.join(keys)} and repeat")
    logs = _logs(study)
    table.require(logs, *keys, "repeat", "run_id")
    named = [*keys, "repeat"]
    known = table.rows(logs).cells(named)
    done = {tuple(cell.values()): n for cell, n in zip(known.names(), known.distinct("run_id"), strict=True)}
    rows = [{**cell, "n": float(done.get(tuple(cell[key] for key in named), 0))} for cell in cells]
    return table.dataset(rows, logs, named, method="runs counted against the design")


def _logs(study: xr.DataTree) -> xr.Dataset:
    if "logs" not in study.children:
        raise AnalysisError("the study has no logs: its runs cannot be counted")
    return study["logs"].to_dataset()


def _cells(plan: Mapping[str, Any], keys: Sequence[str]) -> list[dict[str, Any]]:
    fixed = {key: [level] for key, level in plan.get("where", {}).items()}
    levels = {**fixed, **plan.get("factors", {})}
    if not all(key in levels for key in keys):
        return []
    return [dict(zip(keys, values, strict=True)) for values in itertools.product(*(levels[key] for key in keys))]


def pivot(result: xr.Dataset, rows: Sequence[str], column: str, value: str) -> pd.DataFrame:
    """Lay a result out for a table: the levels of one key side by side, the other keys down.

    Parameters
    ----------
    result : Dataset, dimension obs
    rows : sequence of str
        Keys that name a line.
    column : str
        Key whose levels become the columns.
    value : str
        What stands in the cells; NaN where there is no row.

    Returns
    -------
    DataFrame
        Index `rows`, a column a level of `column`, named as text (``repeat 1``, ``kernel``). Its attribute `SPREAD`
        says what it was made of.

    Raises
    ------
    AnalysisError
        If two rows fall into one cell.
    """
    table.require(result, *rows, column, value)
    frame = table.frame(result)
    if frame.duplicated([*rows, column]).any():
        raise AnalysisError(f"several rows of {value} have the same {', '.join([*rows, column])}")
    spread = frame.pivot(index=list(rows), columns=column, values=value)
    levels = spread.columns.tolist()
    spread.columns = [f"{column} {one:g}" if isinstance(one, float) else str(one) for one in levels]
    spread.attrs[SPREAD] = {"key": column, "value": value, "levels": dict(zip(spread.columns, levels, strict=True))}
    return spread
