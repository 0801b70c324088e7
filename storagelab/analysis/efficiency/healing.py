"""What clients send beyond their payload: copies and fragments, before a failure, in it, and while it is made good."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.series.failover import (
    DEFAULT,
    Thresholds,
    back_at,
    end_of_run,
    moments_behind,
    moments_of_run,
    rate_before,
)
from storagelab.analysis.series.sample_intervals import UNIT, Steps, series_of
from storagelab.errors import AnalysisError
from storagelab.lineage import remember

PHASES = ("before", "away", "after")


def sent_over_payload(
    network: xr.Dataset,
    payload: xr.Dataset,
    events: xr.Dataset,
    thresholds: Thresholds = DEFAULT,
    *,
    received: xr.Dataset | None = None,
) -> xr.Dataset:
    """Compare what each client's interface sent with what its application wrote, in each phase of a failure.

    Parameters
    ----------
    network : Dataset, dimension obs
        Node ``series``: rates of one interface a client, sent (``select(series, operation="transmit",
        interface="eth0")``).
    payload : Dataset, dimension obs
        Node ``series``: rates of the application (``select(series, operation="write")``).
    events : Dataset, dimension obs
        Node ``events`` of the same runs, see `storagelab.analysis.failover`.
    thresholds : Thresholds
        Of these `settle` and `hold`, as there.
    received : Dataset, dimension obs, optional
        Node ``series``: rates of the same interfaces, received. A writer receives next to nothing, but a client that
        mends an erasure-coded file reads the fragments that are left, and sends the one that is missing.

    Returns
    -------
    Dataset, dimension obs
        One row a run, client and phase: ``before`` the failure; ``away`` until the client is connected again or, where
        it does not say so, until the server is back; ``after`` that, until the end of the run. Keys run_id, client,
        phase; ``elapsed`` [s], and ``network_sent``, ``network_received`` (NaN if not given) and ``bytes_asked`` [B] in
        it; ``amplification`` [1], one over the other, NaN where nothing was written; ``bytes_overhead`` [B], sent less
        payload; ``bytes_beyond`` [B], sent less payload times the amplification before: what the phase cost (positive)
        or spared (negative) on the link.

    Raises
    ------
    AnalysisError
        If a client of `payload` has no series in `network` or `received`, or as `storagelab.analysis.failover`.

    Notes
    -----
    The series need one time axis, but may differ in their intervals. ``sar`` cuts its times to whole seconds: see
    `storagelab.analysis.centred`.
    """
    said, sent = table.rows(events), _by_client(table.validate(network))
    got = _by_client(received) if received is not None else {}
    clients = list(series_of(payload, UNIT))
    rows = []
    for cell, written in clients:
        failed, restored = moments_of_run(said, cell["run_id"])
        end = end_of_run(cell["run_id"], clients, restored, thresholds)
        rate_before(cell, written, failed, thresholds)
        back = back_at(said, cell, restored)
        times = (float(written.start[0]) + thresholds.settle, failed, min(back if back == back else restored, end), end)
        into = None if received is None else _of(got, cell)
        rows += [{**cell, **row} for row in _phases(_of(sent, cell), into, written, times)]
    keys = [*UNIT, "phase"]
    made = table.dataset(rows, payload, keys, statistic="single", method="bytes sent over bytes written")
    sources = [payload, network, *([] if received is None else [received]), *moments_behind(payload, events)]
    return remember(made, *sources)


def _by_client(network: xr.Dataset) -> dict[tuple[object, ...], Steps]:
    return {_who(cell): steps for cell, steps in series_of(network, UNIT)}


def _who(cell: table.Cell) -> tuple[object, ...]:
    return tuple(cell[name] for name in UNIT)


def _of(network: Mapping[tuple[object, ...], Steps], cell: table.Cell) -> Steps:
    if _who(cell) not in network:
        raise AnalysisError(f"{table.name_cell(cell)} has no series of its interface")
    return network[_who(cell)]


def _phases(sent: Steps, received: Steps | None, written: Steps, times: Sequence[float]) -> list[table.Cell]:
    rows: list[table.Cell] = []
    for phase, (begin, until) in zip(PHASES, itertools.pairwise(times), strict=True):
        out, asked = sent.integral(begin, until), written.integral(begin, until)
        into = received.integral(begin, until) if received else np.nan
        amplification = out / asked if asked else np.nan
        usual = rows[0]["amplification"] if rows else amplification
        moved = {"network_sent": out, "network_received": into, "bytes_asked": asked}
        beyond = {"amplification": amplification, "bytes_beyond": out - usual * asked, "bytes_overhead": out - asked}
        rows.append({"phase": phase, "elapsed": until - begin, **moved, **beyond})
    return rows
