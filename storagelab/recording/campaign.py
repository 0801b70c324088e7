"""``storagelab campaign``: all runs of a plan, each exactly once, however often the campaign is stopped or killed."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from storagelab import writing
from storagelab.errors import AnalysisError, SidecarError
from storagelab.recording import hosts, journal, order, places, process, table
from storagelab.recording.journal import Journal
from storagelab.recording.record import Interrupted, Order, Recorded, record
from storagelab.study import read_sidecar
from storagelab.study.plan import planned
from storagelab.study.sidecar import Campaign

Tell = Callable[[str], object]
ASIDE = ".set-aside"
"""Folder of a study for logs of runs that were cut off; hidden, so that nothing in it is a log of the study."""
GLANCE = 0.1
"""Seconds between two looks at a command that a killed campaign left running."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Where a campaign shows what happens: what commands print, and what is said of them."""

    out: process.Show
    err: process.Show
    tell: Tell


def plan_of(folder: Path) -> Campaign:
    """Read the plan of a study.

    Raises
    ------
    SidecarError
        If it has none, or the command of it has a field that nobody fills.
    """
    sidecar = planned(folder, read_sidecar(folder / "study.yaml"))
    place = folder / "plan.yaml" if (folder / "plan.yaml").exists() else folder / "study.yaml"
    if sidecar.plan is None:
        raise SidecarError(str(place), "no plan: expected a section `plan` here, or a plan.yaml beside it")
    order.check_command(sidecar.plan, str(place))
    hosts.check(sidecar.plan, str(place))
    return sidecar.plan


def carry_out(folder: Path, plan: Campaign, shown: Shown, only: int = 0) -> int:
    """Make the runs of a plan that were not made yet; return how many failed.

    Parameters
    ----------
    folder : Path
        Of the study.
    plan : Campaign
    shown : Shown
    only : int
        Number of the one run to make; all of them where it is 0.

    Raises
    ------
    SidecarError
        If another campaign runs here, the journal is of another plan, or a log is in the way; or as `record`.
    KeyboardInterrupt
        If a run was interrupted: it is made again by the next call.
    """
    try:
        with writing.locked(folder, wait=False, name=journal.LOCK if not only else f"{journal.LOCK}-{only}"):
            return _Campaign(folder, plan, shown, journal.opened(folder, plan)).carry_out(only)
    except BlockingIOError:
        raise SidecarError(str(folder), "another campaign runs here: one at a time") from None


