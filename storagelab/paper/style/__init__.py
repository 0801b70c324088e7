"""How a paper looks: the one matplotlibrc and the one style sheet."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
MATPLOTLIBRC = FOLDER / "matplotlibrc"


def css() -> str:
    """Return the style sheet of papers and of the index."""
    return (FOLDER / "paper.css").read_text(encoding="utf-8")
