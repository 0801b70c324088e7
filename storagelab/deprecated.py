"""Public names of the last release that are called otherwise now: they work for one more release, and warn."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

RENAMED = {
    "storagelab": {
        "campaign": "days_and_rounds",
        "counters": "counter_differences",
    },
    "storagelab.analysis": {
        "dips": "regressions",
        "expect": "assert_claim",
        "middle": "median",
        "placings": "rank_counts",
        "tally": "value_counts",
        "together": "concat",
        "wide": "pivot",
    },
    "storagelab.claims": {
        "conclusions": "comparison_table",
        "seconds": "replication_table",
        "severe": "severe_inconsistencies",
    },
}
"""Package, old name and new name. Each goes with the release after the one that brought it here."""


def find(package: str, name: str) -> Any:
    """Return what a package calls otherwise now, and warn; a module's ``__getattr__`` ends here.

    Parameters
    ----------
    package : str
        Full name of the package that was asked.
    name : str
        What it was asked for.

    Returns
    -------
    object
        What has the new name.

    Raises
    ------
    AttributeError
        If the package never had such a name.
    """
    new = RENAMED.get(package, {}).get(name)
    if new is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    warnings.warn(
        f"{package}.{name} is called {new} now; the old name goes with the next release",
        DeprecationWarning,
        stacklevel=3,
    )
    return getattr(import_module(package), new)
