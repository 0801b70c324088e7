"""What the failure of a server, and its return, do to the rate of each client.

Between the failure and the end of the run each client's rate is set against its own rate before the failure. All
thresholds are shares of that rate. Definitions stand with `failover`; the metric is that of the 2011 FermiCloud
study's claim of graceful degradation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.series.sample_intervals import UNIT, Array, Steps, series_of
from storagelab.dataset import take
from storagelab.errors import AnalysisError
from storagelab.lineage import remember

FAILED, RESTORED = "server_failed", "server_restored"
BACK = ("child_up", "connected", "connection_restored")
"""What clients say when a server is back, the surest first."""

TROUBLE = ("warning", "error", "critical", "alert", "emergency")
"""Severities of messages that say that something is wrong."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What counts as stalled and as recovered.

    Parameters
    ----------
    settle : float
        Seconds at the beginning of a series that are no part of the rate before.
    stalled : float
        Share of the rate before below which a client is stalled.
    shortest : float
        Seconds that a stall must last to be one; less is within the noise of the samples.
    recovered : float
        Share of the rate before that is enough to have recovered.
    hold : float
        Seconds over which rates are averaged for that.
    smooth : float
        Seconds over which the lowest rate is a mean.
    """

    settle: float = 2.0
    stalled: float = 0.1
    shortest: float = 0.5
    recovered: float = 0.8
    hold: float = 2.0
    smooth: float = 1.0


DEFAULT = Thresholds()


def failover(series: xr.Dataset, events: xr.Dataset, thresholds: Thresholds = DEFAULT) -> xr.Dataset:
    """Measure stall, depth, recovery and loss of each client around the failure of a server.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series``: the rates of the clients in one operation (``select(series, operation="write")``).
    events : Dataset, dimension obs
        Node ``events`` of the same runs: one ``server_failed`` and one ``server_restored`` a run, and the messages.
    thresholds : Thresholds

    Returns
    -------
    Dataset, dimension obs
        One row a run and client: keys run_id, client; and

        ``throughput_before`` [B/s]
            mean between `settle` and the failure. A median would be a whole number of blocks an interval: fio's
            samples are quantised by them.
        ``away_time`` [s]
            from the failure to the return, as the experimenter says.
        ``detection_time`` [s]
            from the failure to the client's first message after it that is a warning, an error, or a lost connection.
        ``reconnection_time`` [s]
            from the return to the client's first message that its connection is up again (``child_up``, or else
            ``connected`` or ``connection_restored``); NaN if there is none. Where it is known, the server counts as
            away until then.
        ``stall_delay`` [s]
            from the failure to the first stall, which is known to one interval of samples; NaN if there is none.
        ``stall_time``, ``stall_longest`` [s]
            time in stalls between failure and end, and the longest of them. A stall is a stretch of at least
            `shortest` in which every sample is below `stalled` times the rate before.
        ``silence_longest`` [s]
            longest stretch in which no byte moved, however short.
        ``lowest_share`` [1]
            lowest mean over `smooth` seconds between failure and end, over the rate before.
        ``away_share``, ``after_share`` [1]
            mean while the server was away, and from then on to the end, over the rate before; the latter is NaN where
            the run ends before.
        ``recovery_time`` [s]
            from the return until the mean over `hold` seconds is at least `recovered` times the rate before, and stays
            so to the end, known to one interval of samples; 0 where it never fell below, NaN where it does not come
            back for good.
        ``bytes_lost`` [B]
            what the rate before would have moved between failure and end, less what moved. Negative where clients
            became faster (a copy less to write).
        ``survived`` [1]
            1 where the client still had samples at the end of its run, 0 where it had given up. (Or stood still to
            the end: a log that prints no zeros does not tell the two apart.)

    The end is that of the run: the earliest last sample of the clients that were still writing `hold` seconds before
    the last sample of all. A client that gave up moves nothing until then.

    Raises
    ------
    AnalysisError
        If a run has not one failure and, later, one return, or its samples end before the return, so that its end is
        not known. If a client has no sample or moved nothing between `settle` and the failure, or had stopped before
        it. Or as `series_of`.
    """
    clients = list(series_of(series, UNIT))
    said = table.rows(events)
    rows = []
    for cell, steps in clients:
        moments = moments_of_run(said, cell["run_id"])
        end = end_of_run(cell["run_id"], clients, moments[1], thresholds)
        before = rate_before(cell, steps, moments[0], thresholds)
        noticed = _noticed(said, cell, moments)
        around = _client(steps, before, moments, noticed["reconnection_time"], end, thresholds)
        rows.append({**cell, **noticed, **around})
    method = "rates against each client's rate before"
    made = table.dataset(rows, series, list(UNIT), statistic="single", method=method)
    return remember(made, series, *moments_behind(series, events))


def moments_behind(series: xr.Dataset, events: xr.Dataset) -> list[xr.Dataset]:
    """Rows that say when the parts of a run with a failure began and ended.

    They are the failure and the return, which are of all clients of a run; each client's word that it is connected
    again; and the last sample of each client, which say together when the run ended.
    """
    said, samples = table.rows(events), table.rows(series)
    of_run = take(events, np.flatnonzero(np.isin(said["event"], (FAILED, RESTORED))))
    of_client = take(events, np.flatnonzero(np.isin(said["event"], BACK)))
    clients = samples.cells(list(UNIT))
    last = np.flatnonzero(samples["time"] == clients.broadcast(clients.max("time")))
    return [of_run.drop_vars("client", errors="ignore"), of_client, take(series, last).drop_vars("client")]


def end_of_run(run: str, clients: Sequence[tuple[table.Cell, Steps]], restored: float, thresholds: Thresholds) -> float:
    """Return the end of a run: see `failover`.

    Raises
    ------
    AnalysisError
        If it is before the return of the server: then all clients may have given up, and the run gone on.
    """
    last = [float(steps.end[-1]) for cell, steps in clients if cell["run_id"] == run]
    end = min(end for end in last if end >= max(last) - thresholds.hold)
    if end <= restored:
        raise AnalysisError(f"run {run} has no sample after the return of the server: when it ended is not known")
    return end


def rate_before(cell: table.Cell, steps: Steps, failed: float, thresholds: Thresholds) -> float:
    """Return the rate of a client before the failure: see `failover`.

    Raises
    ------
    AnalysisError
        If it has no sample, or moved nothing, between `settle` and the failure, or had stopped before it.
    """
    begin, who = float(steps.start[0]) + thresholds.settle, table.name_cell(cell)
    if not len(steps.within(begin, failed)):
        raise AnalysisError(f"{who} has no sample between {thresholds.settle:g} s after its start and the failure")
    if float(steps.end[-1]) < failed - thresholds.hold:
        raise AnalysisError(f"{who} had stopped at {steps.end[-1]:g} s, before the failure at {failed:g} s")
    before = steps.mean(begin, failed)
    if before <= 0:
        raise AnalysisError(f"{who} moved nothing before the failure")
    return before


def moments_of_run(events: Rows, run: str) -> tuple[float, float]:
    """Return when the server of a run failed and when it was restored.

    Raises
    ------
    AnalysisError
        If one of the two is not said, or said twice, or the return is not after the failure.
    """
    found = []
    for event in (FAILED, RESTORED):
        times = events["time"][(events["run_id"] == run) & (events["event"] == event)]
        times = times[~np.isnan(times)]
        if len(times) != 1:
            raise AnalysisError(f"run {run} has {len(times)} events {event}, expected one")
        found.append(float(times[0]))
    if found[1] <= found[0]:
        raise AnalysisError(f"run {run}: the server is restored at {found[1]:g} s, but failed at {found[0]:g} s")
    return found[0], found[1]


def _noticed(events: Rows, cell: table.Cell, moments: tuple[float, float]) -> Mapping[str, float]:
    """Seconds until a client said that the server was gone, and that it was back."""
    failed, restored = moments
    own = _of_client(events, cell)
    wrong = np.isin(own["severity"], TROUBLE) | (own["event"] == "connection_lost")
    return {
        "detection_time": _first(own["time"][wrong & (own["time"] >= failed)]) - failed,
        "reconnection_time": back_at(events, cell, restored) - restored,
    }


def _of_client(events: Rows, cell: table.Cell) -> Rows:
    return events.take((events["run_id"] == cell["run_id"]) & (events["client"] == cell["client"]))


def _first(times: Array) -> float:
    return float(times.min()) if times.size else np.nan


def back_at(events: Rows, cell: table.Cell, restored: float) -> float:
    """Return when a client said, after the return of the server, that its connection is up; NaN where it never did."""
    own = _of_client(events, cell)
    times = [_first(own["time"][(own["time"] >= restored) & (own["event"] == event)]) for event in BACK]
    return next((time for time in times if time == time), np.nan)


def _client(
    steps: Steps, before: float, moments: tuple[float, float], reconnection: float, end: float, wanted: Thresholds
) -> Mapping[str, float]:
    failed, restored = moments
    back = min(restored + float(np.nan_to_num(reconnection)), end)
    below = steps.below(wanted.stalled * before, failed, end)
    stalls = [(low, high) for low, high in below if high - low >= wanted.shortest - 1e-9]
    silences = steps.below(np.nextafter(0.0, 1.0), failed, end)
    return {
        "throughput_before": before,
        "away_time": restored - failed,
        "stall_delay": stalls[0][0] - failed if stalls else np.nan,
        "stall_time": sum(high - low for low, high in stalls),
        "stall_longest": max((high - low for low, high in stalls), default=0.0),
        "silence_longest": max((high - low for low, high in silences), default=0.0),
        "lowest_share": steps.lowest(failed, end, wanted.smooth) / before,
        "away_share": steps.mean(failed, back) / before,
        "after_share": steps.mean(back, end) / before if back < end else np.nan,
        "recovery_time": _recovery(steps, restored, end, before, wanted),
        "bytes_lost": before * (end - failed) - steps.integral(failed, end),
        "survived": float(steps.end[-1] >= end - 1e-9),
    }


def _recovery(steps: Steps, restored: float, end: float, before: float, wanted: Thresholds) -> float:
    windows = list(steps.windows(restored, end, wanted.hold))
    low = [steps.mean(at, at + wanted.hold) < wanted.recovered * before for at in windows]
    if not any(low):
        return 0.0 if windows else np.nan
    last = max(place for place, is_low in enumerate(low) if is_low)
    return windows[last + 1] - restored if last + 1 < len(windows) else np.nan
