"""A repeat, or a block, that is faster or slower than the others as a whole: a warm first one, another unit in one.

Of each setting (all keys but repeat and operation) each round is held against the others. Over the settings, which
are independent, the moderated t of each become a normal number, and those add up (Stouffer). Scopes are all settings,
and the levels of each key; p is corrected for their number (Bonferroni). Where the other rounds of a cell agree to
less than a unit's factor, and one is off by that factor in most such cells, the factor is named.

Sources: G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression" (2004) for the
moderated t of few repeats; S. A. Stouffer et al., "The American Soldier" (1949) for the sum.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import special

from storagelab.analysis.inference.distributions import t_above
from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.nominal import ROUNDING
from storagelab.analysis.validity.spreads import Logged, logged
from storagelab.errors import AnalysisError

SURE = 1e-5
"""Corrected p of a round below which it stands apart."""

PRIOR = 3.0
"""Degrees of freedom that the noise of the other settings counts for in that of one."""

SMALL = 0.03
"""Effect below which a round that stands apart is a note."""

FEWEST = 3
"""Settings that a scope needs."""

CLOSE = 0.004
"""How near others agree, and a factor is met, for a unit to be named."""


def rounds(study: Study) -> Looked:
    """Look for repeats or blocks that stand apart from the others in a whole part of the campaign."""
    checked, found = 0, list[Finding]()
    for part in logged(study):
        for along in ("repeat", "block"):
            cells, x, levels = part.grid(along)
            if len(levels) > 2 and len(cells) >= FEWEST:
                checked += x.size
                found += _units(cells, x, levels, along) or list(_apart(part, cells, x, levels, along))
    if not checked:
        raise AnalysisError(f"no {FEWEST} cells have the same three repeats or blocks")
    return Looked(checked, "values of runs", found)


def _others(x: Floats) -> tuple[Floats, Floats]:
    """Mean and range of the other rounds of each cell, round by round: arrays of cells by rounds."""
    each = [np.delete(x, k, axis=1) for k in range(x.shape[1])]
    return np.stack([one.mean(axis=1) for one in each], axis=1), np.stack([np.ptp(one, axis=1) for one in each], axis=1)


def _units(cells: pd.DataFrame, x: Floats, levels: list[float], along: str) -> list[Finding]:
    """Name the rounds that are off by a factor of units wherever the others agree closely."""
    mean, spread = _others(x)
    found = []
    for k, level in enumerate(levels):
        sure = spread[:, k] < CLOSE
        for name, factor in ROUNDING.items():
            for way, size in (("high", log(factor)), ("low", -log(factor))):
                met = sure & (np.abs(x[:, k] - mean[:, k] - size) < CLOSE)
                if sure.sum() >= 5 and met.sum() >= 0.8 * sure.sum():
                    said = (
                        f"too {way} by {name} in {int(met.sum())} of {int(sure.sum())} cells whose other values agree"
                    )
                    found.append(Finding(f"{along}={level:g}", said, float(abs(size)), rank="wrong", cause="unit"))
    return found


def _apart(part: Logged, cells: pd.DataFrame, x: Floats, levels: list[float], along: str) -> Iterator[Finding]:
    scopes = list(_scopes(part, cells))
    judged = [(name, k, *_of_scope(cells, x, k, rows)) for name, rows in scopes for k in range(len(levels))]
    tests = len(judged)
    told: set[tuple[int, str]] = set()
    for name, k, p, effect, count in sorted(judged, key=lambda one: one[2]):
        if p * tests > SURE:
            return
        if (k, "") in told or (k, name) in told:
            continue
        told.add((k, ""))
        rank = "note" if abs(effect) < log(1 + SMALL) else "doubtful"
        said = f"{part.variable} is {brief(exp(effect))} times that of the other {along}s, in {count} settings"
        where = ", ".join(filter(None, (f"{along}={levels[k]:g}", name)))
        yield Finding(where, said, float(abs(effect)), rank=rank, cause=f"{along}={levels[k]:g}")


def _scopes(part: Logged, cells: pd.DataFrame) -> Iterator[tuple[str, np.ndarray]]:
    """Each operation, alone and in each level of each other key."""
    for what, of_what in cells.groupby("what", sort=True):
        yield f"{what}", of_what.index.to_numpy()
        for key in part.keys:
            if key in of_what and 1 < of_what[key].nunique(dropna=False) < len(of_what):
                for level, rows in of_what.groupby(key, sort=True).indices.items():
                    yield f"{what}, {key}={level}", of_what.index.to_numpy()[rows]


def _of_scope(cells: pd.DataFrame, x: Floats, k: int, rows: np.ndarray) -> tuple[float, float, int]:
    """P of a round being as the others, the median of its effects, and the number of settings."""
    part = x[rows]
    settings = cells["setting"].to_numpy()[rows]
    if len(np.unique(settings)) < FEWEST:
        return 1.0, 0.0, 0
    others = np.delete(part, k, axis=1)
    effect = part[:, k] - others.mean(axis=1)
    m = others.shape[1]
    own = others.var(axis=1, ddof=1)
    pooled = float(own.mean())
    if pooled <= 0:
        return 1.0, 0.0, 0
    freedom = m - 1 + PRIOR
    noise = np.sqrt(((m - 1) * own + PRIOR * pooled) / freedom * (1 + 1 / m))
    z = -special.ndtri(np.clip(t_above(effect / noise, freedom), 1e-15, 1 - 1e-15))
    of_setting = pd.Series(z).groupby(settings).mean().to_numpy()
    total = of_setting.sum() / np.sqrt(of_setting.size)
    return float(2 * special.ndtr(-abs(total))), float(np.median(effect)), int(of_setting.size)
