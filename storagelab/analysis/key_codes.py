"""A key as integer codes of its levels: made once, shared by all rows that are taken from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[Any]
Places = NDArray[np.intp]


def array(values: Any) -> Array:
    """Make a column: numbers as float64, text as objects."""
    found = np.asarray(values)
    if found.dtype.kind in "biuf":
        return found.astype(np.float64, copy=False)
    return found.astype(object, copy=False) if found.dtype.kind in "US" else found


@dataclass(frozen=True, slots=True)
class Coded:
    """A column as numbers of its levels.

    Attributes
    ----------
    levels : ndarray
        What occurs, or may occur, in rising order; a missing number (NaN) comes last.
    codes : ndarray of int
        For each row the place of its level.
    """

    levels: Array
    codes: Places

    def take(self, places: Array | slice) -> Coded:
        """Return the codes of some rows."""
        return Coded(self.levels, self.codes[places])


def coded(values: Array) -> Coded:
    """Factorise a column: numbers, or text as objects or of a fixed width."""
    if not len(values) or not vary(values):
        return Coded(values[:1], np.zeros(len(values), dtype=np.intp))
    plain = values.astype(object) if values.dtype.kind in "US" else values
    codes, found = pd.factorize(plain, use_na_sentinel=False)
    order = np.argsort(found, kind="stable")
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return Coded(np.asarray(found)[order], rank[codes])


def vary(values: Array) -> bool:
    """Whether the values of a column differ; there must be one. Missing numbers are all the same."""
    same = values == values[0]
    return not (same.all() or (values[0] != values[0] and (values != values).all()))


def joined_codes(keys: Sequence[Coded], length: int) -> Places:
    """Number the combinations of several keys, the first key first."""
    joint = np.zeros(length, dtype=np.intp)
    most = 1
    for key in keys:
        count = max(len(key.levels), 1)
        if most * count > 2**62:
            joint = np.unique(joint, return_inverse=True)[1]
            most = length + 1
        joint = joint * count + key.codes
        most *= count
    return joint
