"""Columns that the verdicts of claims add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("claim", "key", None, "claim"),
    ("quantity", "key", None, "what was computed"),
    ("level", "variable", None, "level of a key that the data name"),
    ("accepted_low", "variable", "1", "lowest value that supports the claim"),
    ("accepted_high", "variable", "1", "highest value that supports the claim"),
    ("claim_margin", "variable", "1", "distance to the nearer end of what supports it, over that end"),
    ("interval_is", "variable", None, "where the 95 % interval lies: inside, across, outside what supports the claim"),
    ("p_outside", "variable", "1", "p of a quantity outside what supports the claim"),
    ("p_outside_holm", "variable", "1", "p of a quantity outside what supports the claim, Holm-corrected"),
    ("wording", "variable", None, "verdict in the words that the origin of the data allows"),
)  # fmt: skip
