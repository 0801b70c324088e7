"""Columns that the analyses of fairness and stability add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("jain", "variable", "1", "Jain's fairness index"),
    ("variation", "variable", "1", "coefficient of variation over the clients"),
    ("half_range", "variable", "1", "half range over the clients, relative to their mean"),
    ("spread", "variable", "1", "fastest over slowest client"),
    ("n_clients", "variable", "1", "clients seen"),
    ("n_clients_base", "variable", "1", "clients of the base seen"),
    ("place", "variable", "1", "place of the client, 1 is slowest"),
    ("over_mean", "variable", "1", "rate of a client over the mean of its run"),
    ("place_share", "variable", "1", "place among the clients, from slowest to fastest"),
    ("fastest", "variable", "1", "runs in which it was the fastest"),
    ("slowest", "variable", "1", "runs in which it was the slowest"),
    ("completion_factor", "variable", "1", "time of a client over that of the fastest of its run"),
    ("completion_slowest", "variable", "1", "time of the slowest client over that of the fastest of its run"),
    ("uniform_distance", "variable", "1", "Kolmogorov-Smirnov distance to an even spread over the range"),
    ("p_uniform", "variable", "1", "p of an even spread over the range"),
    ("outside_range", "variable", "1", "clients outside the range"),
    ("run_variation", "variable", "1", "coefficient of variation over the runs"),
    ("run_variation_base", "variable", "1", "coefficient of variation over the runs of the base"),
    ("p_levene", "variable", "1", "p of the same relative spread of the clients (Levene, about the median)"),
    ("rate_difference", "variable", "B/s", "rate more than the base"),
    ("time_spread", "variable", "1", "longest over shortest time of a client"),
    ("rate_spread", "variable", "1", "highest over lowest rate of a client"),
    ("window_bytes", "variable", "B", "time of a client times its rate, mean over the clients"),
    ("window_spread", "variable", "1", "time of a client times its rate, highest over lowest"),
    ("window_over_size", "variable", "1", "time of a client times its rate, over its bytes, mean over the clients"),
    ("series_variation", "variable", "1", "coefficient of variation over the samples"),
    ("sample_time", "variable", "s", "mean time of a sample"),
)  # fmt: skip
