"""What Ganglia and rrdtool hand out: round-robin databases, gmond XML, exports of graphs, the host page."""

from __future__ import annotations

from storagelab.parsers.ganglia import (
    graph_csv,
    graph_json,
    host_page,
    rrd_csv,
    rrd_dump,
    rrd_fetch,
    rrd_graph,
    rrd_info,
    rrd_xport,
    xml_report,
)
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (
    graph_csv,
    graph_json,
    host_page,
    rrd_csv,
    rrd_dump,
    rrd_fetch,
    rrd_graph,
    rrd_info,
    rrd_xport,
    xml_report,
)
