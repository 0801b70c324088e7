"""Copy tools: xrdcp and its client log, dccp, GridFTP, gfal-copy, HPSS, rsync."""

from __future__ import annotations

from storagelab.parsers.model import Parser
from storagelab.parsers.transfers import (
    dccp,
    gfal_copy,
    globus_url_copy,
    gridftp_log,
    hpss,
    rsync,
    xrdcl_log,
    xrdcp,
)

PARSERS: tuple[Parser, ...] = (
    dccp,
    gfal_copy,
    globus_url_copy,
    gridftp_log,
    hpss,
    rsync,
    xrdcl_log,
    xrdcp,
)
