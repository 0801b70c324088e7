"""Copy tools: xrdcp and its client log, dccp, GridFTP, gfal-copy."""

from __future__ import annotations

from storagelab.parsers.model import Parser
from storagelab.parsers.transfers import xrdcp

PARSERS: tuple[Parser, ...] = (xrdcp,)
