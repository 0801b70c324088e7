"""How many clients a server has memory for, where each needs blocks of its own there."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.errors import AnalysisError


def clients_in_memory(
    ds: xr.Dataset, *, memory: str = "memory_total", block: str = "fetch_block", blocks: float = 1.0
) -> xr.Dataset:
    """Divide the memory of a server by the block that each client needs in it.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with the memory and the block [B], and clients where their demand is asked.
    memory : str
        Column of the memory, such as memory_total or memory_limit.
    block : str
        Column of what each client needs, such as fetch_block, or file_size where each has a file of its own.
    blocks : float
        Blocks that a client needs at a time.

    Returns
    -------
    Dataset, dimension obs
        The same rows, with ``clients_most`` (whole clients; an upper limit, as nothing else has a share) and
        ``memory_demand`` (clients x blocks over memory, NaN without clients). Pure numbers.

    Raises
    ------
    AnalysisError
        If the columns are missing or in other units, or no row has both, or a block is not positive.
    """
    for name in (memory, block):
        if (unit := table.unit(ds, name)) != "B":
            raise AnalysisError(f"memory and blocks are in B, {name} is in {unit}")
    rows = table.rows(ds)
    needed = rows[block] * blocks
    if (needed <= 0).any():
        raise AnalysisError("a client needs a block of a positive size")
    fit = rows[memory] / needed
    if not np.isfinite(fit).any():
        raise AnalysisError(f"no row has {memory} and {block}: how many clients fit is not known")
    clients = rows.get("clients", np.nan)
    added = Rows({"clients_most": np.floor(fit), "memory_demand": divided(clients, fit)}, len(rows))
    return table.with_variables(ds, added)
