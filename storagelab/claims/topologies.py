"""The machines of a test bed as rows for a drawing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.claims.record import Record
from storagelab.errors import StoragelabError, nearest

WORDS = ("drawing", "tier", "network", "box", "inside")
NUMBERS = {"row": "1", "link": "B/s", "count": "1", "most": "1", "inside_count": "1"}


def topology(record: Record, *names: str) -> xr.Dataset:
    """Lay out how the machines of a test bed hang together, for `storagelab.figures.topology`.

    Parameters
    ----------
    record : Record
    *names : str
        Names of the drawings, in their order.

    Returns
    -------
    Dataset, dimension obs
        A row a kind of thing inside a kind of machine. Keys drawing, tier, network, box, inside; row (from the
        top), count, most, inside_count, and link [B/s], the rate of each link of a tier to the
        next (NaN where none is printed).

    Raises
    ------
    StoragelabError
        If there is no such drawing; says the nearest.
    """
    known = list(dict.fromkeys(str(row["drawing"]) for row in record.topologies))
    if unknown := [name for name in names if name not in known]:
        raise StoragelabError(f"no drawing {unknown[0]!r} of the test bed{nearest(unknown[0], known)}")
    rows = pd.DataFrame([row for name in names for row in record.topologies if row["drawing"] == name])
    words = {name: ("obs", rows[name].astype(str).to_numpy(), {"long_name": name}) for name in WORDS}
    numbers = {
        name: ("obs", np.asarray(rows[name], dtype=np.float64), {"units": unit, "long_name": name.replace("_", " ")})
        for name, unit in NUMBERS.items()
    }
    return xr.Dataset(numbers, words, {"origin": "published", "study": record.study})
