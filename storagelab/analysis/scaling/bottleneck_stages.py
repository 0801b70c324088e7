"""The stages between a client and the disks, and which of them binds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.key_codes import array
from storagelab.analysis.significant_digits import first_extreme
from storagelab.errors import AnalysisError


def narrowest(limits: Mapping[str, float]) -> tuple[str, float]:
    """Return the stage with the lowest known limit, the first of equals, and the limit.

    Raises
    ------
    AnalysisError
        If none is known.

    Examples
    --------
    >>> narrowest({"client links": 100.0, "server links": 75.0})
    ('server links', 75.0)
    """
    known = {stage: limit for stage, limit in limits.items() if np.isfinite(limit)}
    if not known:
        raise AnalysisError(f"no capacity is known of the stages {', '.join(limits) or '(none)'}")
    stage = list(known)[first_extreme(list(known.values()), "lowest")]
    return stage, known[stage]


def stage_table(
    capacities: Mapping[str, float], like: xr.Dataset, *, link_bytes: Mapping[str, float] | None = None
) -> xr.Dataset:
    """Lay stages out as the dataset that `bottlenecks` takes.

    Parameters
    ----------
    capacities : mapping
        What each stage carries [B/s], in the order of the way; NaN where it is not known.
    like : Dataset
        Whose origin and study the table has.
    link_bytes : mapping, optional
        Bytes that cross a stage for each byte asked for, where it is not one: replicas behind a write, (k + m) / k of
        an erasure code, read amplification; see `storagelab.analysis.scaling.bounds.copies_written`.

    Returns
    -------
    Dataset, dimension obs
        One row a stage: key ``stage``; ``capacity`` [B/s], ``link_bytes`` [1].

    Raises
    ------
    AnalysisError
        If there is no stage, or `link_bytes` names another.
    """
    crossing = dict(link_bytes or {})
    if unknown := sorted(set(crossing) - set(capacities)):
        raise AnalysisError(f"no such stage: {', '.join(unknown)}; there are {', '.join(capacities)}")
    if not capacities:
        raise AnalysisError("no stage is named")
    rows = [
        {"stage": stage, "capacity": capacity, "link_bytes": crossing.get(stage, 1.0)}
        for stage, capacity in capacities.items()
    ]
    return table.dataset(rows, like, ["stage"], method="as given")


def bottlenecks(stages: xr.Dataset, by: Sequence[str] = ()) -> xr.Dataset:
    """Find the stage that binds: the smallest ``capacity / link_bytes``.

    Parameters
    ----------
    stages : Dataset, dimension obs
        Rows with ``stage``, ``capacity`` [B/s] and ``link_bytes`` [1], and the keys `by`; see `stage_table`.
    by : sequence of str
        Keys that make the cells, each with its stages.

    Returns
    -------
    Dataset, dimension obs
        The same rows: keys `by` and ``stage``; ``capacity``, ``link_bytes``; ``limit`` [B/s], the rate asked for at
        which the stage is full; ``bound`` [B/s], the lowest of the cell, and ``bottleneck``, its stage (the first of
        equals); ``limit_share`` [1], the limit over the bound. Exact numbers: no interval.

    Raises
    ------
    AnalysisError
        If a column is missing or in another unit, a capacity or number of bytes is not positive, a stage stands twice
        in a cell, or no capacity of a cell is known.
    """
    table.require(stages, "stage", "capacity", "link_bytes", *by)
    for name in ("capacity", "link_bytes"):
        table.unit(stages, name)
    rows = table.rows(stages).only([*by, "stage", "capacity", "link_bytes"])
    _check(rows, by)
    cells = rows.assign(limit=rows["capacity"] / rows["link_bytes"]).cells(by)
    named = zip(cells.slices("stage"), cells.slices("limit"), strict=True)
    lowest = [narrowest(dict(zip(names, limits.tolist(), strict=True))) for names, limits in named]
    stage, bound = (np.repeat(array(of_cells), cells.size) for of_cells in zip(*lowest, strict=True))
    found = cells.rows.assign(bound=bound, bottleneck=stage, limit_share=cells.rows["limit"] / bound)
    method = "lowest capacity over the bytes that cross the stage for each byte asked for"
    return table.dataset(found, stages, [*by, "stage"], method=method)


def _check(rows: Rows, by: Sequence[str]) -> None:
    for name in ("capacity", "link_bytes"):
        for stage, value in zip(rows["stage"], rows[name], strict=True):
            if value <= 0:
                raise AnalysisError(f"{name} of stage {stage} is {value:g}, expected above zero")
    named = rows.cells([*by, "stage"])
    for twice in named.first("stage")[named.size > 1]:
        raise AnalysisError(f"stage {twice} stands twice in a cell: name what tells them apart in by")
