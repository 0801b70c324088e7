"""Jobs whose logs print phases or bytes beside the time of the whole: what is left of it, and the rate over it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.inference.processor_independent import divided
from storagelab.errors import AnalysisError

WHOLE = "total"
JOB = ("log_id", "part")


def remaining_phase(
    ds: xr.Dataset, parts: Sequence[str], name: str = "everything else", *, whole: str = WHOLE
) -> xr.Dataset:
    """Add what some phases leave of the time of a whole job as one more phase, so that all add up to it.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with phase and elapsed [s], of which each job (a log, or a part of one) has one of each part and of the
        whole; other phases are left out.
    parts : sequence of str
        Phases that do not overlap.
    name : str
        What the remaining phase is called.
    whole : str
        Phase of the whole job.

    Returns
    -------
    Dataset, dimension obs
        The rows of the parts, and for each job that of the whole with ``elapsed`` less the parts, as phase `name`:
        what `storagelab.analysis.phase_shares` takes.

    Raises
    ------
    AnalysisError
        If a column is missing, a job lacks a phase or has it twice, or its parts are longer than the whole.
    """
    table.require(ds, "phase", "log_id")
    table.unit(ds, "elapsed")
    rows = table.frame(ds)
    rows = rows[rows["phase"].isin([*parts, whole]) & rows["elapsed"].notna()]
    times = _by_phase(rows, [*parts, whole])
    left = times[whole] - times[list(parts)].sum(axis=1)
    if (left < 0).any():
        raise AnalysisError(f"phases of log {left.idxmin()} are {-left.min():g} s longer than its phase {whole!r}")
    total = rows["phase"] == whole
    rows.loc[total, "elapsed"] = left.reindex(_jobs(rows[total])).to_numpy()
    kept = rows.assign(phase=rows["phase"].where(~total, name))
    method = f"phase {name!r}: elapsed of {whole!r} less {', '.join(parts)}"
    return table.dataset(kept, ds, [str(key) for key in ds.coords], method=method)


def _jobs(rows: pd.DataFrame) -> pd.Index:
    """Return which job each row belongs to."""
    keys = [key for key in JOB if key in rows]
    return pd.Index(rows[keys].fillna(0).astype(int).apply(lambda row: "/".join(map(str, row)), axis=1), name="job")


def _by_phase(rows: pd.DataFrame, phases: Sequence[str]) -> pd.DataFrame:
    jobs = _jobs(rows) if len(rows) else pd.Index([], name="job")
    for phase in phases:
        if phase not in set(rows["phase"]):
            raise AnalysisError(f"no row has the phase {phase!r} with a time")
    if pd.MultiIndex.from_arrays([jobs, rows["phase"]]).duplicated().any():
        raise AnalysisError("a job has a phase twice: which of them is a part of the whole is not known")
    wide = rows.assign(job=jobs).pivot(index="job", columns="phase", values="elapsed")[list(phases)]
    if wide.isna().any(axis=None):
        job, phase = next((job, phase) for job, row in wide.iterrows() for phase in phases if pd.isna(row[phase]))
        raise AnalysisError(f"log {job} lacks the phase {phase!r}")
    return wide


def job_rates(ds: xr.Dataset, *, whole: str = WHOLE) -> xr.Dataset:
    """Give what jobs read a rate over their whole time, so that it stands beside the rate of a benchmark.

    A job that computes between its reads asks for less than its storage can give: this is what it asks for.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Of each job (a log, or a part of one) a row of operation read with data_size [B] and one with phase `whole` and
        its elapsed [s]. Rows of logs without such a phase, as those of a benchmark, stay as they are.
    whole : str, optional
        The phase that is the whole job.

    Returns
    -------
    Dataset, dimension obs
        Of the jobs only their reads, with ``throughput`` [B/s]: data_size over elapsed of the whole job.

    Raises
    ------
    AnalysisError
        If a column is missing, no job has read, or a job has two rows of the whole or of reads with a size.
    """
    table.require(ds, "phase", "log_id", "operation", "throughput")
    for column in ("elapsed", "data_size"):
        table.unit(ds, column)
    rows = table.frame(ds)
    jobs = pd.Series(_jobs(rows), index=rows.index)
    total = (rows["phase"] == whole) & rows["elapsed"].notna()
    of_job = jobs.isin(set(jobs[total]))
    read = of_job & (rows["operation"] == "read") & rows["data_size"].notna()
    if not read.any():
        raise AnalysisError(f"no job with a phase {whole!r} says how much it read")
    if jobs[total].duplicated().any() or jobs[read].duplicated().any():
        raise AnalysisError("a job has two times of the whole, or reads with a size twice: select one")
    elapsed = pd.Series(rows.loc[total, "elapsed"].to_numpy(), index=jobs[total])
    rows.loc[read, "throughput"] = divided(rows.loc[read, "data_size"], elapsed.reindex(jobs[read]))
    method = "bytes that a job read over the time of the whole job"
    return table.dataset(rows[read | ~of_job], ds, [str(key) for key in ds.coords], method=method)
