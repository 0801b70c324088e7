"""Columns that planning adds: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("planned_for", "key", None, "what a campaign is to show"),
    ("rounds", "variable", "1", "rounds of a campaign"),
    ("runs_a_round", "variable", "1", "runs of a side and cell in a round"),
    ("expected_power", "variable", "1", "chance that a cell shows what is there"),
    ("level_of_test", "variable", "1", "level of each test, so that all together err as often as asked"),
    ("noise", "variable", "1", "standard deviation of the logs of the runs of a round"),
    ("round_noise", "variable", "1", "standard deviation of the logs of rounds, beyond that of their runs"),
    ("enough", "variable", "1", "1 where the interval is as narrow as asked"),
    ("half_width", "variable", "1", "upper end of an interval over its middle, less one"),
    ("turn", "variable", "1", "turn in a campaign, from 1"),
    ("factor", "key", None, "factor of a design"),
    ("order_share", "variable", "1", "share of the run order that a factor explains, beyond that of chance"),
    ("position_share", "variable", "1", "share of the order inside rounds that a factor explains, beyond chance"),
    ("interleaving", "variable", None, "how a factor lies in the run order"),
    ("p_order", "variable", "1", "p of a factor having nothing to do with the run order"),
)  # fmt: skip
