"""The way from raw/ to a dataset: logs read, held against their sidecars, joined run by run.

What is here is imported when it is first used: who only asks for checksums waits for no parser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storagelab.ingest.log_file import Log, read_log
    from storagelab.ingest.study_dataset import Progress, incomplete, ingest, tidy, unsealed
    from storagelab.ingest.study_problems import problems, survey

__all__ = ["Log", "Progress", "incomplete", "ingest", "problems", "read_log", "survey", "tidy", "unsealed"]

_HOMES = {"Log": "log_file", "read_log": "log_file", "problems": "study_problems", "survey": "study_problems"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'study_dataset')}"), name)
