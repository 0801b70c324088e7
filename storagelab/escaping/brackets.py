"""Brackets of templates that YAML, dvc, make, GitHub, intake and LaTeX do not use: ``<< value >>``, ``<% step %>``."""

from __future__ import annotations

from typing import Any

BRACKETS: dict[str, Any] = {
    "variable_start_string": "<<", "variable_end_string": ">>", "block_start_string": "<%", "block_end_string": "%>",
    "comment_start_string": "<#", "comment_end_string": "#>",
}  # fmt: skip
"""Options of a `jinja2.Environment`."""
