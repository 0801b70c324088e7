"""Run commands of storagelab one after the other, each forked from this process, which has imported what they need.

``python -P forking.py FILE COMMAND...``: what a command says goes into the file. Like `storagelab reports`, this pins
its environment first. It ends with the first command that fails, after its name and what it said.
"""

from __future__ import annotations

import os
import shlex
import sys
from importlib import import_module
from pathlib import Path

from storagelab import pinned_environment
from storagelab.cli import main


def forked(command: str, said: Path) -> int:
    """Run a command in a process of its own, and return its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = shlex.split(command)
    main()
    raise AssertionError("a command ends by SystemExit")


if __name__ == "__main__":
    if not pinned_environment.started_pinned():
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], pinned_environment.pinned(os.environ))
    import_module("storagelab.cli.preload")
    file, *commands = sys.argv[1:]
    for command in commands:
        if status := forked(command, Path(file)):
            sys.exit(f"{command} ended with {status}\n{Path(file).read_text(errors='replace')[-4000:]}")
