"""Keys that follow from other keys: nodes and processes per node say processes, and nobody chose those besides.

To hold such a key constant would leave nothing to compare, and to draw it as a colour says nothing. What follows from
what is found from the data: a key that is the same in all rows of each cell of the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from storagelab import schema
from storagelab.analysis.cells import Rows

Follows = Mapping[str, Sequence[str]]
"""Key -> keys that it follows from; none where it is the same on each side."""

ATTRIBUTE = "follows"
"""Attribute of a result that says which keys were not told apart, as they follow from others."""


def following(rows: Rows, keys: Sequence[str], given: Collection[str] = ()) -> dict[str, list[str]]:
    """Find the keys that follow from the others.

    Parameters
    ----------
    rows : Rows
    keys : sequence of str
        Keys that rows differ in.
    given : collection of str
        Keys that stay in any case: a factor, an axis.

    Returns
    -------
    dict of str to list of str
        Each key that follows, and what it follows from. Of keys that follow from each other the one with more levels
        does; of equals the one that is later in the contract, and one that the study declares last. A key that nearly
        names single runs (a file of each) says nothing of others.
    """
    given = [key for key in given if key in rows]
    telling = [*given, *(key for key in keys if _is_shared(rows, key))]
    found: dict[str, list[str]] = {}
    for key in sorted(keys, key=lambda key: _rank(rows, key)):
        others = [other for other in telling if other != key and other not in found]
        if key not in given and _tell(rows, others, key):
            found[key] = _fewest(rows, others, key)
    return {key: _of_what_stays(found, sources) for key, sources in found.items()}


def _rank(rows: Rows, key: str) -> tuple[int, bool, int]:
    names = list(schema.FIELDS)
    place = names.index(key) if key in names else len(names)
    is_own = key in schema.FIELDS and schema.field(key).own
    return -len(rows.levels(key)), is_own, -place


def _is_shared(rows: Rows, key: str) -> bool:
    runs = len(rows.levels("run_id")) if "run_id" in rows else len(rows)
    return 2 * len(rows.levels(key)) <= runs


def _tell(rows: Rows, keys: Sequence[str], key: str) -> bool:
    return bool(keys) and not rows.cells(keys).differ(key).any()


def _fewest(rows: Rows, keys: Sequence[str], key: str) -> list[str]:
    """Leave out the keys that are not needed to tell another."""
    needed = list(keys)
    for one in reversed(keys):
        without = [other for other in needed if other != one]
        if _tell(rows, without, key):
            needed = without
    return needed


def _of_what_stays(found: Follows, sources: Sequence[str]) -> list[str]:
    """Say a key in terms of what does not follow itself."""
    told = [
        end for source in sources for end in (_of_what_stays(found, found[source]) if source in found else [source])
    ]
    return list(dict.fromkeys(told))


def said(found: Follows) -> str:
    """Write what follows from what: ``processes follows from nodes, processes_per_node``."""
    return "; ".join(f"{key} follows from {', '.join(sources)}" for key, sources in found.items())
