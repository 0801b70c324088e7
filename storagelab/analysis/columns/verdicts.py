"""Columns that the verdicts of claims add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
)  # fmt: skip
