"""Rounds of a campaign as the unit of curves: which key tells them apart, and what intervals lack without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.level_contrasts import Levels
from storagelab.errors import AnalysisError

BLOCK = "block"
"""Key of the rounds of a campaign, by the contract: randomised blocks, each set up anew."""

ROUNDS = (BLOCK, "repeat")
"""Keys that may name rounds."""

SHARED = "all runs of a level may share its set-up: an offset of that is not in the interval"
"""What no repeat of a run can show: only rounds that were set up anew do, see `in_rounds`."""

LEFT_OUT = "rounds that lack a level are left out"


def in_rounds(curves: Sequence[Rows], variable: str, x: str, blocks: str) -> list[Levels] | None:
    """Curves as rounds that have every level of all of them; None where there are not two such rounds.

    Parameters
    ----------
    curves : sequence of Rows
        Runs of each curve.
    variable, x : str
    blocks : str
        Key of the rounds; several runs of a level in a round count as their mean.

    Raises
    ------
    AnalysisError
        As `blocks_known`.
    """
    if not all(blocks_known(curve, blocks) for curve in curves):
        return None
    laid = [curve.grid(variable, blocks, x) for curve in curves]
    whole = [set(names[np.isfinite(means).all(axis=1)].tolist()) for names, _, means in laid]
    kept = sorted(set.intersection(*whole))
    if len(kept) < 2:
        return None
    return [Levels.of_rounds(levels.tolist(), means[np.isin(names, kept)]) for names, levels, means in laid]


def blocks_known(runs: Rows, blocks: str) -> bool:
    """Whether all runs say their round, and there are two or more.

    Raises
    ------
    AnalysisError
        If rounds have another key.
    """
    if blocks not in ROUNDS:
        raise AnalysisError(f"rounds are told apart by {' or '.join(ROUNDS)}, not by {blocks}")
    return bool(np.isfinite(runs[blocks]).all() and runs.varies(blocks))


def rounds_caveat(curves: Sequence[Rows], found: Sequence[Levels] | None) -> str:
    """Say what the intervals of curves do not hold, for want of rounds or of whole ones."""
    if found is None:
        return SHARED
    used = sum(levels.rounds.size for levels in found if levels.rounds is not None)
    return LEFT_OUT if used < sum(map(len, curves)) else ""
