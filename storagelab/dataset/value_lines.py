"""Lines of single values as a file keeps them: one table a node, since a column each would cost more than it says.

netCDF-4 takes some three kilobytes for a column whatever it holds. A row of fio has its values on forty lines, which
are as far from each other in all rows: a table of distances compresses to next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import schema

if TYPE_CHECKING:
    import xarray as xr

NAME = "value_lines"
"""The table: for each row and each of its `names`, how many lines below the row's own the value stands; 0 on it."""
DIMENSION = "value_of"
OPENED = "as xarray alone opens it: use storagelab.open_study, or engine='storagelab'"
"""What to do with a node that still has the table."""
LONG_NAME = "lines from the line of a row to that of its value"


def packed(ds: xr.Dataset) -> xr.Dataset:
    """Put the lines of single values (``throughput_line``) of a node into one table of int32, rows by values."""
    names = [str(name) for name in ds.variables if name in schema.VALUE_AT]
    if not names:
        return ds
    own = _own(ds.variables)
    lines = np.stack([ds.variables[name].to_numpy() for name in names], axis=-1)
    table = np.where(np.isfinite(lines), lines - own, 0).astype(np.int32)
    attrs = {"long_name": LONG_NAME, "names": " ".join(names)}
    return ds.drop_vars(names).assign_coords({NAME: (("obs", DIMENSION), table, attrs)})


def unpacked(variables: Mapping[str, xr.Variable]) -> dict[str, xr.Variable]:
    """Return the columns that `packed` put into its table: NaN where a value stands on the line of its row."""
    import xarray as xr

    table = variables[NAME]
    far = table.to_numpy()
    lines = np.where(far != 0, _own(variables) + far, np.nan)
    names = str(table.attrs["names"]).split()
    return {
        name: xr.Variable("obs", lines[:, at].copy(), schema.attributes(schema.field(name)))
        for at, name in enumerate(names)
    }


def _own(variables: Mapping[Any, xr.Variable]) -> np.ndarray[Any, Any] | int:
    """Line of each row, as a column; 0 in a node whose rows have none."""
    return variables["line"].to_numpy()[:, None] if "line" in variables else 0
