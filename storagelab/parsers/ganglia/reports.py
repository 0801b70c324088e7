r"""Headings of graphs that Ganglia's web front end exports, in the words of the contract.

An export (graph.php with ``csv``, ``json`` or ``flot``) names neither the report, nor the host, nor a unit, but only
the legends of the graph (graph.d/*.json and *_report.php of ganglia-web): padded with blanks, or with ``\g`` at
their end. A graph of one metric has its name, an aggregate graph the names of the hosts, each followed by the metric
only where there are several. "In" and "Out" are the legends of network_report (bytes a second) and of packet_report:
the first is assumed, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from storagelab.parsers.ganglia import metrics
from storagelab.parsers.ganglia.metrics import Reading
from storagelab.parsers.ganglia.samples import Series
from storagelab.parsers.model import Parsed
from storagelab.units import PERCENT

_LOAD = {
    "1-min": ("load_1", "", 1.0),
    "Procs": ("processes_running", "", 1.0),
    "Load 1": ("load_1", "", 1.0),
    "Load 5": ("load_5", "", 1.0),
    "Load 15": ("load_15", "", 1.0),
}
_CPU = {
    "User": ("cpu_user", "", PERCENT),
    "Nice": ("cpu_nice", "", PERCENT),
    "System": ("cpu_system", "", PERCENT),
    "Wait": ("cpu_iowait", "", PERCENT),
    "Steal": ("cpu_steal", "", PERCENT),
    "Sintr": ("cpu_softirq", "", PERCENT),
    "Guest": ("cpu_guest", "", PERCENT),
    "Idle": ("cpu_idle", "", PERCENT),
}
_MEMORY = {
    "Use": ("memory_used", "", 1.0),
    "Share": ("memory_shared", "", 1.0),
    "Cache": ("memory_cached", "", 1.0),
    "Buffer": ("memory_buffers", "", 1.0),
    "Free": ("memory_free", "", 1.0),
    "Swap": ("swap_used", "", 1.0),
    "Total": ("memory_total", "", 1.0),
}
_NETWORK = {"In": ("throughput", "receive", 1.0), "Out": ("throughput", "transmit", 1.0)}

_REPORTS = {"1-min": _LOAD, "Load 1": _LOAD, "User": _CPU, "Use": _MEMORY, "In": _NETWORK}
"""First legend of a report, by which it is known even where the rest was cut -> where each of its legends goes."""

_ASSUMED = "In and Out are read as network_report, in bytes a second; packet_report has the same legends"
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|(?=[^:]*:)[0-9a-f:]{2,}|[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)
_CONTROL = re.compile(r"\\[a-z]\s*$")


def series_of(headings: Iterable[str], parsed: Parsed) -> list[Series]:
    """Make an empty series for each heading of one export."""
    names = [_CONTROL.sub("", heading).strip() for heading in headings]
    report = _REPORTS.get(names[0], {}) if names else {}
    if report is _NETWORK:
        parsed.note(_ASSUMED)
    readings = [_of_report(name, *report[name]) if name in report else _of_metric(name) for name in names]
    return [Series(dict(keys), name, factor) for keys, name, factor in readings]


def _of_report(label: str, name: str, operation: str, factor: float) -> Reading:
    return Reading({"operation": operation, "label": label}, name, factor)


def _of_metric(heading: str) -> Reading:
    """Take ``bytes_in``, ``host bytes_in``, the address of a host alone, or anything else as a metric."""
    host, _, metric = heading.rpartition(" ")
    if metrics.is_known(metric):
        keys, name, factor = metrics.reading(metric)
        return Reading(keys | ({"host": host.strip()} if host else {}), name, factor)
    if _ADDRESS.fullmatch(heading):
        return Reading({"operation": "", "host": heading, "metric": "unknown", "unit": ""}, "value", 1.0)
    return Reading({"operation": "", "metric": heading, "unit": ""}, "value", 1.0)
