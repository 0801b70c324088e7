"""A system call of a command that fails, or is its last: strace stands between the process and the system."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.faults.steps import Ended, in_a_process

REFUSED = {
    **dict.fromkeys(("openat", "mkdir", "link", "linkat", "symlink", "rename", "renameat2", "write"), "ENOSPC"),
    **dict.fromkeys(("pwrite64", "writev", "ftruncate", "fallocate", "copy_file_range", "sendfile"), "ENOSPC"),
    **dict.fromkeys(("fsync", "fdatasync", "close", "read", "pread64", "getdents64", "ioctl", "fstat"), "EIO"),
    **dict.fromkeys(("newfstatat", "lstat", "stat", "readlink", "statx", "access", "faccessat2", "getcwd"), "EACCES"),
    **dict.fromkeys(("unlink", "unlinkat", "rmdir", "chmod", "fchmod", "fchmodat", "chdir", "utimensat"), "EACCES"),
    **dict.fromkeys(("fcntl", "flock"), "ENOLCK"),
}
"""System calls that have to do with files, and the error that each is refused with. A place in a file that is open, and
on a disk, is found without asking the disk: lseek cannot fail."""

CALL = re.compile(r"^(?:\d+ +)?(\w+)\(", re.MULTILINE)


def system_calls(command: Callable[[], object], folder: Path, *, follow: bool = True) -> Counter[str]:
    """Count the system calls of a command that have to do with files; with `follow`, of what it starts too."""
    log = folder / "calls"
    _under_strace(command, folder, follow, "--output", str(log), "--trace", ",".join(REFUSED))
    return Counter(CALL.findall(log.read_text()))


def refused(command: Callable[[], object], folder: Path, call: str, number: int, *, follow: bool = True) -> Ended:
    """Run a command in a process of its own that the system refuses a call, the `number`-th of its name."""
    return _under_strace(command, folder, follow, *_injected(call, number, f"error={REFUSED[call]}"))


def killed_at(command: Callable[[], object], folder: Path, call: str, number: int, *, follow: bool = True) -> Ended:
    """Run a command in a process of its own that is gone at a system call, the `number`-th of its name."""
    return _under_strace(command, folder, follow, *_injected(call, number, "signal=KILL"))


def _injected(call: str, number: int, what: str) -> tuple[str, ...]:
    return "--trace", call, "--inject", f"{call}:{what}:when={number}"


def _under_strace(command: Callable[[], object], folder: Path, follow: bool, *options: str) -> Ended:
    """Run a command in a process that waits until strace has it."""
    program = shutil.which("strace")
    if program is None:
        raise SystemExit("system calls are counted and refused by strace: install it (apt-get install strace)")
    watching: list[subprocess.Popen[bytes]] = []

    def watched(pid: int) -> None:
        os.waitpid(pid, os.WUNTRACED)
        whom = [*(["--follow-forks"] if follow else []), "--attach", str(pid)]
        line = [program, "--quiet=all", *whom, *options]
        watching.append(subprocess.Popen(line, stderr=subprocess.DEVNULL))
        while "TracerPid:\t0" in Path(f"/proc/{pid}/status").read_text():
            if watching[0].poll() is not None:
                os.kill(pid, signal.SIGKILL)
                raise SystemExit(f"strace ended with {watching[0].returncode}: may it trace processes here?")
            time.sleep(0.002)
        os.kill(pid, signal.SIGCONT)

    ended = in_a_process(command, folder / "said", first=partial(signal.raise_signal, signal.SIGSTOP), beside=watched)
    watching[0].wait()
    return ended
