"""Run a notebook so that it gives the same bytes on every machine, or an error that says where it failed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbformat import NotebookNode
from papermill.engines import NBClientEngine, papermill_engines
from papermill.exceptions import PapermillExecutionError
from papermill.execute import execute_notebook
from traitlets import Integer, Unicode, default
from traitlets.config import Config

import storagelab
from storagelab import writing
from storagelab.errors import PaperError, all_of
from storagelab.paper.forked_kernel import ForkedProvisioner, Seat, seat
from storagelab.paper.kernel_client import PaperClient
from storagelab.paper.reproducible_notebook import is_injected, normalise
from storagelab.pinned_environment import pinned

WIDTH = "100"
"""Columns of what a cell prints, whatever terminal the paper is made on."""

QUIET = ["--log-level=CRITICAL", "--HistoryManager.enabled=False"]
"""A kernel that is told to leave may still log that it was interrupted, which concerns nobody; nor does its history."""

PATIENCE = 600
"""Seconds in which a kernel has to start, and to show what it computed: Jupyter's four are too few beside others."""

LOOKS = 0.005
"""Seconds between two looks at whether the kernel has left; Jupyter takes a tenth of a second."""

LONGEST_SOCKET = 100
"""Bytes that the path of a socket may have: 108 on Linux, 104 on macOS, its end included."""

LAST_LINES = 20
"""Lines that are shown of what a kernel printed before it died."""

DROPPED = ("PYTHONSTARTUP", "PYTHONWARNINGS", "PYTHONINSPECT")


class PaperKernel(AsyncKernelManager):
    """A kernel of the running interpreter, whatever kernel specifications the machine has or lacks."""

    scratch = Unicode(help="Folder for IPython's profile, so that the user's start-up files do not run").tag(
        config=True
    )
    forked = Integer(0, help="Id of the process that waits to become the kernel; 0: start a new one").tag(config=True)
    orders = Integer(0, help="Pipe on which that process is told how").tag(config=True)
    printed = Unicode(help="File for what the kernel's process prints outside of cells").tag(config=True)

    @default("client_factory")
    def _client_factory_default(self) -> type[PaperClient]:
        return PaperClient

    @property
    def kernel_spec(self) -> KernelSpec:
        """How to start the kernel."""
        return KernelSpec(**get_kernel_dict(QUIET))

    async def _async_pre_start_kernel(self, **options: Any) -> tuple[list[str], dict[str, Any]]:
        if self.forked:
            self.provisioner = ForkedProvisioner(parent=self, kernel_spec=self.kernel_spec, kernel_id=self.kernel_id)
            self.provisioner.seat, self.provisioner.printed = Seat(self.forked, self.orders), self.printed
        return await super()._async_pre_start_kernel(**{**options, "env": environment(self.scratch)})

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        """Start it; what its libraries print when it is told to leave concerns nobody."""
        printed = writing.output(Path(self.printed))
        try:
            await super()._async_launch_kernel(kernel_cmd, **{**options, "stdout": printed, "stderr": printed})
        finally:
            os.close(printed)

    async def _async_finish_shutdown(self, *arguments: Any, **options: Any) -> None:
        """Wait until the kernel has left."""
        await super()._async_finish_shutdown(*arguments, **{**options, "pollinterval": LOOKS})


class _Run:
    """One run of a notebook: where it keeps its files, which cell it has come to, and what ran."""

    def __init__(self, notebook: Path, scratch: Path) -> None:
        self.notebook = notebook
        self.ipython = scratch / "ipython"
        self.connection = scratch / "kernel.json"
        self.printed = scratch / "printed.txt"
        self.cell = 0
        self.executed = NotebookNode()

    def start_cell(self, cell: NotebookNode, cell_index: int) -> None:
        """Count a cell that begins, those of the source only."""
        self.cell += not is_injected(cell)

    def kernel(self, forked: Seat | None) -> dict[str, Any]:
        """Settings of the kernel."""
        places = {"scratch": self.ipython, "connection_file": self.connection, "printed": self.printed}
        seated = {"forked": forked.pid, "orders": forked.pipe} if forked else {}
        return {**{name: str(place) for name, place in places.items()}, **seated, **self._sockets()}

    def _sockets(self) -> dict[str, str]:
        """Talk over sockets in the folder, which nobody else may open: of ports others can take one before."""
        if sys.platform != "win32" and len(os.fsencode(f"{self.connection}-ipc-5")) <= LONGEST_SOCKET:
            return {"transport": "ipc"}
        return {"transport_encryption": "required"}


