"""What file systems and kernels say around failures, as events on a time axis."""

from __future__ import annotations

from storagelab.parsers.messages import glusterfs_log, syslog
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (glusterfs_log, syslog)
