"""Runs that were listed to begin while another one still ran: they shared the servers, or their starts are wrong.

Source: T. Hoefler, R. Belli, "Scientific benchmarking of parallel computing systems" (SC 2015), rule 4 (report what
else ran on the system); a run lasted at least as long as its longest measurement.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.significant_digits import first_extreme
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.measured_values import benchmarks, listed_starts, rows_of_logs
from storagelab.errors import AnalysisError

AROUND = frozenset({"job"})
"""Operations that last as long as others that they consist of."""

AT_MOST = 0.03
"""Share of a tool's runs up to which they may run into the next one for its measurements to be taken to follow each
other: of some tools one lasts as long as others that it consists of."""

ROUNDED = 0.02
"""Share of a run's time by which tools round."""


def overlapping(study: Study) -> Looked:
    """Find runs that are listed to have begun before the run before them can have ended."""
    starts = benchmarks(listed_starts(study)).dropna(subset=["began"]).assign(of=lambda logs: logs.get("tool", ""))
    runs = starts.groupby("run_id", sort=False).agg(
        began=("began", "min"), log_id=("log_id", "first"), of=("of", "first")
    )
    longest, summed = (runs.index.map(one.to_dict()) for one in _lasted(study))
    runs = runs.assign(lasted=longest, summed=summed).dropna(subset=["lasted"]).reset_index()
    runs = runs.sort_values(["began", "lasted"], kind="stable", ignore_index=True)
    if len(runs) < 2:
        raise AnalysisError("of no two runs it is known when they began and how long they took")
    runs = runs.assign(lasted=_one_after_the_other(runs))
    return Looked(len(runs), "runs", [_finding(runs, place) for place in _early(runs)])


def _one_after_the_other(runs: pd.DataFrame) -> pd.Series:
    """Seconds that each run took: those of all its measurements where a tool takes them one after the other."""
    whole = runs.assign(lasted=runs["summed"].fillna(runs["lasted"]))
    over = pd.Series(_ends(whole)[:-1] > runs["began"].to_numpy()[1:]).groupby(runs["of"].to_numpy()[:-1])
    allowed = over.sum() <= (over.size() * AT_MOST).clip(lower=1.0)
    return whole["lasted"].where(runs["of"].map(allowed).fillna(False).astype(bool), runs["lasted"])


def _early(runs: pd.DataFrame) -> list[int]:
    """Places of the runs that began before the latest end of those before them."""
    return np.flatnonzero(runs["began"].to_numpy()[1:] < np.maximum.accumulate(_ends(runs))[:-1]).tolist()


def _ends(runs: pd.DataFrame) -> Floats:
    began = runs["began"].to_numpy()
    return np.asarray(began + runs["lasted"] * (1 - ROUNDED)) - _step(began)


def _lasted(study: Study) -> tuple[pd.Series, pd.Series]:
    """Seconds that each run took at least: its longest measurement; all of one client or process in turn."""
    rows = rows_of_logs(study)
    missing = pd.Series(np.nan, rows.index)
    rated = rows.get("data_size", missing) / rows.get("throughput", missing)
    took = rows.get("elapsed", missing).fillna(rated)
    took = took.where(np.isfinite(took))
    inside = took.where(~rows["operation"].isin(AROUND)) if "operation" in rows else took
    whose = [rows[name] for name in ("run_id", "client", "process") if name in rows]
    return took.groupby(rows["run_id"]).max(), inside.groupby(whose).sum(min_count=1).groupby("run_id").max()


def _step(began: Floats) -> float:
    """Seconds to which starts are known: a minute where all are whole minutes."""
    return 60.0 if (began % 60 == 0).all() else 1.0


def _finding(runs: pd.DataFrame, place: int) -> Finding:
    row, ends = runs.iloc[place + 1], _ends(runs)[: place + 1]
    still = first_extreme(ends, "highest")
    over = ends[still] - row["began"]
    said = f"is listed to begin while {runs['run_id'].iloc[still]} still ran, {brief(over)} s before it can have ended"
    return Finding(f"run_id={row['run_id']}", said, float(over), float(row["log_id"]), run_id=str(row["run_id"]))
