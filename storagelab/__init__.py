"""storagelab: from raw storage benchmark logs to labelled datasets, figures and HTML papers.

Everything here is imported when it is first used, also the rooms (``storagelab.figures``): ``import storagelab`` costs
next to nothing. Datasets of xarray have the accessor ``storage`` (`storagelab.interactive`), whichever of the two was
imported first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from storagelab import after_import

if TYPE_CHECKING:
    from storagelab.dataset import five_keys, frame, grid, save, select
    from storagelab.dataset import load as open_study
    from storagelab.ingest import read_log, tidy
    from storagelab.ingest.logs_without_study import open_logs
    from storagelab.store import open_store
    from storagelab.tracing import trace

__version__ = "0.1.0"

__all__ = [
    "five_keys", "frame", "grid", "open_logs", "open_store", "open_study", "read_log", "save", "select", "tidy",
    "trace",
]  # fmt: skip

_HOMES = {
    "five_keys": "storagelab.dataset:five_keys",
    "frame": "storagelab.dataset:frame",
    "grid": "storagelab.dataset:grid",
    "open_logs": "storagelab.ingest.logs_without_study:open_logs",
    "open_store": "storagelab.store:open_store",
    "open_study": "storagelab.dataset:load",
    "read_log": "storagelab.ingest:read_log",
    "save": "storagelab.dataset:save",
    "select": "storagelab.dataset:select",
    "tidy": "storagelab.ingest:tidy",
    "trace": "storagelab.tracing:trace",
}

ROOMS = (
    "analysis", "catalog", "claims", "counter_differences", "dataset", "days_and_rounds", "errors", "figures", "ingest",
    "interactive", "paper", "parsers", "reconstruct", "schema", "store", "study", "testing", "units",
)  # fmt: skip
"""Modules and packages that are reachable as attributes without an import of their own."""


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        return import_module(f"{__name__}.deprecated").find(__name__, name)
    module, _, function = _HOMES[name].partition(":")
    return getattr(import_module(module), function)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *ROOMS})


after_import.run("xarray", lambda: import_module("storagelab.interactive"))
