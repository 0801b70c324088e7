"""Columns that the analyses of fairness and stability add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("jain", "variable", "1", "Jain's fairness index"),
    ("variation", "variable", "1", "coefficient of variation over the clients"),
    ("half_range", "variable", "1", "half range over the clients, relative to their mean"),
    ("spread", "variable", "1", "fastest over slowest client"),
    ("n_clients", "variable", "1", "clients seen"),
    ("place", "variable", "1", "place of the client, 1 is slowest"),
    ("fastest", "variable", "1", "runs in which it was the fastest"),
    ("slowest", "variable", "1", "runs in which it was the slowest"),
)  # fmt: skip
