"""What ROOT prints about reading trees: performance statistics, stopwatches, caches, RNTuple metrics."""

from __future__ import annotations

from storagelab.parsers.model import Parser
from storagelab.parsers.root import iotools, log, readspeed

PARSERS: tuple[Parser, ...] = (log, readspeed, iotools)
