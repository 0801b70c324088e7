"""storagelab: from raw storage benchmark logs to labelled datasets, figures and HTML papers.

Everything here is imported when it is first used: ``import storagelab`` costs next to nothing. Whoever asks for a
function on datasets, or has imported xarray already, also gets the accessor ``storage`` of `storagelab.interactive`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storagelab.dataset import five_keys, frame, grid, save, select
    from storagelab.dataset import load as open_study
    from storagelab.ingest import read_log, tidy
    from storagelab.ingest.files import open_logs

__version__ = "0.1.0"

__all__ = ["five_keys", "frame", "grid", "open_logs", "open_study", "read_log", "save", "select", "tidy"]

_HOMES = {
    "five_keys": "storagelab.dataset:five_keys",
    "frame": "storagelab.dataset:frame",
    "grid": "storagelab.dataset:grid",
    "open_logs": "storagelab.ingest.files:open_logs",
    "open_study": "storagelab.dataset:load",
    "read_log": "storagelab.ingest:read_log",
    "save": "storagelab.dataset:save",
    "select": "storagelab.dataset:select",
    "tidy": "storagelab.ingest:tidy",
}

_WITHOUT_DATASETS = ("read_log",)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _WITHOUT_DATASETS:
        _register_accessor()
    module, _, function = _HOMES[name].partition(":")
    return getattr(import_module(module), function)


def _register_accessor() -> None:
    import_module("storagelab.interactive")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


if "xarray" in sys.modules:
    _register_accessor()
