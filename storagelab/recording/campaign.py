"""``storagelab campaign``: all runs of a plan, each exactly once, however often the campaign is stopped or killed."""

from __future__ import annotations

import contextlib
import itertools
import shlex
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import NoReturn

from storagelab import writing
from storagelab.errors import AnalysisError, SidecarError
from storagelab.recording import hosts, journal, monitors, places, process, randomised_order, table
from storagelab.recording.journal import Journal
from storagelab.recording.record import Interrupted, Order, Recorded, finish
from storagelab.recording.record import run as run_alone
from storagelab.study import read_sidecar
from storagelab.study.campaign_plan import Blocks, Campaign
from storagelab.study.files import files_below
from storagelab.study.plan_yaml import planned
from storagelab.study.value_checks import written

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
    randomised_order.check_commands(sidecar.plan, str(place))
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
        self.begun = time.monotonic()
        self.measured: list[float] = []
        """Seconds of each run that this call made."""

    def carry_out(self, only: int) -> int:
        self._mend(only)
        if only:
            return self._all(
                [run for run in randomised_order.runs(self.plan, self._rounds()) if run.number == only], only
            )
        for log, why in self._left_out():
            remedy = "`storagelab check` says what the plan lacks, `storagelab record` makes it"
            self.shown.tell(f"{log} is left out by study.yaml ({why}), and not made again here: {remedy}")
        if self.plan.repeats == "auto" and not self.done.rounds:
            self._all(list(randomised_order.runs(self.plan, self.plan.pilot.rounds)))
            self.done.decide(self._asked())
        return self._all(list(randomised_order.runs(self.plan, self._rounds())))

    def _left_out(self) -> Iterator[tuple[str, str]]:
        """Logs of runs that were made and that a rule of study.yaml leaves out, each with the reason."""
        made = {str(said.get("log")) for said in self.done.ended.values()}
        files = [str(row.get("file")) for row in table.rows(self.folder)]
        logs = [file for file in files if not made.isdisjoint({file, file.rpartition("/")[0]})]
        for rule in read_sidecar(self.folder / "study.yaml").match if logs else ():
            if rule.ignore:
                yield from (
                    (log, rule.ignore) for log, found in zip(logs, rule.match(logs), strict=True) if found is not None
                )

    def _rounds(self) -> int:
        if self.plan.repeats == "auto":
            return self.done.rounds or self.plan.pilot.rounds
        return self.plan.repeats

    def _all(self, planned_: Sequence[randomised_order.Run], only: int = 0) -> int:
        if only and not planned_:
            raise SidecarError(str(self.folder), f"--run {only}: the plan has no run of this number")
        todo = [run for run in planned_ if run.number not in self.done.ended]
        made = len(planned_) - len(todo)
        self.shown.tell(f"{self.folder}: {len(planned_)} runs are planned, {made} are made")
        for _, runs in itertools.groupby(todo, key=lambda run: run.block):
            own = list(runs)
            with self._block(own[0]):
                for run in own:
                    self._make(run)
                    left = [one for one in todo if one.number not in self.done.ended]
                    made = len(planned_) - len(left)
                    self.shown.tell(f"{made} of {len(planned_)} runs are made{self._left(left)}")
        numbers = {run.number for run in planned_}
        return sum(said.get("status") != 0 for number, said in self.done.ended.items() if number in numbers)

    @contextmanager
    def _block(self, first: randomised_order.Run) -> Iterator[None]:
        """Begin a block before its first run that is to be made, and end it whatever happens."""
        blocks = self.plan.blocks or Blocks.model_construct(levels=(), before="", after="")
        try:
            self._around("blocks.before", blocks.before, first)
            yield
        except BaseException:
            with contextlib.suppress(SidecarError, OSError):  # what went wrong first is what is said
                self._around("blocks.after", blocks.after, first)
            raise
        self._around("blocks.after", blocks.after, first)

    def _around(self, name: str, template: str, run: randomised_order.Run) -> None:
        """Run a command that is no run, and show what it prints as talk."""
        words = randomised_order.filled(template, self.plan, run, self.study)
        if not words:
            return
        ended = process.run(words, lambda data: None, self.shown.err, self.shown.err)
        if ended.passed:
            _as_it_came(ended.passed[0])
        if ended.status:
            told = f"{name}: `{shlex.join(words)}` ended with exit status {ended.status}"
            raise SidecarError(str(self.folder), f"{told}, at run {run.number}")

    def _make(self, run: randomised_order.Run) -> None:
        name = self._name(run)
        self.shown.tell(str(run))
        self._around("before", run.group.before, run)
        self.done.begin(run.number, log=name)
        recorded = self._recorded(self._asked_for(run, name), run, name)
        self.done.end(run.number, log=name, status=recorded.status, elapsed=recorded.seen["elapsed"])
        self.measured.append(float(recorded.seen["elapsed"]))

    def _asked_for(self, run: randomised_order.Run, name: str) -> Order:
        command = randomised_order.command(self.plan, run, self.study)
        set_ = {
            **{key: written(value) for key, value in self.plan.set.items()}, **run.words(),
            **({"block": str(run.block)} if self.plan.blocks else {}),
            **({monitors.ROLE: monitors.BENCHMARK} if self.plan.monitors else {}),
            "repeat": str(run.round),
        }  # fmt: skip
        return Order(
            self.folder, command, set_, Path(self.plan.target) if self.plan.target else None, self.plan.drop_caches,
            f"{name}/{places.slug(places.tool_of(command))}.log" if self.plan.monitors else name,
            {"campaign": {"run": run.number, "round": run.round}}, run_id=name if self.plan.monitors else "",
            started=lambda pid: self.done.running(run.number, pid), whole=True,
        )  # fmt: skip

    def _recorded(self, asked: Order, run: randomised_order.Run, name: str) -> Recorded:
        shown = self.shown
        commands = {
            one: randomised_order.filled(text, self.plan, run, self.study) for one, text in self.plan.monitors.items()
        }
        try:
            with monitors.watching(asked, commands, name) as watched:
                if run.group.hosts:
                    of_hosts = hosts.Hosts(self.plan, run, self.study)
                    made = of_hosts.run_on_each(replace(asked, name=name), shown.out, shown.err, shown.tell)
                else:
                    made = [run_alone(asked, shown.out, shown.err, shown.tell)]
            return finish([*made, *watched], shown.tell)
        except Interrupted as error:
            shown.tell(f"{run}: interrupted; the next `storagelab campaign` makes it again")
            _as_it_came(error.args[0])

    def _name(self, run: randomised_order.Run) -> str:
        command = randomised_order.command(self.plan, run, self.study)
        return places.named(run.words(), command, run.round, of_a_folder=bool(run.group.hosts or self.plan.monitors))

    def _left(self, todo: Sequence[randomised_order.Run]) -> str:
        """Say how long the rest takes, if its runs take as long as those of their cells did, else as all did.

        What stands around them, such as the start of a server, is expected to take as much of the time as it took yet.
        """
        known: dict[str, list[float]] = {}
        planned_ = {self._name(run): run for run in randomised_order.runs(self.plan, self._rounds())}
        for said in self.done.ended.values():
            run = planned_.get(str(said.get("log")))
            if run is not None:
                known.setdefault(str(run.words()), []).append(float(said["elapsed"]))
        every = [one for values in known.values() for one in values]
        seconds = sum(fmean(known.get(str(run.words()), every)) for run in todo)
        whole = seconds * with_surroundings(time.monotonic() - self.begun, self.measured)
        return f"; about {_duration(whole)} left" if todo else ""

    def _mend(self, only: int) -> None:
        """Close runs that were whole when the campaign was killed, and set aside what the others left."""
        listed = {row.get("file") for row in table.rows(self.folder)}
        for number, said in sorted(self.done.begun.items()):
            if only and number != only:
                continue
            self._wait(number, said)
            logs = list(self._logs_below(str(said["log"]))) or [str(said["log"])]
            if all(log in listed for log in logs):
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
            return files_below(path, hidden=True)
        return [file for file in (writing.begun(path), path, places.of_log(path)) if file.exists()]

    def _set_aside(self, file: Path) -> Path:
        below = file.relative_to(self.folder).as_posix().replace("/", "_")
        possible = (self.folder / ASIDE / f"{below}.{number}" for number in itertools.count(1))
        place = next(place for place in possible if not place.exists())
        writing.move(file, place)
        return place

    def _wait(self, number: int, said: dict[str, object]) -> None:
        """Wait for a command that a killed campaign left running: two runs at once would measure each other."""
        pid, since = said.get("pid"), said.get("since")
        if not isinstance(pid, int) or since in (None, "", writing.ENDED):
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

        pilot = self.plan.pilot
        keys = list(dict.fromkeys(name for run in randomised_order.runs(self.plan, 1) for name in run.levels))
        runs = ingest.ingest(self.folder)["runs"].to_dataset()
        by = [*keys, *(key for key in ("operation",) if key not in keys and key in runs.coords)]
        try:
            found = analysis.plan_repeats(runs, pilot.variable, by, effect=pilot.effect, power=pilot.power)
        except AnalysisError as error:
            raise SidecarError(
                str(self.folder), f"the pilot does not tell how many repeats are needed: {error}"
            ) from None
        rounds = float(found["rounds"].to_numpy()[0])
        known = rounds <= pilot.most
        needed = int(rounds) if known else pilot.most
        asked = f"{rounds:g}" if known else f"more than {pilot.most}"
        self.shown.tell(
            f"the pilot asks for {asked} rounds, to show a ratio of {pilot.effect:g} with power {pilot.power:g}:"
            f" {max(needed, pilot.rounds)} are made"
        )
        return max(needed, pilot.rounds)


def with_surroundings(passed: float, measured: Sequence[float]) -> float:
    """Return how often longer a campaign takes than its runs: what is before, between and after them counts too.

    Parameters
    ----------
    passed : float
        Seconds since it was called.
    measured : sequence of float
        Seconds of each run that was made since.
    """
    inside = sum(measured)
    return max(1.0, passed / inside) if inside else 1.0


def _as_it_came(name: str) -> NoReturn:
    """Raise a signal again that came while something else was to end first."""
    signal.raise_signal(signal.Signals[name])
    raise KeyboardInterrupt


def _duration(seconds: float) -> str:
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"