class _Campaign:
    """One call: what is to be made, and how it goes."""

    def __init__(self, folder: Path, plan: Campaign, shown: Shown, done: Journal) -> None:
        self.folder, self.plan, self.shown, self.done = folder, plan, shown, done
        self.study = folder.resolve().name

    def carry_out(self, only: int) -> int:
        self._mend(only)
        if only:
            return self._all([run for run in order.runs(self.plan, self._rounds()) if run.number == only], only)
        if self.plan.repeats == "auto" and not self.done.rounds:
            self._all(list(order.runs(self.plan, self.plan.pilot.rounds)))
            self.done.decide(self._asked())
        return self._all(list(order.runs(self.plan, self._rounds())))

    def _rounds(self) -> int:
        if self.plan.repeats == "auto":
            return self.done.rounds or self.plan.pilot.rounds
        return self.plan.repeats

    def _all(self, planned_: Sequence[order.Run], only: int = 0) -> int:
        if only and not planned_:
            raise SidecarError(str(self.folder), f"--run {only}: the plan has no run of this number")
        todo = [run for run in planned_ if run.number not in self.done.ended]
        made = len(planned_) - len(todo)
        self.shown.tell(f"{self.folder}: {len(planned_)} runs are planned, {made} are made")
        for place, run in enumerate(todo):
            self._make(run)
            left = self._left(todo[place + 1 :])
            self.shown.tell(f"{made + place + 1} of {len(planned_)} runs are made{left}")
        numbers = {run.number for run in planned_}
        return sum(said.get("status") != 0 for number, said in self.done.ended.items() if number in numbers)

    def _make(self, run: order.Run) -> None:
        name = self._name(run)
        self.shown.tell(str(run))
        self.done.begin(run.number, log=name)
        set_ = {**{key: order.written(value) for key, value in self.plan.set.items()}, **run.words()}
        target = Path(self.plan.target) if self.plan.target else None
        asked = Order(
            self.folder, order.command(self.plan, run, self.study), {**set_, "repeat": str(run.round)}, target,
            self.plan.drop_caches, name, {"campaign": {"run": run.number, "round": run.round}},
            started=lambda pid: self.done.running(run.number, pid), whole=True,
        )  # fmt: skip
        recorded = self._recorded(asked, run)
        self.done.end(run.number, log=name, status=recorded.status, elapsed=recorded.seen["elapsed"])

    def _recorded(self, asked: Order, run: order.Run) -> Recorded:
        shown = self.shown
        try:
            if self.plan.hosts:
                of_host = hosts.Hosts(self.plan, run, self.study)
                return of_host.record(asked, shown.out, shown.err, shown.tell)
            return record(asked, shown.out, shown.err, shown.tell)
        except Interrupted as error:
            shown.tell(f"{run}: interrupted; the next `storagelab campaign` makes it again")
            signal.raise_signal(signal.Signals[error.args[0]])  # now that the run is over, as it came
            raise KeyboardInterrupt from error

    def _name(self, run: order.Run) -> str:
        command = order.command(self.plan, run, self.study)
        return places.named(run.words(), command, run.round, of_a_folder=bool(self.plan.hosts))

    def _left(self, todo: Sequence[order.Run]) -> str:
        """Say how long the rest takes, if its runs take as long as those of their cells did, else as all did."""
        known: dict[str, list[float]] = {}
        planned_ = {self._name(run): run for run in order.runs(self.plan, self._rounds())}
        for said in self.done.ended.values():
            run = planned_.get(str(said.get("log")))
            if run is not None:
                known.setdefault(str(run.words()), []).append(float(said["elapsed"]))
        every = [one for values in known.values() for one in values]
        seconds = sum(fmean(known.get(str(run.words()), every)) for run in todo)
        return f"; about {_duration(seconds)} left" if todo else ""

    def _mend(self, only: int) -> None:
        """Close runs that were whole when the campaign was killed, and set aside what the others left."""
        listed = {row.get("file") for row in table.rows(self.folder)}
        for number, said in sorted(self.done.begun.items()):
            if only and number != only:
                continue
            self._wait(number, said)
            logs = [str(said["log"])] if not self.plan.hosts else list(self._logs_below(str(said["log"])))
            if logs and all(log in listed for log in logs):
                seen = [run for run in places.seen(self.folder) if run.get("campaign", {}).get("run") == number]
                status = max((int(run["exit_status"]) for run in seen), default=0)
                elapsed = max((float(run["elapsed"]) for run in seen), default=0.0)
                self.done.end(number, log=said["log"], status=status, elapsed=elapsed)
                continue
            for file in self._left_by(str(said["log"])):
                self.shown.tell(f"run {number} was cut off: what it left is in {self._set_aside(file)}")

    def _logs_below(self, name: str) -> Iterator[str]:
        for run in places.seen(self.folder):
            if str(run.get("log", "")).startswith(f"{name}/"):
                yield str(run["log"])

    def _left_by(self, name: str) -> list[Path]:
        """Files of a run that was cut off: its log, whole or not, and what was seen of it."""
        path = self.folder / name
        if path.is_dir():
            return sorted(file for file in path.rglob("*") if file.is_file())
        return [file for file in (writing.begun(path), path, places.of_log(path)) if file.exists()]

    def _set_aside(self, file: Path) -> Path:
        below = file.relative_to(self.folder).as_posix().replace("/", "_")
        for number in range(1, 10**6):
            place = self.folder / ASIDE / f"{below}.{number}"
            if not place.exists():
                writing.move(file, place)
                return place
        raise AssertionError

    def _wait(self, number: int, said: dict[str, object]) -> None:
        """Wait for a command that a killed campaign left running: two runs at once would measure each other."""
        pid, since = said.get("pid"), said.get("since")
        if not isinstance(pid, int) or not since:
            return
        told = False
        while writing.start_of(pid) == since:
            if not told:
                self.shown.tell(f"the command of run {number} still runs as process {pid}: waiting for its end")
                told = True
            time.sleep(GLANCE)

    def _asked(self) -> int:
        """Ask the pilot how many rounds show what the campaign is to show."""
        from storagelab import analysis, ingest

        pilot, keys = self.plan.pilot, list(self.plan.factors)
        runs = ingest.ingest(self.folder)["runs"].to_dataset()
        by = [*keys, *(key for key in ("operation",) if key not in keys and key in runs.coords)]
        try:
            found = analysis.plan_repeats(runs, pilot.variable, by, effect=pilot.effect, power=pilot.power)
        except AnalysisError as error:
            raise SidecarError(
                str(self.folder), f"the pilot does not tell how many repeats are needed: {error}"
            ) from None
        rounds = float(found["rounds"].to_numpy()[0])
        needed = pilot.most if rounds != rounds else min(int(rounds), pilot.most)
        asked = f"more than {pilot.most}" if rounds != rounds or rounds > pilot.most else f"{rounds:g}"
        self.shown.tell(
            f"the pilot asks for {asked} rounds, to show a ratio of {pilot.effect:g} with power {pilot.power:g}:"
            f" {max(needed, pilot.rounds)} are made"
        )
        return max(needed, pilot.rounds)


def _duration(seconds: float) -> str:
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"
