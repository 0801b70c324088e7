"""What fio measured in one data direction of one job, in SI.

Units by version: ``bw`` is KiB/s throughout; ``bw_bytes`` beside it (3.2 on) is exact. ``io_bytes`` is bytes since 2.21
and KiB before. Latencies are nanoseconds under ``clat_ns`` and microseconds under ``clat`` (2.x).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from storagelab.parsers.model import Row
from storagelab.units import KIB, MICROSECOND, MILLISECOND, NANOSECOND

Numbers = dict[str, float]

OPERATIONS = {"read": "read", "write": "write", "trim": "trim", "mixed": "mixed_workload"}
_PERCENTILES = (
    "1", "5", "10", "20", "30", "40", "50", "60", "70", "80", "90", "95", "99", "99.5", "99.9", "99.95", "99.99",
)  # fmt: skip
_PERCENTILE_NAMES = {f"{float(p):.6f}": f"latency_p{p.replace('.', '_')}" for p in _PERCENTILES}
_REWRITTEN_NAMES = {float(p): name for p, name in _PERCENTILE_NAMES.items()}
_LATENCY_SPREAD = (("latency_min", "min"), ("latency_max", "max"), ("latency_std", "stddev"))
_LIMIT = 1e300


def finite(section: object) -> Numbers:
    """Return the numbers of a JSON object, without what is text, nested or beyond a float."""
    if not isinstance(section, dict):
        return {}
    return {k: v for k, v in section.items() if (type(v) is float or type(v) is int) and -_LIMIT < v < _LIMIT}


def measured(section: Mapping[str, Any]) -> Row:
    """Variables of a data direction that moved data; {} for one that did not."""
    n = finite(section)
    size = data_size(n)
    rate = n["bw_bytes"] if "bw_bytes" in n else n.get("bw", 0) * KIB
    if not (size or rate):
        return {}
    row: Row = {
        "throughput": float(rate),
        "data_size": size,
        "operation_rate": float(n.get("iops", 0)),
        "operations": float(n.get("total_ios", 0)),
        "elapsed": n.get("runtime", 0) * MILLISECOND,
    }
    return (
        {name: value for name, value in row.items() if value}
        | _spread(n, "throughput", KIB, ("bw_min", "bw_max", "bw_mean", "bw_dev", "bw_samples"))
        | _spread(n, "operation_rate", 1.0, ("iops_min", "iops_max", "iops_mean", "iops_stddev", "iops_samples"))
        | latencies(section)
    )


def data_size(n: Numbers) -> float:
    """Bytes moved; whether ``io_bytes`` counts bytes or KiB is seen from the rate and the time beside it."""
    size = float(n.get("io_bytes", 0))
    if "io_kbytes" in n or "bw_bytes" in n:
        return size
    kib_by_rate = n.get("bw", 0) * n.get("runtime", 0) * MILLISECOND
    if not kib_by_rate:
        return 0.0
    return size if size > kib_by_rate * math.sqrt(KIB) else size * KIB


def _spread(n: Numbers, name: str, unit: float, keys: Sequence[str]) -> Row:
    """Spread of fio's own samples over time."""
    low, high, mean, deviation, samples = (n.get(key, 0) for key in keys)
    if not mean:
        return {}
    row: Row = {f"{name}_min": low * unit, f"{name}_max": high * unit, f"{name}_mean": mean * unit}
    if deviation:
        row[f"{name}_std"] = deviation * unit
    if samples:
        row["samples"] = float(samples)
    return row


def latencies(section: Mapping[str, Any]) -> Row:
    """Completion latency with its spread and percentiles, and the means of submission and of both together."""
    unit = NANOSECOND if "clat_ns" in section or "lat_ns" in section else MICROSECOND
    suffix = "_ns" if unit == NANOSECOND else ""
    row: Row = completion(section.get("clat" + suffix), unit)
    for name, key in (("submission_latency", "slat"), ("total_latency", "lat")):
        mean = finite(section.get(key + suffix)).get("mean", 0)
        if mean:
            row[name] = mean * unit
    return row


def completion(clat: object, unit: float) -> Row:
    """Mean, extremes, deviation and percentiles of one of fio's latency objects."""
    n = finite(clat)
    if not isinstance(clat, dict) or not n.get("mean"):
        return {}
    row: Row = {"latency": n["mean"] * unit}
    for name, key in _LATENCY_SPREAD:
        if n.get(key):
            row[name] = n[key] * unit
    for percent, value in finite(clat.get("percentile")).items():
        name = _PERCENTILE_NAMES.get(percent) or _rewritten(percent)
        if name and value:
            row[name] = value * unit
    return row


def _rewritten(percent: str) -> str:
    """Name of a percentile whose key another program spelt anew ("99.9")."""
    try:
        return _REWRITTEN_NAMES.get(float(percent), "")
    except ValueError:
        return ""
