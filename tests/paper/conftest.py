"""A tiny study and its paper, built by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import xarray as xr
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

STUDY = "tiny-2026"
BIBLIOGRAPHY = """
@misc{iozone,
  author = {Norcott, William D.},
  title = {{IOzone} filesystem benchmark},
  year = {2006},
  url = {https://www.iozone.org/}
}
@misc{uncited, author = {Nobody, A.}, title = {Never Cited}, year = {2000}}
"""

OPENING = "from storagelab import paper\n\ntree = paper.begin(study, dataset)\nruns = tree['runs'].to_dataset()"
DRAWING = """import matplotlib.pyplot as plt

fig, ax = plt.subplots()
for filesystem, rows in runs.to_dataframe().groupby("filesystem"):
    ax.plot(rows["clients"], rows["throughput"] / 1e6, marker="o", label=filesystem)
ax.set(xlabel="Clients", ylabel="Throughput (MB/s)", title="Write")
ax.legend()
paper.figure(fig, "throughput", "Throughput of {{cases}} cases, as [@iozone] measures it.", "Lines rise.", runs)"""
COUNTING = """best = float(runs["throughput"].max())
paper.fact("best", best, "B/s", interval=(best * 0.9, best * 1.1), n=3, trace=runs)
paper.fact("cases", int(runs.sizes["obs"]))
paper.table(runs.to_dataframe()[["filesystem", "clients", "throughput", "file_size"]], "cases", "Every case.")"""

CELLS = [
    "# A tiny *paper*",
    ("study = ''\ndataset = ''", "parameters"),
    "## Abstract\n\nThe best of {{cases}} is **{{best}}** [@iozone].",
    ("" + OPENING,),
    "## Introduction\n\nSee [@fig:throughput] and [@tab:cases].\n\n### Why\n\nBecause: {{best:full}}.\n\n## Method\n\nBy `{{code}}`.",
    (DRAWING,),
    (COUNTING,),
]


def dataset(origin: str = "measured") -> xr.DataTree:
    """Six runs of two file systems from two logs."""
    clients = np.array([1.0, 2.0, 4.0] * 2)
    runs = xr.Dataset(
        {"throughput": ("obs", clients * 1e8 + np.arange(6) * 3e6, {"units": "B/s"})},
        coords={
            "filesystem": ("obs", ["ext4"] * 3 + ["xfs"] * 3),
            "clients": ("obs", clients),
            "file_size": ("obs", [4 * 2.0**20] * 6),
            "log_id": ("obs", [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
            "line": ("obs", [11.0, 12.0, 13.0, 21.0, 22.0, 23.0]),
        },
        attrs={"origin": origin},
    )
    logs = xr.Dataset(
        {"complete": ("obs", [1.0, 0.0])},
        coords={
            "log_id": ("obs", [0.0, 1.0]),
            "log": ("obs", ["a.log", "b.log"]),
            "tool": ("obs", ["iozone", "iozone"]),
            "tool_version": ("obs", ["3.506", "3.506"]),
            "started": ("obs", ["2026-11-18T10:00:00Z", ""]),
            "ended": ("obs", ["", "2026-11-19T10:00:00Z"]),
        },
    )
    attrs = {"study": STUDY, "title": "Tiny", "origin": origin}
    return xr.DataTree(xr.Dataset(attrs=attrs), children={"runs": xr.DataTree(runs), "logs": xr.DataTree(logs)})


def notebook(*cells: Any) -> nbformat.NotebookNode:
    """Texts are Markdown; tuples are code with tags."""
    made = [
        new_markdown_cell(cell)
        if isinstance(cell, str)
        else new_code_cell(cell[0], metadata={"tags": list(cell[1:])} if cell[1:] else {})
        for cell in cells
    ]
    return new_notebook(cells=made, metadata={"authors": [{"name": "A. Author"}]})


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Write a root folder with a study's dataset and notebook in it."""

    def write(*cells: Any, folder: str = "root", origin: str = "measured") -> Path:
        root = tmp_path / folder
        (root / "notebooks").mkdir(parents=True)
        (root / "reports" / STUDY).mkdir(parents=True)
        dataset(origin).to_netcdf(root / "reports" / STUDY / "dataset.nc")
        nbformat.write(notebook(*(cells or CELLS)), root / "notebooks" / "tiny_2026.ipynb")
        (root / "notebooks" / "references.bib").write_text(BIBLIOGRAPHY)
        return root

    return write
