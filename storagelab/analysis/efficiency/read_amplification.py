"""What is fetched in whole blocks against what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Floats, Rows
from storagelab.analysis.runs import UNIT
from storagelab.errors import AnalysisError

COUNTED = ("blocks_fetched", "blocks_distinct", "fetch_block", "data_size")


def block_amplification(ds: xr.Dataset, by: Sequence[str] = ()) -> xr.Dataset:
    """Bytes of the blocks that were fetched over the bytes asked for, and how often each block was fetched.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with blocks_fetched, blocks_distinct [1], fetch_block and data_size (asked for) [B], as counters give them
        or `blocks_touched` finds them. Rows of a run are added up; the different blocks are those of different files.
    by : sequence of str
        Keys of a run to keep.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, run_id, repeat, block; ``block_amplification`` (blocks_fetched x fetch_block over
        data_size), ``repeat_factor`` (blocks_fetched over blocks_distinct) [1]; ``bytes_asked`` [B]. `summarise` takes
        it.

    Raises
    ------
    AnalysisError
        If a column is missing, no row has all of them, or a run asked for nothing.
    """
    for name in COUNTED:
        table.unit(ds, name)
    table.require(ds, *by)
    rows = _with_all(ds, COUNTED)
    if not len(rows):
        raise AnalysisError(f"no row has all of {', '.join(COUNTED)}")
    keys = list(dict.fromkeys([*by, *(key for key in UNIT if key in rows)]))
    runs = rows.assign(crossed=rows["blocks_fetched"] * rows["fetch_block"]).cells(keys)
    asked, distinct = (_or_nan(runs.sum(name)) for name in ("data_size", "blocks_distinct"))
    found = runs.results(
        block_amplification=runs.sum("crossed") / asked,
        repeat_factor=runs.sum("blocks_fetched") / distinct,
        bytes_asked=runs.sum("data_size"),
    )
    if not (found["bytes_asked"] > 0).all() or not np.isfinite(found["repeat_factor"]).all():
        raise AnalysisError("a run asked for no byte, or fetched no block: there is nothing to divide by")
    return table.dataset(found, ds, keys, statistic="single", method="blocks fetched times their size over bytes asked")


def _with_all(ds: xr.Dataset, names: Sequence[str]) -> Rows:
    rows = table.rows(ds)
    return rows.take(np.logical_and.reduce([~np.isnan(rows[name]) for name in names]))


def _or_nan(below: Floats) -> Floats:
    return np.where(below == 0, np.nan, below)


def blocks_touched(ds: xr.Dataset, fetch_block: float, by: Sequence[str] = ()) -> xr.Dataset:
    """Count the blocks that requests touch: what a client without any cache fetches, and what one that keeps all does.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A row a request, with offset and data_size [B], of one file a cell and run.
    fetch_block : float
        Size of a block in bytes; blocks begin at multiples of it.
    by : sequence of str
        Keys of a file in its run, such as file.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and run: keys `by`, run_id, repeat, block, ``fetch_block`` [B]; ``blocks_fetched`` (each request
        fetches all blocks it touches), ``blocks_distinct`` (each block is fetched once) [1]; ``data_size`` [B].
        `block_amplification` takes it.

    Raises
    ------
    AnalysisError
        If the size is not positive, or no row has offset and a positive data_size.
    """
    if not 0 < fetch_block < np.inf:
        raise AnalysisError(f"a block has a positive size, got {fetch_block:g} B")
    for name in ("offset", "data_size"):
        table.unit(ds, name)
    table.require(ds, *by)
    rows = _with_all(ds, ("offset", "data_size"))
    rows = rows.take(rows["data_size"] > 0)
    if not len(rows):
        raise AnalysisError("no row is a request: it needs offset and a positive data_size")
    keys = list(dict.fromkeys([*by, *(key for key in UNIT if key in rows)]))
    found = [{**cell, "fetch_block": fetch_block, **_touched(part, fetch_block)} for cell, part in _files(rows, keys)]
    method = "blocks touched by each request, and by all of them"
    return table.dataset(found, ds, [*keys, "fetch_block"], statistic="single", method=method)


def _files(rows: Rows, keys: Sequence[str]) -> list[tuple[table.Cell, Rows]]:
    cells = list(rows.cells(keys))
    for cell, part in cells:
        if "file" in part and part.varies("file"):
            raise AnalysisError(
                f"requests of {table.name_cell(cell) or 'the selection'} are of several files: name file in by"
            )
    return cells


def _touched(part: Rows, size: float) -> dict[str, float]:
    first = np.floor(part["offset"] / size).astype(np.int64)
    last = (np.ceil((part["offset"] + part["data_size"]) / size) - 1).astype(np.int64)
    every = np.concatenate([np.arange(low, high + 1) for low, high in zip(first, last, strict=True)])
    counted = {"blocks_fetched": float(every.size), "blocks_distinct": float(np.unique(every).size)}
    return {**counted, "data_size": float(part["data_size"].sum())}
