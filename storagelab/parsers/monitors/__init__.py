"""Counters and monitors of a host: interfaces, disks, processors, memory."""

from __future__ import annotations

from storagelab.parsers.model import Parser
from storagelab.parsers.monitors import collectl, dstat, ifconfig, ifstat, ip_link, nicstat, proc_net_dev, vmstat

PARSERS: tuple[Parser, ...] = (proc_net_dev, ifconfig, ip_link, ifstat, nicstat, dstat, vmstat, collectl)
