"""What newer agents copy from cmsRun's own job report into WMCore's: ``performance/cmssw``, by the names of the XML.

``StorageStatistics`` are the counters of `counters` under names such as ``Timing-file-read-totalMegabytes``;
``XrdSiteStatistics`` list what each site served, as ``{"site": "example.org", "value": 1.5}`` below
``read-totalMegabytes``; ``Timing``, ``ApplicationMemory`` and ``ProcessingSummary`` are numbers of the job.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from storagelab.parsers.cmssw.counters import FACTORS, Number, counter
from storagelab.parsers.cmssw.json_places import Node
from storagelab.parsers.model import Row

_Counters = dict[tuple[str, str], dict[str, Number]]


def counters(node: Node) -> Iterator[Row]:
    """Yield a row for each counter of the storage, and for what each site served."""
    found: _Counters = defaultdict(dict)
    for name, value in node.node("StorageStatistics").numbers().items():
        kind, _, rest = name.partition("-")
        of, _, statistic = rest.rpartition("-")
        if kind in ("Timing", "ROOT") and of and statistic in FACTORS:
            key, factor = FACTORS[statistic]
            subsystem, _, operation = of.rpartition("-")
            found[subsystem, operation][key] = Number(value.value * factor, value.line)
    for (subsystem, operation), values in found.items():
        if row := counter(subsystem, operation, values):
            yield row
    for (site, operation), values in _served(node.node("XrdSiteStatistics")).items():
        if row := counter("xrootd", operation, values):
            yield {**row, "label": "XrdSiteStatistics", "server": site}


def _served(node: Node) -> _Counters:
    found: _Counters = defaultdict(dict)
    for name, sites in node.nodes():
        operation, _, statistic = name.partition("-")
        key, factor = FACTORS.get(statistic, ("", 0.0))
        for _, site in sites.nodes() if key else ():
            value = site.number("value")
            if value is not None:
                key = "operations" if key == "operations_tried" else key
                found[site.text("site"), operation][key] = Number(value * factor, site.lines["value"])
    return found
