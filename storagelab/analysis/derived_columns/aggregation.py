"""Columns that the analyses of aggregates over the clients of a run add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("aggregate", "key", None, "aggregate over the clients"),
    ("throughput_per_client", "variable", "B/s", "aggregate throughput over the number that shared it"),
    ("operation_rate_per_client", "variable", "1/s", "aggregate operation rate over the number that shared it"),
    ("counted_share", "variable", "1", "bytes counted over bytes of the whole files"),
    ("children_over_parent", "variable", "1", "sum of the processes' rates over the parent's rate"),
    ("children_over_whole", "variable", "1", "sum of the processes' rates over whole files in the parent's time"),
    ("quotient", "variable", "1", "sum of one variable over the sum of another"),
    ("packet_size", "variable", "B", "mean bytes of a packet"),
    ("printed_share", "variable", "1", "printed rate over bytes by real time"),
    ("printed_time", "variable", "s", "bytes over the printed rate"),
)  # fmt: skip
