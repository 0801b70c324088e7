"""Where the latency of an asynchronous operation is spent."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.analysis.run_times import TIMES, earliest
from storagelab.analysis.runs import UNIT, values_of_runs


def completion_over_submission(ds: xr.Dataset, by: Sequence[str], *, over: Sequence[str] = ()) -> xr.Dataset:
    """Divide the mean time from submission to completion by the mean time that submitting took.

    Where the page cache makes submission itself do the work, one operation of a queue is done at a time, and an
    operation waits for all that are submitted after it: the ratio is then near the queue depth less one.

    Parameters
    ----------
    ds, by, over
        See `run_values`; rows with latency and submission_latency.

    Returns
    -------
    Dataset, dimension obs
        One row a run and cell: keys `by`, run_id, repeat, block; ``completion_over_submission`` [1].

    Raises
    ------
    AnalysisError
        As `run_values`.
    """
    keys = list(dict.fromkeys([*by, *UNIT]))
    whole, submitting = (values_of_runs(ds, name, by, over=over).rows for name in ("latency", "submission_latency"))
    cells = Rows.stacked([rows.only([*keys, *TIMES]) for rows in (whole, submitting)]).cells(keys)
    every = cells.results(**earliest(cells))
    latency = every.looked_up(whole, keys, ["latency"])["latency"]
    submission = every.looked_up(submitting, keys, ["submission_latency"])["submission_latency"]
    rows = every.assign(completion_over_submission=divided(latency, submission))
    return table.dataset(rows, ds, keys, statistic="single", method="mean latency over mean latency of submission")
