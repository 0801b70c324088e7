"""Whether the link of each external client carried what the client asked for."""

from __future__ import annotations

import pandas as pd

from storagelab.analysis.scaling.bounds import READING, WRITING
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief, named, place, some
from storagelab.errors import AnalysisError

UNDER = 0.01
"""How far bytes on a link may stay under those asked for."""


def link_and_bytes(study: Study) -> Looked:
    """Hold what each external client's link carried against what the client asked for: it cannot be less.

    Less says that the bytes came from a cache, or that the log or the counters are another client's. What is read again
    in the same run may come from the client's memory: only the first operation that reads counts.
    """
    asked = study.of_clients()
    external = asked[asked["client_location"] == "external"] if "client_location" in asked else asked.iloc[:0]
    some(external, "no client is known to be external: what others ask for need not cross a link")
    for name in ("network_received", "network_sent", "data_size"):
        if name not in external:
            raise AnalysisError("the bytes on the clients' links were not counted")
    rows = pd.concat([_over_link(external, "network_sent"), _over_link(external, "network_received")])
    rows = some(rows, "no external client has both counters and bytes asked for")
    found = [_carried(row) for _, row in rows[rows["carried"] < 1 - UNDER].iterrows()]
    return Looked(len(rows), "clients in a run", found)


def _over_link(rows: pd.DataFrame, counter: str) -> pd.DataFrame:
    """Return one row a client and run that wrote (sent) or read (received), with what its link carried."""
    keys = ["run_id", "client"]
    asked = rows[rows["operation"].isin(WRITING if counter == "network_sent" else READING) & (rows["data_size"] > 0)]
    if counter == "network_received":
        asked = asked[asked["operation"] == asked.groupby(keys)["operation"].transform("first")]
    by_client = asked.groupby(keys)
    sizes, crossed = by_client["data_size"].sum(), rows.groupby(keys)[counter].sum(min_count=1)
    carried = (crossed / sizes).rename("carried")
    firsts = asked.loc[~asked.duplicated(keys)].drop(columns=[counter])
    return firsts.merge(carried.reset_index(), on=keys).dropna(subset=["carried"])


def _carried(row: pd.Series) -> Finding:
    said = f"the link carried {brief(row['carried'])} of the bytes asked for"
    return Finding(named(row), said, 1 - float(row["carried"]), **place(row))
