"""Run the tutorial and keep what it shows, as a code host shows it: ``python -m tests.notebooks.tutorial``."""

from __future__ import annotations

import base64
import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from storagelab.paper.run_notebook import run
from tests.conftest import ROOT

NOTEBOOK = ROOT / "notebooks" / "tutorial.ipynb"
_DRAWING = re.compile(r'<img src="data:image/svg\+xml;base64,([^"]+)"')


def executed() -> list[Any]:
    """Run the cells of code in a copy of the notebook; return them with their outputs."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(NOTEBOOK, folder))
        (Path(folder) / "raw").symlink_to(ROOT / "raw")
        return [cell for cell in run(copy, {}, progress=False).cells if cell.cell_type == "code"]


def as_shown(output: Any) -> dict[str, Any]:
    """Keep of an output what a code host shows: text, and of a drawing its SVG instead of HTML."""
    if output["output_type"] == "stream":
        return {"name": output["name"], "output_type": "stream", "text": _lines(output["text"])}
    data = output["data"]
    drawn = _DRAWING.search(data.get("text/html", ""))
    kept = {"image/svg+xml": _lines(base64.b64decode(drawn[1]).decode("utf-8"))} if drawn else {}
    return {
        "data": {**kept, "text/plain": _lines(data["text/plain"])},
        "execution_count": None, "metadata": {}, "output_type": "execute_result",
    }  # fmt: skip


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Write the outputs into the notebook."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell, ran in zip(cells, executed(), strict=True):
        cell["outputs"] = [as_shown(output) for output in ran.outputs]
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
