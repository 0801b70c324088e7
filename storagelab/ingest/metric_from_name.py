"""Samples of a log that does not say what they are of: the name of its file did, and a sidecar repeats it.

Ganglia keeps each metric of a host in a round-robin database of its own, ``bytes_in.rrd``. What rrdtool prints of one
names its data source (``sum``) and no unit; with ``metric: bytes_in`` in a sidecar its samples are what gmond means by
that name, in SI.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from storagelab.errors import SidecarError, nearest
from storagelab.parsers.ganglia import metrics

if TYPE_CHECKING:
    from storagelab.parsers import Columns
    from storagelab.study import Entry

UNNAMED = ("rrd-dump", "rrd-fetch")
"""Formats that print samples without the name of their metric."""

LAST_UPDATE = "last update"
"""`phase` of what such a log says of the moment at which it was written."""


def assign_metric(columns: Columns, entry: Entry, format: str) -> Columns:
    """Give samples without a name that of the metric that the sidecar says, with its unit.

    Raises
    ------
    SidecarError
        If gmond has no such metric.
    """
    metric = str(entry.keys.get("metric", ""))
    if not metric or format not in UNNAMED:
        return columns
    if not metrics.is_known(metric):
        message = f"{entry.path}: {metric!r} is no metric of gmond{nearest(metric, metrics.KNOWN)}"
        raise SidecarError(entry.file, message, entry.line)
    keys, variable, factor = metrics.reading(metric)
    sampled = [phase != LAST_UPDATE for phase in columns.get("phase", [""] * len(columns["line"]))]
    values = [float(value) for value in columns["value"]]
    return {
        **columns,
        "metric": ["" if of else name for of, name in zip(sampled, columns["metric"], strict=True)],
        "operation": [keys["operation"] if of else "" for of in sampled],
        "value": [math.nan if of else value for of, value in zip(sampled, values, strict=True)],
        variable: [value * factor if of else math.nan for of, value in zip(sampled, values, strict=True)],
    }
