"""Messages counted by who can act on them and by what it takes to read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.inference.intervals import CONFIDENCE, Floats
from storagelab.analysis.series.failover import FAILED, RESTORED, TROUBLE, moments_of_run
from storagelab.analysis.source_rows import AMONG
from storagelab.dataset import take
from storagelab.errors import AnalysisError
from storagelab.lineage import remember

BURSTS = "unit is the message: too narrow where messages come in bursts"


def message_classes(
    events: xr.Dataset,
    by: Sequence[str] = ("event_class", "legibility"),
    within: Sequence[str] = (),
    severities: Sequence[str] = TROUBLE,
    *,
    interval: bool = False,
) -> xr.Dataset:
    """Count messages by class, and the share of each class.

    Messages that a log counts instead of printing them ("repeated 8 times") count as often as it says.

    Parameters
    ----------
    events : Dataset, dimension obs
        Node ``events``; events without a message (what the experimenter did) are left out.
    by : sequence of str
        Keys that make the classes.
    within : sequence of str
        Keys of which each level is a whole of its own.
    severities : sequence of str
        Severities to count: warnings and worse, unless others are named.
    interval : bool
        Whether to add intervals of the shares. The unit is then the message, as if each came by itself: messages come
        in bursts, so the interval claims its coverage only for those that do not, and says so in ``caveat``.

    Returns
    -------
    Dataset, dimension obs
        One row a class: keys `within`, `by`; ``message_count`` [1]; ``share_of_messages`` [1], of those counted;
        if asked for, its interval (E. B. Wilson, "Probable inference", JASA 1927), ``n`` (messages) and ``caveat``.

    Raises
    ------
    AnalysisError
        If there is no such message.
    """
    keys = [*within, *by]
    table.require(events, "message", "severity", *keys)
    every = table.rows(events)
    counted = (every["message"] != "") & np.isin(every["severity"], severities)
    rows = every.take(counted)
    if not len(rows):
        raise AnalysisError(f"no message is of severity {', '.join(severities)}")
    said = rows.get("messages", np.nan)
    classes = rows.assign(message_count=np.where(np.isnan(said), 1.0, said)).cells(keys)
    found = classes.results(message_count=classes.sum("message_count"))
    counts, wholes = found["message_count"], found.cells(within)
    whole = wholes.broadcast(wholes.sum("message_count"))
    found = found.assign(share_of_messages=counts / whole)
    if interval:
        found = found.assign(**_wilson(counts, whole))
    made = table.dataset(found, events, keys, statistic="sum", method="messages counted", **{AMONG: " ".join(by)})
    moments = np.isin(every["event"], (FAILED, RESTORED)) if "phase" in by else False
    return remember(made, take(events, np.flatnonzero(counted | moments)))


def _wilson(counts: Floats, whole: Floats) -> dict[str, Any]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(counts, whole, alpha=1 - CONFIDENCE, method="wilson")
    share = "share_of_messages"
    return {columns.low(share): low, columns.high(share): high, "n": whole, "caveat": BURSTS}


def with_phase(events: xr.Dataset, at_once: float = 0.2) -> xr.Dataset:
    """Say of each event of runs with a failure when it came: ``before``, ``at once``, ``away`` or ``after``.

    Parameters
    ----------
    events : Dataset, dimension obs
        Node ``events``, see `storagelab.analysis.failover`.
    at_once : float
        Seconds from the failure in which a message comes at once; until the return of the server it is ``away``.

    Returns
    -------
    Dataset, dimension obs
        The events that have a time, with the key ``phase``.

    Raises
    ------
    AnalysisError
        If a run has not one failure and one return.
    """
    table.require(table.validate(events), "time", "event", "run_id")
    timed = events.isel(obs=np.flatnonzero(events["time"].notnull()))
    rows = table.rows(timed)
    phases = np.full(len(rows), "before", dtype="U8")
    for run in dict.fromkeys(rows["run_id"]):
        failed, restored = moments_of_run(rows, run)
        for begin, phase in ((failed, "at once"), (failed + at_once, "away"), (restored, "after")):
            phases[(rows["run_id"] == run) & (rows["time"] >= begin)] = phase
    return timed.assign_coords(phase=("obs", phases, {"long_name": columns.field("phase").long_name}))
