"""Configurations measured in series, each of which may be shifted as a whole by what else went on."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import effect, judge, no_interval, quotient
from storagelab.analysis.inference.correction import ALPHA
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.inference.least_squares import Fit
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.inference.series_offsets import Codes, between, fit, own_mean, p_of_series, spread
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Runs, labelled_runs, values_of_runs
from storagelab.errors import AnalysisError

ROUNDED = 12
"""Decimals of a fitted log: what lies below is rounding, and no spread."""

KEPT = ("n", "p", "p_adjusted", "caveat")
CASES = ("with series offsets", "runs independent")


@dataclass(frozen=True, slots=True)
class _Scan:
    """The series of one cell: of each run its log and the codes of its level and series; a row a series in `series`."""

    logs: Floats
    level: Codes
    of_run: Codes
    series: Rows
    configuration: Codes
    whole: Fit


def series_offsets(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    by: Sequence[str] = (),
    *,
    series: Sequence[str] = ("repeat",),
    x: str = "file_size",
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Offset of each series from the others of its configuration, over all levels that it measured.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`.
    factor : str
        Key of the configurations.
    by : sequence of str
        Keys that make the cells.
    series : sequence of str
        Keys that tell the series of a configuration apart. Equal ones of two configurations are two series.
    x : str
        Key of the levels that a series runs through.

    Returns
    -------
    Dataset, dimension obs
        One row a series: the keys `by`, `factor` and `series`; ``series_offset`` with ``_low`` and ``_high``: the
        ratio to the geometric mean of the series of its configuration, freed of what the levels do, with the t interval
        of the noise inside the series; ``n`` (runs of the series); ``p`` of no offset, ``p_adjusted`` over the table;
        ``caveat``. Pure numbers.

    Raises
    ------
    AnalysisError
        If values are not positive, if no configuration has two series, if series share no level, or as `run_values`.
    """
    runs = _runs(ds, variable, factor, by, series, x, over, statistic)
    rows = [
        {**cell, **row}
        for cell, part in runs.rows.cells(by)
        for row in _offsets(_scan(part, variable, factor, series, x), factor, series)
    ]
    judged = judge(rows)
    keys = list(dict.fromkeys([*by, factor, *series]))
    ends = {f"series_offset{end}": judged[f"ratio{end}"] for end in ("", "_low", "_high")}
    found = judged.only([name for name in judged if name in KEPT or name in keys]).assign(**ends)
    method = f"least squares on the logs with effects of {x} and series, 95 % t interval of the noise inside series"
    return table.dataset(
        found, labelled_runs(runs, ds), keys, statistic=statistic, method=method, unit="series",
        compared_variable=variable,
    )  # fmt: skip


def _offsets(scan: _Scan, factor: str, series: Sequence[str]) -> list[table.Cell]:
    rows = []
    for place, one in enumerate(scan.series.records()):
        gap = scan.whole.contrast(own_mean(scan.configuration, place))
        found = effect(gap)
        caveat = "" if gap.known else "no other series of its kind, or no noise inside the series: no interval"
        keys = {key: one[key] for key in [factor, *series]}
        rows.append({**keys, **found, "n": one["n"], "caveat": caveat})
    return rows


