"""Runs whose clients never ran all at the same time: a rate of all of them together does not exist."""

from __future__ import annotations

import numpy as np
import pandas as pd

from storagelab.analysis.validity.checks import Finding, Looked, Study, named, place, some
from storagelab.errors import AnalysisError


def together(study: Study) -> Looked:
    """Find the measurements in which the first client was done before the last had begun."""
    rows = study.rows("runs", "throughput")
    if "throughput_span" not in rows:
        raise AnalysisError("of no run the start and the end of each client are known")
    common = rows.get("throughput_common", pd.Series(np.nan, rows.index))
    known = some(rows[rows["throughput_span"].notna()], "of no run the start and the end of each client are known")
    apart = known[common.loc[known.index].isna()]
    said = "its clients never ran all at once: it has no rate in common, and `aggregates` leaves it out"
    return Looked(len(known), "runs", [Finding(named(row), said, **place(row)) for _, row in apart.iterrows()])
