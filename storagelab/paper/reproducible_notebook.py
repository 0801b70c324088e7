"""Take out of an executed notebook what depends on when, where and by whom it was run."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from storagelab.paper.notebooks import KEPT_METADATA

INJECTED = "injected-parameters"
TEXTS = ("text/plain", "text/html", "text/markdown")

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_CELL_FILE = re.compile(r"(?<!\S)\S*/ipykernel_\d+/\d+\.py")


def normalise(nb: NotebookNode) -> NotebookNode:
    """Make two runs of a notebook equal.

    Cell ids become ``cell-<number in the source notebook>``, so that messages can name the cell; papermill's cell of
    parameters does not count. Execution counts, timings and papermill's metadata go; memory addresses, UUIDs of
    reprs and paths of this machine in text outputs are replaced. Doing it twice changes nothing.

    Parameters
    ----------
    nb : NotebookNode
        Changed in place.

    Returns
    -------
    NotebookNode
        The same notebook.
    """
    nb.metadata = NotebookNode({name: nb.metadata[name] for name in KEPT_METADATA if name in nb.metadata})
    nb.metadata.language_info = NotebookNode(name="python", pygments_lexer="python3")
    nb.metadata.kernelspec = NotebookNode(name="python3", display_name="Python 3", language="python")
    nb.cells = [cell for cell in nb.cells if "papermill-error-cell-tag" not in _tags(cell)]
    seen: dict[str, str] = {}
    number = 0
    for cell in nb.cells:
        number += not is_injected(cell)
        _normalise_cell(cell, number, seen)
    nb.nbformat, nb.nbformat_minor = 4, 5
    return nb


def is_injected(cell: NotebookNode) -> bool:
    """Whether papermill put the cell there."""
    return INJECTED in _tags(cell)


def is_parameters(cell: NotebookNode) -> bool:
    """Whether the cell only holds parameters, the notebook's own or papermill's."""
    return bool({INJECTED, "parameters"} & set(_tags(cell)))


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def _normalise_cell(cell: NotebookNode, number: int, seen: dict[str, str]) -> None:
    cell.id = INJECTED if is_injected(cell) else f"cell-{number}"
    cell.metadata = NotebookNode({"tags": _tags(cell)} if _tags(cell) else {})
    if cell.cell_type == "code":
        cell.execution_count = None
        for output in cell.outputs:
            _normalise_output(output, seen)


def _normalise_output(output: NotebookNode, seen: dict[str, str]) -> None:
    if "execution_count" in output:
        output.execution_count = None
    if output.output_type == "stream":
        output.text = scrub(output.text, seen)
    if output.output_type == "error":
        output.traceback = [scrub(line, seen) for line in output.traceback]
    for mime, data in output.get("data", {}).items():
        if mime in TEXTS:
            output.data[mime] = scrub(data, seen)
    if "metadata" in output:
        output.metadata = _in_order(output.metadata)


def _in_order(data: Any) -> Any:
    """Sort the names in what an output says of itself, as they are in a notebook that was written and read again."""
    if isinstance(data, dict):
        return NotebookNode({name: _in_order(data[name]) for name in sorted(data)})
    return [_in_order(value) for value in data] if isinstance(data, list) else data


def scrub(text: Any, seen: dict[str, str]) -> str:
    """Replace addresses, UUIDs (numbered as they appear) and the paths of this machine in an output's text."""
    plain = _ADDRESS.sub("", _CELL_FILE.sub("<cell>", text if isinstance(text, str) else "".join(text)))
    plain = _UUID.sub(lambda match: seen.setdefault(match[0], f"uuid-{len(seen) + 1}"), plain)
    for path, name in _places():
        plain = plain.replace(path, name)
    return plain


def _places() -> list[tuple[str, str]]:
    """Folders of this machine, the longest first; the root folder is nobody's secret."""
    folders = {sys.prefix: "<prefix>", sys.base_prefix: "<prefix>", os.getcwd(): "<folder>", str(Path.home()): "~"}  # noqa: PTH109
    return sorted(((path, name) for path, name in folders.items() if len(path) > 1), key=lambda item: -len(item[0]))
