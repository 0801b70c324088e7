"""What IOzone's throughput mode counts once the first process is done.

When one process has finished its file, IOzone tells the others to stop ("stonewalling"): each reports the bytes moved
until then over its own time, and "Children see" adds these rates up. A stopped writer still writes the rest of its
file, because later tests read it; those bytes are counted nowhere, while the clock behind "Parent sees" runs on.
So for writers the parent's rate is too low by the share that was not counted, and all bytes written over the parent's
time is the parent's rate over that share. A stopped reader reads no further, and for readers no such correction is due.

Source: ``thread_write_test`` and its kin in iozone.c (W. Norcott and D. Capps).
"""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.analysis.run_times import TIMES, earliest
from storagelab.analysis.runs import UNIT, values_of_runs
from storagelab.errors import AnalysisError

NEEDED = ("throughput", "throughput_parent", "data_size", "file_size", "processes")


def stonewall(ds: xr.Dataset, by: Sequence[str]) -> xr.Dataset:
    """Lay the rate that IOzone's processes report beside what its parent saw.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``runs``: rows of IOzone's throughput mode.
    by : sequence of str
        Keys that make the cells.

    Returns
    -------
    Dataset, dimension obs
        One row a run and cell: keys `by`, run_id, repeat, block; ``counted_share`` [1], the bytes counted over those
        of the whole files; ``children_over_parent`` [1]; ``children_over_whole`` [1], the sum of the processes' rates
        over all bytes of the files in the parent's time.

    Raises
    ------
    AnalysisError
        If no row is of that mode, or as `run_values`.
    """
    for name in NEEDED:
        table.unit(ds, name)
    whole = ds.dropna("obs", subset=["throughput", "throughput_parent"])
    if not whole.sizes["obs"]:
        raise AnalysisError("no row has both the children's and the parent's throughput")
    rows = table.rows(whole)
    counted = divided(rows["data_size"], rows["file_size"] * rows["processes"])
    parent = divided(rows["throughput"], rows["throughput_parent"])
    shares = {"counted_share": counted, "children_over_parent": parent, "children_over_whole": parent * counted}
    named = whole.assign(dict(table.dataset(Rows(shares, len(rows)), whole, []).data_vars))
    keys = list(dict.fromkeys([*by, *UNIT]))
    parts = [values_of_runs(named, name, by).rows for name in shares]
    cells = Rows.stacked([part.only([*keys, *TIMES]) for part in parts]).cells(keys)
    every = cells.results(**earliest(cells))
    found = {name: every.looked_up(part, keys, [name])[name] for name, part in zip(shares, parts, strict=True)}
    return table.dataset(
        every.assign(**found), ds, keys, statistic="single", method="rates of the processes over that of their parent"
    )
