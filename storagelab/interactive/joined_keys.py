"""Keys for which a figure has no place of their own, told apart together: one key whose levels are theirs."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab import schema
from storagelab.lineage import inherit
from storagelab.schema import Field
from storagelab.wording import words
from storagelab.wording.levels import ordered


def joined(ds: xr.Dataset, keys: Sequence[str]) -> tuple[xr.Dataset, str]:
    """Add a key that stands for several.

    Parameters
    ----------
    ds : Dataset, dimension obs
    keys : sequence of str
        Two or more of its coordinates.

    Returns
    -------
    Dataset
        With one more coordinate, text, such as ``write, relA``; it is declared like a key of a study's own, with its
        levels in the order of those of the keys.
    str
        Its name, such as ``operation_and_release``.
    """
    columns = [[words.full(key, level) for level in ds[key].values.tolist()] for key in keys]
    labels = [", ".join(parts) for parts in zip(*columns, strict=True)]
    places = dict(zip(labels, zip(*(_places(ds, key) for key in keys), strict=True), strict=True))
    name, long_name = "_and_".join(keys), " and ".join(words.long_name(key) for key in keys)
    levels = sorted(places, key=places.__getitem__)
    field = Field(name, "key", None, long_name, tuple(levels), own=True)
    schema.OWN.declare(field, "")
    return inherit(ds.assign_coords({name: ("obs", labels, schema.attributes(field))}), ds), name


def _places(ds: xr.Dataset, key: str) -> list[int]:
    """Place of the level of each row among all levels of a key, as figures order them; what is missing is last."""
    levels = ds[key].values.tolist()
    known = ordered(key, [level for level in levels if level == level])
    return [known.index(level) if level == level else len(known) for level in levels]
