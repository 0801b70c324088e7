"""``storagelab record``: one command, with all that is known of its run kept beside its log."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from storagelab import __version__, writing
from storagelab.errors import ParseError, SidecarError
from storagelab.ingest import checksums
from storagelab.recording import machine, places, process, table
from storagelab.recording.secrets import Veil, redacted
from storagelab.study import Sidecar, read_sidecar

Tell = Callable[[str], object]


class Interrupted(Exception):  # noqa: N818  it is no mistake
    """A run that was to be whole got a signal: what it printed stays where it grew, and it is no run of the study.

    Its arguments are the names of the signals.
    """


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be recorded.

    Attributes
    ----------
    folder : Path
        Of the study.
    command : sequence of str
    set : mapping
        Keys of the run, or columns that study.yaml explains, and their cells.
    target : Path, optional
        What is measured; found in the command otherwise.
    drop_caches : bool
        Whether caches of this host are dropped before.
    name : str
        Path of the log below the study; made from `set` otherwise.
    more : mapping
        What whoever asks knows besides, for the file beside the log.
    run_id : str
        Run of which the log is a part; one of its own otherwise.
    whole : bool
        Whether a run that gets a signal is none; else it is kept with its exit status.
    started : callable, optional
        Gets the id of the process.
    """

    folder: Path
    command: Sequence[str]
    set: Mapping[str, str] = field(default_factory=dict)
    target: Path | None = None
    drop_caches: bool = False
    name: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    run_id: str = ""
    whole: bool = False
    started: Callable[[int], object] | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that has ended: its log, its exit status, and what was seen of it."""

    log: Path
    status: int
    seen: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that was claimed and not made yet: where it goes, and what was seen before it."""

    order: Order
    sidecar: Sidecar
    place: places.Place
    secrets: Sequence[str]
    seen: Mapping[str, Any]

    def veil(self, write: process.Show) -> process.Show:
        """Return a way to write in which secrets of the command are hidden; nothing to write brings the rest."""
        veil = Veil(self.secrets)
        return lambda data: write(veil(data) if data else veil.rest())


Made = tuple[Begun, process.Ended, Mapping[str, Any]]
"""A run that was made and not written yet: how it began, how it ended, and what was seen of it."""


def record(order: Order, out: process.Show, err: process.Show, tell: Tell) -> Recorded:
    """Run a command, and keep its output, a row of runs.csv, and what the machine was like.

    Parameters
    ----------
    order : Order
    out, err : callable
        Get what the command prints, as bytes.
    tell : callable
        Gets what is to be said to whoever watches, a sentence each.

    Raises
    ------
    SidecarError
        If a key is none, the study is sealed, or caches cannot be dropped.
    OSError
        If the log cannot be written, or the command cannot be started.
    Interrupted
        If a signal came and the run was to be whole.
    """
    return finish([run(order, out, err, tell)], tell)


def run(order: Order, out: process.Show, err: process.Show, tell: Tell) -> Made:
    """Run a command and keep its output; what it takes to write its row is returned. Raises as `record`."""
    begun = begin(order, tell)
    try:
        ended, times = _ran(begun, out, err)
    except OSError:
        writing.remove(begun.place.record, writing.begun(begun.place.log))
        raise
    return begun, ended, {**times, "counters_after": machine.counters(_device(begun.seen))}


def begin(order: Order, tell: Tell, *, here: bool = True) -> Begun:
    """Claim the place of a run, and look at what it will be made on.

    Parameters
    ----------
    order : Order
    tell : callable
    here : bool
        Whether it is made on this host: of another one nothing is known but its name.

    Raises
    ------
    SidecarError
        As `record`.
    """
    sidecar = read_sidecar(order.folder / "study.yaml")
    said = table.settings([f"{name}={value}" for name, value in order.set.items()], order.folder, sidecar)
    _refuse_sealed(order.folder)
    shown, secrets = redacted(order.command)
    if secrets:
        tell("the command holds what looks like a secret: it is kept as ***")
    if order.drop_caches and (reason := machine.drop_caches()):
        raise SidecarError(str(order.folder), f"caches cannot be dropped, so nothing was run: {reason}")
    known = _before(order, shown) if here else {}
    _compare(said, machine.filesystem_of(known.get("mount")), tell)
    place = places.claim(order.folder, said, shown, order.name, exact=order.whole)
    seen = {"set": said, "repeat": place.repeat, "command": shown, "secrets_hidden": len(secrets)}
    return Begun(order, sidecar, place, secrets, {**seen, "caches_dropped": order.drop_caches, **known})


