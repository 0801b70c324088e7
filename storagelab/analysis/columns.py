"""What the columns that an analysis adds are called. The one place; `docs/analysis.md` shows the table.

A statistic of a variable of the contract keeps its name and unit: ``throughput`` is then the mean over the runs.
Suffixes say which other statistic a column holds:

``<variable>_low``, ``<variable>_high``
    ends of the 95 % confidence interval; NaN where one run, or runs without any spread, allow none
``<variable>_min``, ``<variable>_max``, ``<variable>_std``
    lowest and highest run, and sample standard deviation over the runs
``n``
    how many runs stand behind the row

All other columns are listed in `DERIVED`.
"""

from __future__ import annotations

from collections.abc import Mapping

from storagelab import schema
from storagelab.errors import UnknownNameError
from storagelab.schema import Field

SUFFIXES: Mapping[str, str] = {
    "_low": "lower end of the 95 % interval of",
    "_high": "upper end of the 95 % interval of",
    "_min": "lowest run of",
    "_max": "highest run of",
    "_std": "standard deviation over runs of",
}

_ROWS = (
    ("n", "variable", "1", "runs"),
    ("n_base", "variable", "1", "runs of the base"),
    ("ratio", "variable", "1", "ratio to the base"),
    ("p", "variable", "1", "p of no difference"),
    ("p_holm", "variable", "1", "p of no difference, Holm-corrected"),
    ("p_equivalent", "variable", "1", "p of a difference beyond the margin (TOST)"),
    ("p_equivalent_holm", "variable", "1", "p of a difference beyond the margin (TOST), Holm-corrected"),
    ("verdict", "variable", None, "verdict at 5 %, Holm-corrected"),
    ("compared", "key", None, "what is compared"),
    ("rank", "variable", "1", "rank, 1 is best"),
    ("winner", "variable", "1", "1 for the best and for what is not shown to differ from it"),
    ("tied", "variable", "1", "1 for a winner that shares the first place"),
    ("jain", "variable", "1", "Jain's fairness index"),
    ("variation", "variable", "1", "coefficient of variation over the clients"),
    ("half_range", "variable", "1", "half range over the clients, relative to their mean"),
    ("spread", "variable", "1", "fastest over slowest client"),
    ("n_clients", "variable", "1", "clients seen"),
    ("place", "variable", "1", "place of the client, 1 is slowest"),
    ("fastest", "variable", "1", "runs in which it was the fastest"),
    ("slowest", "variable", "1", "runs in which it was the slowest"),
    ("bytes_asked", "variable", "B", "bytes asked for"),
    ("amplification", "variable", "1", "bytes on the network over bytes asked for"),
    ("link_share", "variable", "1", "bytes received over the link per byte read"),
    ("network_throughput", "variable", "B/s", "throughput on the network"),
    ("aggregate", "key", None, "aggregate over the clients"),
    ("link_bytes", "variable", "1", "bytes on the links per byte asked for"),
    ("bound", "variable", "B/s", "what the links can carry"),
    ("bound_clients", "variable", "B/s", "what the links of the clients can carry"),
    ("bound_servers", "variable", "B/s", "what the links of the servers can carry"),
    ("bottleneck", "variable", None, "links that bind"),
    ("bound_share", "variable", "1", "throughput over what the links can carry"),
    ("faster_than_links", "variable", "1", "1 where the rate is above what the links can carry"),
    ("served_from_cache", "variable", "1", "1 where not even the clients' own links could have carried the rate"),
    ("memory_share", "variable", "1", "bytes of all processes over memory"),
    ("cached", "variable", "1", "1 where the files fit in memory"),
    ("working_set", "key", "B", "bytes of all files of a run"),
    ("case", "key", None, "case"),
    ("completion_over_submission", "variable", "1", "completion latency over submission latency"),
    ("deviation", "variable", "1", "rate over the geometric mean of its cell's repeats"),
    ("run_spread", "variable", "1", "fastest over slowest run"),
    ("counted_share", "variable", "1", "bytes counted over bytes of the whole files"),
    ("children_over_parent", "variable", "1", "sum of the processes' rates over the parent's rate"),
    ("children_over_whole", "variable", "1", "sum of the processes' rates over whole files in the parent's time"),
    ("planned", "variable", "1", "planned runs"),
    ("missing", "variable", "1", "planned runs without data"),
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
    ("bytes_beyond", "variable", "B", "bytes sent beyond what the payload needed before the failure"),
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
    ("percentile", "key", "1", "share of operations that are faster"),
    ("latency_at", "variable", "s", "latency at a percentile"),
    ("printed_share", "variable", "1", "printed rate over bytes by real time"),
    ("plateau_share", "key", "1", "share of the plateau"),
    ("onset", "variable", "B", "size from which the rate stays above a share of its plateau"),
    ("marginal_rate", "variable", "B/s", "rate of the bytes that a larger file has more"),
    ("difference", "variable", "1", "difference to the base, in points"),
    ("time_difference", "variable", "s", "time more than the base"),
    ("wait_rate", "variable", "B/s", "bytes over the time of waiting for them"),
    ("wait_share", "variable", "1", "share of the reading time spent waiting for data"),
    ("job_time", "variable", "s", "time of the whole job"),
    ("outside_time", "variable", "s", "time of a job outside the reading of files"),
    ("opening_time", "variable", "s", "time of a job's stopwatch outside the reading of files"),
    ("processing_time", "variable", "s", "time of reading that is not waiting for data"),
)  # fmt: skip

DERIVED: Mapping[str, Field] = {
    name: Field(name, "key" if kind == "key" else "variable", unit, long_name) for name, kind, unit, long_name in _ROWS
}


def low(variable: str) -> str:
    """Name of the lower end of the interval of a variable."""
    return f"{variable}_low"


def high(variable: str) -> str:
    """Name of the upper end of the interval of a variable."""
    return f"{variable}_high"


def field(name: str) -> Field:
    """Look a column up among the derived ones, the contract, and their suffixed statistics.

    Raises
    ------
    UnknownNameError
        With the nearest known name.
    """
    known = {**schema.FIELDS, **DERIVED}
    if name in known:
        return known[name]
    for suffix, meaning in SUFFIXES.items():
        base = known.get(name.removesuffix(suffix))
        if base is not None and name.endswith(suffix):
            return Field(name, "variable", base.unit, f"{meaning} {base.long_name}")
    raise UnknownNameError("column", name, known)
