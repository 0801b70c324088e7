"""What single logs say, row by row: their measured numbers, and when they began."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from storagelab import days_and_rounds, schema
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.validity.checks import Study, once
from storagelab.errors import AnalysisError

NODES = ("clients", "runs")

NOT_MEASURED = frozenset(
    {"data_size", "data_size_min", "operations", "samples", "errors", "error_code", "exit_status", "complete",
     "start_time", "end_time", "log_id", "line", "log_count", "processes", "files", "entries"}
)  # fmt: skip
"""Numbers that were asked for, not measured, and times of day, which a hand changes first."""

TOLD_APART = ("operation", "process", "part", "iteration", "statistic", "access_pattern", "record_size", "file_size")

CLOCK = 1e9
"""Seconds since 1970 beyond which a start is a moment, and not a time since another."""


@once
def rows_of_logs(study: Study) -> pd.DataFrame:
    """Rows that come from one log each, as the tool printed them; of a row in two nodes the first.

    Raises
    ------
    AnalysisError
        If there are none.
    """
    parts = [_of_one_log(study.rows(node)) for node in NODES if study.has(node) and "log_id" in study.rows(node)]
    rows = pd.concat([pd.DataFrame(), *parts], ignore_index=True)
    if rows.empty:
        raise AnalysisError("no row is known to come from one log")
    texts = [str(name) for name in rows if name in schema.FIELDS and schema.is_text(str(name))]
    rows = rows.assign(**{name: rows[name].fillna("") for name in texts})
    same = [name for name in ("log_id", "line", *TOLD_APART) if name in rows]
    return rows.drop_duplicates(same).sort_values(["log_id", "line"] if "line" in rows else ["log_id"], kind="stable")


def _of_one_log(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["log_count"] == 1] if "log_count" in rows else rows


def measured_names(rows: Iterable[str]) -> list[str]:
    """Columns of measured numbers."""
    numbers = {entry.name for entry in schema.VARIABLES} - NOT_MEASURED
    return [name for name in rows if name in numbers]


def seconds(texts: Sequence[str] | pd.Series) -> Floats:
    """Moments of ISO 8601 as seconds since 1970, NaN where there is none; one without a zone is taken as UTC."""
    return days_and_rounds.seconds(list(texts))


@once
def listed_starts(study: Study) -> pd.DataFrame:
    """Logs with the second since 1970 at which they are listed to have begun (``began``).

    Raises
    ------
    AnalysisError
        If it is not known of any.
    """
    study.rows("logs", "log", "run_id")
    logs = study.logs
    began = seconds(logs["started"]) if "started" in logs else np.full(len(logs), np.nan)
    if not np.isfinite(began).any():
        raise AnalysisError("it is not known when runs started")
    return logs.assign(began=began)


def benchmarks(logs: pd.DataFrame) -> pd.DataFrame:
    """Logs of what was measured."""
    return logs[logs["role"] == "benchmark"] if "role" in logs else logs
