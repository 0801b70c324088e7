"""From a number or rows back to the lines of the logs behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns
from storagelab.analysis.source_rows import rows_behind, rows_behind_value
from storagelab.analysis.traces import Logs, traced
from storagelab.errors import AnalysisError
from storagelab.ingest.log_lines import evidence

COLUMNS = ("log", "line", "text", "log_sha256")


def trace(
    quoted: xr.Dataset | float | str, study: xr.DataTree | str | Path, variable: str = "", raw: str | Path = "raw"
) -> pd.DataFrame:
    """Show the lines of the logs behind a number, or behind rows.

    Parameters
    ----------
    quoted : Dataset with dimension obs, or a number or word
        Rows of a node or of a result (one of them: `storagelab.analysis.extreme`), or a number that an analysis took
        out of rows, such as `storagelab.analysis.count`: it knows them.
    study : DataTree or path
        The study whose logs they come from, or its dataset.
    variable : str, optional
        The column whose values are meant, where they stand on another line than their row. A number knows its column.
    raw : str or Path
        Folder of the raw studies. Logs of no study are looked for by their own path.

    Returns
    -------
    pandas.DataFrame
        A row a line, in the order of the logs: log (path of the file), line (from 1; 0 where the whole log is behind
        the number), text, log_sha256.

    Raises
    ------
    UnknownNameError
        If there is no column `variable`; names the nearest there is.
    AnalysisError
        If `study` is none, or nobody remembers where the number or the rows come from.
    ContractError
        If a log is not there, or is no longer the one that was read.

    Examples
    --------
    >>> runs = storagelab.open_study("reports/loopback-2026/dataset.nc")["runs"].to_dataset()  # doctest: +SKIP
    >>> best = storagelab.analysis.extreme(runs, "throughput", "max")  # doctest: +SKIP
    >>> storagelab.trace(best, "reports/loopback-2026/dataset.nc")  # doctest: +SKIP
    """
    if isinstance(study, xr.Dataset):
        raise AnalysisError(
            "trace: expected a study or its dataset.nc, got a Dataset: a node alone does not know its logs"
        )
    if variable:
        columns.field(variable)
    tree = study if isinstance(study, xr.DataTree) else dataset.load(Path(study))
    logs = Logs(str(tree["logs"].attrs.get("study", "")), tree)
    lines = traced(_rows(quoted, variable), logs)
    folder = Path(raw) / logs.study if logs.study else Path()
    return pd.DataFrame(_lines(lines, logs, folder), columns=list(COLUMNS))


def _rows(quoted: xr.Dataset | float | str, variable: str) -> list[xr.Dataset]:
    if isinstance(quoted, xr.Dataset) and "obs" not in quoted.dims:
        raise AnalysisError("trace: expected rows with the dimension obs: isel(obs=[12]), not isel(obs=12)")
    found = rows_behind(quoted, variable) if isinstance(quoted, xr.Dataset) else rows_behind_value(quoted)
    if not found:
        shown = "these rows" if isinstance(quoted, xr.Dataset) else repr(quoted)
        raise AnalysisError(
            f"trace: nobody remembers what {shown} was computed from; "
            "expected rows of a study, a result of an analysis, or a number that was taken from one"
        )
    return found


def _lines(lines: Mapping[str, list[int]], logs: Logs, folder: Path) -> Iterator[tuple[str, int, str, str]]:
    """Log, line, text and checksum of each line; of a log that counts as a whole, line 0 without a text."""
    sums = dict(zip(logs.logs["log"].tolist(), logs.logs["log_sha256"].tolist(), strict=True))
    for path, numbers in lines.items():
        log = path.removeprefix(f"raw/{logs.study}/")
        shown = evidence(folder, log, str(sums[log]))
        yield from (
            (shown.path.as_posix(), line, shown.lines[line - 1] if line else "", shown.sha256)
            for line in numbers or [0]
        )
