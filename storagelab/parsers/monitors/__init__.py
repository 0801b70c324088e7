"""Counters and monitors of a host: interfaces, disks, processors, memory."""

from __future__ import annotations

from storagelab.parsers.model import Parser
from storagelab.parsers.monitors import proc_net_dev, sar

PARSERS: tuple[Parser, ...] = (proc_net_dev, sar)
