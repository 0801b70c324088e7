"""Columns that analyses of the shape of noise add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("quantile", "key", "1", "share of runs that are below"),
    ("skewness", "variable", "1", "skewness of the residuals of all cells"),
    ("p_skewness", "variable", "1", "p of normal noise being as skewed towards slow runs"),
    ("slowest_residual", "variable", "1", "slowest residual over the spread of the quiet cells"),
    ("p_slowest", "variable", "1", "p of normal noise having one as slow"),
    ("cells", "variable", "1", "cells"),
    ("stall_missed", "variable", "1", "chance that a cell shows no stall that comes in one run of twenty"),
)  # fmt: skip
