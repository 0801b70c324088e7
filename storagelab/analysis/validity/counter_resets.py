"""Counters of an interface go on from run to run: where one falls, runs took place in another order, or it restarted.

Source: RFC 2863, "The Interfaces Group MIB": a counter rises monotonically until it runs over or its host restarts.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from storagelab.analysis.validity.checks import Finding, Looked, Study, brief, place
from storagelab.analysis.validity.measured_values import listed_starts
from storagelab.counter_differences import WORD
from storagelab.errors import AnalysisError

WHOSE = ("client", "client_location", "host", "interface")


def counters_rise(study: Study) -> Looked:
    """Follow the counters of each client over its runs, in the order in which they are listed to have begun."""
    rows = study.rows("clients")
    if (
        not {"client", "counter_before", "counter_after", "log_id"}.issubset(rows)
        or rows["counter_before"].isna().all()
    ):
        raise AnalysisError("the study does not say where the clients' counters stood")
    logs = listed_starts(study).set_index("log_id")
    rows = rows[rows["counter_before"].notna()].assign(began=lambda found: found["log_id"].map(logs["began"]))
    rows = rows[rows["began"].notna()]
    whose = [name for name in WHOSE if name in rows]
    hosts = _fallen(rows, whose).groupby(whose, sort=True)
    found = [finding for keys, fallen in hosts for finding in _of_host(str(keys[0]), fallen)]
    return Looked(int(rows.groupby(whose)["run_id"].nunique().sum()), "clients in a run", found)


def _fallen(rows: pd.DataFrame, whose: list[str]) -> pd.DataFrame:
    """Rows in which a counter of a host stood lower (``by``) than after the run before (``earlier``)."""
    by = [*whose, "operation"]
    ordered = rows.sort_values([*by, "began", "counter_before"], kind="stable")
    of_one = ordered.groupby(by, sort=True)
    before, after = ordered["counter_before"], of_one["counter_after"].shift()
    short = of_one["counter_after"].transform("max") < WORD
    ran_over = (after < WORD) & (after > WORD / 2) & (before < WORD / 2) & short
    return ordered.assign(by=after - before, earlier=of_one["run_id"].shift())[(before < after) & ~ran_over]


def _of_host(client: str, fallen: pd.DataFrame) -> Iterator[Finding]:
    """Tell the runs before which a counter of a host fell, each once."""
    runs = fallen.drop_duplicates("run_id")
    several = len(runs) > 1
    why = "runs took place in another order" if several else "it restarted, or runs took place in another order"
    for _, row in runs.iterrows():
        run, by = str(row["run_id"]), float(row["by"])
        said = f"the counter stood {brief(by)} bytes lower than at the end of {row['earlier']}, which is listed before"
        about = {**place(row), "run_id": run, "client": client, "operation": ""}
        where = f"run_id={run}, client={client}"
        yield Finding(where, f"{said} it: {why}", by, rank="wrong" if several else "doubtful", **about)
