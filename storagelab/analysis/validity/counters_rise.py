"""Counters of an interface go on from run to run: where one falls, runs took place in another order, or it restarted.

Source: RFC 2863, "The Interfaces Group MIB": a counter rises monotonically until it runs over or its host restarts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from storagelab.analysis.validity.checks import Finding, Looked, Study, brief, place
from storagelab.analysis.validity.measured import listed_starts
from storagelab.counters import WORD
from storagelab.errors import AnalysisError

WHOSE = ("client", "client_location", "host", "interface")


def counters_rise(study: Study) -> Looked:
    """Follow the counters of each client over its runs, in the order in which they are listed to have begun."""
    rows = study.rows("clients")
    if not {"client", "counter_before", "counter_after", "log_id"} <= set(rows) or rows["counter_before"].isna().all():
        raise AnalysisError("the study does not say where the clients' counters stood")
    logs = listed_starts(study).set_index("log_id")
    rows = rows[rows["counter_before"].notna()].assign(began=lambda found: found["log_id"].map(logs["began"]))
    rows = rows[rows["began"].notna()]
    whose = [name for name in WHOSE if name in rows]
    found = [finding for keys, of_host in rows.groupby(whose, sort=True) for finding in _of_host(str(keys[0]), of_host)]
    return Looked(int(rows.groupby(whose)["run_id"].nunique().sum()), "clients in a run", found)


def _of_host(client: str, rows: pd.DataFrame) -> Iterator[Finding]:
    """Find the runs before which a counter of a host stood lower than after the run before."""
    fallen: dict[str, tuple[str, float, pd.Series]] = {}
    for _, counted in rows.groupby("operation", sort=True):
        ordered = counted.sort_values(["began", "counter_before"], kind="stable")
        before, after = ordered["counter_before"].to_numpy()[1:], ordered["counter_after"].to_numpy()[:-1]
        ran_over = (after < WORD) & (after > WORD / 2) & (before < WORD / 2) & (ordered["counter_after"].max() < WORD)
        for at in np.flatnonzero((before < after) & ~ran_over):
            row = ordered.iloc[at + 1]
            fallen.setdefault(str(row["run_id"]), (str(ordered["run_id"].iloc[at]), after[at] - before[at], row))
    several = len(fallen) > 1
    for run, (earlier, by, row) in fallen.items():
        why = "runs took place in another order" if several else "it restarted, or runs took place in another order"
        said = (
            f"the counter stood {brief(by)} bytes lower than at the end of {earlier}, which is listed before it: {why}"
        )
        rank = "wrong" if several else "doubtful"
        about = {**place(row), "run_id": run, "client": client, "operation": ""}
        yield Finding(f"run_id={run}, client={client}", said, float(by), rank=rank, **about)