def finish(runs: Sequence[Made], tell: Tell) -> Recorded:
    """Write what was seen of runs that have ended, and their rows at once; return the first, or one that failed."""
    rows, recorded = [], []
    for begun, ended, more in runs:
        order, log = begun.order, begun.place.log
        name = log.relative_to(order.folder).as_posix()
        status = {"state": "ended", "log": name, "exit_status": ended.status, "signals": list(ended.passed)}
        seen = {**status, **begun.seen, **more, **order.more, "storagelab": __version__}
        text = orjson.dumps(seen, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        writing.write_bytes(begun.place.record, text)
        run = {"run_id": order.run_id} if order.run_id else {}
        rows.append(({"file": name, **begun.seen["set"], **run}, _keys(seen, begun.sidecar)))
        recorded.append(Recorded(log, ended.status, seen))
    table.add(runs[0][0].order.folder, runs[0][0].sidecar, rows)
    for one in recorded:
        _tell(tell, one)
    return max(recorded, key=lambda one: one.status)


def _compare(said: Mapping[str, str], found: str, tell: Tell) -> None:
    """Tell where what is said of the file system is not what the target is on: a client may measure another's."""
    wanted = said.get("filesystem", "")
    if wanted and found and wanted != found:
        tell(f"filesystem is said to be {wanted}, and the target is on {found} (--target says what is measured)")


def _refuse_sealed(folder: Path) -> None:
    if checksums.are_there(folder):
        raise SidecarError(
            str(folder / checksums.NAME),
            "the study is sealed, and a run more would not be what was sealed: record into another study, or remove the"
            " file and seal anew with `storagelab checksums` when all runs are there",
        )


def _before(order: Order, shown: Sequence[str]) -> dict[str, Any]:
    known = machine.machine(order.target or places.target_of(order.command))
    return {
        **known,
        "folder": os.path.relpath(Path.cwd(), order.folder),
        "tool": places.tool_of(shown),
        "tool_version": machine.version(order.command[0]),
        "counters_before": machine.counters(_device(known)),
    }


def _device(seen: Mapping[str, Any]) -> str:
    return str((seen["mount"] or {}).get("device", ""))


def _ran(begun: Begun, out: process.Show, err: process.Show) -> tuple[process.Ended, dict[str, Any]]:
    """Run the command, with its output in the log."""
    order = begun.order
    with writing.growing(begun.place.log) as file:
        keep = begun.veil(file.write)
        started, clock = now(), time.monotonic()
        ended = process.run(order.command, keep, out, err, order.started)
        elapsed = time.monotonic() - clock
        keep(b"")
        if ended.passed and order.whole:
            raise Interrupted(*ended.passed)
    return ended, {"started": started, "ended": now(), "elapsed": round(elapsed, 6), "time_zone": started[-6:]}


def now() -> str:
    """Return the moment, with the offset of the zone in which tools on this host write theirs: ``...+01:00``."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def _keys(seen: Mapping[str, Any], sidecar: Sidecar) -> dict[str, Any]:
    """Return what was seen as keys of the contract; a key that study.yaml says of all runs is not said again."""
    found: dict[str, Any] = {
        "repeat": float(seen["repeat"]),
        "filesystem": machine.filesystem_of(seen.get("mount")),
        "command": shlex.join(seen["command"]),
        "started": seen["started"],
        "ended": seen["ended"],
        "elapsed": seen["elapsed"],
        "time_zone": seen.get("time_zone"),
        "exit_status": float(seen["exit_status"]),
        "cache_dropped": "yes" if seen["caches_dropped"] else "no",
        "client_memory": seen.get("memory"),
    }
    by_rules = {*sidecar.defaults, *(name for rule in sidecar.match for name in rule.keys)}
    return {name: value for name, value in found.items() if value not in (None, "") and name not in by_rules}


def _tell(tell: Tell, run: Recorded) -> None:
    """Say how the run went, and at once what would be missed later: no parser, or files that fit in memory."""
    seen, mount = run.seen, run.seen.get("mount") or {}
    on = f", on {mount['filesystem']} at {mount['point']} ({mount['source']})" if mount else ""
    tell(f"{run.log}: {seen['elapsed']:.1f} s, exit status {run.status}, repeat {seen['repeat']}{on}")

    from storagelab.ingest.log_file import (
        read_log,  # parsers take a second to import: the run is over, and waits for none
    )
    from storagelab.recording import fits_in_memory

    try:
        fits = fits_in_memory.fit(read_log(run.log), seen.get("memory"))
    except ParseError as error:
        tell(f"no parser reads it: {error}")
    else:
        tell(fits) if fits else None
