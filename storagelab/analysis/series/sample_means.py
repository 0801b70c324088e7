"""What a monitor saw while a run went on, as one value a run."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.runs import UNIT, chosen_rows, refuse_hidden_keys


def sample_means(series: xr.Dataset, variable: str, by: Sequence[str] = ()) -> xr.Dataset:
    """Average the samples of each run: those of a monitor that prints at equal intervals, such as sar.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: samples with `variable` and run_id; rows without it are left out.
    variable : str
        What is averaged, such as cpu_idle [1] or load_1 [1].
    by : sequence of str
        Keys to keep; `storagelab.analysis.with_keys_of` brings those of the run along. Samples of different levels
        (processors, interfaces) are averaged apart where their key is named, and are an error otherwise; so is the
        average since boot that iostat and vmstat print first, whose `phase` says so.

    Returns
    -------
    Dataset, dimension obs
        One row a run: keys `by`, run_id, repeat, block, as far as there are such; `variable`, the arithmetic mean of
        the samples, in its unit. `storagelab.analysis.summarise` takes it.

    Raises
    ------
    AnalysisError
        If a column is missing, no sample has the variable (says which statistics there are), or samples of a run differ
        in another key than `by` and time.
    """
    table.require(series, "run_id", *by)
    rows = chosen_rows(series, variable)
    keys = list(dict.fromkeys([*by, *(key for key in UNIT if key in rows)]))
    refuse_hidden_keys(rows, keys, ["time"], "by")
    cells = rows.cells(keys)
    found = cells.results(**{variable: cells.mean(variable)})
    return table.dataset(found, series, keys, statistic="single", method=f"mean of the samples of a run, {variable}")
