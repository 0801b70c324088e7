"""Clocks: when a log says that it began, beside the start that its run is listed with, and beside the other clients.

A tool begins some time after the run is started, and its clock may hang in another time zone: the usual difference of
a tool is taken out first. A client that is off by the same in most of its runs has a wrong clock; one that is off in
one run began late; where all logs of a run are off, its listed start is another run's.

Source: D. L. Mills, "Computer network time synchronization" (2006) for offset and jitter of a clock; the jitter is the
median absolute deviation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from storagelab.analysis.inference.distance_from_middle import NORMAL
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.measured_values import CLOCK, benchmarks, listed_starts, rows_of_logs, seconds
from storagelab.analysis.validity.monitor_times import beside_their_run
from storagelab.errors import AnalysisError

LEAST, MOST = 3.0, 60.0
"""Seconds between which lies what is still taken for jitter."""

TIMES = 10.0
"""Standard deviations of the jitter beyond which a clock is off."""

MOSTLY = 0.8
"""Share of a client's logs that a wrong clock is in."""


def clocks(study: Study) -> Looked:
    """Hold when each log says that it began against the start that it is listed with, and samples against their run."""
    apart = list(beside_their_run(study))
    try:
        return _begun(study, apart)
    except AnalysisError as reason:
        if not apart:
            raise
        return Looked(len(apart), "logs", apart, left=str(reason))


def _begun(study: Study, apart: Sequence[Finding]) -> Looked:
    logs = _with_own_clock(study)
    logs = logs.assign(off=_off(logs))
    off = logs[logs["off"].abs() > logs["jitter"]]
    wrong = list(_wrong_clocks(logs, off))
    of_clock = pd.concat([one.logs for one in wrong])["log_id"] if wrong else pd.Series(dtype=float)
    rest = off[~off["log_id"].isin(of_clock)]
    found = [*apart, *(one.finding for one in wrong)] + [_apart(study, logs, row) for _, row in rest.iterrows()]
    return Looked(len(logs), "logs", found)


def _with_own_clock(study: Study) -> pd.DataFrame:
    logs = benchmarks(listed_starts(study))
    own = pd.Series(seconds(logs["log_started"]) if "log_started" in logs else np.nan, logs.index)
    rows = rows_of_logs(study)
    if "start_time" in rows:
        first = rows[rows["start_time"] > CLOCK].groupby("log_id")["start_time"].min()
        own = own.fillna(logs["log_id"].map(first))
    logs = logs.assign(own=own)
    known = logs[logs["own"].notna() & logs["began"].notna()]
    if known.empty:
        raise AnalysisError("no log says by its own clock when it began")
    return known.assign(tool=known.get("tool", ""))


def _off(logs: pd.DataFrame) -> pd.Series:
    """Seconds by which each log begins later after its listed start than the logs of its tool usually do."""
    later = logs["own"] - logs["began"]
    off: pd.Series = later - later.groupby(logs["tool"]).transform("median")
    jitter = off.abs().groupby(logs["tool"]).transform("median") / NORMAL * TIMES
    logs["jitter"] = jitter.clip(LEAST, MOST)
    return off


@dataclass(frozen=True)
class _Wrong:
    finding: Finding
    logs: pd.DataFrame


def _wrong_clocks(logs: pd.DataFrame, off: pd.DataFrame) -> Iterator[_Wrong]:
    """Find clients that are off by the same in most of their logs, where most clients are not."""
    if "client" not in logs or logs["client"].nunique() < 2:
        return
    for client, own in off[off["client"] != ""].groupby("client", sort=True):
        of_client = logs[logs["client"] == client]
        usual = float(own["off"].median())
        same = own[(own["off"] - usual).abs() <= own["jitter"]]
        if len(same) > 2 and len(same) > MOSTLY * len(of_client) and len(off) < len(logs):
            way = "ahead" if usual > 0 else "behind"
            said = f"its clock is {brief(abs(usual))} s {way} in {len(same)} of {len(of_client)} logs"
            at = float(same["log_id"].iloc[0])
            yield _Wrong(Finding(f"client={client}", said, abs(usual), at, client=str(client), rank="wrong"), same)


def _apart(study: Study, logs: pd.DataFrame, row: pd.Series) -> Finding:
    """Say of one log whether its run is listed with another start, or its client began apart from the others.

    A run that begins later than listed, but before the next one, may have taken its time to get ready.
    """
    of_run = logs[logs["run_id"] == row["run_id"]]
    alone = len(of_run) > 1 and bool(((of_run["off"] - row["off"]).abs() > of_run["jitter"]).any())
    said = f"began {brief(abs(row['off']))} s {'later' if row['off'] > 0 else 'earlier'} than"
    if alone:
        found, rank, cause = f"{said} the other clients of the run", "doubtful", "one client"
    elif row["off"] > 0 and not ((logs["began"] > row["began"]) & (logs["began"] < row["own"])).any():
        found, rank, cause = f"{said} listed, by its own clock, but before the next run", "note", "late"
    else:
        found, rank, cause = f"{said} listed, by its own clock", "wrong", "whole runs"
    run, client = (str(row.get(name, "")) for name in ("run_id", "client"))
    name, size = study.log_names[row["log_id"]], float(abs(row["off"]))
    return Finding(name, found, size, float(row["log_id"]), run_id=run, client=client, rank=rank, cause=cause)
