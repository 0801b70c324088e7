"""Counters and monitors of a host: interfaces, disks, processors, memory."""

from __future__ import annotations

from storagelab.parsers.model import Parser
from storagelab.parsers.monitors import (
    collectl,
    dstat,
    ifconfig,
    ifstat,
    iostat,
    iostat_bsd,
    ip_link,
    mmperfmon,
    mountstats,
    mpstat,
    nfsiostat,
    nicstat,
    pidstat,
    proc_net_dev,
    sadf,
    sar,
    vmstat,
    vnstat,
)

PARSERS: tuple[Parser, ...] = (
    collectl,
    dstat,
    ifconfig,
    ifstat,
    iostat,
    iostat_bsd,
    ip_link,
    mmperfmon,
    mountstats,
    mpstat,
    nfsiostat,
    nicstat,
    pidstat,
    proc_net_dev,
    sadf,
    sar,
    vmstat,
    vnstat,
)
