"""Lustre's own tools: the survey kit and lfs."""

from __future__ import annotations

from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = ()
