"""How a page looks: the one style sheet of papers and index. Figures have theirs in `storagelab.figures`."""

from __future__ import annotations

from pathlib import Path

SHEET = Path(__file__).with_name("paper.css")


def css() -> str:
    """Return the style sheet."""
    return SHEET.read_text(encoding="utf-8")
