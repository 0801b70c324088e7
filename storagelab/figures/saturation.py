"""Shares of the bottleneck as bars from zero, with the line at which it is full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from storagelab.figures.figure_result import Drawn
from storagelab.figures.points import points
from storagelab.wording import words

FULL, NEAR = 0.9, 0.7
"""Shares from which on a bottleneck counts as saturated, and as nearly so."""


def saturation(
    ds: xr.Dataset,
    variable: str = "bound_share",
    *,
    category: str = "layout",
    hue: str = "",
    facet: str = "",
    over: Sequence[str] = (),
    statistic: str = "single",
) -> Drawn:
    """Draw what share of its bottleneck each cell used: every run, the mean as a bar from zero, and a line at one.

    Parameters
    ----------
    ds : Dataset, dimension obs
        From `storagelab.analysis.faster_than_links`, `storagelab.analysis.behind_gateway` or another analysis that
        gives a share.
    variable : str
        The share.
    category, hue, facet, over, statistic
        As for `storagelab.figures.points`.

    Returns
    -------
    Drawn
        Its data are the means. The caption counts the cells that use at least 90 %, and at least 70 % of it.

    Raises
    ------
    AnalysisError
        As `storagelab.analysis.summarise`.
    """
    drawn = points(
        ds, variable, category=category, hue=hue, facet=facet, bars=True, marks={1.0: "bottleneck full"}, over=over,
        statistic=statistic,
    )  # fmt: skip
    told = _counted(drawn.data[variable].to_numpy())
    body, _, source = drawn.told.rpartition(" Logs: ")
    return replace(drawn, told=f"{body} {told} Logs: {source}", alt=words.sentences(drawn.alt, told))


def _counted(shares: np.ndarray) -> str:
    full, near = int((shares >= FULL).sum()), int(((shares >= NEAR) & (shares < FULL)).sum())
    return (
        f"Of {shares.size} means {full} {'uses' if full == 1 else 'use'} at least {FULL:.0%} of the bottleneck,"
        f" {near} more at least {NEAR:.0%}."
    ).replace("%", " %")
