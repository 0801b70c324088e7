"""Notebooks as the pipeline sees them: what a person wrote, without what opening or running it leaves behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from storagelab.errors import PaperError

KEPT_METADATA = ("authors", "date", "doi", "key_figure", "license", "repository", "title", "version")
"""Metadata of a notebook that a person wrote: a title, and the front matter of its paper (`paper.front_matter`)."""


def file_of(study: str) -> str:
    """Path of the notebook of a study below the root of its project."""
    return f"notebooks/{study.replace('-', '_')}.ipynb"


def stripped(path: Path) -> str:
    """Return a notebook without outputs, execution counts, ids and metadata, but with tags and front matter.

    Raises
    ------
    PaperError
        If there is no such notebook, or it is none.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [_cell(number, cell) for number, cell in enumerate(notebook["cells"], start=1)]
        metadata = {name: value for name, value in notebook["metadata"].items() if name in KEPT_METADATA}
    except FileNotFoundError:
        raise PaperError(f"{path}: no such notebook") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PaperError(f"{path}: expected a Jupyter notebook of format 4, found {error!r}") from None
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(number: int, cell: dict[str, Any]) -> dict[str, Any]:
    tags = cell.get("metadata", {}).get("tags")
    kept = {
        "cell_type": cell["cell_type"],
        "id": f"cell-{number}",
        "metadata": {"tags": tags} if tags else {},
        "source": "".join(cell["source"]),
    }
    return kept | ({"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {})
