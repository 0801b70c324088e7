"""Runs that lie apart from the others of their cell: shown and counted, never dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.distance_from_middle import FEWEST, modified_z, of_others, p_furthest
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.key_codes import Array, array
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError

FACTOR = 2.0


def outliers(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    factor: float = FACTOR,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Say of each run how far it lies from the others of its cell.

    From 5 runs on, a run is an outlier where its modified z (on the logs: runs differ by ratios) is further out than
    that of the furthest run of a clean sample of the same n. That p speaks for all runs of a cell, so it is
    Holm-corrected over the cells of the table; the level is that of near normal logs. Below 5 runs no test can tell
    (Dixon's and Grubbs' at n = 3 find next to nothing), so a fixed rule stands in for it, without a level: an outlier
    lies beyond a factor from the median of the other runs, which lie within that factor of each other, or within the
    square root of its distance. Of two runs it is not known which is off.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`; runs of one block stand apart. Values must be positive.
    factor : float
        Of the rule for fewer than 5 runs; above 1.

    Returns
    -------
    Dataset, dimension obs
        One row a run and cell: keys `by`, run_id, repeat, block; the variable; ``over_others`` [1], the run over the
        median of the others; ``modified_z`` [1], ``p``, ``p_holm`` (NaN below 5 runs); ``outlier`` (1, 0, or NaN
        where it cannot be said); ``n``; ``caveat``. ``attrs["outliers"]`` counts them.

    Raises
    ------
    AnalysisError
        If the factor is not above 1, no cell has two runs, values are not positive, or as `run_values`.
    """
    if not factor > 1:
        raise AnalysisError(f"an outlier lies beyond a factor above 1, not {factor:g}")
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic, blocks=False)
    check_scale(runs.rows[variable], variable)
    found = judged(runs.rows, variable, by, partial(_apart, factor=factor))
    if not (found["n"] > 1).any():
        raise AnalysisError(f"no cell of {', '.join(by) or 'the selection'} has two runs of {variable}")
    p_holm = holm(found["p"], found.cells(by).of_row)
    outlier = np.where(np.isnan(found["p"]), found["outlier"], (p_holm <= ALPHA).astype(float))
    found = found.assign(p_holm=p_holm, outlier=outlier)
    method = f"modified z of logs, Holm-corrected over cells; below {FEWEST} runs a factor of {factor:g} from the"
    method += " median of others that lie near each other"
    attrs = {"outliers": f"{int(np.nansum(outlier))}", "unit": "run"}
    return table.dataset(found, ds, runs.keys, statistic=statistic, method=method, **attrs)


def judged(runs: Rows, variable: str, by: Sequence[str], judge: Callable[[Floats], Mapping[str, Any]]) -> Rows:
    """Add to each run what the values of its cell say of it, or of all of the cell; runs come cell by cell.

    Cells of one size are judged together: `judge` takes their values, a line a cell.
    """
    cells = runs.cells(by)
    values, places = cells.rows[variable], list(cells.of_one_size())
    said = [(judge(values[at]), at) for at in places]
    back = np.argsort(np.concatenate([at.ravel() for at in places]))
    flat = {name: [np.broadcast_to(array(one[name]), at.shape).ravel() for one, at in said] for name in said[0][0]}
    return cells.rows.assign(**{name: np.concatenate(parts)[back] for name, parts in flat.items()})


def over_others(values: Floats) -> tuple[Floats, Floats]:
    """Each value over the median of the others, and highest over lowest of these others; NaN where there are none.

    The median of an even number is the geometric mean of the middle two. Samples lie along the last axis.
    """
    logs = log(values)
    if logs.shape[-1] < 2:
        return np.full(logs.shape, np.nan), np.full(logs.shape, np.nan)
    return exp(logs - of_others(logs, np.median)), exp(of_others(logs, np.ptp))


def agree(away: Floats, spread: Floats, factor: float = FACTOR) -> np.ndarray:
    """Whether other runs lie near each other: within a factor, or for a run far out within the root of its distance."""
    near: np.ndarray = (spread <= factor) | (2 * log(spread) < away)
    return near


def _apart(values: Floats, factor: float) -> dict[str, Any]:
    n, logs = values.shape[-1], log(values)
    ratio, spread = over_others(values)
    z = modified_z(logs)
    away = np.abs(log(ratio))
    apart = (away > log(factor)) & agree(away, spread, factor)
    return {
        "over_others": ratio,
        "modified_z": z,
        "p": p_furthest(z, n) if n >= FEWEST else np.nan,
        "outlier": apart.astype(float) if n > 2 else np.nan,
        "n": float(n),
        "caveat": _caveats(n, z, factor),
    }


def _caveats(n: int, z: Floats, factor: float) -> str | Array:
    if n < 3:
        return "one run" if n == 1 else "2 runs: which of them is off is not known"
    if n < FEWEST:
        return f"{n} runs: a rule of a factor of {factor:g}, no test"
    known = np.isfinite(z).all(axis=-1, keepdims=True)
    return np.where(known, "", f"half of the runs are equal: a rule of a factor of {factor:g}, no test")
