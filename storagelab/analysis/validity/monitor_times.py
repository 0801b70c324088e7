"""Monitors: whether the samples beside a run were taken while it went on.

Samples stand on the time axis of their run, by the clock of their host, its time zone and the date that the monitor
prints. Where one of these is another than the study says, they lie hours or days beside the run, and a mean over them
is that of an idle host. Where it is off by less than the run takes, samples go on for as long as the run, and yet lack
an end of it. A clock that is off by less than a monitor runs on before or after its run is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.validity.checks import Finding, Study, brief

MONITOR = "monitor_log"
"""Role of a log whose tool ran beside a benchmark."""


EARLY, LATE = 3.0, 60.0
"""Seconds by which samples lack the end of a run, or its beginning, from which on that is told: a run may begin some
time after it is listed, never before."""

STEPS = 3
"""Times between samples which an end may lack besides."""


def beside_their_run(study: Study) -> Iterator[Finding]:
    """Find monitors of which no sample was taken in their run, or that went on as long as it did, but not beside it."""
    if not study.has("series") or not {"run_id", "time", "log_id"}.issubset(study.rows("series")):
        return
    took, longest = _seconds(study, "sum"), _seconds(study, "max")
    for _, samples in study.rows("series").dropna(subset=["time"]).groupby("log_id", sort=True):
        log_id = float(samples["log_id"].iloc[0])
        if study.log_records.get(log_id, {}).get("role") != MONITOR:
            continue
        run, first, last = str(samples["run_id"].iloc[0]), samples["time"].min(), samples["time"].max()
        early, late = -float(last), float(first) - took.get(run, float("inf"))
        if early > 0 or late > 0:
            where = f"end {brief(early)} s before its run" if early > 0 else f"begin {brief(late)} s after its run"
            said = f"its samples {where}: a clock, a date or a time zone is another"
            size, name = max(early, late), study.log_name(log_id)
            yield Finding(name, said, size, log_id, run_id=run, rank="doubtful", cause="monitors")
        elif run in took and (displaced := _displaced(np.unique(samples["time"]), longest[run], took[run])):
            said, size = displaced
            yield Finding(
                study.log_name(log_id), f"{said}: its clock is another", size, log_id, run_id=run, rank="doubtful",
                cause="monitors",
            )  # fmt: skip


def _displaced(times: Floats, longest: float, took: float) -> tuple[str, float] | None:
    """Say how samples lie beside a run that took so long, in one piece and in all; none that lack no end of it."""
    first, last = float(times[0]), float(times[-1])
    step = STEPS * float(np.median(np.diff(times))) if times.size > 1 else 0.0
    if last - first + step < longest:
        return None
    before, after = longest - last, first
    if -first > EARLY + step and before > EARLY + step:
        return f"its samples begin {brief(-first)} s before its run and end {brief(before)} s before it does", before
    if first > LATE + step and last - took > LATE + step:
        beyond = f"end {brief(last - took)} s after all that was measured in it"
        return f"its samples begin {brief(first)} s after its run did and {beyond}", after
    return None


def _seconds(study: Study, of: Literal["sum", "max"]) -> dict[str, float]:
    """Seconds of all that was measured in each run: one after the other, which is most, or of the longest alone."""
    if not study.has("runs") or not {"run_id", "elapsed"}.issubset(study.rows("runs")):
        return {}
    known = study.rows("runs").dropna(subset=["elapsed"])
    return {str(run): float(seconds) for run, seconds in known.groupby("run_id")["elapsed"].agg(of).items()}
