"""The way from raw/ to a dataset: logs read, held against their sidecars, joined run by run.

What is here is imported when it is first used: who only asks for checksums waits for no parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storagelab.ingest.logs import Log, read_log
    from storagelab.ingest.study_dataset import Progress, incomplete, ingest, problems, survey, tidy, unsealed

__all__ = ["Log", "Progress", "incomplete", "ingest", "problems", "read_log", "survey", "tidy", "unsealed"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "logs" if name in ("Log", "read_log") else "study_dataset"
    return getattr(import_module(f"{__name__}.{home}"), name)
