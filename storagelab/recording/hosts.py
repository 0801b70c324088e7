"""A run on many hosts at once: ssh to each, a barrier, and how far apart the commands began.

Each host says that it is ready, tells its clock, and begins when told to, so that what ssh takes to connect is over
by then. The clock of a host is placed on ours as in F. Cristian, "Probabilistic clock synchronization" (1989): it was
read in the middle of question and answer, and half of what they took is how wrong that may be.
"""

from __future__ import annotations

import io
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from storagelab import writing
from storagelab.errors import SidecarError
from storagelab.recording import machine, places, process, randomised_order
from storagelab.recording.record import Interrupted, Made, Order, begin
from storagelab.study.campaign_plan import Campaign
from storagelab.study.value_checks import written

MARK = "storagelab:"
COUNTS = ("clients", "nodes")
"""Factors that say on how many of the hosts a run is."""

SCRIPT = r"""
exec 3<&0
printf '%s ready\n' {mark}
read -r word <&3 || exit 125
printf '%s %s\n' {mark} "$(date +%s.%N)"
read -r word <&3 || exit 125
printf '%s %s\n' {mark} "$(date +%s.%N)"
{command} </dev/null 3<&- &
child=$!
(while read -r word <&3; do kill -s "$word" $child; done; kill -s TERM $child) 2>/dev/null >/dev/null &
watch=$!
wait $child
status=$?
while [ $status -gt 128 ] && kill -0 $child 2>/dev/null; do wait $child; status=$?; done
kill $watch 2>/dev/null
exit $status
"""
"""What a host does: three lines of talk, then the command, to which it hands on signals, and which ends with ssh."""


def check(plan: Campaign, place: str) -> None:
    """Refuse a plan that needs more hosts than it names.

    Raises
    ------
    SidecarError
        If a level of clients or nodes is larger than the number of hosts, or a host is named twice.
    """
    for number, group in enumerate(plan.kinds):
        where = f"groups.{number}." if plan.groups else ""
        if len(set(group.hosts)) < len(group.hosts):
            raise SidecarError(place, f"{where}hosts: expected each once, found {', '.join(group.hosts)}")
        if group.hosts and plan.drop_caches:
            told = "other hosts drop their caches by their own command, so put it there"
            raise SidecarError(place, f"drop_caches: {told}")
        for name in COUNTS if group.hosts else ():
            said = [mapping[name] for mapping in (plan.set, group.set, *plan.starts) if name in mapping]
            for level in (*group.factors.get(name, ()), *said):
                if not 1 <= float(level) <= len(group.hosts):
                    raise SidecarError(place, f"{where}factors.{name}: {written(level)} of {len(group.hosts)} hosts")


