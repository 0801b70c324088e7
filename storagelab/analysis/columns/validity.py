"""Columns that the analyses of checks of a measurement add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("memory_share", "variable", "1", "bytes of all processes over memory"),
    ("cached", "variable", "1", "1 where the files fit in memory"),
    ("working_set", "key", "B", "bytes of all files of a run"),
    ("deviation", "variable", "1", "rate over the geometric mean of its cell's repeats"),
    ("run_spread", "variable", "1", "fastest over slowest run"),
    ("planned", "variable", "1", "planned runs"),
    ("missing", "variable", "1", "planned runs without data"),
    ("check", "key", None, "check"),
    ("question", "variable", None, "what the check asks"),
    ("checked", "variable", "1", "how many were looked at"),
    ("checked_unit", "variable", None, "what was looked at"),
    ("findings", "variable", "1", "findings"),
    ("worst", "variable", None, "worst finding"),
    ("outcome", "variable", None, "outcome"),
    ("where", "key", None, "log, run or cell of a finding"),
    ("found", "variable", None, "finding"),
    ("finding_size", "variable", "1", "how far off a finding is, in the measure of its check"),
    ("n_usual", "variable", "1", "runs that most cells have"),
    ("unequal", "variable", "1", "1 where a cell has not the usual number of runs"),
    ("tau", "variable", "1", "Kendall's tau between order and value"),
    ("change", "variable", "1", "value at the end of the campaign over that at its start"),
    ("over_others", "variable", "1", "run over the median of its cell's other runs"),
    ("modified_z", "variable", "1", "deviation from the median over the median absolute deviation"),
    ("outlier", "variable", "1", "1 where a run lies apart from the others of its cell"),
    ("nominal", "variable", "B/s", "nominal rate"),
    ("nominal_share", "variable", "1", "rate over its nominal rate"),
    ("above_nominal", "variable", "1", "1 where the rate is above its nominal rate"),
    ("suspect", "variable", None, "factor of units that would explain the value"),
)  # fmt: skip
