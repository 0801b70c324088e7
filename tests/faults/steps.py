"""The steps of a command on disk, counted, and one of them disturbed: the system refuses it, or the process is gone."""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import traceback
import warnings
import zipfile
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from storagelab.cli import console
from storagelab.writing import disk, files, folders, growing_outputs, locks, own_folders

if TYPE_CHECKING:
    import xarray as xr

CHANGING = ("mkdir", "makedirs", "open", "fsync", "replace", "rename", "link", "symlink", "remove", "rmdir")
KILLED = 77
MISTAKEN = 99
NETCDF = "save netCDF"
FULL = os.strerror(errno.ENOSPC)


class Steps:
    """Counts what the writer asks of the system; at the step `at` it fails, or the process is gone."""

    def __init__(self, at: int = -1, *, kill: bool = False, error: BaseException | None = None) -> None:
        self.at, self.kill, self.error, self.names = at, kill, error, list[str]()

    def here(self, name: str, half: Callable[[], object] = lambda: None) -> None:
        """Take a step; the one that is disturbed may be half done."""
        self.names.append(name)
        if len(self.names) - 1 == self.at:
            half()
            if self.kill:
                os._exit(KILLED)
            full = RuntimeError("NetCDF: HDF error") if name == NETCDF else OSError(errno.ENOSPC, FULL)
            raise self.error or full

    def step(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def taken(*arguments: Any, **options: Any) -> Any:
            self.here(name)
            return function(*arguments, **options)

        return taken

    def in_place(self, patch: pytest.MonkeyPatch) -> None:
        """Stand between the writer and the system."""
        system, tools = _Like(os), _Like(shutil)
        for name in CHANGING:
            setattr(system, name, self.step("unlink" if name == "remove" else name, getattr(os, name)))
        vars(tools)["rmtree"] = self._removing
        for name in ("copymode", "copytree", "copy2", "move"):
            setattr(tools, name, self.step(name, getattr(shutil, name)))
        for module in (disk, files, folders, growing_outputs, locks, own_folders):
            for name, stand_in in (("os", system), ("shutil", tools), ("open", self._opened)):
                patch.setattr(module, name, stand_in, raising=False)
        patch.setattr(folders, "_exchange", self.step("exchange", folders._exchange))
        if trees := sys.modules.get("xarray"):  # what is not imported writes nothing
            patch.setattr(trees.DataTree, "to_netcdf", self._saving(trees.DataTree.to_netcdf))
        if tables := sys.modules.get("pyarrow.parquet"):
            patch.setattr(tables, "write_table", self._tabling(tables.write_table))
        for name in ("writestr", "close"):
            patch.setattr(zipfile.ZipFile, name, self.step(f"zip {name}", getattr(zipfile.ZipFile, name)))

    def _opened(self, path: Path, mode: str, **options: Any) -> Any:
        self.here("open")
        return _File(Path(path).open(mode, **options), self)

    def _removing(self, folder: Path) -> None:
        self.here("remove", lambda: [path.unlink() for path in sorted(folder.rglob("*")) if path.is_file()][:1])
        shutil.rmtree(folder)

    def _saving(self, save: Callable[..., Any]) -> Callable[..., Any]:
        def saving(tree: xr.DataTree, path: Path, **options: Any) -> None:
            self.here(NETCDF, lambda: path.write_bytes(b"\x89HDF\r\n"))
            save(tree, path, **options)

        return saving

    def _tabling(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def tabling(table: Any, path: Path, **options: Any) -> None:
            self.here("write parquet", lambda: path.write_bytes(b"PAR1"))
            write(table, path, **options)

        return tabling


class _Like:
    """Everything that something else has, but for what is set here."""

    def __init__(self, other: Any) -> None:
        self._other = other

    def __getattr__(self, name: str) -> Any:
        return getattr(self._other, name)


class _File(_Like):
    """A file whose every write is a step, and so are what brings it to the system, and its end."""

    def __init__(self, file: Any, steps: Steps) -> None:
        super().__init__(file)
        self._steps = steps

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            try:
                self._steps.here("close")
            finally:
                self._other.close()
        else:
            self._other.close()

    def flush(self) -> None:
        self._steps.here("flush")
        self._other.flush()

    def write(self, data: Any) -> Any:
        rest = data

        def half() -> None:
            nonlocal rest
            self._other.write(data[: len(data) // 2])
            self._other.flush()
            rest = data[len(data) // 2 :]

        self._steps.here("write", half)
        self._other.write(rest)
        return len(data)


class Ended(NamedTuple):
    """How a command ended, and what it said on standard error."""

    status: int
    said: str


def in_a_process(
    command: Callable[[], object],
    said: Path,
    *,
    first: Callable[[], object] = lambda: None,
    beside: Callable[[int], object] = lambda pid: None,
) -> Ended:
    """Run a command as the command line does, in a process of its own that is forked from this one.

    That process begins with `first`, while this one does what is `beside`, and then waits.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads that hold no lock of ours
        pid = os.fork()
    if pid == 0:
        gc.freeze()  # looking through what the process before it made would copy all of it
        status = MISTAKEN
        try:
            status = as_a_command(command, said, first=first)
        finally:
            os._exit(status)
    beside(pid)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return Ended(status, said.read_text())


def forked(function: Callable[[], object]) -> BaseProcess:
    """Have a copy of this process do something beside it, with all that is imported here: it may be killed."""
    process = multiprocessing.get_context("fork").Process(target=function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads that hold no lock of ours
        process.start()
    return process


def as_a_command(command: Callable[[], object], said: Path, *, first: Callable[[], object] = lambda: None) -> int:
    """Run a command as the command line does, in this process, whose standard streams it takes; return its status."""
    for handle, path in ((1, Path(os.devnull)), (2, said)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, handle)
        os.close(file)
    sys.stdout, sys.stderr = (os.fdopen(handle, "w", closefd=False) for handle in (1, 2))
    try:
        first()
        console.exit_with(command)
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return MISTAKEN
    finally:
        sys.stderr.flush()
    return 0


def short_of_space() -> None:
    """Refuse this process files of more than 16 KiB, as a full disk does."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**14, 2**14))


def undisturbed(command: Callable[[], object]) -> list[str]:
    """Return the steps of a command that nobody disturbs."""
    steps = Steps()
    with pytest.MonkeyPatch.context() as patch:
        steps.in_place(patch)
        command()
    return steps.names


def disturbed(command: Callable[[], object], said: Path, at: int, *, kill: bool, exchange: bool = True) -> Ended:
    """Run a command in a process of its own that fails at a step, or is gone there."""
    patch = pytest.MonkeyPatch()

    def first() -> None:
        if not exchange:
            patch.setattr(folders, "_exchange", lambda one, other: False)
        Steps(at, kill=kill).in_place(patch)

    return in_a_process(command, said, first=first)
