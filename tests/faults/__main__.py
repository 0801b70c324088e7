"""``python -m tests.faults``: commands killed at random moments, and on disks that are full at a random size.

``--calls`` goes through all system calls of a command that have to do with files (strace counts them): each is refused
once, and each is once the last one of a process. After each disturbance the next run must leave the bytes of an
undisturbed one and nothing else, and a command that succeeds has written what it was to write. What `record` and
`campaign` write is different each time; of them each run must be there whole, and once. Prints how many disturbances
there were, by command, and leaves with 1 where one left something else.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.faults import steps, syscalls
from tests.faults.commands import COMMANDS, UNREAD, Command, without_ours
from tests.faults.runs import RECORDERS, each_call
from tests.faults.states import contents


def main() -> int:
    """Disturb commands by turns, and say what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="how many commands to kill")
    parser.add_argument("--disks", type=int, default=50, help="how many disks to fill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", action="store_true", help="instead, disturb every system call of every command")
    every = [*COMMANDS, *RECORDERS]
    parser.add_argument("--only", nargs="*", default=every, choices=every, help="of these commands")
    asked = parser.parse_args()
    draw = random.Random(asked.seed)
    written = [name for name in asked.only if name in COMMANDS]
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        with contextlib.redirect_stdout(io.StringIO()):
            trial = Trial(Path(name), written)
        if asked.calls:
            for command in asked.only:
                with contextlib.redirect_stdout(io.StringIO()):
                    trial.each_call(command)
                print(f"{command}: all calls disturbed, {len(trial.wrong)} wrong so far", file=sys.stderr)
        else:
            for kind, count in ((trial.killed, asked.kills), (trial.full, asked.disks)):
                for number in range(count):
                    with contextlib.redirect_stdout(io.StringIO()):
                        kind(written[number % len(written)], draw.random())
    for (what, command), count in sorted(trial.told.items()):
        print(f"{what} {command}: {count}")
    how = "every system call" if asked.calls else f"seed {asked.seed}: {asked.kills} kills, {asked.disks} full disks"
    print(f"{how}: {trial.told.total()} disturbances, {len(trial.wrong)} wrong")
    print(*trial.wrong, sep="\n")
    return 1 if trial.wrong else 0


class Trial:
    """What an undisturbed run leaves of each command and how long it takes, and what was found."""

    def __init__(self, folder: Path, commands: Iterable[str]) -> None:
        self.folder = folder
        self.told: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []
        self.left = {name: self._undisturbed(name) for name in commands}

    def _undisturbed(self, name: str) -> tuple[object, object, float, int]:
        with self._root() as root:
            COMMANDS[name].before(root)
            old = contents(root)
            began = time.monotonic()
            steps.in_a_process(partial(COMMANDS[name].run, root), self.folder / "said")
            taken = time.monotonic() - began
            return old, contents(root), taken, _pages(root)

    @contextmanager
    def _root(self) -> Iterator[Path]:
        root = self.folder / "root"
        root.mkdir()
        yield root
        shutil.rmtree(root)

    def killed(self, name: str, share: float) -> None:
        """Kill a command at some share of the time that it takes."""
        with self._root() as root:
            COMMANDS[name].before(root)
            self._look("killed", name, root, _killed(COMMANDS[name], root, share * self.left[name][2]))

    def full(self, name: str, share: float) -> None:
        """Run a command on a disk that has room for a share of what it writes beside what is there."""
        with self._root() as root, _disk(root) as resized:
            COMMANDS[name].before(root)
            resized(int(share * 1.2 * self.left[name][3]))
            ended = steps.in_a_process(partial(COMMANDS[name].run, root), self.folder / "said")
            if ended.status and (ended.status != 1 or ended.said.count("\n") != 1):
                self.wrong.append(f"{name} on a full disk ended with {ended.status}: {ended.said}")
            resized(2**14)
            self._look("full disk" if ended.status else "disk just large enough", name, root, "")

    def each_call(self, name: str) -> None:
        """Refuse each system call of a command once, and have each once be the last one."""
        if name in RECORDERS:
            self._each_of_recorder(name)
            return
        command = COMMANDS[name]
        with self._root() as root:
            command.before(root)
            calls = syscalls.system_calls(partial(command.run, root), self.folder)
        for call, count in calls.items():
            for number in range(1, count + 1):
                for what in (syscalls.refused, syscalls.killed_at):
                    with self._root() as root:
                        command.before(root)
                        ended = what(partial(command.run, root), self.folder, call, number)
                        self._look_at_end(what.__name__, name, root, f" at {call} {number}", ended)

    def _each_of_recorder(self, name: str) -> None:
        for what, where, wrong in each_call(name, self.folder):
            self.told[what, name] += 1
            if wrong:
                self.wrong.append(f"{what}, {name} {where}: {wrong}")

    def _look_at_end(self, what: str, name: str, root: Path, how: str, ended: steps.Ended) -> None:
        """Hold how a command ended against what it left: who succeeds has written."""
        if ended.status == 0 and without_ours(contents(root)) != without_ours(self.left[name][1]):
            self.wrong.append(f"{what}, {name}{how}: succeeded, and wrote nothing")
        if ended.status not in (0, 1, -signal.SIGKILL):
            self.told[f"ended with {ended.status}{how}", name] += 1
        if UNREAD in ended.said:
            self.told["said that a log could not be read", name] += 1
        else:
            self._look(what, name, root, how)

    def _look(self, what: str, name: str, root: Path, how: str) -> None:
        """Hold what a reader finds, and what the next run leaves, against undisturbed runs."""
        command, (old, new, *_) = COMMANDS[name], self.left[name]
        for path in command.together:
            seen = contents(root / path)
            if seen not in (_at(old, path), _at(new, path)):
                self.wrong.append(f"{what}, {name}{how}: a reader finds neither the old nor the new {path}")
        lying = list(root.rglob(".storagelab-*"))
        command.run(root)
        if contents(root) != new:
            self.wrong.append(f"{what}, {name}{how}: the next run leaves {sorted(map(str, root.rglob('*')))}")
        self.told[what + (", something left behind" if lying else ""), name] += 1


def _at(found: object, path: str) -> object:
    for part in Path(path).parts:
        found = found[part]  # type: ignore[index]
    return found


def _killed(command: Command, root: Path, after: float) -> str:
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            command.run(root)
        os._exit(0)
    time.sleep(after)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return f" after {after * 1000:.1f} ms"


@contextmanager
def _disk(folder: Path) -> Iterator[Callable[[int], None]]:
    """A disk in memory on a folder, and what gives it room for so many pages more."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        raise SystemExit("full disks need somebody who may mount one: say --disks 0, or be root")

    def resized(free: int) -> None:
        state = os.statvfs(folder)
        blocks = state.f_blocks - state.f_bfree + free
        subprocess.run(["mount", "-o", f"remount,size={blocks * state.f_frsize}", str(folder)], check=True)

    try:
        yield resized
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _pages(root: Path) -> int:
    return sum(1 + path.stat().st_size // resource.getpagesize() for path in root.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
