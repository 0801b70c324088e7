"""Analyses that other packages bring: the entry points ``storagelab.analyses`` of what is installed, as verbs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import xarray as xr

from storagelab import entry_points
from storagelab.errors import StoragelabError, nearest

GROUP = "storagelab.analyses"


def names() -> list[str]:
    """Return the verbs of other packages."""
    return sorted({entry.name for entry in entry_points.named(GROUP)})


def verb(name: str, rows: xr.Dataset, ours: Collection[str]) -> Callable[..., Any]:
    """Return an analysis of another package, with its first argument given.

    Parameters
    ----------
    name : str
        Of its entry point.
    rows : Dataset, dimension obs
        The observations that it is asked about.
    ours : collection of str
        Verbs that are there already, whose names are taken.

    Raises
    ------
    AttributeError
        If nobody brings it; names the nearest verb.
    StoragelabError
        If the name is one of ours or of another package, or what it names cannot be imported or called.
    """
    entries = entry_points.one_a_name(GROUP)
    if taken := sorted(set(entries) & set(ours)):
        raise StoragelabError(f"{entry_points.described(entries[taken[0]])}: the verb {taken[0]!r} is there already")
    if name not in entries:
        raise AttributeError(f"no verb {name!r}{nearest(name, [*ours, *entries])}")
    found = entry_points.loaded(entries[name])
    if not callable(found):
        raise StoragelabError(
            f"{entry_points.described(entries[name])}: expected a function of a dataset, found {found!r}"
        )
    return partial(found, rows)
