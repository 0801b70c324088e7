"""Benchmarks that move data or metadata and print what they measured."""

from __future__ import annotations

from storagelab.parsers.benchmarks import fileop, io500, ior, iozone, mdtest
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (
    fileop,
    io500,
    ior,
    iozone,
    mdtest,
)
