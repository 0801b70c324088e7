"""Columns that the analyses of repetitions of one point add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("n", "variable", "1", "runs"),
    ("n_effective", "variable", "1", "independent runs that say as much about the mean"),
    ("lag_1_correlation", "variable", "1", "correlation of a run with the one before, over all cells"),
    ("unseen_share", "variable", "1", "largest share of runs of another kind, such as stalls, of which n show none"),
    ("shared_by", "key", None, "what runs have in common"),
    ("between_std", "variable", "1", "standard deviation of the logs between units"),
    ("within_std", "variable", "1", "standard deviation of the logs of runs within a unit"),
    ("n_units", "variable", "1", "degrees of freedom between units"),
    ("icc", "variable", "1", "intraclass correlation: share of the variance that runs of one unit have in common"),
    ("caveat", "variable", None, "why an interval may not cover what it says, empty where it claims to"),
    ("coverage", "variable", "1", "probability that the interval covers, whatever the distribution"),
    ("repetition", "key", None, "what counts as a repetition"),
    ("excess", "variable", "1", "distance of the best run from the mean, over the mean"),
    ("excess_expected", "variable", "1", "distance of the best of as many normal runs from the mean, over the mean"),
    ("excess_normal", "variable", "1", "distance of the best of as many normal runs, in standard deviations"),
    ("reading", "key", None, "unit in which a printed number is read"),
    ("peak_share", "variable", "1", "share of the peak"),
    ("case", "key", None, "case"),
    ("percentile", "key", "1", "share of operations that are faster"),
    ("latency_at", "variable", "s", "latency at a percentile"),
)  # fmt: skip
