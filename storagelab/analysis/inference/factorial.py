"""Two factors of two levels each: main effects and interaction.

Source: R. Jain, "The art of computer systems performance analysis" (1991), chapters 17 and 18 (2^2 designs with
repetitions), with the multiplicative model: effects on logs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from storagelab.analysis.inference.differences import Difference
from storagelab.analysis.inference.intervals import Floats


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
    """
    from statsmodels.regression.linear_model import OLS

    a, b = (np.where(np.asarray(x, dtype=bool), 0.5, -0.5) for x in (first, second))
    design = np.column_stack([a, b, a * b, _blocks(block, a.size)])
    found: Any = OLS(np.asarray(y, dtype=np.float64), design).fit()
    freedom, squares = float(found.df_resid), float(found.ssr)
    noise = squares / freedom if freedom > 0 and squares > 0 else np.nan
    errors = np.sqrt(np.diag(np.asarray(found.normalized_cov_params))[:3] * noise)
    return [
        Difference(float(value), float(error), freedom)
        for value, error in zip(np.asarray(found.params)[:3], errors, strict=True)
    ]


def _blocks(block: ArrayLike | None, n: int) -> Floats:
    codes = np.zeros(n, dtype=np.intp) if block is None else np.asarray(block, dtype=np.intp)
    return np.asarray(np.eye(int(codes.max()) + 1)[codes], dtype=np.float64)
