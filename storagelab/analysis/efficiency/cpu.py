"""CPU time over real time, and what a configuration loses of it: in points and relative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.comparison.absolute_differences import differences
from storagelab.analysis.comparison.comparison import compare
from storagelab.analysis.runs import UNIT, chosen_rows
from storagelab.errors import AnalysisError

Level = str | float
ENDS = ("ratio", columns.low("ratio"), columns.high("ratio"))


def cpu_efficiency(ds: xr.Dataset, by: Sequence[str] = ()) -> xr.Dataset:
    """CPU seconds of all jobs of a run over their real seconds: long jobs count for more.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A row a job, with elapsed and cpu_time [s] (or cpu_user_time and cpu_system_time), such as the result of
        `storagelab.analysis.jobs`. Rows without any of them are left out.
    by : sequence of str
        Keys of a run to keep.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, run_id, repeat, block; ``cpu_utilisation`` [1] (above one where threads run at once);
        ``cpu_time``, ``elapsed`` [s], sums over the jobs. `summarise`, `share_changes` take it.

    Raises
    ------
    AnalysisError
        If a column is missing, or a run took no time.
    """
    modes = ("cpu_time",) if "cpu_time" in ds.variables else ("cpu_user_time", "cpu_system_time")
    for name in (*modes, "elapsed"):
        table.unit(ds, name)
    table.require(ds, *by)
    rows = chosen_rows(ds, "elapsed")
    spent = np.sum([rows[mode] for mode in modes], axis=0)
    known = rows.assign(cpu_time=spent).take(np.isfinite(spent))
    if not len(known):
        raise AnalysisError(f"no row has elapsed and {' and '.join(modes)}")
    keys = list(dict.fromkeys([*by, *(key for key in UNIT if key in rows)]))
    cells = known.cells(keys)
    cpu_time, elapsed = cells.sum("cpu_time"), cells.sum("elapsed")
    if not (elapsed > 0).all():
        raise AnalysisError("a run took no time: CPU time over elapsed time is not known")
    found = cells.results(cpu_time=cpu_time, elapsed=elapsed, cpu_utilisation=cpu_time / elapsed)
    return table.dataset(found, ds, keys, statistic="single", method="CPU time over elapsed time of all jobs of a run")


def share_changes(
    ds: xr.Dataset,
    factor: str,
    base: Level,
    other: Level,
    by: Sequence[str] = (),
    *,
    variable: str = "cpu_utilisation",
    over: Sequence[str] = (),
) -> xr.Dataset:
    """Difference other - base of a share, in points and relative to the base: "2 to 4 %" may mean either.

    Parameters
    ----------
    ds, over
        See `storagelab.analysis.run_values`.
    factor, base, other, by
        See `storagelab.analysis.differences`.
    variable : str
        A pure number, such as CPU time over elapsed time.

    Returns
    -------
    Dataset, dimension obs
        One row a cell with both sides: keys `by`; ``compared`` (text); ``difference`` [1] with Welch's 95 % t interval;
        ``relative_difference`` [1], the ratio of the geometric means less one, with Welch's on the logs; ``n``,
        ``n_base``; ``p``, ``p_holm``, ``verdict`` of the difference; ``caveat``.

    Raises
    ------
    AnalysisError
        If the variable is no pure number, a value is not positive, or as `differences`.
    """
    if (unit := table.unit(ds, variable)) != "1":
        raise AnalysisError(f"points are of pure numbers, {variable} is in {unit}")
    gaps = differences(ds, variable, factor, base, other, by, over=over)
    ratios = compare(ds, variable, factor, base, other, by, over=over)
    rows = table.rows(gaps)
    both = rows.looked_up(table.rows(ratios), by, [*ENDS, "caveat"])
    caveat = np.where(rows["caveat"] == "", both["caveat"], rows["caveat"])
    relative = {name.replace("ratio", "relative_difference"): both[name] - 1 for name in ENDS}
    rows = rows.assign(**relative, caveat=caveat)
    method = "difference of means, and ratio of geometric means less one, each with a 95 % Welch t interval"
    attrs = {name: str(gaps.attrs[name]) for name in ("statistic", "unit", "compared_variable", "margin")}
    return table.dataset(rows, ds, [*by, "compared"], method=method, **attrs)
