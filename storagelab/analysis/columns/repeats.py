"""Columns that the analyses of repetitions of one point add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("n", "variable", "1", "runs"),
    ("caveat", "variable", None, "why an interval may not cover what it says, empty where it claims to"),
    ("case", "key", None, "case"),
    ("percentile", "key", "1", "share of operations that are faster"),
    ("latency_at", "variable", "s", "latency at a percentile"),
)  # fmt: skip
