"""What fio measured in one data direction of one job, in SI.

Units by version: ``bw`` is KiB/s throughout, cut to a whole number; ``bw_bytes`` beside it (3.2 on) is exact, and what
``bw`` says is kept as `throughput_rounded`, since it is the number that people quote. ``io_bytes`` is bytes since 2.21
and KiB before. Latencies are nanoseconds under ``clat_ns`` and microseconds under ``clat`` (2.x). A zero means that
nothing was measured, except for the lowest of fio's samples over time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from storagelab.parsers.fio.json_report.lines import Wanted, six_digits
from storagelab.parsers.json_text import mapping, mappings
from storagelab.parsers.model import Row
from storagelab.schema import LINE_OF
from storagelab.units import KIB, MICROSECOND, MILLISECOND, NANOSECOND

Table = tuple[tuple[str, str, float], ...]
"""Keys of a JSON object, each with the contract's name and the factor to SI."""

OPERATIONS = {"read": "read", "write": "write", "trim": "trim", "mixed": "mixed_workload"}
_DIRECTION: Table = (
    ("io_bytes", "data_size", 1.0),
    ("iops", "operation_rate", 1.0),
    ("runtime", "elapsed", MILLISECOND),
    ("total_ios", "operations", 1.0),
    ("bw_min", "throughput_min", KIB),
    ("bw_max", "throughput_max", KIB),
    ("bw_mean", "throughput_mean", KIB),
    ("bw_dev", "throughput_std", KIB),
    ("bw_samples", "samples", 1.0),
    ("iops_min", "operation_rate_min", 1.0),
    ("iops_max", "operation_rate_max", 1.0),
    ("iops_mean", "operation_rate_mean", 1.0),
    ("iops_stddev", "operation_rate_std", 1.0),
)
_EXACT: Table = (("bw_bytes", "throughput", 1.0), ("bw", "throughput_rounded", KIB), *_DIRECTION)
_ROUNDED: Table = (("bw", "throughput", KIB), *_DIRECTION)
_LATENCY = (("mean", "latency"), ("min", "latency_min"), ("max", "latency_max"), ("stddev", "latency_std"))
PERCENTILES = (
    "1", "5", "10", "20", "25", "30", "40", "50", "60", "70", "75", "80", "90", "95",
    "99", "99.5", "99.9", "99.95", "99.99", "99.999",
)  # fmt: skip
_UNITS = (NANOSECOND, MICROSECOND)
_LATENCY_TABLES: dict[float, Table] = {unit: tuple((key, name, unit) for key, name in _LATENCY) for unit in _UNITS}
_WHOLE_TABLES: dict[tuple[str, float], Table] = {
    (whole, unit): tuple((key, name.replace("latency", whole), unit) for key, name in _LATENCY)
    for unit in _UNITS
    for whole in ("submission_latency", "total_latency")
}
_PERCENTILE_TABLES: dict[float, Table] = {
    unit: tuple((f"{float(p):.6f}", f"latency_p{p.replace('.', '_')}", unit) for p in PERCENTILES) for unit in _UNITS
}
_LIMIT = 1e300


def converted(section: Mapping[str, Any], table: Table) -> Row:
    """Take what a table names from a JSON object: numbers other than 0, in SI."""
    try:
        row = {name: value * factor for key, name, factor in table if (value := section.get(key))}
        if -_LIMIT < sum(row.values()) < _LIMIT:
            return row
    except (TypeError, OverflowError):
        pass
    return {name: plain(section, key) * factor for key, name, factor in table if plain(section, key)}


def plain(section: Mapping[str, Any], key: str) -> float:
    """Return one number of a JSON object; 0 where there is none."""
    value = section.get(key, 0)
    return value if (type(value) is int or type(value) is float) and -_LIMIT < value < _LIMIT else 0


def measured(section: Mapping[str, Any]) -> Row:
    """Variables of a data direction that moved data; {} for one that did not."""
    if not section.get("io_bytes") and not section.get("bw"):
        return {}
    row = converted(section, _EXACT if "bw_bytes" in section else _ROUNDED)
    if "data_size" in row and "bw_bytes" not in section and "io_kbytes" not in section:
        row |= _old_data_size(row)
    if "throughput_mean" in row and section.get("bw_min") == 0:
        row["throughput_min"] = 0.0
    return row | latencies(section) if "throughput" in row or "data_size" in row else {}


def _old_data_size(row: Row) -> Row:
    """Bytes moved where ``io_bytes`` may count KiB: seen from the rate and the time beside it."""
    size, by_rate = float(row.pop("data_size")), float(row.get("throughput", 0)) * float(row.get("elapsed", 0))
    if not by_rate:
        return {}
    return {"data_size": size if size > by_rate / math.sqrt(KIB) else size * KIB}


