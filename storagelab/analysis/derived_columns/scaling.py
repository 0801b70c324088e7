"""Columns that the analyses of scaling and limits add: name, kind, SI unit, long name.

A position on a scale is named after the key that it is a level of, and has its unit: ``clients_knee``,
``file_size_crossover``. So has the rate at one: ``throughput_one``.
"""

from __future__ import annotations

from storagelab import schema

SCALE_UNITS = ("1", "B")
RATE_UNITS = ("B/s", "1/s")

POSITIONS = (
    ("knee", "at the knee, where a linear rise meets the plateau"),
    ("half", "at half of the fitted plateau"),
    ("plateau", "from which all levels are within 5 % of the fitted plateau"),
    ("half_peak", "where the rate first reaches a share of the peak"),
    ("half_peak_level", "of the first level measured at a share of the peak or above"),
    ("peak", "at the peak"),
    ("previous", "of the level before"),
    ("crossover", "where one curve crosses the other"),
)
"""Ends of names of positions on a scale, and what they say of its key."""

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("path", "key", None, "what is done, and so which way a byte goes"),
    ("made_of", "key", None, "what a stage is made of"),
    ("link_bytes", "variable", "1", "bytes on the links per byte asked for"),
    ("bound", "variable", "B/s", "what the links can carry"),
    ("bound_clients", "variable", "B/s", "what the links of the clients can carry"),
    ("bound_servers", "variable", "B/s", "what the links of the servers can carry"),
    ("bottleneck", "variable", None, "links that bind"),
    ("bound_share", "variable", "1", "throughput over what the links can carry"),
    ("link_time", "variable", "s", "time that the links of the servers need for the bytes"),
    ("faster_than_links", "variable", "1", "1 where the rate is above what the links can carry"),
    ("served_from_cache", "variable", "1", "1 where not even the clients' own links could have carried the rate"),
    ("plateau_share", "key", "1", "share of the plateau"),
    ("onset", "variable", "B", "size from which the rate stays above a share of its plateau"),
    ("scaling_model", "key", None, "model of the scaling curve"),
    ("contention", "variable", "1", "share of the work that is done one at a time (sigma of the scalability law)"),
    ("coherency", "variable", "1", "cost of each pair that must agree (kappa of the scalability law)"),
    ("speedup", "variable", "1", "rate over the rate at the base"),
    ("efficiency", "variable", "1", "speed-up over the number of times that the base was multiplied"),
    ("levels", "variable", "1", "levels with runs"),
    ("misses", "variable", "1", "root mean square of the misses of the runs, on the log scale"),
    ("aicc", "variable", "1", "Akaike's criterion, corrected for few runs"),
    ("aicc_difference", "variable", "1", "Akaike's criterion over that of the best model"),
    ("p_misfit", "variable", "1", "p of such misses of the levels, were the model right"),
    ("preferred", "variable", "1", "1 for the model with the lowest criterion"),
    ("plateau_levels", "variable", None, "levels within 5 % of the fitted plateau"),
    ("curve_share", "variable", "1", "rate over the highest of its curve"),
    ("peak_levels", "variable", None, "levels not shown to be below the peak"),
    ("peak_of", "key", None, "whose peak"),
    ("rank_correlation", "variable", "1", "Kendall's rank correlation with the scale"),
    ("per_doubling", "variable", "1", "relative change with each doubling of the scale"),
    ("crossings", "variable", "1", "times that the mean curves cross"),
    ("crossings_shown", "variable", "1", "times that curves told apart change places"),
    ("dip", "variable", "1", "1 where the rate is shown to be below that of the level before"),
    ("capacity", "variable", "B/s", "what a stage can carry"),
    ("saturation", "variable", "1", "rate over capacity"),
    ("stage", "key", None, "stage between client and disk"),
    ("limit", "variable", "B/s", "rate asked for at which a stage is full"),
    ("limit_share", "variable", "1", "limit over that of the stage that binds"),
    ("round_trip", "variable", "s", "round trip time"),
    ("window", "variable", "B", "bytes under way at most, without an answer"),
    ("bandwidth_delay", "variable", "B", "bytes under way at this rate"),
    ("window_bound", "variable", "B/s", "rate that the window allows"),
    ("window_share", "variable", "1", "rate over what the window allows"),
    ("demand", "variable", "B/s", "rate of all clients if none slowed another"),
    ("demand_share", "variable", "1", "demand over capacity"),
    ("marginal_rate", "variable", "B/s", "rate of the bytes that a larger file has more"),
)  # fmt: skip

ROWS += tuple(
    (f"{key.name}_{position}", "variable", key.unit, f"{key.long_name} {meaning}")
    for key in schema.KEYS
    if key.unit in SCALE_UNITS
    for position, meaning in POSITIONS
)
ROWS += tuple(
    (f"{rate.name}_one", "variable", rate.unit, f"{rate.long_name} of the fitted curve at one")
    for rate in schema.VARIABLES
    if rate.unit in RATE_UNITS
)
