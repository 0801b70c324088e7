"""Lustre's own tools: the survey kit, lfs and lctl."""

from __future__ import annotations

from storagelab.parsers.lustre import get_param, getstripe, iokit
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (
    get_param,
    getstripe,
    iokit,
)
