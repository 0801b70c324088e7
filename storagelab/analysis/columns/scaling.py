"""Columns that the analyses of scaling and limits add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("link_bytes", "variable", "1", "bytes on the links per byte asked for"),
    ("bound", "variable", "B/s", "what the links can carry"),
    ("bound_clients", "variable", "B/s", "what the links of the clients can carry"),
    ("bound_servers", "variable", "B/s", "what the links of the servers can carry"),
    ("bottleneck", "variable", None, "links that bind"),
    ("bound_share", "variable", "1", "throughput over what the links can carry"),
    ("faster_than_links", "variable", "1", "1 where the rate is above what the links can carry"),
    ("served_from_cache", "variable", "1", "1 where not even the clients' own links could have carried the rate"),
    ("plateau_share", "key", "1", "share of the plateau"),
    ("onset", "variable", "B", "size from which the rate stays above a share of its plateau"),
    ("marginal_rate", "variable", "B/s", "rate of the bytes that a larger file has more"),
)  # fmt: skip