def compare_series(
    ds: xr.Dataset,
    variable: str,
    factor: str,
    base: str | float,
    other: str | float,
    by: Sequence[str] = (),
    *,
    series: Sequence[str] = ("repeat",),
    x: str = "file_size",
    margin: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Ratio other / base over all levels, judged by the spread of series of one configuration, and without it.

    Parameters
    ----------
    ds, variable, factor, by, series, x, over, statistic
        As for `series_offsets`. All configurations in the data lend their spread of series.
    base, other : str or float
        Two levels of the factor.
    margin : float, optional
        As for `storagelab.analysis.compare`.

    Returns
    -------
    Dataset, dimension obs
        Two rows a cell, told apart by the key ``case``: "with series offsets" (n counts series; t on their offsets) and
        "runs independent" (n counts runs, as if a series were no unit). Columns of `compare`; ``series_spread`` with
        ``_low`` and ``_high`` (standard deviation of the logs of the offsets, pooled, with what the noise inside
        series adds to it); ``p_series`` (F test of no offsets); ``caveat``. Pure numbers. Holm corrects each case over
        the table.

    Raises
    ------
    AnalysisError
        If no cell has both sides, or as `series_offsets`.
    """
    runs = _runs(ds, variable, factor, by, series, x, over, statistic)
    rows = []
    for cell, part in runs.rows.cells(by):
        if {base, other} <= set(part[factor]):
            scan = _scan(part, variable, factor, series, x)
            rows += [{**cell, **row} for row in _cases(scan, factor, base, other, margin)]
    if not rows:
        raise AnalysisError(f"no cell has {variable} of both {factor}={base} and {factor}={other}")
    judged = [judge([row for row in rows if row["case"] == case], margin).records() for case in CASES]
    found = Rows.of_cells([*itertools.chain(*judged)]).assign(compared=quotient(other, base))
    method = f"ratio of geometric means freed of {x}, 95 % t interval of the log over series, and over runs"
    attrs = {"compared_variable": variable, "margin": "" if margin is None else f"{margin:g}", "unit": "series"}
    like = labelled_runs(runs, ds)
    return table.dataset(found, like, [*by, "compared", "case"], statistic=statistic, method=method, **attrs)


def _cases(scan: _Scan, factor: str, base: str | float, other: str | float, margin: float | None) -> list[table.Cell]:
    names: list[object] = list(dict.fromkeys(scan.series[factor].tolist()))
    a, b = names.index(other), names.index(base)
    of_run = scan.configuration[scan.of_run]
    without = fit(scan.logs, scan.level, of_run)
    gaps = between(_effects(scan), scan.configuration, a, b), without.contrast(_apart(len(names), a, b))
    counts = [[float((codes == place).sum()) for place in (a, b)] for codes in (scan.configuration, of_run)]
    deviation, (low, high) = spread([_effects(scan)[scan.configuration == one] for one in range(len(names))])
    shared = {
        "series_spread": deviation, columns.low("series_spread"): low, columns.high("series_spread"): high,
        "p_series": p_of_series(scan.whole, without),
    }  # fmt: skip
    ignores = "" if not shared["p_series"] <= ALPHA else "series differ: runs are not independent"
    rows = []
    for case, gap, (n, n_base), said in zip(CASES, gaps, counts, ("", ignores), strict=True):
        found = {"case": case, **effect(gap, margin), "n": n, "n_base": n_base, **shared}
        rows.append({**found, "caveat": no_interval(gap, n, n_base) or said})
    return rows


def _effects(scan: _Scan) -> Floats:
    return np.round(scan.whole.parameters[: scan.configuration.size], ROUNDED)


def _apart(k: int, a: int, b: int) -> list[float]:
    return [float(place == a) - float(place == b) for place in range(k)]


def _runs(
    ds: xr.Dataset, variable: str, factor: str, by: Sequence[str], series: Sequence[str], x: str,
    over: Sequence[str], statistic: str,
) -> Runs:  # fmt: skip
    keys = list(dict.fromkeys([*by, factor, *series, x]))
    runs = values_of_runs(ds, variable, keys, over=over, statistic=statistic, blocks=False)
    check_scale(runs.rows[variable], variable)
    if (runs.rows[x] != runs.rows[x]).any():
        raise AnalysisError(f"of some runs {x} is not known: at which level of its series one stands cannot be told")
    return runs


def _scan(part: Rows, variable: str, factor: str, series: Sequence[str], x: str) -> _Scan:
    cells = part.cells(list(dict.fromkeys([factor, *series])))
    found = cells.results(n=cells.size)
    configurations = found.cells([factor])
    if configurations.size.max() < 2:
        raise AnalysisError(f"each {factor} has one series only: what a series does cannot be told from what it does")
    logs, level = log(part[variable]), part.cells([x]).of_row
    return _Scan(logs, level, cells.of_row, found, configurations.of_row, fit(logs, level, cells.of_row))
