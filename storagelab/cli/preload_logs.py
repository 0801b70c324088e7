"""Imported by the process that commands are forked from which render and read logs: what they need, once for all."""

# ruff: noqa: E402

from __future__ import annotations

import gc

gc.disable()  # until all is imported: what is imported stays, and would be looked through again and again

from contextlib import suppress
from importlib import import_module

from storagelab import pinned_environment, units
from storagelab.cli import command_line

COMMANDS = (
    "storagelab.dataset",
    "storagelab.ingest.study_dataset",
    "storagelab.reconstruct.campaign",
    "storagelab.reconstruct.draws",
    "storagelab.reconstruct.model",
    "storagelab.reconstruct.writers",
)
LATE = (
    "netCDF4",
    "pyarrow.pandas_compat",
    "pyarrow.vendored.version",
    "pydantic.type_adapter",
    "simpleeval",
    "xarray",
)
"""What is imported only when it is first needed, which would be in nearly every command."""

WHERE_INSTALLED = ("dask.array", "dask.distributed")
"""What xarray imports with the first dataset and with the first file, where there is such a package."""


def freeze() -> None:
    """Let the garbage collector leave alone what is there by now, and look seldom at the rest."""
    gc.freeze()
    gc.set_threshold(*pinned_environment.FEW_COLLECTIONS)
    gc.enable()


for _name in (*COMMANDS, *LATE):
    import_module(_name)
for _name in WHERE_INSTALLED:
    with suppress(ImportError):
        import_module(_name)
command_line()
units.registry()
freeze()
