"""Runs that moved other bytes over their link than the other repeats of their cell: they are another condition's.

What a client writes or reads crosses its link as often as the layout has it (once, once a replica, with parity), the
same in each repeat. A run that was saved under the name of another condition, or that a cache served, shows there
before it shows in a rate.

Source: J. Tukey's rule of the outlying value, on the log of the ratio to the other repeats, in median absolute
deviations of all such ratios.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.distance_from_middle import NORMAL, of_others
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief, place, some
from storagelab.errors import AnalysisError

LEAST = 1.15
"""Factor from which a run moved other bytes."""

TIMES = 10.0
"""Robust standard deviations beyond which it did."""

SMALL = 1e6
"""Bytes below which what crossed a link is the protocol's."""

COUNTERS = ("network_sent", "network_received")


def moved_bytes(study: Study) -> Looked:
    """Hold the bytes on each client's link against those of the other repeats."""
    rows = study.of_clients()
    if "client_location" in rows:
        rows = some(
            rows[rows["client_location"] == "external"], "no client is external: others have part of it at home"
        )
    known = [name for name in COUNTERS if name in rows and rows[name].notna().any()]
    if not known or "repeat" not in rows:
        raise AnalysisError("the bytes on the clients' links were not counted, or runs were not repeated")
    keys = [key for key in study.keys("clients") if key in rows and key not in ("repeat", "block", "interface")]
    checked, found = 0, list[Finding]()
    for name in known:
        judged = _judged(rows[rows[name] > 0], name, keys)
        checked += len(judged)
        found += [_finding(row, name) for _, row in judged[judged["apart"]].iterrows()]
    if not checked:
        raise AnalysisError("no cell has three runs whose bytes on the link were counted")
    return Looked(checked, "clients in a run", found)


def _judged(rows: pd.DataFrame, name: str, keys: list[str]) -> pd.DataFrame:
    """Clients in runs of cells of three or more: how far each is from the median of the others, and whether too far."""
    cells = Rows.of_frame(rows).cells(keys)
    x, middle = log(rows[name].to_numpy()), np.full(len(rows), np.nan)
    for of_cells in cells.of_one_size():
        places = cells.order[of_cells]
        middle[places] = of_others(x[places], np.median) if places.shape[1] > 2 else np.nan
    other = rows[next(one for one in COUNTERS if one != name)] if {*COUNTERS}.issubset(rows) else 0.0
    payload = rows[name].groupby(cells.of_row).transform("median")
    back = pd.Series(other, rows.index).groupby(cells.of_row).transform("median").fillna(0.0)
    away = pd.Series(x - middle, rows.index)[~np.isnan(middle) & (payload > SMALL) & (payload > back)]
    groups = rows.loc[away.index, "operation_group"] if "operation_group" in rows else pd.Series("", away.index)
    noise = away.abs().groupby(groups).transform("median") / NORMAL
    apart = (away.abs() > TIMES * noise) & (away.abs() > log(LEAST))
    judged: pd.DataFrame = rows.loc[away.index].assign(away=away, apart=apart)
    return judged


def _finding(row: pd.Series, name: str) -> Finding:
    way = "sent" if name == "network_sent" else "received"
    said = f"its link {way} {brief(exp(row['away']))} times the bytes of the other repeats"
    where = f"run_id={row['run_id']}, client={row['client']}"
    return Finding(where, said, float(abs(row["away"])), **{**place(row), "operation": ""})
