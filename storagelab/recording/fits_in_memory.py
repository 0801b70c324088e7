"""Whether the files of a run fit in the memory of the host that made it."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab.errors import StoragelabError
from storagelab.ingest import tidy
from storagelab.ingest.log_file import Log


def fit(log: Log, memory: float | None) -> str:
    """Say that the files of a run fit in memory; "" where they do not, or where either is not known."""
    from storagelab.analysis.validity.working_sets import working_sets  # the run is over: nothing waits for it

    try:
        study = tidy([log])
        rows = study["runs"].to_dataset() if "runs" in study.children else xr.Dataset()
        sizes = working_sets(rows)["working_set"].to_numpy() if rows.sizes.get("obs") else np.array([])
    except StoragelabError:
        return ""
    if not memory or not sizes.size or sizes.min() > memory:
        return ""
    return (
        f"its files ({_size(float(sizes.min()))}) fit in the memory of this host ({_size(memory)}): what was read may"
        " have come from the page cache"
    )


def _size(value: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:.3g} TiB"
