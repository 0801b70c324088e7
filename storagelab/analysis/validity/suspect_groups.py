"""Which part of a campaign is marked more often than the rest: a repeat, a layout, a client, a run.

The groups are the levels of each key, the cells, and the runs. The one in which most of the marks are surprising is
taken, its rows are set aside, and the others are asked again, until none is left: so a mark is told once, by the
largest part that explains it. A p value is that of a binomial with the share of marks in all other rows, corrected for
the number of groups (Bonferroni).

Source: M. Kulldorff, "A spatial scan statistic" (1997) for the group that stands out most among many, and for taking
it out before the next is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import special

from storagelab.analysis import table
from storagelab.analysis.cells import Cells, Rows
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.key_codes import Places
from storagelab.analysis.significant_digits import first_extreme

SURE = 1e-4
"""P of a group, times the number of groups, below which it stands out: a whole study asks several such questions."""


@dataclass(frozen=True)
class Group:
    """A part of the rows: its name in words, which rows, how many of them are marked, and its corrected p."""

    name: str
    rows: np.ndarray
    marked: int
    p: float


NO_PART = frozenset({"repeat", "block", "client", "run_id"})
"""Keys that do not make the cells: these are what is the same in all repeats, for all clients."""


@dataclass(frozen=True)
class Groups:
    """Parts of the rows, the larger ones first: the name of each in words, and the places of its rows."""

    names: Sequence[str]
    places: Sequence[Places]

    @cached_property
    def _starts(self) -> Places:
        return np.cumsum([0, *map(len, self.places[:-1])])

    @cached_property
    def _members(self) -> Places:
        return np.concatenate(self.places)

    def count(self, wanted: np.ndarray) -> Places:
        """How many rows of each group are wanted."""
        return np.asarray(np.add.reduceat(wanted[self._members].astype(np.intp), self._starts))


def keys_of_groups(rows: Rows, keys: Sequence[str]) -> list[str]:
    """Return the keys with more than one level, each partition of the rows once; a missing level is no level."""
    kept: dict[bytes, str] = {}
    for key in keys:
        if key in rows and rows.varies(key):
            kept.setdefault(pd.factorize(rows[key])[0].tobytes(), key)
    return list(kept.values())


def groups(rows: Rows, keys: Sequence[str]) -> Groups:
    """Make the levels of each key, each run and each cell groups of rows; of several with one name the last."""
    found: dict[str, Places] = {}
    for key in (*keys_of_groups(rows, keys), "run_id"):
        levels = rows.cells([key]).places()
        found |= {table.name_cell(level): places for level, places in levels if level[key] == level[key]}
    several = keys_of_groups(rows, [key for key in keys if key not in NO_PART])
    if len(several) > 1:
        found |= {table.name_known(cell): places for cell, places in rows.cells(several).places()}
    larger_first = sorted(found.items(), key=lambda item: -len(item[1]))
    return Groups([name for name, _ in larger_first], [places for _, places in larger_first])


def standing_out(parts: Groups, marked: np.ndarray, least: float) -> Iterator[Group]:
    """Yield the groups of which at least a share is marked, and more than chance makes of the marks elsewhere."""
    left, waiting = np.ones(len(marked), dtype=bool), np.ones(len(parts.names), dtype=bool)
    while waiting.any() and (marked & left).any():
        p = np.where(waiting, _p_of_groups(parts, marked, left, least), np.nan) * int(waiting.sum())
        most = first_extreme(p, "lowest")
        if p[most] > SURE:
            return
        waiting[most] = False
        chosen = parts.places[most][left[parts.places[most]]]
        left[chosen] = False
        yield Group(parts.names[most], chosen, int(marked[chosen].sum()), float(p[most]))


def _p_of_groups(parts: Groups, marked: np.ndarray, left: np.ndarray, least: float) -> Floats:
    """P of as many marks in each group as there are, by the share of marks in the other rows that are left."""
    n, k = parts.count(left), parts.count(marked & left)
    share = (int((marked & left).sum()) - k + 1) / (int(left.sum()) - n + 2)
    return np.where((n < 2) | (k < least * n), 1.0, at_least(k, n, share))


def at_least(k: Places, n: Places, share: Floats) -> Floats:
    """Chance of k or more of n by a binomial."""
    return np.where(k > 0, special.bdtrc(np.maximum(k - 1.0, 0.0), n, share), 1.0)


def quanta(cells: Cells) -> Floats:
    """Return the step in which the rates of each cell are printed [B/s]: the coarsest of nearly all; 0 if none."""
    values, found = cells.rows["throughput"], np.zeros(len(cells))
    for step in STEPS:
        fitting = cells.mean_of(is_multiple(values, step)) > 0.95
        found = np.where((found == 0) & fitting, step, found)
    return found


STEPS = tuple(
    sorted(
        (unit / 10.0**digits for unit in (1e9, 2.0**30, 1e6, 2.0**20, 1e3, 2.0**10, 1.0) for digits in range(7)),
        reverse=True,
    )
)


def is_multiple(values: Floats, step: float) -> np.ndarray:
    """Whether values are whole multiples of a step, but for what floating point leaves."""
    times = values / step
    whole: np.ndarray = np.abs(times - np.rint(times)) <= 1e-9 * np.maximum(times, 1.0)
    return whole & (times > 0.5)
