"""Jobs that read files: their time and its phases, their CPU efficiency, and the bytes that they had use for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab import dataset, schema
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.analysis.runs import UNIT
from storagelab.analysis.source_rows import BESIDE, MADE_OF
from storagelab.errors import AnalysisError
from storagelab.lineage import remember

ADDED = ("elapsed", "cpu_time", "disk_time", "data_size")
PARTS = {"entries_fraction": "entries", "branches_fraction": "branches"}
PHASES = {
    "outside_time": "before and between files",
    "disk_time": "waiting for data",
    "processing_time": "processing",
}
"""Times of a job that add up to the whole, in words."""


def jobs(ds: xr.Dataset, logs: xr.Dataset, by: Sequence[str] = ("layout", "protocol", "clients")) -> xr.Dataset:
    """Add up the files that each job read, and set its reading beside its whole time.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Node ``clients``: a row a file that a client read, with elapsed, cpu_time, disk_time (waiting in reads) [s]
        and data_size [B]; and the row of its stopwatch around all files (operation job), where there is one.
    logs : Dataset, dimension obs
        Node ``logs`` of the same study: its elapsed [s] is the time of the whole process.
    by : sequence of str
        Keys of a job to keep.

    Returns
    -------
    Dataset, dimension obs
        One row a job: keys `by`, client, run_id, repeat, block, log_id. Times [s]: ``elapsed``
        (real time of reading, all files), ``cpu_time``, ``disk_time``, ``processing_time`` (reading less waiting),
        ``job_time`` (the whole process), ``outside_time`` (job_time less elapsed), ``opening_time`` (stopwatch less
        elapsed; NaN without one). ``data_size`` [B]; ``throughput`` (data_size over elapsed) and ``wait_rate``
        (data_size over disk_time) [B/s]; ``cpu_utilisation`` (cpu_time over elapsed) and ``wait_share`` (disk_time
        over elapsed) [1]; ``files`` [1].

    Raises
    ------
    AnalysisError
        If a column is missing, or no row is a read of a client.
    """
    table.require(ds, *ADDED, "client", "run_id", "log_id", "line", "operation", *by)
    table.require(logs, "elapsed")
    every = table.rows(ds)
    timed = ~np.isnan(every["elapsed"])
    reads, stopwatch = (np.flatnonzero((every["operation"] == one) & timed) for one in ("read", "job"))
    rows = every.take(reads)
    if not len(rows):
        raise AnalysisError("no client read a file: a job is what a client read")
    if np.isnan(rows["log_id"]).any():
        raise AnalysisError("a row does not say its log_id: which job it belongs to is not known")
    unit = [key for key in UNIT if key in rows]
    keys = list(dict.fromkeys([*by, "client", *unit, "log_id"]))
    added = rows.cells(keys)
    sums = {name: added.sum(name) for name in ADDED}
    found = added.results(**sums, files=added.size)
    whole = logs["elapsed"].to_numpy()[found["log_id"].astype(int)]
    around = found.looked_up(_stopwatches(every.take(stopwatch)), ["log_id"], ["elapsed"])
    found = found.assign(
        job_time=whole,
        opening_time=around["elapsed"] - found["elapsed"],
        outside_time=whole - found["elapsed"],
        processing_time=found["elapsed"] - found["disk_time"],
        throughput=divided(found["data_size"], found["elapsed"]),
        wait_rate=divided(found["data_size"], found["disk_time"]),
        cpu_utilisation=divided(found["cpu_time"], found["elapsed"]),
        wait_share=divided(found["disk_time"], found["elapsed"]),
    )
    made = table.dataset(found, ds, keys, statistic="single", method="files of a job added up")
    made.attrs[f"throughput_{MADE_OF}"] = "data_size elapsed"
    return remember(made, dataset.take(ds, reads), _stopwatch_rows(ds, stopwatch), _process_rows(logs))


def _stopwatches(rows: Rows) -> Rows:
    """Time of the stopwatch around all files, for each log that has one."""
    logs = rows.cells(["log_id"])
    return logs.results(elapsed=logs.sum("elapsed"))


def _stopwatch_rows(ds: xr.Dataset, stopwatch: np.ndarray[Any, Any]) -> xr.Dataset:
    """Times of stopwatches around all files of a log, each with its line."""
    rows = table.rows(ds).take(stopwatch)
    return _rows_beside(ds, stopwatch_time=rows["elapsed"], log_id=rows["log_id"], line=rows["line"])


def _process_rows(logs: xr.Dataset) -> xr.Dataset:
    """Times of whole processes, each with the row of the sidecar that states it; else its whole log is behind it."""
    rows = table.rows(logs)
    stated = rows.get(schema.LOG_OF["elapsed"], np.nan)
    ids = np.where(np.isfinite(stated), stated, np.arange(len(rows))).astype(int)
    lines = np.nan_to_num(rows.get(schema.LINE_OF["elapsed"], np.nan))
    files = [f"raw/{logs.attrs.get('study', '')}/{log}" for log in rows.get("log", "")[ids]]
    found = _rows_beside(logs, job_time=rows["elapsed"], log_id=np.arange(len(rows)), line=lines)
    return found.assign_coords(log=("obs", files))


def _rows_beside(like: xr.Dataset, **times: np.ndarray[Any, Any]) -> xr.Dataset:
    """Times of logs, each with its line, beside the rows that jobs are made of."""
    rows = Rows(times, len(times["line"]))
    return table.dataset(rows, like, ["log_id", "line"]).assign_attrs({BESIDE: 1})


def phases(jobs_: xr.Dataset, by: Sequence[str] = ("layout", "protocol", "clients")) -> xr.Dataset:
    """Split the time of each job: before and between files, waiting for data, processing.

    Parameters
    ----------
    jobs_ : Dataset, dimension obs
        From `jobs`.
    by : sequence of str
        Keys of a job to keep.

    Returns
    -------
    Dataset, dimension obs
        Three rows a job: keys `by`, client, run_id, repeat, block, log_id and ``phase`` (text);
        ``elapsed`` [s]. The three add up to the time of the whole job.

    Raises
    ------
    AnalysisError
        If a time is missing.
    """
    table.require(jobs_, *PHASES, "client", "log_id", *by)
    rows = table.rows(jobs_)
    keys = list(dict.fromkeys([*by, "client", *(key for key in UNIT if key in rows), "log_id"]))
    parts = {name: rows.only(keys).assign(phase=word, elapsed=rows[name]) for name, word in PHASES.items()}
    return table.stacked(parts, jobs_, [*keys, "phase"], statistic="single", method="time of each job by phase")


def on_cpu(ds: xr.Dataset) -> xr.Dataset:
    """Add ``cpu_utilisation`` [1], the CPU time in user and system mode over the elapsed time of a process.

    Parameters
    ----------
    ds : Dataset, dimension obs
        With cpu_user_time, cpu_system_time and elapsed [s].

    Returns
    -------
    Dataset, dimension obs
        The same rows; above 1 where several threads computed.

    Raises
    ------
    AnalysisError
        If a column is missing, or carries another unit than seconds.
    """
    for name in ("cpu_user_time", "cpu_system_time", "elapsed"):
        table.unit(ds, name)
    rows = table.rows(ds)
    share = divided(rows["cpu_user_time"] + rows["cpu_system_time"], rows["elapsed"])
    return table.with_variables(ds, Rows({"cpu_utilisation": share}, len(rows)))


def parts_read(ds: xr.Dataset) -> xr.Dataset:
    """Add the key ``case``, the part of each file that is asked for: all, 50 % of entries, 50 % of branches.

    Parameters
    ----------
    ds : Dataset, dimension obs
        With the keys entries_fraction and branches_fraction [1].

    Returns
    -------
    Dataset, dimension obs
        The same rows.

    Raises
    ------
    AnalysisError
        If the dataset lacks entries_fraction or branches_fraction, or a row does not know them.
    """
    table.require(ds, *PARTS)
    rows = table.rows(ds).only(PARTS)
    if any(np.isnan(rows[name]).any() for name in PARTS):
        raise AnalysisError("a row does not say which fractions of entries and branches it reads")
    words = [
        " and ".join(f"{100 * row[name]:g} % of {word}" for name, word in PARTS.items() if row[name] < 1) or "all"
        for row in rows.records()
    ]
    return table.with_keys(ds, [{"case": word} for word in words])


def of_entries_read(ds: xr.Dataset) -> xr.Dataset:
    """Count only the bytes of the entries that were asked for, of all entries' bytes that came with them.

    A tree keeps the entries of a branch together in baskets, and a basket is read whole. Entries are taken to be alike,
    so that a fraction of them has that fraction of the bytes.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with data_size [B], entries, entries_total [1], and the key entries_fraction for rows that lack the counts.

    Returns
    -------
    Dataset, dimension obs
        The same rows, with data_size times entries over entries_total, else times entries_fraction; unchanged where
        no fraction is known.

    Raises
    ------
    AnalysisError
        If a column is missing.
    """
    table.require(ds, "data_size", "entries", "entries_total", "entries_fraction")
    rows = table.rows(ds)
    counted, asked = divided(rows["entries"], rows["entries_total"]), rows["entries_fraction"]
    fraction = np.where(np.isnan(counted), np.where(np.isnan(asked), 1.0, asked), counted)
    return ds.assign(data_size=("obs", rows["data_size"] * fraction, ds["data_size"].attrs))
