"""What fio writes: its JSON, terse and human reports, and its logs over time."""

from __future__ import annotations

from storagelab.parsers.fio import histogram_log, json_report, log, terse, text_report
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (json_report, terse, text_report, *log.PARSERS, histogram_log)
