"""What fio writes: its JSON, terse and human reports, and its logs over time."""

from __future__ import annotations

from storagelab.parsers.fio import json_report, log, terse
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (json_report, terse, *log.PARSERS)
