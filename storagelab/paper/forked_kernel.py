"""A kernel that is forked from this process, with all that it imported, where that is safe.

The process is forked before anything of Jupyter runs in it, so with one thread; the child waits for the connection
file, and becomes the kernel. It sees what a kernel of its own interpreter would see.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import orjson
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from storagelab import pinned_environment, writing

IMPORTED = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "storagelab.analysis",
    "storagelab.figures",
    "storagelab.interactive",
    "storagelab.claims.coverage_tables",
    "storagelab.claims.synthesis_table",
    "storagelab.claims.ledger_tables",
    "storagelab.paper.quotable_claims",
    "storagelab.paper.findings",
    "storagelab.paper.publish",
)
"""What notebooks use: imported before the fork, once for the kernel and what composes its page."""


class Seat(NamedTuple):
    """A forked process that waits to become a kernel: its id, and the pipe on which it is told how."""

    pid: int
    pipe: int


def safe() -> bool:
    """Whether a fork of this process is as good as a new one: one thread, and pinned since it was started."""
    return sys.platform == "linux" and pinned_environment.started_pinned() and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208


@contextmanager
def seat() -> Iterator[Seat | None]:
    """Fork a process that can become a kernel, or nothing where that is not safe; at the end it is gone."""
    if not pinned_environment.started_pinned():
        yield None
        return
    for name in IMPORTED:
        import_module(name)
    if not safe():
        yield None
        return
    ours = _fork()
    try:
        yield ours
    finally:
        os.close(ours.pipe)
        process = Process(ours.pid)
        if process.poll() is None:
            process.kill()
            process.wait()


def _fork() -> Seat:
    theirs, ours = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _wait(theirs)
    os.close(theirs)
    return Seat(pid, ours)


def _wait(pipe: int) -> NoReturn:
    """Wait to be told how to be a kernel, and be one; nothing that the parent wants done at its end is done here."""
    status = 1
    try:
        os.setsid()
        with os.fdopen(pipe, "rb") as orders:
            line = orders.readline()
        if line:
            order = orjson.loads(line)
            _print_to(order.pop("printed"))
            _become(**order)
        status = 0
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _print_to(place: str) -> None:
    """Let what this process prints go to a file."""
    output = writing.output(Path(place))
    for stream in (1, 2):
        os.dup2(output, stream)


def _become(arguments: list[str], env: dict[str, str], cwd: str) -> None:
    from ipykernel.kernelapp import IPKernelApp

    sys.modules.setdefault("debugpy", None)  # type: ignore[arg-type]  # nobody debugs a paper; its import takes long
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.chdir(cwd)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    scripts = str(Path(sys.executable).parent)
    sys.path[:] = [path for path in sys.path if path not in ("", scripts)]
    sys.argv = ["ipykernel_launcher", *arguments]
    IPKernelApp.launch_instance(arguments)


class Process:
    """As much of `subprocess.Popen` as a provisioner asks of a kernel's process."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return how the process ended, None while it runs."""
        return self._waited(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for the end of the process."""
        return self._waited(0)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)

    def _waited(self, options: int) -> int | None:
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:
                self.returncode = 0
            else:
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


class ForkedProvisioner(LocalProvisioner):
    """Makes the kernel out of the process that waits, instead of starting one."""

    seat: Seat
    printed: str
    """File for what the process prints outside of cells."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Tell the waiting process how to be the kernel that `cmd` would start."""
        self.cwd = options.get("cwd") or os.getcwd()  # noqa: PTH109
        order = {"arguments": _arguments(cmd), "env": options["env"], "cwd": str(self.cwd), "printed": self.printed}
        with os.fdopen(self.seat.pipe, "wb", closefd=False) as pipe:
            pipe.write(orjson.dumps(order, option=orjson.OPT_APPEND_NEWLINE))
        self.process = Process(self.seat.pid)  # type: ignore[assignment]
        self.pid = self.pgid = self.seat.pid
        return self.connection_info


def _arguments(cmd: Sequence[str]) -> list[str]:
    """Return what a launcher is told; the parent's id, read when ipykernel is imported, has to be said again."""
    return [*cmd[cmd.index("ipykernel_launcher") + 1 :], f"--IPKernelApp.parent_handle={os.getpid()}"]