def latencies(section: Mapping[str, Any]) -> Row:
    """Completion latency with its spread and percentiles, and those of submission and of both with their spreads."""
    unit = NANOSECOND if "clat_ns" in section or "lat_ns" in section else MICROSECOND
    clat, slat, lat = ("clat_ns", "slat_ns", "lat_ns") if unit == NANOSECOND else ("clat", "slat", "lat")
    row = completion(section.get(clat), unit)
    for name, part in (("submission_latency", section.get(slat)), ("total_latency", section.get(lat))):
        if isinstance(part, dict) and plain(part, "mean"):
            row |= converted(part, _WHOLE_TABLES[name, unit])
    return row


def completion(clat: object, unit: float) -> Row:
    """Mean, extremes, deviation and percentiles of one of fio's latency objects."""
    if not isinstance(clat, dict) or not plain(clat, "mean"):
        return {}
    row = converted(clat, _LATENCY_TABLES[unit])
    percentiles = clat.get("percentile")
    if isinstance(percentiles, dict):
        row |= converted(percentiles, _PERCENTILE_TABLES[unit]) or _respelt(percentiles, unit)
    return row


def parts(section: Mapping[str, Any]) -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
    """Return parts of a data direction by the key that they stand under, each with a label: its words in fio's text.

    They are the latency up to submission, or from there to the end, where fio printed its percentiles; and since 3.17
    that of the requests of each priority.
    """
    found: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for key in ("slat", "lat"):
        own = key if key in section and "clat_ns" not in section else f"{key}_ns"
        if any(mapping(mapping(section.get(own)).get("percentile")).values()):
            found[own] = [(key, mapping(section[own]))]
    for key in ("clat_high_prio", "clat_low_prio", "lat_high_prio", "lat_low_prio"):
        if plain(mapping(section.get(key)), "mean"):
            found[key] = [(key.replace("_", " "), mapping(section[key]))]
    if priorities := mappings(section.get("prios")):
        found["prios"] = [(_priority(one), one) for one in priorities]
    return found


def _priority(body: Mapping[str, Any]) -> str:
    latency = "lat" if "lat_ns" in body else "clat"
    return f"{latency} prio " + "/".join(f"{plain(body, key):g}" for key in _PRIORITY if key in body)


_PRIORITY = ("prioclass", "prio", "priohint")


def of_a_part(body: Mapping[str, Any], key: str) -> Row:
    """Latency of a part, with its spread and percentiles, and its requests where fio counts them."""
    latency = mapping(body.get("clat_ns") or body.get("lat_ns")) if key == "prios" else body
    row = completion(latency, MICROSECOND if key in ("slat", "lat") else NANOSECOND)
    return row | ({"operations": float(plain(latency, "N"))} if row and plain(latency, "N") else {})


def _lines_of(table: Table) -> dict[str, str | Wanted]:
    return {key: LINE_OF[name] for key, name, _ in table}


def _wanted(table: Table) -> Wanted:
    """Return where the lines of what `measured` takes from a data direction stand in it."""
    keys = _lines_of(table)
    for unit in ("_ns", ""):
        keys[f"clat{unit}"] = _COMPLETION
        keys[f"slat{unit}"] = Wanted(_lines_of(_WHOLE_TABLES["submission_latency", NANOSECOND]))
        keys[f"lat{unit}"] = Wanted(_lines_of(_WHOLE_TABLES["total_latency", NANOSECOND]))
    return Wanted(keys)


_LATENCY_LINES = _lines_of(_LATENCY_TABLES[NANOSECOND])
_COMPLETION = Wanted({**_LATENCY_LINES, "percentile": Wanted(_lines_of(_PERCENTILE_TABLES[NANOSECOND]))})
_WANTED = {True: _wanted(_EXACT), False: _wanted(_ROUNDED)}
_PART = Wanted({**_COMPLETION, "N": LINE_OF["operations"]})
WANTED_OF_PARTS = Wanted({**_PART, "prioclass": "line", "clat_ns": _PART, "lat_ns": _PART})
WANTED_OF_STEADY = Wanted({"bw_mean": "line", "iops_mean": LINE_OF["operation_rate"]})
WANTED_OF_SYNC = Wanted({"lat_ns": _COMPLETION})


def wanted(section: Mapping[str, Any]) -> Wanted:
    """Return which lines are wanted of a data direction: those of what `measured` takes from it."""
    return _WANTED["bw_bytes" in section]


def _respelt(percentiles: Mapping[str, Any], unit: float) -> Row:
    """Percentiles whose keys are spelt in another way than fio's."""
    return converted({six_digits(key): value for key, value in percentiles.items()}, _PERCENTILE_TABLES[unit])
