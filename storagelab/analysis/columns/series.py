"""Columns that the analyses of time series and events add: name, kind, SI unit, long name."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str | None, str], ...] = (
    ("throughput_before", "variable", "B/s", "rate before the failure"),
    ("away_time", "variable", "s", "from the failure to the return"),
    ("detection_time", "variable", "s", "from the failure to the client's first message"),
    ("reconnection_time", "variable", "s", "from the return to the client's message that it is connected"),
    ("stall_delay", "variable", "s", "from the failure to the first stalled sample"),
    ("stall_time", "variable", "s", "time stalled"),
    ("stall_longest", "variable", "s", "longest stall"),
    ("silence_longest", "variable", "s", "longest time without a byte"),
    ("lowest_share", "variable", "1", "lowest rate over the rate before"),
    ("away_share", "variable", "1", "mean rate without the server over the rate before"),
    ("after_share", "variable", "1", "mean rate after the return over the rate before"),
    ("recovery_time", "variable", "s", "from the return to the rate before"),
    ("bytes_lost", "variable", "B", "bytes that the rate before would have moved, less those moved"),
    ("survived", "variable", "1", "1 where the client was still writing at the end of the run"),
    ("bytes_integrated", "variable", "B", "integral of the series"),
    ("volume_ratio", "variable", "1", "integral of the series over the bytes of the tool"),
    ("volume_ratio_held", "variable", "1", "the same with rates held over holes"),
    ("volume_agrees", "variable", "1", "1 where the two agree within the tolerance"),
    ("holes", "variable", "1", "holes in the series"),
    ("hole_time", "variable", "s", "time in holes"),
    ("segment_start", "variable", "s", "start of the segment"),
    ("segment_end", "variable", "s", "end of the segment"),
    ("message_count", "variable", "1", "messages"),
    ("share_of_messages", "variable", "1", "share of the messages"),
)  # fmt: skip
