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

import numpy as np
import pandas as pd
from scipy import special

from storagelab.analysis import table
from storagelab.analysis.inference.intervals import Floats

SURE = 1e-4
"""P of a group, times the number of groups, below which it stands out: a whole study asks several such questions."""


@dataclass(frozen=True)
class Group:
    """A part of the rows: its name in words, which rows, how many of them are marked, and its corrected p."""

    name: str
    rows: np.ndarray
    marked: int
    p: float


def keys_of_groups(rows: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return the keys with more than one level, each partition of the rows once."""
    kept: dict[bytes, str] = {}
    for key in keys:
        if key in rows and rows[key].nunique(dropna=False) > 1:
            kept.setdefault(pd.factorize(rows[key])[0].tobytes(), key)
    return list(kept.values())


def groups(rows: pd.DataFrame, keys: Sequence[str]) -> dict[str, np.ndarray]:
    """Make the levels of each key and each run groups of rows, by their names; larger ones first."""
    found: dict[str, np.ndarray] = {}
    for key in (*keys_of_groups(rows, keys), "run_id"):
        for level, places in rows.groupby(key, sort=True).indices.items():
            found[f"{key}={level:g}" if isinstance(level, float) else f"{key}={level}"] = np.asarray(places)
    cells = keys_of_groups(rows, [key for key in keys if key not in ("repeat", "block", "client", "run_id")])
    if len(cells) > 1:
        numbers = rows.groupby(cells, sort=True, dropna=False).ngroup().to_numpy()
        for number in range(int(numbers.max()) + 1):
            places = np.flatnonzero(numbers == number)
            row = rows.iloc[places[0]]
            said = {key: row[key] for key in cells if pd.notna(row[key]) and row[key] != ""}
            found[table.name_cell(said)] = places
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def standing_out(rows: pd.DataFrame, marked: np.ndarray, keys: Sequence[str], least: float) -> Iterator[Group]:
    """Yield the groups of which at least a share is marked, and more than chance makes of the marks elsewhere."""
    candidates = groups(rows, keys)
    left = np.ones(len(rows), dtype=bool)
    while candidates and (marked & left).any():
        found = {name: _of_group(marked, left, places, least) for name, places in candidates.items()}
        name = min(found, key=lambda one: found[one])
        p = found[name] * len(candidates)
        if p > SURE:
            return
        places = candidates.pop(name)
        chosen = places[left[places]]
        left[chosen] = False
        yield Group(name, chosen, int(marked[chosen].sum()), p)


def _of_group(marked: np.ndarray, left: np.ndarray, places: np.ndarray, least: float) -> float:
    """P of as many marks in a group as there are, by the share of marks in the other rows that are left."""
    own = places[left[places]]
    n, k = own.size, int(marked[own].sum())
    if n < 2 or k < least * n:
        return 1.0
    elsewhere = int(left.sum()) - n
    share = (int((marked & left).sum()) - k + 1) / (elsewhere + 2)
    return at_least(k, n, share)


def at_least(k: int, n: int, share: float) -> float:
    """Chance of k or more of n by a binomial."""
    return float(special.bdtrc(k - 1, n, share)) if k > 0 else 1.0


def quantum(values: Floats) -> float:
    """Return the step in which rates are printed [B/s]: the coarsest that nearly all are multiples of; 0 if none."""
    for step in STEPS:
        if np.mean(is_multiple(values, step)) > 0.95:
            return step
    return 0.0


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
