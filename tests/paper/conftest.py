"""A tiny study and its paper, built by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import xarray as xr
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from storagelab import dataset

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
    (OPENING,),
    "## Introduction\n\nSee [@fig:throughput] and [@tab:cases].\n\n### Why\n\nBecause: {{best:full}}.",
    "## Method\n\nBy `{{code}}`.",
    (DRAWING,),
    (COUNTING,),
]


def study(origin: str = "measured") -> xr.DataTree:
    """Six runs on two file systems, from two logs; the last adds up two clients."""
    rates = [(name, clients) for name in ("ext4", "xfs") for clients in (1, 2, 4)]
    runs = [
        {"run_id": f"r{i}", "operation": "write", "filesystem": name, "clients": clients, "file_size": 4 * 2.0**20}
        | {"throughput": clients * 1e8 + i * 3e6, "log_id": i // 3, "line": 11 + i, "log_count": 2 if i == 5 else 1}
        for i, (name, clients) in enumerate(rates)
    ]
    shares = [
        {"run_id": "r5", "operation": "write", "share": "client", "client": f"c{i}", "log_id": i, "line": 91 + i}
        for i in range(2)
    ]
    logs = [
        {"log_id": 0, "log": "a.log", "tool": "iozone", "tool_version": "3.506", "complete": 1.0}
        | {"started": "2026-11-18T10:00:00Z"},
        {"log_id": 1, "log": "b.log", "tool": "iozone", "tool_version": "3.506", "complete": 0.0}
        | {"ended": "2026-11-19T10:00:00Z"},
    ]
    nodes = {
        name: dataset.from_rows(rows, origin=origin, study=STUDY)
        for name, rows in (("runs", runs), ("clients", shares), ("logs", logs))
    }
    return dataset.tree(nodes, {"study": STUDY, "title": "Tiny", "origin": origin})


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
        dataset.save(study(origin), root / "reports" / STUDY / "dataset.nc")
        nbformat.write(notebook(*(cells or CELLS)), root / "notebooks" / "tiny_2026.ipynb")
        (root / "notebooks" / "references.bib").write_text(BIBLIOGRAPHY)
        return root

    return write