class PaperEngine(NBClientEngine):
    """papermill's own engine; what ran is the caller's also where a cell failed, and need not be written for that."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, *others: Any, **options: Any) -> None:
        """Run the cells; the notebook is changed in place."""
        ours: _Run = options.pop("ours")
        ours.executed = nb_man.nb
        options |= {"on_cell_start": ours.start_cell}
        super().execute_managed_notebook(nb_man, kernel_name, *others, **options)  # type: ignore[no-untyped-call]


papermill_engines.register("storagelab", PaperEngine)


def run(
    notebook: Path, parameters: Mapping[str, Any], *, progress: bool | None = None, first: str = ""
) -> NotebookNode:
    """Run a notebook in its own folder and return it normalised.

    Parameters
    ----------
    notebook : Path
        Notebook with a cell tagged ``parameters``.
    parameters : mapping
        Values for that cell.
    progress : bool, optional
        Whether to draw a bar on stderr; by default only on a terminal.
    first : str, optional
        Code to run before all cells; the executed notebook begins with it.

    Returns
    -------
    NotebookNode
        The executed notebook without anything that depends on when and where it ran.

    Raises
    ------
    PaperError
        If the notebook is missing or a cell fails; the message names notebook, cell, error and source, and the failed
        notebook is kept as ``<name>.failed.ipynb`` beside. If the kernel dies, as where memory runs out: then the
        message says at which cell, and what the kernel's process printed last.
    """
    if not notebook.is_file():
        raise PaperError(f"{notebook}: no such notebook")
    failed_path(notebook).unlink(missing_ok=True)
    with seat() as forked, writing.scratch() as scratch:
        ours = _Run(notebook, scratch)
        try:
            source = _led(notebook, first, scratch) if first else notebook
            _execute(ours, source, parameters, forked, sys.stderr.isatty() if progress is None else progress)
        except PapermillExecutionError as error:
            raise _failure(notebook, normalise(ours.executed), error) from error
        except RuntimeError as error:  # so Jupyter says that a kernel died or did not start
            raise _death(ours, error) from error
        return normalise(ours.executed)


def failed_path(notebook: Path) -> Path:
    """Where the notebook goes that failed."""
    return notebook.with_suffix(".failed.ipynb")


def keep_failed(notebook: Path, executed: NotebookNode) -> None:
    """Keep what ran beside its source, to be opened and looked at."""
    writing.write_text(failed_path(notebook), nbformat.writes(executed) + "\n")


def _led(notebook: Path, first: str, scratch: Path) -> Path:
    """Write a copy of a notebook that begins with a cell of its own."""
    led = nbformat.read(notebook, as_version=4)
    led.cells.insert(0, nbformat.v4.new_code_cell(first))
    source = scratch / f"led-{notebook.name}"
    writing.put(source, nbformat.writes(led).encode("utf-8"))
    return source


def _execute(ours: _Run, notebook: Path, parameters: Mapping[str, Any], forked: Seat | None, progress: bool) -> None:
    execute_notebook(
        str(notebook.resolve()),
        None,
        parameters=dict(parameters),
        kernel_name="python3",
        language="python",
        cwd=str(ours.notebook.parent.resolve()),
        progress_bar=progress,
        request_save_on_cell_execute=False,
        start_timeout=PATIENCE,
        iopub_timeout=PATIENCE,
        engine_name="storagelab",
        ours=ours,
        kernel_manager_class=PaperKernel,
        config=Config({"PaperKernel": ours.kernel(forked)}),
    )


def environment(scratch: str) -> dict[str, str]:
    """Environment of a kernel: the caller's, with everything that could change a paper pinned.

    Parameters
    ----------
    scratch : str
        Folder for IPython's profile and history.
    """
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
    home = str(Path(storagelab.__file__).parent.parent)
    paths = [home, *filter(None, [kept.get("PYTHONPATH")])]
    here = {"PYTHONPATH": os.pathsep.join(paths), "IPYTHONDIR": scratch, "COLUMNS": WIDTH}
    return {**pinned(kept), **here}


def _failure(notebook: Path, executed: NotebookNode, error: PapermillExecutionError) -> PaperError:
    """Name the cell and the error; its source and where what ran is kept follow, a line each."""
    cell = next((cell.id for cell in executed.cells if cell.source == error.source), "a cell").replace("-", " ")
    source = [f"    {line}" for line in error.source.splitlines()]
    said = [f"{notebook.name}: {cell}: {error.ename}: {error.evalue}", *source, _kept(notebook, executed)]
    return all_of(list(map(PaperError, said)))


def _death(ours: _Run, error: RuntimeError) -> PaperError:
    """Name the cell at which the kernel died; what its process printed last follows, a line each."""
    where = f"cell {ours.cell}" if ours.cell else "before the first cell"
    printed = ours.printed.read_text("utf-8", "replace").splitlines() if ours.printed.exists() else []
    said = [f"{ours.notebook.name}: {where}: {error}", *(f"    {line}" for line in printed[-LAST_LINES:])]
    return all_of(list(map(PaperError, said)))


def _kept(notebook: Path, executed: NotebookNode) -> str:
    """Keep what ran, and say where; where that cannot be, why the paper failed is told all the same."""
    try:
        keep_failed(notebook, executed)
    except OSError as error:
        return f"the failed notebook could not be kept: {error.filename}: {error.strerror}"
    return f"the failed notebook is kept as {failed_path(notebook).name}"
