"""The order of a campaign: one in which no factor goes with time, and whether a measured one was such.

What a machine does over the hours (it fills, it warms, somebody else uses it) is taken for the effect of a factor whose
levels were measured one after the other. In randomised complete blocks each round has every condition once, in an order
of its own: what a round does, it does to all.

Sources: R. A. Fisher, "The design of experiments" (1935), chapter IV; W. H. Kruskal, W. A. Wallis, "Use of ranks in
one-criterion variance analysis" (JASA 1952), whose H is (N - 1) times the share of the ranks that a factor explains.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from scipy import special, stats

from storagelab import days_and_rounds
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.inference.variance_between_groups import explained
from storagelab.analysis.key_codes import Places
from storagelab.analysis.run_times import START as RUN_START
from storagelab.analysis.run_times import name_runs
from storagelab.errors import AnalysisError

Level = str | float

TIMES = ("start_time", "started")
FEWEST = 5
"""Runs below which no order is improbable."""

MOSTLY = 0.5
"""Share of the order above which a factor is called one with time; two levels one after the other have 0.75."""

PARTLY = 0.05
"""Share below which it is no matter, however sure it is."""


def interleaved_plan(factors: Mapping[str, Sequence[Level]], repeats: int, *, study: str) -> xr.Dataset:
    """Propose an order: rounds that have each condition once, each in a random order of its own.

    Parameters
    ----------
    factors : mapping of str to sequence
        Levels of each key; a condition is one level of each.
    repeats : int
        Rounds.
    study : str
        Id of the study: it seeds the order, so that the plan is the same whenever it is asked for.

    Returns
    -------
    Dataset, dimension obs
        One row a run, in the order in which it is to be made: ``turn``, from 1; keys repeat (the round) and those of
        the factors.

    Raises
    ------
    AnalysisError
        For no factor, a factor without levels or with one twice, or no round.
    UnknownNameError
        For a factor that is no key.
    """
    for key, levels in factors.items():
        if not levels or len(set(levels)) < len(levels):
            raise AnalysisError(
                f"the levels of {key} are {', '.join(map(table.format_level, levels)) or 'none'}: each once"
            )
    if not factors or repeats < 1:
        raise AnalysisError(f"{len(factors)} factors in {repeats} rounds: a plan has one or more of both")
    conditions = list(itertools.product(*factors.values()))
    rng = generator(study, "order", *factors)
    rounds = [(repeat, place) for repeat in range(1, repeats + 1) for place in rng.permutation(len(conditions))]
    rows = [
        {"turn": turn, "repeat": repeat, **dict(zip(factors, conditions[place], strict=True))}
        for turn, (repeat, place) in enumerate(rounds, 1)
    ]
    made = table.labelled(Rows.of_cells(rows), ["repeat", *factors])
    return made.assign_attrs(study=study, method="randomised complete blocks: each round has each condition once")


def check_order(ds: xr.Dataset, factors: Sequence[str], *, order: str = "start_time") -> xr.Dataset:
    """Ask whether the levels of factors were measured in turn, or one after the other.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A campaign. Rows of a run (and level) count once, at their earliest start.
    factors : sequence of str
        Keys, each looked at alone.
    order : {"start_time", "started"}
        When a run began; the node ``logs`` has ``started``.

    Returns
    -------
    Dataset, dimension obs
        One row a factor (key ``factor``): ``order_share`` [1], the share of the variance of the run order that its
        levels explain, less what chance explains (0 where the order is random, 0.75 for two levels one after the other,
        more for more levels); ``p_order`` (Kruskal and Wallis; rounds in which all levels come are less than
        chance, and give a p near 1); ``position_share`` [1], the same of the places inside the rounds (block,
        else repeat), which is 1 where each round has the same order; ``n``, runs; ``interleaving`` in words:
        "one level after the other", "partly one level after the other", "interleaved, in the same order in every
        round", "interleaved", or "one level" and "too few runs".

    Raises
    ------
    AnalysisError
        If `order` is none, a time is no time or not known, or there is no factor.

    Examples
    --------
    >>> check_order(study["logs"].to_dataset(), ["layout", "clients"], order="started")  # doctest: +SKIP
    """
    if order not in TIMES:
        raise AnalysisError(f"the order of runs is one of {', '.join(TIMES)}, not {order}")
    if not factors:
        raise AnalysisError("no factor is named: there is nothing to hold against the order")
    table.require(ds, order, *factors)
    table.unit(ds, order) if order == "start_time" else None
    rows = name_runs(table.rows(ds)).assign(time=_seconds(ds, order))
    found = [{"factor": factor, **_interleaving(rows, factor)} for factor in factors]
    return table.dataset(found, ds, ["factor"], method=f"share of the ranks of {order} that each factor explains")


def order_of_sides(before: xr.Dataset, after: xr.Dataset) -> str:
    """Say whether the runs of two sides were made in turn, or one side after the other.

    Parameters
    ----------
    before, after : Dataset, dimension obs
        Runs of one campaign, or of two.

    Returns
    -------
    str
        ``interleaving`` of `check_order`; "" where not every row says when it started.
    """
    sides = {side: name_runs(table.rows(ds)) for side, ds in (("before", before), ("after", after))}
    if any(np.isnan(rows[RUN_START]).any() for rows in sides.values()):
        return ""
    asked = ("run_id", "block", "repeat", "time", "side")
    both = [rows.assign(side=side, time=rows[RUN_START]).only(asked) for side, rows in sides.items()]
    return str(_interleaving(Rows.stacked(both), "side")["interleaving"])


def _seconds(ds: xr.Dataset, order: str) -> Floats:
    values = ds[order].to_numpy()
    known = values if values.dtype.kind == "f" else days_and_rounds.seconds(values.tolist())
    if np.isnan(known).any():
        raise AnalysisError(f"{order} of {int(np.isnan(known).sum())} rows is no time: their order is not known")
    return np.asarray(known, dtype=np.float64)


def _interleaving(rows: Rows, factor: str) -> table.Cell:
    cells = rows.cells(["run_id", factor])
    runs = cells.results(time=cells.min("time"), round=_round(cells.first("block"), cells.first("repeat")))
    place = stats.rankdata(runs["time"])
    code = runs.coded(factor).codes.astype(np.intp)
    levels, n = len(np.unique(code)), len(runs)
    if levels < 2 or n < FEWEST:
        words = "one level" if levels < 2 else f"too few runs: no order of fewer than {FEWEST} is improbable"
        return {"order_share": np.nan, "p_order": np.nan, "position_share": np.nan, "n": n, "interleaving": words}
    whole = explained(place, code)
    share, p = beyond_chance(whole, levels - 1, n - 1), float(special.chdtrc(levels - 1, (n - 1) * whole))
    position = _position(runs.assign(place=place), code, levels)
    words = _in_words(share, p, position)
    return {"order_share": share, "p_order": p, "position_share": position, "n": n, "interleaving": words}


def _round(block: Floats, repeat: Floats) -> Floats:
    return np.where(np.isnan(block), repeat, block)


def _position(runs: Rows, code: Places, levels: int) -> float:
    """Share of the places inside rounds that a factor explains; NaN where there are not two rounds or more."""
    rounds = runs.cells(["round"])
    if np.isnan(runs["round"]).any() or len(rounds) < 2:
        return np.nan
    place = runs["place"] - rounds.broadcast(rounds.mean("place"))
    return beyond_chance(explained(place, code), levels - 1, len(runs) - len(rounds))


def beyond_chance(share: float, between: float, total: float) -> float:
    """Take out of a share what groups explain by chance: ``between / total`` degrees of freedom; 0 where it is less."""
    if total <= between:
        return np.nan
    chance = between / total
    return max(0.0, (share - chance) / (1 - chance))


def _in_words(share: float, p: float, position: float) -> str:
    if share >= MOSTLY:
        return "one level after the other"
    if p <= ALPHA and share >= PARTLY:
        return "partly one level after the other"
    return "interleaved, in the same order in every round" if position >= MOSTLY else "interleaved"
