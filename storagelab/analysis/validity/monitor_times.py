"""Monitors: whether the samples beside a run were taken while it went on.

Samples stand on the time axis of their run, by the clock of their host, its time zone and the date that the monitor
prints. Where one of these is another than the study says, they lie hours or days beside the run, and a mean over them
is that of an idle host. A clock that is off by less than the run takes is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.analysis.validity.checks import Finding, Study, brief

MONITOR = "monitor_log"
"""Role of a log whose tool ran beside a benchmark."""


def beside_their_run(study: Study) -> Iterator[Finding]:
    """Find monitors of which no sample was taken in their run: all before it began, or all after it can have ended."""
    if not study.has("series") or not {"run_id", "time", "log_id"} <= set(study.rows("series")):
        return
    took = _most_seconds(study)
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


def _most_seconds(study: Study) -> dict[str, float]:
    """Seconds that each run took at most: all that was measured in it, one after the other."""
    if not study.has("runs") or not {"run_id", "elapsed"} <= set(study.rows("runs")):
        return {}
    known = study.rows("runs").dropna(subset=["elapsed"])
    return {str(run): float(seconds) for run, seconds in known.groupby("run_id")["elapsed"].sum().items()}
