"""Rates that are whole MB/s where the tool prints more digits: somebody rounded them.

Source: heaping of digits, as in R. J. Myers, "Errors and bias in the reporting of ages in census data" (1940); a
binomial with the share of whole numbers in the other rates.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from storagelab.analysis.cells import Rows
from storagelab.analysis.validity.checks import Finding, Looked, Study, place
from storagelab.analysis.validity.measured_values import rows_of_logs
from storagelab.analysis.validity.suspect_groups import groups, is_multiple, standing_out
from storagelab.errors import AnalysisError

WHOLE = {"MB/s": 1e6, "MiB/s": 2.0**20, "thousands of KiB/s": 1024e3, "GB/s": 1e9}
LEAST = 0.5
"""Share of whole rates from which a part of a campaign is told."""

SECOND = 1e-3
"""How near a time is to whole seconds to be taken for one of them."""


def heaping(study: Study) -> Looked:
    """Look for parts of a campaign whose rates are whole numbers of a unit, while others are not."""
    rows = rows_of_logs(study)
    if "throughput" not in rows:
        raise AnalysisError("no log gives a rate in bytes")
    rated = rows[rows["throughput"] > 0]
    if "statistic" in rated:
        rated = rated[rated["statistic"] == "single"]
    tools = rated["tool"] if "tool" in rated else pd.Series("", rated.index)
    found = [finding for _, part in rated.groupby(tools, sort=True) for finding in _of_tool(study, part)]
    if not len(rated):
        raise AnalysisError("no log gives a rate in bytes")
    return Looked(len(rated), "rates", found)


def _of_tool(study: Study, rows: pd.DataFrame) -> Iterator[Finding]:
    keys = [name for name in (*study.keys("logs"), "repeat", "block", "operation") if name in rows]
    rates, parts = rows["throughput"].to_numpy(), groups(Rows.of_frame(rows), keys)
    left = ~_over_seconds(rows)
    for unit, size in WHOLE.items():
        whole = is_multiple(rates, size) & left
        if whole.sum() < 3:
            continue
        if whole.mean() > 0.9:
            first = rows.iloc[int(np.argmax(whole))]
            said = f"{int(whole.sum())} of {len(rows)} rates are whole {unit}: what is finer was cut, or never printed"
            yield Finding(f"tool={first.get('tool', '')}", said, float(whole.mean()), rank="note", **place(first))
            return
        for group in standing_out(parts, whole, LEAST):
            left[group.rows] = False
            first = rows.iloc[group.rows[np.argmax(whole[group.rows])]]
            said = (
                f"{group.marked} of {group.rows.size} rates are whole {unit}, of the others {_share(whole, group.rows)}"
            )
            yield Finding(group.name, said, group.marked / group.rows.size, **place(first))


def _over_seconds(rows: pd.DataFrame) -> np.ndarray:
    """Whether rates are bytes over whole seconds: then they are whole where the bytes are."""
    times = rows.get("data_size", pd.Series(np.nan, rows.index)) / rows["throughput"]
    whole: np.ndarray = np.asarray(times > 0.5) & (np.abs(times - np.rint(times)) < SECOND).to_numpy()
    return whole


def _share(whole: np.ndarray, rows: np.ndarray) -> str:
    others = np.delete(whole, rows)
    return f"{int(others.sum())} of {others.size}"
