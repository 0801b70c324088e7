"""A tiny study and its paper, built by hand; notebooks that look as if they had been run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import xarray as xr
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from storagelab import dataset
from storagelab.paper import build_paper, run_notebook
from tests import warm
from tests.once import made_once

STUDY = "tiny-2026"
WHITE = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP8//8/AwMDAA7/Av+4xZ6ZAAAAAElFTkSuQmCC"
"""A PNG of two white pixels."""
EXECUTED = "executed.ipynb"
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
import numpy as np

fig, ax = plt.subplots()
for filesystem, rows in runs.to_dataframe().groupby("filesystem"):
    ax.plot(rows["clients"], rows["throughput"] / 1e6, marker="o", label=filesystem)
ax.plot([1, 4], np.random.normal(size=2), label="noise")
ax.set(xlabel="Clients", ylabel="Throughput (MB/s)", title="Write")
ax.legend()
caption = "Throughput of {{cases}} cases, as [@iozone] measures it. Points: 6 of a model (hollow)."
paper.figure(fig, "throughput", caption, "Lines & more.", runs)"""
COUNTING = """best = float(runs["throughput"].max())
paper.fact("best", best, "B/s", interval=(best * 0.9, best * 1.1), n=3, trace=runs)
paper.fact("cases", int(runs.sizes["obs"]), trace=runs)
paper.fact("unused", 0.123456, display="%")
print(object())
shown = runs.drop_vars(["run_id", "operation", "log_id", "line", "log_count"])
paper.table(shown, "cases", "Every case.", computed="from nothing that is traced")"""

