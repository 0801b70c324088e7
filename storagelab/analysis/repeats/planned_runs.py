"""What was planned against what is there."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr

from storagelab import dataset
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.runs import chosen_rows
from storagelab.dataset import select
from storagelab.errors import AnalysisError

CONFIGURATION = ("filesystem", "mount", "driver_disk")
Level = str | float


def design_counts(
    ds: xr.Dataset,
    variable: str,
    factors: Mapping[str, Sequence[Level]],
    *,
    where: Mapping[str, Level] | None = None,
    statistic: str = "single",
) -> xr.Dataset:
    """Count the runs of each cell of a design.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable : str
        A row counts where this has a value; "" where every row counts.
    factors : mapping of str to sequence
        Planned levels of each key, as in a plan of study.yaml. The levels of repeat are the planned runs of a cell;
        without repeat each cell plans one run.
    where : mapping, optional
        Keys that select the rows the plan speaks of.
    statistic : str
        See `run_values`; of every row where there is no variable.

    Returns
    -------
    Dataset, dimension obs
        One row a planned cell: its keys; ``n`` (repeats, or runs, there are), ``planned``, ``missing``. Pure numbers.

    Raises
    ------
    AnalysisError
        If a factor is not in the dataset, or no row has the variable.

    Examples
    --------
    >>> for plan in dataset.about(study)["design"]:  # doctest: +SKIP
    ...     design_counts(runs, "", plan["factors"], where=plan["where"])
    """
    table.require(ds, *factors)
    chosen = select(ds, **(where or {}))
    rows = chosen_rows(chosen, variable, statistic) if variable else table.rows(chosen)
    keys = [key for key in factors if key != "repeat"]
    repeats = list(factors.get("repeat", [1.0]))
    done = {tuple(cell.values()): _runs(part, repeats) if "repeat" in factors else 1 for cell, part in rows.cells(keys)}
    cells = [(levels, done.get(levels, 0)) for levels in itertools.product(*(factors[key] for key in keys))]
    counted = [
        {**dict(zip(keys, levels, strict=True)), "n": n, "planned": len(repeats), "missing": max(0, len(repeats) - n)}
        for levels, n in cells
    ]
    return table.dataset(counted, ds, keys, method="runs counted against the design")


def _runs(part: Rows, repeats: Sequence[Level]) -> int:
    return len({*part.levels("repeat")} & {*repeats})


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
