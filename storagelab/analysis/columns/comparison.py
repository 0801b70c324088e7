"""Columns that the analyses of results against each other add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("n_base", "variable", "1", "runs of the base"),
    ("ratio", "variable", "1", "ratio to the base"),
    ("p", "variable", "1", "p of no difference"),
    ("p_holm", "variable", "1", "p of no difference, Holm-corrected"),
    ("p_equivalent", "variable", "1", "p of a difference beyond the margin (TOST)"),
    ("p_equivalent_holm", "variable", "1", "p of a difference beyond the margin (TOST), Holm-corrected"),
    ("verdict", "variable", None, "verdict at 5 %, Holm-corrected"),
    ("compared", "key", None, "what is compared"),
    ("rank", "variable", "1", "rank, 1 is best"),
    ("winner", "variable", "1", "1 for the best and for what is not shown to differ from it"),
    ("tied", "variable", "1", "1 for a winner that shares the first place"),
    ("difference", "variable", "1", "difference to the base, in points"),
    ("time_difference", "variable", "s", "time more than the base"),
)  # fmt: skip