@dataclass(slots=True)
class Talk:
    """What passes between us and one host."""

    host: str
    process: subprocess.Popen[bytes]
    offset: float = 0.0
    uncertain: float = 0.0
    started: float = 0.0

    def ask(self, word: str) -> None:
        """Send a line, at once: what a host did not take would be sent again when its stream is closed.

        Raises
        ------
        ConnectionError
            If the host hung up.
        """
        assert self.process.stdin is not None
        try:
            os.write(self.process.stdin.fileno(), word.encode() + b"\n")
        except BrokenPipeError:
            raise ConnectionError(f"{self.host}: hung up") from None

    def hang_up(self) -> None:
        """Close what is open between us."""
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def answer(self) -> str:
        """Read the next line of ours; what a host's own start-up files print before is no log.

        Raises
        ------
        ConnectionError
            If the host hung up.
        """
        assert self.process.stdout is not None
        for line in iter(self.process.stdout.readline, b""):
            text = line.decode("utf-8", "replace").strip()
            if text.startswith(MARK):
                return text.removeprefix(MARK).strip()
        raise ConnectionError(f"{self.host}: no connection, or no sh there: exit status {self.process.wait()}")


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of one run."""

    plan: Campaign
    run: randomised_order.Run
    study: str
    named: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        said = {**self.plan.set, **self.run.levels}
        hosts = self.run.group.hosts
        count = next((int(float(said[name])) for name in COUNTS if name in said), len(hosts))
        object.__setattr__(self, "named", hosts[:count])

    def run_on_each(self, asked: Order, out: process.Show, err: process.Show, tell: Any) -> list[Made]:
        """Run the command on each host; what it takes to write their rows is returned.

        Raises
        ------
        SidecarError
            If a host cannot be reached; nothing was run then.
        Interrupted
            If a signal came.
        """
        words = {host: randomised_order.command(self.plan, self.run, self.study, host) for host in self.named}
        orders = [
            Order(
                asked.folder, words[host], {**asked.set, "client": host}, asked.target, asked.drop_caches,
                f"{asked.name}/{places.slug(host)}.log", {**asked.more, "host": host}, run_id=asked.name, whole=True,
            )
            for host in self.named
        ]  # fmt: skip
        begun = [begin(one, tell, here=False) for one in orders]
        load = machine.counters()["load_1"]
        with ExitStack() as logs:
            files = {one.order.more["host"]: logs.enter_context(writing.growing(one.place.log)) for one in begun}
            keep = {host: one.veil(files[host].write) for host, one in zip(self.named, begun, strict=True)}
            ended, talks, elapsed = self._ran(words, keep, out, err)
            for one in keep.values():
                one(b"")
            if passed := sorted({name for one in ended.values() for name in one.passed}):
                raise Interrupted(*passed)
        skew = max(talk.started for talk in talks) - min(talk.started for talk in talks)
        wrong = max(talk.uncertain for talk in talks)
        tell(f"{self.run}: {len(talks)} hosts began within {skew:.3f} s (known to {wrong:.3f} s)")
        of_host = {talk.host: self._seen(talk, skew, elapsed[talk.host], load) for talk in talks}
        return [(one, ended[host], of_host[host]) for host, one in zip(self.named, begun, strict=True)]

    def _seen(self, talk: Talk, skew: float, elapsed: float, load: float) -> dict[str, Any]:
        moment = datetime.fromtimestamp(talk.started, UTC)
        last = datetime.fromtimestamp(talk.started + elapsed, UTC)
        return {
            "started": moment.isoformat(timespec="milliseconds"),
            "ended": last.isoformat(timespec="milliseconds"),
            "elapsed": round(elapsed, 6),
            "start_skew": round(skew, 6),
            "clock_offset": round(talk.offset, 6),
            "clock_uncertainty": round(talk.uncertain, 6),
            "load_1": load,
        }

    def _ran(
        self, words: Mapping[str, Sequence[str]], keep: Mapping[str, process.Show], out: process.Show, err: process.Show
    ) -> tuple[dict[str, process.Ended], list[Talk], dict[str, float]]:
        talks: list[Talk] = []
        passed: list[str] = []
        with _handing_on(talks, passed):
            talks += [Talk(host, self._connect(host, words[host])) for host in self.named]
            try:
                _barrier(talks)
            except (ConnectionError, ValueError) as error:
                for talk in talks:
                    talk.process.kill()
                    talk.process.wait()
                    talk.hang_up()
                raise SidecarError(self.study, f"not run: {error}") from None
            last = _follow(talks, keep, out, err)
        began = {talk.host: talk.started for talk in talks}
        ended = {talk.host: process.Ended(_status(talk.process.wait()), tuple(passed)) for talk in talks}
        for talk in talks:
            talk.hang_up()
        return ended, talks, {host: max(0.0, last[host] - began[host]) for host in began}

    def _connect(self, host: str, words: Sequence[str]) -> subprocess.Popen[bytes]:
        script = SCRIPT.format(mark=MARK, command=shlex.join(words))
        return subprocess.Popen(
            [*self.plan.ssh, host, f"exec sh -c {shlex.quote(script)}"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0,
        )  # fmt: skip


def _status(code: int) -> int:
    return 128 - code if code < 0 else code


def _barrier(talks: Sequence[Talk]) -> None:
    """Wait until all are ready, compare clocks, and have all begin."""
    for talk in talks:
        if (said := talk.answer()) != "ready":
            raise ValueError(f"{talk.host}: expected that it is ready, found {said!r}")
    for talk in talks:
        asked = time.time()
        talk.ask("clock")
        theirs, answered = float(talk.answer()), time.time()
        talk.offset, talk.uncertain = theirs - (asked + answered) / 2, (answered - asked) / 2
    for talk in talks:
        talk.ask("go")
    for talk in talks:
        talk.started = float(talk.answer()) - talk.offset


def _follow(
    talks: Sequence[Talk], keep: Mapping[str, process.Show], out: process.Show, err: process.Show
) -> dict[str, float]:
    """Show and keep what the hosts print; return when each had printed its last."""
    last: dict[str, float] = {}
    with selectors.DefaultSelector() as waiting:
        wholes = {talk.host: process.Whole(keep[talk.host]) for talk in talks}
        for talk in talks:
            for stream, show, part in (
                (talk.process.stdout, out, wholes[talk.host].out), (talk.process.stderr, err, wholes[talk.host].err),
            ):  # fmt: skip
                waiting.register(_there(stream), selectors.EVENT_READ, (talk.host, show, part))
        while waiting.get_map():
            for key, _ in waiting.select():
                host, show, part = key.data
                stream = _there(key.fileobj)
                if data := stream.read1(process.PIECE):
                    show(data)
                    part(data)
                else:
                    waiting.unregister(key.fileobj)
                    last[host] = time.time()
        for whole in wholes.values():
            whole.end()
    return last


def _there(stream: object) -> io.BufferedReader:
    assert isinstance(stream, io.BufferedReader)
    return stream


@contextmanager
def _handing_on(talks: list[Talk], passed: list[str]) -> Iterator[None]:
    """Tell all hosts of SIGINT and SIGTERM instead of ending."""

    def hand_on(number: int, frame: object) -> None:
        passed.append(signal.Signals(number).name)
        for talk in talks:
            try:
                talk.ask(passed[-1].removeprefix("SIG"))
            except (ConnectionError, ValueError):
                continue

    before = {number: signal.signal(number, hand_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
