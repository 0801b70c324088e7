"""Commands of storagelab, each forked from one process that has imported what they need.

Started by itself, each imports for one to three seconds, and so does a kernel of a notebook. ``python -P -m tests.warm
SOCKET`` is that process; what stands for the command in a script is the client: it hands its arguments, folder,
environment and standard streams over, and ends as the command ended.
"""

from __future__ import annotations

import array
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from storagelab import pinned_environment as environment
from tests.once import made_once

ROOT = Path(__file__).parent.parent

CLIENT = """
import array, json, os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
    door.connect(sys.argv[1])
    asked = {"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}
    streams = array.array("i", [0, 1, 2])
    door.sendmsg([json.dumps(asked).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    sys.exit(int(door.recv(16) or 1))
"""
LARGEST = 1 << 20
KERNEL = "kernel"
"""What stands in the place of a command where a kernel of Jupyter is asked for."""
GLANCE = 5.0
"""Every so many seconds the process looks whether the run of the tests, and who started it, are still there."""

_started: list[int] = []


def command() -> list[str]:
    """Return what a program calls for ``storagelab``: the process starts when the first asks for it."""
    folder = made_once("warm", start)
    return [sys.executable, "-I", "-S", str(folder / "client.py"), str(folder / "door")]


def kernel() -> dict[str, Any]:
    """Return what Jupyter has to be told so that it starts the kernel of a notebook in Python."""
    argv = [*command(), KERNEL, "-f", "{connection_file}"]
    return {"argv": argv, "display_name": "Python 3", "language": "python", "interrupt_mode": "message"}


def write_kernel(folder: Path) -> None:
    """Write it down for a Jupyter to which a folder is named in JUPYTER_PATH."""
    place = folder / "kernels" / "python3" / "kernel.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(kernel()))


def start(folder: Path) -> None:
    """Start the process, and wait until it has a door."""
    folder.mkdir()
    (folder / "client.py").write_text(CLIENT)
    said, says = os.pipe()
    plain = {**environment.pinned(os.environ), "PYTHONPATH": str(ROOT)}
    arguments = [sys.executable, "-P", "-m", "tests.warm", str(folder / "door")]
    streams = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, says, 1)]
    _started.append(os.posix_spawn(sys.executable, arguments, plain, file_actions=streams))
    os.close(says)
    with os.fdopen(said) as stream:
        assert stream.readline() == "open\n"


def stop() -> None:
    """End the process where it is a child of this one; elsewhere it goes when it misses the folder of the run."""
    while _started:
        os.kill(_started[-1], signal.SIGTERM)
        os.waitpid(_started.pop(), 0)


def serve(place: Path) -> None:
    """Let each who asks have a process that runs the command and tells how it ended."""
    import_module("storagelab.cli.preload")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(str(place))
        door.listen()
        door.settimeout(GLANCE)
        os.write(1, b"open\n")
        while place.exists():
            with suppress(TimeoutError):
                peer, _ = door.accept()
                with peer:
                    if os.fork() == 0:
                        keep(peer)
            with suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)


def keep(peer: socket.socket) -> None:
    """Run what was asked for in a process, and tell its exit status."""
    asked, rights, _, _ = peer.recvmsg(LARGEST, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    child = os.fork()
    if child == 0:
        for stream, given in enumerate(array.array("i", rights[0][2])):
            os.dup2(given, stream)
        run(**json.loads(asked))
    if asker_ends_before(child, peer):
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with suppress(OSError):
        peer.send(str(status if status >= 0 else 128 - status).encode())
    os._exit(0)


def asker_ends_before(child: int, peer: socket.socket) -> bool:
    """Wait until a process ends, or who asked for it does: Jupyter kills a kernel that does not shut down.

    What asked is killed then, and has no other word for the process, which would keep its standard streams open.
    """
    ended = os.pidfd_open(child)
    ready, _, _ = select.select([ended, peer.fileno()], [], [])
    return ended not in ready


def run(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be the command."""
    from storagelab.cli import main
    from storagelab.pinned_environment import WRITING, pinned

    if arguments[:1] == [KERNEL]:
        be_kernel(arguments[1:], folder, environment)
    os.environ.clear()
    os.environ.update(pinned(environment) if arguments[:1] and arguments[0] in WRITING else environment)
    time.tzset()
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv, sys.modules["__main__"].__package__ = ["storagelab", *arguments], None  # as the installed command does
    main()


def be_kernel(arguments: list[str], folder: str, environment: dict[str, str]) -> NoReturn:
    """Be a kernel; what matplotlib read from the environment of this process does not count for it."""
    import matplotlib as mpl

    from storagelab.paper import forked_kernel

    if environment.get("MATPLOTLIBRC") == os.environ["MATPLOTLIBRC"]:
        mpl.rc_file_defaults()
    else:
        mpl.rcdefaults()
    mpl.use(environment.get("MPLBACKEND", "agg"))
    forked_kernel._become([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"], environment, folder)
    sys.exit()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
