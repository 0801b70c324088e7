"""Processes that commands are forked from, with what they need imported already: a warm start.

There are two. One has imported what logs are rendered and read with; the other, forked from it, goes on to import what
papers need too. So logs are read while the rest is still imported, and nothing is imported twice. Each has one thread,
was started in the pinned environment, and ends when nobody can ask it any more.

An order is its length, a JSON object of `Order`, and the pipe on which the command's process says its own id and, at
its end, its exit status: it does so before the system takes its memory back, so that the next command need not wait.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn

from storagelab import writing

LENGTH = 4
"""Bytes that say how long an order is."""


class Order(NamedTuple):
    """What to run, in which folder, and the file for all that it says."""

    command: str
    folder: str
    said: str


def send(order: Order, result: int, asked: socket.socket) -> None:
    """Ask a server for a command whose process says on the pipe `result` how it goes."""
    body = json.dumps(order).encode()
    socket.send_fds(asked, [len(body).to_bytes(LENGTH) + body], [result])


def serve(asked: Sequence[int], imported: Sequence[str]) -> None:
    """Serve orders until the other ends of the sockets are closed.

    Parameters
    ----------
    asked : sequence of int
        A socket for each server.
    imported : sequence of str
        The module that each imports before it serves; each is forked from the one before it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the commands, and for who ordered them
    servers = [socket.socket(fileno=one) for one in asked]
    for server, module in zip(servers, imported, strict=True):
        import_module(module)
        if server is servers[-1] or os.fork():
            break
    for other in servers:
        if other is not server:
            other.close()
    _serve(server)


def _serve(asked: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, _bury)
    while True:
        length, pipes, _, _ = socket.recv_fds(asked, LENGTH, 1)
        if not length:
            break
        order = Order(*json.loads(asked.recv(int.from_bytes(length), socket.MSG_WAITALL)))
        if os.fork() == 0:
            asked.close()
            _become(order, pipes[0])
        os.close(pipes[0])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with suppress(ChildProcessError):
        while os.wait():
            pass


def _bury(*_: object) -> None:
    """Take leave of processes that ended, so that their CPU time counts; how they ended they said themselves."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become(order: Order, result: int) -> NoReturn:
    """Be the process of a command; nothing that the server would do at its end is done here."""
    status = 1
    try:
        os.setpgid(0, 0)  # so that it can be interrupted with all that it starts
        os.register_at_fork(after_in_child=partial(os.close, result))  # it closes when this process is gone
        os.write(result, b"%d\n" % os.getpid())  # fails where nobody waits for the command any more
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _print_to(order.said)
        os.chdir(order.folder)
        status = _run(order.command)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(result, b"%d\n" % status)
        os._exit(status)


def _print_to(said: str) -> None:
    output = writing.output(Path(said))
    for stream in (1, 2):
        os.dup2(output, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


def _run(command: str) -> int:
    """Run a command line, one of ours in this process and anything else by a shell, and return its exit status."""
    words = shlex.split(command)
    if words[0] != "storagelab" or set(command) & set("|&;<>()$`\n"):
        return _run_in_shell(command)
    from storagelab.cli import main

    sys.argv = words
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _run_in_shell(command: str) -> int:
    with subprocess.Popen([os.environ.get("SHELL") or "/bin/sh", "-c", command]) as process:
        while process.returncode is None:
            with suppress(KeyboardInterrupt):  # the shell was interrupted too, and may have to clean up
                process.wait()
    return process.returncode if process.returncode >= 0 else 128 - process.returncode
