"""Lustre's own tools: the survey kit and lfs."""

from __future__ import annotations

from storagelab.parsers.lustre import getstripe, iokit
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (
    getstripe,
    iokit,
)
