"""How much a result depends on a key that should not matter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.between_levels import spread_of_levels
from storagelab.analysis.inference.correction import holm
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import exp, expm1, log
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import run_values
from storagelab.errors import AnalysisError


def robustness(
    ds: xr.Dataset,
    variable: str,
    across: Sequence[str],
    by: Sequence[str] = (),
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Coefficient of variation of the means over the levels of keys that should not matter, such as record_size.

    Means are geometric. With d the standard deviation of their logs, the coefficient of variation is that of lognormal
    values, ``sqrt(exp(d^2) - 1)``: for small ones s / m. The noise of the runs adds to it; the interval is that of
    the true means (noncentral F), and reaches down to 0 where equal means are not refused.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`. Values must be positive.
    across : sequence of str
        Keys whose levels, all combinations that there are, should give the same: record_size, processes.
    by : sequence of str
        Keys that make the cells.

    Returns
    -------
    Dataset, dimension obs
        One row a cell with two levels or more: keys `by`; ``level_variation`` with interval (none where no level has
        two runs); ``level_spread``, highest over lowest mean; ``levels``; ``n``, runs of all levels; ``p`` of equal
        means, ``p_holm``; ``caveat``. All pure numbers.

    Raises
    ------
    AnalysisError
        If `across` names no key, no cell has two levels, values are not positive, or as `run_values`.
    """
    if not across:
        raise AnalysisError("robust against what: name the keys in across")
    runs = run_values(ds, variable, [*by, *across], over=over, statistic=statistic)
    rows = table.rows(runs)
    check_scale(rows[variable], variable)
    logs = rows.assign(**{variable: log(rows[variable])})
    cells = ((cell, part.cells(across).slices(variable)) for cell, part in logs.cells(by))
    found = Rows.of_cells([{**cell, **_of_cell(levels)} for cell, levels in cells if len(levels) > 1])
    if not len(found):
        raise AnalysisError(f"no cell has {variable} of two levels of {', '.join(across)}")
    found = found.assign(p_holm=holm(found["p"]))
    method = f"variation of geometric means over {', '.join(across)}, 95 % interval by noncentral F on the logs"
    attrs = {"statistic": statistic, "method": method, "unit": runs.attrs["unit"], "made_of": variable}
    return table.dataset(found, runs, by, **attrs)


def _of_cell(levels: Sequence[Floats]) -> table.Cell:
    means = [level.mean() for level in levels]
    found = spread_of_levels(levels)
    low, high = (float(np.sqrt(expm1(end**2))) for end in found.interval)
    return {
        "level_variation": float(np.sqrt(expm1(found.value**2))),
        columns.low("level_variation"): low,
        columns.high("level_variation"): high,
        "level_spread": float(exp(np.ptp(means))),
        "levels": float(len(levels)),
        "n": float(sum(map(len, levels))),
        "p": found.p,
        "caveat": "" if np.isfinite(found.p) else "no level has runs that differ: the noise in it is not known",
    }
