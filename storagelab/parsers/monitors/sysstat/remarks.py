"""Notes on lines that could not be read: as many as a reader will read, and whether numbers were lost with them."""

from __future__ import annotations

from storagelab.parsers.model import Parsed

_ENOUGH = 20


def remark(parsed: Parsed, text: str, line: int, lost: bool) -> None:
    """Note a line that is not read; `lost` marks the log as incomplete."""
    if lost:
        parsed.complete = False
    if len(parsed.notes) < _ENOUGH:
        parsed.note(text, line)
