"""Counters and monitors of a host: interfaces, disks, processors, memory."""

from __future__ import annotations

from storagelab.parsers.model import Parser
from storagelab.parsers.monitors import iostat, mpstat, proc_net_dev, sadf, sar

PARSERS: tuple[Parser, ...] = (iostat, mpstat, proc_net_dev, sadf, sar)
