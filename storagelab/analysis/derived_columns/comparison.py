"""Columns that the analyses of results against each other add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("n_base", "variable", "1", "runs of the base"),
    ("ratio", "variable", "1", "ratio to the base"),
    ("ratio_low_equivalence", "variable", "1", "lower end of the interval that TOST holds against the margin"),
    ("ratio_high_equivalence", "variable", "1", "upper end of the interval that TOST holds against the margin"),
    ("log_error", "variable", "1", "standard error of the log of the ratio"),
    ("p", "variable", "1", "p of no difference"),
    ("p_adjusted", "variable", "1", "p of no difference, corrected for the number of tests"),
    ("p_holm", "variable", "1", "p of no difference, Holm-corrected"),
    ("p_equivalent", "variable", "1", "p of a difference beyond the margin (TOST)"),
    ("p_equivalent_adjusted", "variable", "1", "p of a difference beyond the margin (TOST), corrected"),
    ("verdict", "variable", None, "verdict at 5 %, corrected for the number of tests"),
    ("undecided", "variable", None, "why a verdict is undecided"),
    ("detectable", "variable", "1", "smallest ratio that such a comparison shows with a chance of 80 %"),
    ("more_runs", "variable", "1", "runs a cell and side that would settle it, besides those there are"),
    ("compared", "key", None, "what is compared"),
    ("rank", "variable", "1", "rank, 1 is best"),
    ("winner", "variable", "1", "1 for the best and for what is not shown to differ from it"),
    ("tied", "variable", "1", "1 for a winner that shares the first place"),
    ("difference", "variable", "1", "difference to the base, in points"),
    ("time_difference", "variable", "s", "time more than the base"),
    # values with standard errors
    ("z", "variable", "1", "difference over its standard error"),
    ("freedom", "variable", "1", "degrees of freedom"),
    ("compatible", "variable", "1", "1 where the difference is at most two standard errors"),
    # the same ratio in both directions
    ("larger", "variable", None, "side with the larger value"),
    ("smaller", "variable", None, "side with the smaller value"),
    ("times", "variable", "1", "larger over smaller"),
    ("below", "variable", "1", "share by which the smaller lies below the larger"),
    ("above", "variable", "1", "share by which the larger lies above the smaller"),
    # scans, series, factors
    ("scanned", "variable", "1", "ratios of which this is the largest"),
    ("series_offset", "variable", "1", "series over the mean of the series of its configuration"),
    ("series_spread", "variable", "1", "standard deviation of the logs of the offsets of series"),
    ("p_series", "variable", "1", "p of no offset of series"),
    ("effect", "key", None, "effect of a factor, or of two on each other"),
)  # fmt: skip
