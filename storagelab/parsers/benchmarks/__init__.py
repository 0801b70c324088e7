"""Benchmarks that move data or metadata and print what they measured."""

from __future__ import annotations

from storagelab.parsers.benchmarks import (
    bonnie,
    bonnie_classic,
    dbench,
    dd,
    elbencho,
    filebench,
    fileop,
    gpfsperf,
    hdparm,
    hibench,
    io500,
    ior,
    iozone,
    iperf3,
    md_workbench,
    mdtest,
    rados_bench,
    smallfile,
    testdfsio,
    vdbench,
    warp,
)
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (
    bonnie,
    bonnie_classic,
    dbench,
    dd,
    elbencho,
    filebench,
    fileop,
    gpfsperf,
    hdparm,
    hibench,
    io500,
    ior,
    iozone,
    iperf3,
    md_workbench,
    mdtest,
    rados_bench,
    smallfile,
    testdfsio,
    vdbench,
    warp,
)
