"""Random numbers that are the same every time: their seed is made from names, as of the study and of the purpose."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(*names: str) -> np.random.Generator:
    """Return a generator seeded by names, such as the id of a study and what the numbers are for.

    The same names give the same numbers on every machine; other names, or another order of them, give others.

    Parameters
    ----------
    *names : str
        What tells this use of chance from all others.

    Returns
    -------
    numpy.random.Generator
        Seeded with the SHA-256 of the names.
    """
    return np.random.default_rng(list(hashlib.sha256("\n".join(names).encode()).digest()))
