"""Randomness that repeats: a generator seeded by names, such as the id of a study and what is drawn."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(*names: str) -> np.random.Generator:
    """Make a generator that is the same for the same names, on every machine."""
    return np.random.default_rng(list(hashlib.sha256("\n".join(names).encode()).digest()))
