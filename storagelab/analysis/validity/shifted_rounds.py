"""A repeat, or a block, that is faster or slower than the others as a whole: a warm first one, another unit in one.

Of each setting (all keys but repeat and operation) each round is held against the others. Over the settings, which
are independent, the moderated t of each become a normal number, and those add up (Stouffer). Scopes are all settings,
and the levels of each key; p is corrected for their number (Bonferroni). Where the other rounds of a cell agree to
less than a unit's factor, and one is off by that factor in most such cells, the factor is named.

Sources: G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression" (2004) for the
moderated t of few repeats; S. A. Stouffer et al., "The American Soldier" (1949) for the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy import special

from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.distance_from_middle import of_others
from storagelab.analysis.inference.distributions import t_above
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.key_codes import Places
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.spreads import Logged, logged
from storagelab.analysis.validity.unit_checks import ROUNDING
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


@dataclass(frozen=True)
class _Rounds:
    """Logs of the runs of cells that have every round: a line a round, a column a cell; and which cells these are."""

    cells: Rows
    names: Sequence[str]
    x: Floats

    @cached_property
    def effects(self) -> Floats:
        """Each value less the mean of the other rounds."""
        return self.x - of_others(self.x.T, np.mean).T

    @cached_property
    def ranges(self) -> Floats:
        """Range of the other rounds."""
        return of_others(self.x.T, np.ptp).T

    @cached_property
    def variances(self) -> Floats:
        """Variance of the other rounds."""
        return of_others(self.x.T, partial(np.var, ddof=1)).T


def rounds(study: Study) -> Looked:
    """Look for repeats or blocks that stand apart from the others in a whole part of the campaign."""
    checked, found = 0, list[Finding]()
    for part in logged(study, "runs"):
        for along in ("repeat", "block"):
            cells, x, levels = part.grid(along)
            rows = _Rounds(cells, [f"{along}={level:g}" for level in levels], x.T)
            if len(rows.names) > 2 and len(rows.cells) >= FEWEST:
                checked += rows.x.size
                found += _units(rows) or list(_apart(part, rows, along))
    if not checked:
        raise AnalysisError(f"no {FEWEST} cells have the same three repeats or blocks")
    return Looked(checked, "values of runs", found)


def _units(rows: _Rounds) -> list[Finding]:
    """Name the rounds that are off by a factor of units wherever the others agree closely."""
    found = []
    for name, effects, ranges in zip(rows.names, rows.effects, rows.ranges, strict=True):
        sure = ranges < CLOSE
        for unit, factor in ROUNDING.items():
            for way, size in (("high", log(factor)), ("low", -log(factor))):
                met = sure & (np.abs(effects - size) < CLOSE)
                if sure.sum() >= 5 and met.sum() >= 0.8 * sure.sum():
                    where = f"{int(met.sum())} of {int(sure.sum())} cells whose other values agree"
                    said = f"too {way} by {unit} in {where}"
                    found.append(Finding(name, said, float(abs(size)), rank="wrong", cause="unit"))
    return found


def _apart(part: Logged, rows: _Rounds, along: str) -> Iterator[Finding]:
    """Find the rounds that stand apart, each in the scope in which it does so most surely."""
    judged = [(scope, *one) for scope, cells in _scopes(part, rows.cells) for one in _of_scope(rows, cells)]
    told = set[str]()
    for scope, name, p, effect, count in sorted(judged, key=lambda one: one[2]):
        if p * len(judged) > SURE:
            return
        if name not in told:
            told.add(name)
            rank = "note" if abs(effect) < log(1 + SMALL) else "doubtful"
            said = f"{part.variable} is {brief(exp(effect))} times that of the other {along}s, in {count} settings"
            yield Finding(f"{name}, {scope}", said, abs(effect), rank=rank, cause=name)


def _scopes(part: Logged, cells: Rows) -> Iterator[tuple[str, Places]]:
    """Each operation, alone and in each level of each other key."""
    for what, of_what in cells.cells(["what"]).places():
        yield what["what"], of_what
        rows = cells.take(of_what)
        for key in part.keys:
            if key in rows and 1 < len(levels := rows.cells([key])) < len(rows):
                for level, of_level in levels.places():
                    if level[key] == level[key]:
                        yield f"{what['what']}, {key}={level[key]}", of_what[of_level]


def _of_scope(rows: _Rounds, cells: Places) -> Iterator[tuple[str, float, float, int]]:
    """Yield of each round its name, p of its being as the others, the median of its effects, and how many settings."""
    settings = rows.cells.take(cells).cells(["setting"])
    effects, variances = rows.effects.take(cells, axis=1), rows.variances.take(cells, axis=1)
    pooled = variances.mean(axis=1, keepdims=True)
    known = np.where((pooled > 0) & (len(settings) >= FEWEST), pooled, np.nan)
    others = len(rows.names) - 1
    freedom = others - 1 + PRIOR
    noise = np.sqrt(((others - 1) * variances + PRIOR * known) / freedom * (1 + 1 / others))
    z = -special.ndtri(np.clip(t_above(effects / noise, freedom), 1e-15, 1 - 1e-15))
    totals = [settings.mean_of(of_round).sum() / np.sqrt(len(settings)) for of_round in z[:, settings.order]]
    p = 2 * special.ndtr(-np.abs(totals))
    for name, chance, effect in zip(rows.names, p.tolist(), np.median(effects, axis=1).tolist(), strict=True):
        yield (name, chance, effect, len(settings)) if chance == chance else (name, 1.0, 0.0, 0)
