"""When a page was printed that says no date but how long its host had been up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.errors import AnalysisError

WHERE = ("run_id", "log_id", "host", "time")


def snapshot_dates(series: xr.Dataset, by: Sequence[str] = ()) -> xr.Dataset:
    """Date of each snapshot of a monitor: boot time + uptime.

    Parameters
    ----------
    series : Dataset, dimension obs
        Node ``series`` with the metrics ``boottime`` (seconds since 1970) and ``uptime`` (in `value`, or as variable).
    by : sequence of str
        Keys of a snapshot; run_id, log_id, host and time as far as there are any, otherwise.

    Returns
    -------
    Dataset, dimension obs
        One row a snapshot with both: keys `by` and ``snapshot`` (ISO 8601, UTC); ``boot_time``, ``snapshot_time``
        (seconds since 1970) and ``uptime`` [s].

    Raises
    ------
    AnalysisError
        If no snapshot has both, a snapshot says one of them twice, or an uptime is negative.
    """
    table.require(series, "metric", "value", *by)
    keys = list(by or (name for name in WHERE if name in series.variables))
    if "value" in keys:
        raise AnalysisError("value is what a snapshot says: no key tells it apart by that")
    rows = table.frame(series)
    said = {name: _values(rows, name, keys) for name in ("boottime", "uptime")}
    found = pd.DataFrame({"boot_time": said["boottime"], "uptime": said["uptime"]}).dropna()
    if found.empty:
        raise AnalysisError("no snapshot has both the metrics boottime and uptime")
    if (found["uptime"] < 0).any():
        raise AnalysisError(f"an uptime of {found['uptime'].min():g} s is negative")
    found = found.assign(snapshot_time=found["boot_time"] + found["uptime"]).reset_index()
    dates = pd.to_datetime(found["snapshot_time"], unit="s", utc=True).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    result = found.assign(snapshot=dates)
    return table.dataset(result, series, [*keys, "snapshot"], statistic="single", method="boot time + uptime")


def _values(rows: pd.DataFrame, metric: str, keys: Sequence[str]) -> pd.Series[float]:
    own = rows[rows["metric"] == metric].rename(columns={"value": "found"})
    if metric in rows:
        own = pd.concat([own, rows.rename(columns={metric: "found"})])
    known = own.dropna(subset=["found"]).drop_duplicates([*keys, "found"])
    if known.duplicated(list(keys)).any():
        raise AnalysisError(f"a snapshot says {metric} twice: name in by what tells snapshots apart")
    values: pd.Series[float] = known.set_index(list(keys))["found"].astype(np.float64)
    return values
