"""What watches the host while a run goes on, such as ``sar -u 1``: begun before the run, ended with SIGINT after it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from storagelab import writing
from storagelab.recording import places, process
from storagelab.recording.record import Begun, Made, Order, begin, now

PATIENCE = 10.0
"""Seconds that a monitor has to end once it was asked to."""

ROLE, MONITOR, BENCHMARK = "role", "monitor_log", "benchmark"


@dataclass(slots=True)
class _Running:
    begun: Begun
    process: subprocess.Popen[bytes]
    started: str = field(default_factory=now)
    clock: float = field(default_factory=time.monotonic)

    def ended(self) -> Made:
        """End it as Ctrl-C does; that it was ended so is no failure of it."""
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        shown = 0 if status == -signal.SIGINT else abs(status) + 128 * (status < 0)
        elapsed, zone = round(time.monotonic() - self.clock, 6), self.started[-6:]
        seen = {"started": self.started, "ended": now(), "elapsed": elapsed, "time_zone": zone}
        return self.begun, process.Ended(shown, ()), seen


@contextmanager
def watching(asked: Order, commands: Mapping[str, Sequence[str]], folder: str) -> Iterator[list[Made]]:
    """Run monitors beside a run; the list that is given has them once the run is over.

    Parameters
    ----------
    asked : Order
        Of the run: monitors share its keys.
    commands : mapping
        Name of a monitor -> words of its command; its log is ``NAME.log`` in the folder.
    folder : str
        Folder of the run's logs, below that of the study.

    Raises
    ------
    SidecarError
        If its log is there already.
    OSError
        If it cannot be started.
    """
    ended: list[Made] = []
    running: list[_Running] = []
    with ExitStack() as logs:
        try:
            for name, words in commands.items():
                order = replace(
                    asked, command=words, name=f"{folder}/{places.slug(name)}.log", run_id=folder, started=None,
                    set={**asked.set, ROLE: MONITOR}, drop_caches=False,
                )  # fmt: skip
                begun = begin(order, _nobody, here=False)
                log = logs.enter_context(writing.growing(begun.place.log))
                running.append(_Running(begun, _start(words, log)))
            yield ended
        finally:
            ended += [one.ended() for one in running]


def _start(words: Sequence[str], log: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words, stdout=log, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, process_group=0,
        preexec_fn=_heed_us,
    )  # fmt: skip


def _heed_us() -> None:
    """Let SIGINT end it also where we were started in the background, which has shells ignore that signal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    process.end_with_us()


def _nobody(said: str) -> None:
    """Say nothing: of a monitor there is nothing to be said before it has ended."""
