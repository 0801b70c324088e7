"""Two factors of two levels each: main effects and interaction.

Source: R. Jain, "The art of computer systems performance analysis" (1991), chapters 17 and 18 (2^2 designs with
repetitions), with the multiplicative model: effects on logs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.least_squares import indicators, least_squares
from storagelab.analysis.inference.mean_differences import Difference
from storagelab.errors import AnalysisError


def effects(y: ArrayLike, first: ArrayLike, second: ArrayLike, block: ArrayLike | None = None) -> list[Difference]:
    """Main effect of the first and of the second factor, and their interaction, by least squares.

    A main effect is the difference of the two levels of a factor, averaged over those of the other; the interaction is
    the difference of the first factor at the second's upper level less that at the lower one. Claims noise that is
    near normal and alike in all four cells, and blocks that shift all of them alike.

    Parameters
    ----------
    y : array_like, shape (n,)
        Logs.
    first, second : array_like, shape (n,)
        True at the upper level.
    block : array_like of int, shape (n,), optional
        Codes of the blocks, from 0.

    Returns
    -------
    list of Difference
        First, second, interaction; without error where no run is left to judge by.

    Raises
    ------
    AnalysisError
        If the runs do not tell the effects apart.
    """
    a, b = (np.where(np.asarray(x, dtype=bool), 0.5, -0.5) for x in (first, second))
    codes = np.zeros(a.size, dtype=np.intp) if block is None else block
    found = least_squares(y, np.column_stack([a, b, a * b, indicators(codes)]))
    if found is None:
        raise AnalysisError("a block, or a combination without runs, leaves the effects of the factors untold")
    return [found.contrast(np.eye(3)[place]) for place in range(3)]
