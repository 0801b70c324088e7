"""Ganglia's own metrics in the words of the contract, and what their units mean.

Names and units are those of gmond's metric modules (monitor-core, libmetrics/linux/metrics.c and gmond/modules): KB is
1024 bytes, the GB of disk space is 10^9 bytes, network metrics are bytes and packets a second. A metric that is not
listed, or that carries a unit nobody here knows, keeps its name, its number and its unit as they stand.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from storagelab.parsers.model import Row
from storagelab.units import BIT, KIB, PERCENT


class Reading(NamedTuple):
    """Where a number goes: `keys` of its row, `name` of its variable, and the `factor` to SI."""

    keys: Row
    name: str
    factor: float


_BYTE_RATE, _PACKET_RATE, _SHARE, _COUNT, _MEMORY, _DISK = "bytes/sec", "packets/sec", "%", "", "KB", "GB"

_FACTORS: dict[str, dict[str, float]] = {
    _BYTE_RATE: {"bytes/sec": 1.0, "bytes/s": 1.0, "byte/sec": 1.0, "kb/sec": KIB, "kb/s": KIB},
    _PACKET_RATE: {"packets/sec": 1.0, "packets/s": 1.0, "pkts/sec": 1.0, "errs/sec": 1.0, "drops/sec": 1.0},
    _SHARE: {"%": PERCENT, "percent": PERCENT},
    _COUNT: {"": 1.0, "processes": 1.0},
    _MEMORY: {"kb": KIB, "bytes": 1.0, "b": 1.0},
    _DISK: {"gb": 1e9, "bytes": 1.0, "b": 1.0},
}
"""The unit that gmond gives a metric -> units that it may be printed in -> factor to SI."""

_KNOWN: dict[str, tuple[str, str, str]] = {
    "bytes_in": ("throughput", "receive", _BYTE_RATE),
    "bytes_out": ("throughput", "transmit", _BYTE_RATE),
    "pkts_in": ("packet_rate", "receive", _PACKET_RATE),
    "pkts_out": ("packet_rate", "transmit", _PACKET_RATE),
    "load_one": ("load_1", "", _COUNT),
    "load_five": ("load_5", "", _COUNT),
    "load_fifteen": ("load_15", "", _COUNT),
    "proc_run": ("processes_running", "", _COUNT),
    "proc_total": ("processes_total", "", _COUNT),
    "cpu_user": ("cpu_user", "", _SHARE),
    "cpu_nice": ("cpu_nice", "", _SHARE),
    "cpu_system": ("cpu_system", "", _SHARE),
    "cpu_wio": ("cpu_iowait", "", _SHARE),
    "cpu_steal": ("cpu_steal", "", _SHARE),
    "cpu_intr": ("cpu_irq", "", _SHARE),
    "cpu_sintr": ("cpu_softirq", "", _SHARE),
    "cpu_guest": ("cpu_guest", "", _SHARE),
    "cpu_gnice": ("cpu_guest_nice", "", _SHARE),
    "cpu_idle": ("cpu_idle", "", _SHARE),
    "mem_total": ("memory_total", "", _MEMORY),
    "mem_free": ("memory_free", "", _MEMORY),
    "mem_shared": ("memory_shared", "", _MEMORY),
    "mem_buffers": ("memory_buffers", "", _MEMORY),
    "mem_cached": ("memory_cached", "", _MEMORY),
    "swap_total": ("swap_total", "", _MEMORY),
    "swap_free": ("swap_free", "", _MEMORY),
    "disk_total": ("disk_total", "", _DISK),
    "disk_free": ("disk_free", "", _DISK),
}

KNOWN = tuple(_KNOWN)
"""Metrics of gmond that have a name in the contract."""

_INTERFACE = re.compile(r"([rt]x)_(bytes|pkts|errs|drops)_(\S+)")
_OF_INTERFACE = {"bytes": "throughput", "pkts": "packet_rate", "errs": "error_rate", "drops": "drop_rate"}
_DIRECTIONS = {"rx": "receive", "tx": "transmit"}


def reading(metric: str, unit: str | None = None) -> Reading:
    """Say where a metric of gmond goes.

    Parameters
    ----------
    metric : str
        Its name, such as ``bytes_in``, or ``rx_bytes_eth0`` of the module multi_interface.
    unit : str, optional
        The unit that the log prints; None where the log prints none at all, so that gmond's own is meant.
    """
    name, operation, usual, interface = _known(metric)
    factor = _FACTORS[usual].get((usual if unit is None else unit).strip().lower()) if name else None
    if factor is None:
        return Reading({"operation": "", "metric": metric, "unit": (unit or "").strip()}, "value", 1.0)
    keys: Row = {"operation": operation, "interface": interface} if interface else {"operation": operation}
    return Reading(keys, name, factor)


def is_known(metric: str) -> bool:
    """Whether a metric has a name in the contract."""
    return bool(_known(metric)[0])


def _known(metric: str) -> tuple[str, str, str, str]:
    if metric in _KNOWN:
        return (*_KNOWN[metric], "")
    match = _INTERFACE.fullmatch(metric)
    if not match:
        return "", "", "", ""
    usual = _BYTE_RATE if match[2] == "bytes" else _PACKET_RATE
    return _OF_INTERFACE[match[2]], _DIRECTIONS[match[1]], usual, match[3]


_RATE = re.compile(r"(?<![\w/])([kKMGT]?)(i?)(B|[Bb]ytes?|b|[Bb]its?)\s?(?:/\s?s(?:ec(?:ond)?s?)?|ps)(?!\w)")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_WORD = re.compile(r"[a-z]+")
_RECEIVE = frozenset(("in", "rx", "receive", "received", "input", "inbound"))
_TRANSMIT = frozenset(("out", "tx", "transmit", "transmitted", "sent", "output", "outbound"))


def rate_factor(text: str) -> float | None:
    """Take bytes a second out of a legend such as ``in MB/s``; prefixes are powers of 1000 unless they have an i."""
    match = _RATE.search(text)
    if not match:
        return None
    prefix, binary, what = match.groups()
    scale = (KIB if binary else 1e3) ** _POWERS[prefix.lower()]
    return scale * (1.0 if what == "B" or what.lower().startswith("byte") else BIT)


def direction(text: str) -> str:
    """Say whether a legend speaks of what was received, of what was transmitted, or of neither or both ("")."""
    words = set(_WORD.findall(text.lower()))
    receives, transmits = not words.isdisjoint(_RECEIVE), not words.isdisjoint(_TRANSMIT)
    return "" if receives == transmits else "receive" if receives else "transmit"


def legend(text: str) -> Reading:
    """Say where the numbers under a legend of rrdtool go: somebody typed it, so only a unit of it is believed."""
    factor = rate_factor(text)
    if factor is None:
        return Reading({"operation": "", "metric": text, "unit": ""}, "value", 1.0)
    return Reading({"operation": direction(text), "label": text}, "throughput", factor)
