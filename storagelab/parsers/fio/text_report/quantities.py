"""Numbers as fio's human output prints them, and the lines that hold them.

Before 2.17 every unit is binary: ``KB`` is 1024 bytes; fio 1 groups digits with commas and knows rates without a unit,
in KiB; fio 2.0 sets a blank before a ``B`` without a prefix. Since 2.17 an ``i`` says so: ``KiB`` is 1024 bytes,
``kB`` is 1000. Counts, ``min=`` and ``max=`` are decimal: ``k`` is 1000.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from storagelab.units import BIT, MICROSECOND, MILLISECOND, NANOSECOND

NUMBER = r"[\d.]+"
COUNT = rf"{NUMBER}[kKMGTPE]?"
GROUPED = rf"(?:\d{{1,3}}(?:,\d{{3}}|(?!))++|{NUMBER})"
OLD_SIZE = rf"{GROUPED}[kKMGTPE]?i?(?: B|bit|b|B)?"
SIZE = rf"{NUMBER}[kKMGTPE]?i?(?:bit|b|B)?"
_PREFIXES = "KMGTPE"
SECONDS = {"nsec": NANOSECOND, "usec": MICROSECOND, "msec": MILLISECOND, "sec": 1.0}

_SIZE = re.compile(rf"({NUMBER})([kKMGTPE]?)(i?)( B|bit|b|B)?")
_MEAN = rf"avg=\s*({NUMBER})\s*, ?(?:st)?dev=\s*({NUMBER})"
_STATISTICS = rf"min=\s*({COUNT})\s*, max=\s*({COUNT})\s*,(?: per=[^,]+,)? {_MEAN}"
_LATENCY = re.compile(rf"\s*(slat|clat|lat|sync) \((\w+)\)\s*: {_STATISTICS}\s*")
_PART = re.compile(rf"\s*(?:(c?lat prio [\d/]{{3,12}})|(high|low) prio_(c?lat)) \((\w+)\)\s*: {_STATISTICS}\s*")
_SHARE = re.compile(r"(c?lat prio [\d/]{3,12}) \([\d.]+% of IOs\)|(high|low) prio \([\d.]+%\) (c?lat)")
_BANDWIDTH = re.compile(rf"\s*bw \(\s*(\w+?)\s*/s\)\s*: {_STATISTICS}(?:, samples=\s*(\d+))?\s*")
_IOPS = re.compile(rf"\s*iops\s*: {_STATISTICS}(?:, samples=\s*(\d+))?\s*")
_PERCENTILE = re.compile(r"(?<![\d,.])(\d{1,3}(?:[.,]\d{1,9})?)th=\[\s*+>?=?\s*+(\d+)\]")
_CPU = re.compile(rf"\s*cpu\s+: usr=\s*({NUMBER})%, sys=\s*({NUMBER})%, .*")


def count(text: str) -> float:
    """Read a count: ``18.7k`` is 18,700."""
    factor = 1000.0 ** (1 + _PREFIXES.index(text[-1].upper())) if text[-1].isalpha() else 1.0
    return float(text.rstrip("kKMGTPE").replace(",", "")) * factor


def size(text: str, old: bool) -> float:
    """Bytes of a size; in the output of fio before 2.17 (`old`) every prefix is binary.

    Raises
    ------
    ValueError
        If it is none.
    """
    match = _SIZE.fullmatch(text.replace(",", "") if old else text)
    if not match:
        raise ValueError(text)
    value, prefix, binary, unit = match.groups()
    base = 1024.0 if binary or old else 1000.0
    power = _PREFIXES.index(prefix.upper()) + 1 if prefix else 0
    return float(value) * base**power * (BIT if unit == "bit" else 1.0)


def latency(line: str) -> tuple[str, Mapping[str, float]]:
    """Name and statistics, in seconds, of a line such as ``clat (usec): min=3, max=13240, avg=51.60, stdev=469.04``.

    Raises
    ------
    ValueError
        If it is none, or its unit is none of fio's.
    """
    match = _LATENCY.fullmatch(line)
    if not match or match[2] not in SECONDS:
        raise ValueError(line)
    unit = SECONDS[match[2]]
    numbers = (count(match[3]), count(match[4]), float(match[5]), float(match[6]))
    return match[1], dict(zip(("min", "max", "mean", "stddev"), (number * unit for number in numbers), strict=True))


def latency_of_a_part(line: str) -> tuple[str, Mapping[str, float]]:
    """Label and statistics, in seconds, of the requests of one priority: ``clat prio 1/0 (usec): min=...``.

    Raises
    ------
    ValueError
        If the line has none, or its unit is none of fio's.
    """
    match = _PART.fullmatch(line)
    if not match or match[4] not in SECONDS:
        raise ValueError(line)
    unit, (least, most, mean, deviation) = SECONDS[match[4]], match.groups()[4:8]
    numbers = (count(least), count(most), float(mean), float(deviation))
    statistics = dict(zip(("min", "max", "mean", "stddev"), (number * unit for number in numbers), strict=True))
    return match[1] or priority(match[3], match[2]), statistics


def part(heading: str) -> str:
    """Return the label of a part of the requests or of their latency, by what stands before its percentiles, or ""."""
    if heading in ("slat", "lat"):
        return heading
    match = _SHARE.fullmatch(heading)
    return (match[1] or priority(match[3], match[2])) if match else ""


def priority(latency: str, level: str) -> str:
    """Return the label of a priority as fio 3.17 to 3.29 knows them: high and low."""
    return f"{latency} {level} prio"


def rates(line: str, old: bool) -> Mapping[str, Any]:
    """Statistics over time of bandwidth, in bytes per second, or of IOPS, by the names of fio's JSON.

    Raises
    ------
    ValueError
        If the line has none.
    """
    if match := _BANDWIDTH.fullmatch(line):
        name, unit, samples = "bw", size(f"1{match[1]}", old), match[6]
        numbers = match.groups()[1:5]
    elif match := _IOPS.fullmatch(line):
        name, unit, samples = "iops", 1.0, match[5]
        numbers = match.groups()[:4]
    else:
        raise ValueError(line)
    found = {f"{name}_{what}": count(number) * unit for what, number in zip(_WHAT, numbers, strict=True)}
    return found | ({"samples": float(samples)} if samples else {})


_WHAT = ("min", "max", "mean", "std")


def percentiles(line: str) -> Mapping[str, float]:
    """Return the percentiles of a line such as ``| 99.00th=[ 1680], 99.50th=[ 3425]``, in the unit of their heading.

    Raises
    ------
    ValueError
        If one of them cannot be read.
    """
    found = {f"{float(percent):.6f}": float(value) for percent, value in _PERCENTILE.findall(line)}
    if not found or len(found) != max(line.count("["), line.count("]"), line.count("th=")):
        raise ValueError(line)
    return found


def cpu(line: str) -> float:
    """CPU time over elapsed time, in percent.

    Raises
    ------
    ValueError
        If the line does not say it.
    """
    match = _CPU.fullmatch(line)
    if not match:
        raise ValueError(line)
    return float(match[1]) + float(match[2])
