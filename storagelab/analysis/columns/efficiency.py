"""Columns that the analyses of traffic, copies, CPU and job times add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("bytes_asked", "variable", "B", "bytes asked for"),
    ("amplification", "variable", "1", "bytes on the network over bytes asked for"),
    ("link_share", "variable", "1", "bytes received over the link per byte read"),
    ("network_throughput", "variable", "B/s", "throughput on the network"),
    ("completion_over_submission", "variable", "1", "completion latency over submission latency"),
    ("bytes_beyond", "variable", "B", "bytes sent beyond what the payload needed before the failure"),
    ("wait_rate", "variable", "B/s", "bytes over the time of waiting for them"),
    ("wait_share", "variable", "1", "share of the reading time spent waiting for data"),
    ("job_time", "variable", "s", "time of the whole job"),
    ("outside_time", "variable", "s", "time of a job outside the reading of files"),
    ("opening_time", "variable", "s", "time of a job's stopwatch outside the reading of files"),
    ("processing_time", "variable", "s", "time of reading that is not waiting for data"),
)  # fmt: skip
