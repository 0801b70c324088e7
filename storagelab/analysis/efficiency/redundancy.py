"""What copies and erasure codes cost in space and in writes, and how much of them may be lost.

Codes are spelled "data+redundancy": 10+2 has 10 fragments of data and 2 of redundancy. Papers call these k and m, or m
and k; the overhead is redundancy over data either way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import basis, table
from storagelab.analysis.scaling.bounds import copies_written, fragments
from storagelab.errors import AnalysisError

KEYS = ("layout", "replicas", "erasure_code")


def redundancy(ds: xr.Dataset) -> xr.Dataset:
    """Overhead of each layout in a dataset, from its keys; nothing here is measured, and nothing has an interval.

    What the network then allows, ``servers x link / write_amplification``, is `storagelab.analysis.bounds`.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with replicas or erasure_code; those with neither are left out.

    Returns
    -------
    Dataset, dimension obs
        One row a combination of layout, replicas and erasure_code: ``write_amplification`` w (r copies: r; d+p
        fragments: (d + p) / d; both: their product), ``space_overhead`` (w - 1; p / d), ``losses_tolerated`` (r - 1; p;
        both: r (p + 1) - 1), ``tolerated_share`` (of all copies or fragments; p / (d + p)). Pure numbers.

    Raises
    ------
    AnalysisError
        If no row has replicas or an erasure code, or a code is spelled otherwise.
    """
    rows = table.rows(ds)
    keys = [key for key in KEYS if key in rows]
    found = [{**kind, **costs} for kind in rows.cells(keys).names() if (costs := _costs(kind))]
    if not found:
        raise AnalysisError("no row has replicas or an erasure_code: there is no redundancy to count")
    return table.dataset(basis.computed(found, ds), ds, keys, method="from the number of copies and fragments")


def _costs(row: dict[Any, Any]) -> dict[str, float]:
    replicas, code = float(row.get("replicas", np.nan)), str(row.get("erasure_code", ""))
    data, spare = fragments(code)
    if not data and not np.isfinite(replicas):
        return {}
    copies = replicas if np.isfinite(replicas) else 1.0
    if copies < 1:
        raise AnalysisError(f"replicas count all copies, from 1 on, got {copies:g}")
    written, losses = copies_written(replicas, code), copies * (spare + 1) - 1
    return {
        "write_amplification": written,
        "space_overhead": written - 1,
        "losses_tolerated": losses,
        "tolerated_share": losses / (copies * max(data + spare, 1)),
    }
