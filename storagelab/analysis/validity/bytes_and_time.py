"""Whether numbers of one measurement agree: a rate with bytes over time, a series with the bytes of its tool."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import table
from storagelab.analysis.inference.processor_independent import log, log1p
from storagelab.analysis.series.volume import volume_check
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief, named, place, some
from storagelab.errors import AnalysisError

ROUNDED = 0.05
"""How far a printed rate may be from bytes over time: tools cut their numbers, and take their times apart."""

SAMPLED = 0.05
"""How far the bytes under a series may be from those of its tool."""


def rate_and_time(study: Study) -> Looked:
    """Hold each rate that one log gives against its bytes over its time."""
    parts = [study.rows(node) for node in ("clients", "runs") if study.has(node)]
    rows = pd.concat([pd.DataFrame(), *map(_of_one_log, parts)], ignore_index=True)
    rows = some(rows, "no log gives rate, bytes and time of one measurement").drop_duplicates(["log_id", "line"])
    rows = rows.assign(size=rows["throughput"] * rows["elapsed"] / rows["data_size"])
    wrong = rows[~(np.abs(log(rows["size"])) <= log1p(ROUNDED))]
    return Looked(len(rows), "rates", [_rate(row) for _, row in wrong.iterrows()])


def _of_one_log(rows: pd.DataFrame) -> pd.DataFrame:
    if not {"throughput", "elapsed", "data_size"}.issubset(rows):
        return pd.DataFrame()
    known = rows[(rows[["throughput", "elapsed", "data_size"]] > 0).all(axis="columns")]
    for name, wanted in (("log_count", 1), ("statistic", "single")):
        known = known[known[name] == wanted] if name in known else known
    return known


def _rate(row: pd.Series) -> Finding:
    said = f"the printed rate is {brief(row['size'])} times bytes over time"
    return Finding(named(row), said, float(np.abs(log(row["size"]))), **place(row))


def series_and_bytes(study: Study) -> Looked:
    """Hold the bytes under each series of rates against those that its tool says it moved."""
    study.rows("series", "throughput", "time", "run_id", "client", "operation")
    study.rows("clients", "data_size")
    series, sizes = (_with_values(study, *names) for names in (("series", "throughput"), ("clients", "data_size")))
    both = sorted((set(series["operation"].values.tolist()) & set(sizes["operation"].values.tolist())) - {""})
    if not both:
        raise AnalysisError("no operation has both a series of rates and the bytes of its tool")
    parts = [(dataset.select(series, operation=one), dataset.select(sizes, operation=one)) for one in both]
    checked = [(rates, table.frame(volume_check(rates, said, tolerance=SAMPLED))) for rates, said in parts]
    wrong = [(row, rates) for rates, rows in checked for _, row in rows[rows["volume_agrees"] == 0].iterrows()]
    return Looked(sum(len(rows) for _, rows in checked), "series", [_volume(row, rates) for row, rates in wrong])


def _with_values(study: Study, node: str, variable: str) -> xr.Dataset:
    return dataset.take(study.node(node), np.flatnonzero(study.rows(node)[variable] > 0))


def _volume(row: pd.Series, series: xr.Dataset) -> Finding:
    said = f"the series holds {brief(row['volume_ratio'])} of the bytes that the tool says it moved"
    first = table.frame(dataset.select(series, run_id=row["run_id"], client=row["client"])).iloc[0]
    return Finding(named(row), said, float(np.abs(log(row["volume_ratio"]))), **place(first))