CELLS = [
    "# A tiny *paper*",
    ("study = ''\ndataset = ''", "parameters"),
    "## Abstract\n\nThe best of {{cases}} is **{{best}}** [@iozone].",
    (OPENING,),
    "## Introduction\n\nSee [@fig:throughput] and [@tab:cases].\n\n### Why {{cases}}\n\nBecause: {{best:full}}.",
    "## Method\n\nBy `{{code}}`, see <https://example.org>.",
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
    runs = [row | ({"basis": "model"} if origin == "reconstructed" else {}) for row in runs]
    shares = [
        {"run_id": "r5", "operation": "write", "share": "client", "client": f"c{i}", "log_id": i, "line": 91 + i}
        for i in range(2)
    ]
    log = {"tool": "iozone", "tool_version": "3.506"}
    logs = [
        {**log, "log_id": 0, "log": "a.log", "complete": 1.0, "started": "2026-11-18T10:00:00Z"},
        {**log, "log_id": 1, "log": "b.log", "complete": 0.0, "ended": "2026-11-19T10:00:00Z"},
    ]
    nodes = {"runs": runs, "clients": shares, "logs": logs}
    made = {name: dataset.from_rows(rows, origin=origin, study=STUDY) for name, rows in nodes.items()}
    return dataset.tree(made, {"study": STUDY, "title": "Tiny", "origin": origin, "date": "2011-03"})


def notebook(*cells: Any) -> NotebookNode:
    """Texts are Markdown; tuples are code with tags, and outputs if they come last in a list."""
    return new_notebook(cells=[_cell(cell) for cell in cells], metadata={"authors": [{"name": "A. Author"}]})


def _cell(cell: Any) -> NotebookNode:
    if isinstance(cell, str):
        return new_markdown_cell(cell)
    source, *rest = cell
    outputs = rest.pop() if rest and isinstance(rest[-1], list) else []
    return new_code_cell(source, metadata={"tags": rest} if rest else {}, outputs=outputs)


def shown(kind: str, data: dict[str, str] | None = None, **record: Any) -> NotebookNode:
    """What `begin`, `figure`, `table` and `fact` leave in a notebook."""
    return new_output("display_data", data=data or {}, metadata={"storagelab": {"kind": kind, **record}})


def opened(origin: str = "measured") -> NotebookNode:
    about = {"study": STUDY, "title": "Tiny", "origin": origin, "sha256": "0" * 64, "rows": {"logs": 2}, "runs": 6}
    return shown("provenance", **about, incomplete=0, tools=[], dates=["2026-11-18"], versions={"numpy": "1"})


def drawn(id: str, caption: str = "A caption.", origin: str = "measured") -> NotebookNode:
    svg = '<?xml version="1.0"?>\n<svg viewBox="0 0 72 36"><defs><path id="p1"/></defs><use xlink:href="#p1"/></svg>'
    data = {"image/svg+xml": svg, "image/png": WHITE, "text/csv": "a,b\n1,2\n"}
    return shown("figure", data, id=id, caption=caption, alt=f"Alt of {id}.", origin=origin)


def tabled(id: str, caption: str = "A caption.") -> NotebookNode:
    data = {"text/html": "<table>\n<tr><td>1</td></tr></table>", "text/csv": "a\n1\n"}
    data["text/latex"] = "\\begin{tabular}{r}\n1 \\\\\n\\end{tabular}\n"
    return shown("table", data, id=id, caption=caption, origin="measured")


def stated(name: str, value: Any, unit: str = "1", **more: Any) -> NotebookNode:
    record = {"display": "", "digits": 3, "interval": None, "level": 0.95, "n": None, "origin": "measured", "trace": {}}
    record |= {"key": "", "comes_from": {"chosen": "for a test"}, "source": {}}
    return shown("fact", **{**record, "name": name, "value": value, "unit": unit, **more})


def paper_of(*cells: Any) -> NotebookNode:
    """A whole paper around some cells."""
    return notebook("# Title", ("begin()", [opened()]), "## Abstract\n\nAll.", *cells)


def write_root(root: Path, *cells: Any, origin: str = "measured") -> Path:
    """Write a root folder with a study's dataset and notebook in it."""
    (root / "notebooks").mkdir(parents=True)
    dataset.save(study(origin), root / "reports" / STUDY / "dataset.nc")
    nbformat.write(notebook(*(cells or CELLS)), root / "notebooks" / "tiny_2026.ipynb")
    (root / "notebooks" / "references.bib").write_text(BIBLIOGRAPHY)
    return root


PRINTS_ITSELF = """\
import os
import time
from pathlib import Path

from ipykernel.connect import get_connection_file

printed = Path(get_connection_file()).with_name("printed.txt")
os.write(2, b"no memory for a buffer\\nlost 1 page\\n")
for _ in range(2000):
    if b"page" in printed.read_bytes():
        break
    time.sleep(0.01)
"""
"""What a library written in C does: it does not know of cells, and prints on the standard error of its process."""


@pytest.fixture(autouse=True)
def warm_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels be forked from a warm process; that of `built` is one of its own."""
    own = get_kernel_dict(run_notebook.QUIET)

    def spec(_: object) -> KernelSpec:
        started = warm.kernel()
        return KernelSpec(**{**own, **started, "argv": [*started["argv"], *run_notebook.QUIET]})

    monkeypatch.setattr(run_notebook.PaperKernel, "kernel_spec", property(spec))


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    return lambda *cells, **options: write_root(tmp_path / "root", *cells, **options)


@pytest.fixture(scope="session")
def built() -> Path:
    """Root of the tiny paper of reconstructed logs, built once for all workers."""
    return made_once("tiny-paper", make_built)


def make_built(root: Path) -> None:
    """Build the tiny paper, and keep its notebook as the kernel left it."""
    write_root(root, origin="reconstructed")
    run = run_notebook.run

    def keeping(*arguments: Any) -> NotebookNode:
        executed = run(*arguments)
        nbformat.write(executed, root / EXECUTED)
        return executed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_notebook, "run", keeping)
        build_paper(STUDY, root)


@pytest.fixture
def executed(built: Path, monkeypatch: pytest.MonkeyPatch) -> NotebookNode:
    """The notebook of the tiny paper as a kernel left it: what every paper of this test is built from, as changed."""
    found = nbformat.read(built / EXECUTED, as_version=4)
    monkeypatch.setattr(run_notebook, "run", lambda *arguments: found)
    return found


@pytest.fixture
def bibliography(tmp_path: Path) -> Path:
    path = tmp_path / "references.bib"
    path.write_text(BIBLIOGRAPHY)
    return path
