"""Imported by the process that commands are forked from: what they and their kernels need, once for all of them."""

from __future__ import annotations

import gc
from importlib import import_module

from storagelab import units
from storagelab.paper import forked

COMMANDS = (
    "storagelab.claims.evaluation",
    "storagelab.cli.across",
    "storagelab.cli.notebook",
    "storagelab.cli.verdicts",
    "storagelab.dataset",
    "storagelab.ingest",
    "storagelab.paper.build",
    "storagelab.paper.index",
    "storagelab.paper.page",
    "storagelab.reconstruct.campaign",
)
LATE = (
    "PIL.BmpImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.PpmImagePlugin",
    "netCDF4",
    "pandas.core.methods.to_dict",
    "pandas.core.reshape.reshape",
    "pandas.io.formats.csvs",
    "pyarrow.pandas_compat",
    "ruptures",
    "simpleeval",
    "xarray.computation.nanops",
)
"""What the libraries themselves import only when it is first needed, which would be in nearly every command."""

for _name in (*COMMANDS, *LATE, *forked.IMPORTED):
    import_module(_name)
units.registry()
gc.collect()
gc.freeze()
