"""What the repetitions of a cell say about each other: how many there are, and which lies apart, and over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.joining import with_keys_of
from storagelab.analysis.table import name_known
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief, named, place
from storagelab.analysis.validity.drift import drift_test
from storagelab.analysis.validity.outliers import outliers
from storagelab.analysis.validity.tables import Values, keys_of_cells, values
from storagelab.analysis.validity.unequal_repeats import most_frequent, unequal_repeats
from storagelab.analysis.validity.unit_checks import factor_suspects
from storagelab.errors import AnalysisError

Judge = Callable[[Values], tuple[int, list[Finding], str]]


OF_A_CLIENT = frozenset({"client", "host", "process", "share", "interface", "device", "file", "file_on_failed_server"})
"""Keys in which logs of one run differ, beside those that repetitions differ in."""

KIND = frozenset({"tool", "operation", "operation_group"})
"""Keys in which runs that are to be compared do not differ: another tool may have been run more often."""


def equal_n(study: Study) -> Looked:
    """Count the runs of each configuration against its neighbours: those that differ from it in one key alone."""
    study.rows("logs", "run_id", "complete")
    logs = study.logs
    chosen = np.flatnonzero(logs["role"] == "benchmark") if "role" in logs else np.arange(len(logs))
    ds = study.node("logs").isel(obs=chosen)
    keys = [key for key in keys_of_cells(ds) if key not in OF_A_CLIENT]
    counted = table.rows(unequal_repeats(ds, "complete", keys, over=[key for key in OF_A_CLIENT if key in ds.coords]))
    cells = counted.assign(usual=_usual(counted, keys))
    shown = _telling(cells, keys)
    odd = cells.take(cells["n"] != cells["usual"])
    return Looked(len(cells), "configurations", [_odd(cell, shown) for cell in odd.records()])


def _odd(cell: table.Cell, keys: Sequence[str]) -> Finding:
    where = name_known({key: cell[key] for key in keys})
    found = f"{cell['n']:g} runs, where configurations like it have {cell['usual']:g}"
    return Finding(where, found, abs(log(cell["usual"] / cell["n"])))


def _usual(cells: Rows, by: Sequence[str]) -> list[float]:
    """Return the most frequent n among the neighbours of each cell; of equally frequent ones the largest."""
    counts = cells["n"]
    codes = np.array([cells.coded(key).codes for key in by]).reshape(len(by), len(cells))
    weights = np.array([2 if key in KIND else 1 for key in by]).reshape(-1, 1)
    near = [(weights * (codes != codes[:, [cell]])).sum(axis=0) <= 1 for cell in range(len(cells))]
    return [most_frequent(counts[places]) for places in near]


def _telling(cells: Rows, by: Sequence[str]) -> list[str]:
    """Return the keys that are enough to tell the cells apart: the others follow from them."""
    kept: list[str] = []
    for key in by:
        kept += [key] if len(cells.cells([*kept, key])) > len(cells.cells(kept)) else []
    return kept


def apart(study: Study) -> Looked:
    """Find the runs that lie apart from the others of their cell."""
    return _over_tables(study, "values of runs", _apart)


def _apart(part: Values) -> tuple[int, list[Finding], str]:
    several, alone = part.repeated(3)
    runs = _judged(outliers, several)
    odd = several.lines(runs.where("outlier", 1)) if len(runs) else runs
    return len(runs), [_finding(part, row) for row in odd.records()], _unjudged(alone, 3)


def _judged(check: Callable[..., xr.Dataset], part: Values) -> Rows:
    if not part.ds.sizes["obs"]:
        return Rows({name: np.zeros(0) for name in ("run_id", "outlier", "suspect")}, 0)
    return table.rows(check(part.ds, part.variable, part.by, over=part.over, statistic=part.statistic))


def _finding(part: Values, row: table.Cell, said: str = "") -> Finding:
    times = f"{part.variable} is {brief(row['over_others'])} times the median of the {row['n'] - 1:g} other runs"
    return Finding(named(row), f"{times}{said}", abs(log(row["over_others"])), **place(row))


def factors(study: Study) -> Looked:
    """Find the logs whose values, most of them, differ from the other runs by a factor of units.

    Clients that have names are looked at one by one: a slip in the log of one drowns in the sum over all.
    """
    of_clients = study.has("clients") and "client" in study.rows("clients")
    return _over_tables(study, "values", _factors, "clients" if of_clients else "runs")


def _factors(part: Values) -> tuple[int, list[Finding], str]:
    """A slip of units is in a whole log: one value of many that is off by such a factor is noise."""
    several, alone = part.repeated(2)
    runs = _judged(factor_suspects, several)
    suspect = runs["suspect"] != ""
    logs = runs.assign(wrong=suspect.astype(float)).cells([key for key in ("run_id", "client") if key in runs])
    mostly = logs.broadcast(logs.mean("wrong") > 0.5)
    odd = several.lines(runs.take(suspect & mostly)) if len(runs) else runs
    found = [_finding(part, row, f": {row['suspect']}, as most of its log") for row in odd.records()]
    return len(runs), found, _unjudged(alone, 2)


def _unjudged(count: int, needed: int) -> str:
    return f"{count} values in cells of fewer than {needed} runs" if count else ""


def steady(study: Study) -> Looked:
    """Test whether the values of each tool rise or fall over the time in which the campaign ran."""
    return _over_tables(study, "trends", _steady(study))


def _steady(study: Study) -> Judge:
    def judged(part: Values) -> tuple[int, list[Finding], str]:
        timed, order = _timed(study, part.ds)
        within = [key for key in ("tool",) if key in part.by]
        trends = table.frame(
            drift_test(timed, part.variable, part.by, order, within, over=part.over, statistic=part.statistic)
        )
        known = trends[trends["tau"].notna()]
        shown = known[known["verdict"].isin(["rising", "falling"]) | (known["caveat"] != "")]
        return len(known), [_trend(part, row) for _, row in shown.iterrows()], ""

    return judged


def _timed(study: Study, ds: xr.Dataset) -> tuple[xr.Dataset, str]:
    """Give each row the moment at which its run began."""
    logs = study.logs
    if "started" not in logs or (logs.loc[logs["log_id"].isin(ds["log_id"].values), "started"] == "").any():
        raise AnalysisError("it is not known of every run when it started")
    known = study.node("logs").assign_coords(log_id=("obs", logs["log_id"].to_numpy()))
    return with_keys_of(ds, known, ["started"], on=["log_id"]), "started"


def _trend(part: Values, row: pd.Series) -> Finding:
    where = f"tool={row['tool']}" if "tool" in row else "all runs"
    trend = f"{part.variable} is {row['verdict']}, Kendall's tau {row['tau']:.2g}; {change_over(row)}"
    said = f"no trend in {part.variable}" if row["verdict"] == "undecided" else trend
    rank = "note" if row["verdict"] == "undecided" else ""
    return Finding(where, "; ".join(filter(None, (said, row["caveat"]))), abs(row["tau"]), rank=rank, cause=rank)


def change_over(row: Mapping[str, float] | pd.Series) -> str:
    """Say how much a trend changes; one of many equal values can be shown and change nothing that three digits show."""
    change, low, high = (brief(row[name]) for name in ("change", "change_low", "change_high"))
    if change == low == high == "1":
        return "to three digits the end is as the start"
    return f"end over start {change} (95 % interval {low} to {high})"


def _over_tables(study: Study, unit: str, judge: Judge, node: str = "runs") -> Looked:
    """Put together what a check says of each table of values; why it cannot, where it says nothing of any."""
    checked, found, left = 0, list[Finding](), list[str]()
    for part in values(study, node):
        try:
            count, findings, said = judge(part)
        except AnalysisError as error:
            count, findings, said = 0, [], str(error)
        checked, found = checked + count, found + findings
        left += [f"{part.variable}: {said}"] if said else []
    if not checked:
        raise AnalysisError("; ".join(left) or "no cell has enough runs")
    return Looked(checked, unit, found, "; ".join(left))
