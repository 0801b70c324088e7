"""Benchmarks that move data or metadata and print what they measured."""

from __future__ import annotations

from storagelab.parsers.benchmarks import bonnie, dbench, dd, fileop, hdparm, io500, ior, iozone, mdtest, testdfsio
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (
    bonnie,
    dbench,
    dd,
    fileop,
    hdparm,
    io500,
    ior,
    iozone,
    mdtest,
    testdfsio,
)
