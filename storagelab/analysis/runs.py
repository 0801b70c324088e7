"""One value a run, or a block of runs: the unit of every interval. What is inside one is averaged here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Literal

import numpy as np
import xarray as xr

from storagelab import schema
from storagelab.analysis import basis, columns, table
from storagelab.analysis.cells import Floats, Rows
from storagelab.analysis.inference.averages import SCALES, Mean
from storagelab.analysis.inference.intervals import ROUNDING
from storagelab.analysis.inference.variance_components import intraclass_correlation
from storagelab.analysis.run_times import NAMELESS, earliest, name_runs
from storagelab.analysis.significant_digits import significant
from storagelab.errors import AnalysisError

SHARING = ("client", "process")
"""Keys that tell apart who shared a run."""

RATES = ("B/s", "1/s")
Best = Literal["highest", "lowest"]
UNIT = list(basis.OF_A_RUN)

Conditions = Literal["each", "fixed", "sampled"]


def run_values(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    blocks: bool = True,
    conditions: Conditions = "each",
) -> xr.Dataset:
    """Reduce a dataset to one value a run and cell.

    Rows of several iterations in a run are averaged first: rates harmonically (the work of an iteration is fixed, so
    that this is the work of the run over its time), all else arithmetically. Where the logs were not grouped into
    runs, each log is a run. Several runs of a cell in one block of the campaign are no repetitions of it, as they share
    the set-up of the block: they are averaged like iterations. So are the runs of one day, where a cell was measured on
    several.

    Parameters
    ----------
    ds : Dataset, dimension obs
    variable : str
        What to look at; rows without it are left out.
    by : sequence of str
        Keys that make the cells.
    over : sequence of str
        Other keys that may differ inside a cell, averaged over inside each run.
    statistic : str
        Which rows: "single" measurements, or a statistic that the tool itself printed ("mean", "max", ...).
    blocks : bool
        False keeps the runs of a block, and of a day, apart.
    conditions : {"each", "fixed", "sampled"}
        What runs are that differ in keys of `over`: values of their own; parts of a repeat, which is averaged over
        them, so that the result speaks of these conditions; or draws from all conditions that might have been chosen,
        each of which counts once.

    Returns
    -------
    Dataset, dimension obs
        Coordinates `by`, run_id (empty where runs were averaged), repeat, block, and basis where rows say it; day and
        order, or start_time, of the first of what was averaged, where rows say when they were made; the variable in
        its unit.
        ``attrs["unit"]`` says what a row is: a run, a block, a day, a repeat of all conditions, or a condition.

    Raises
    ------
    AnalysisError
        If no row is left, if a key outside `by` and `over` differs inside a cell, or units or origins are mixed.
    """
    runs = values_of_runs(ds, variable, by, over=over, statistic=statistic, blocks=blocks, conditions=conditions)
    return labelled_runs(runs, ds)


@dataclass(frozen=True, slots=True)
class Runs:
    """One value a run or block: what `run_values` labels.

    Attributes
    ----------
    rows : Rows
        With ``day``, ``order`` and the start besides (`storagelab.analysis.run_times`), NaN where they are not known.
    keys : list of str
        `by`, and what names a run.
    statistic, unit : str
    conditions : int
        How many conditions each value is averaged over; 1 where runs do not differ in a key of `over`.
    units : sequence of sequences of ndarray
        Where runs of one block, or day, were averaged: of each cell, how far the runs of each unit lie from its mean.
    """

    rows: Rows
    keys: list[str]
    statistic: str
    unit: str
    conditions: int = 1
    units: Sequence[Sequence[Floats]] = ()

    @property
    def icc(self) -> float:
        """Share of the variance that runs of one block, or day, have in common; NaN where the unit is a run."""
        return intraclass_correlation(self.units)


def values_of_runs(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
    blocks: bool = True,
    conditions: Conditions = "each",
    across: Mean = "arithmetic",
) -> Runs:
    """Do what `run_values` does, for those who go on with rows; `across` says how conditions are averaged."""
    rows = rows_of_runs(ds, variable, statistic)
    for key in [*by, *over]:
        table.require(ds, key)
    refuse_hidden_keys(rows, by, over)
    refuse_clients_as_runs(rows, over)
    average = partial(_averaged, variable=variable, rate=table.unit(ds, variable) in RATES)
    keys = list(dict.fromkeys([*by, *UNIT]))
    varied = _varied_between_runs(rows, by, over) if conditions != "each" else []
    found = Runs(average(rows, [*keys, *varied]), keys, statistic, "run")
    if varied:
        onto, back = SCALES[across]
        scaled = replace(found, rows=found.rows.assign(**{variable: onto(found.rows[variable])}))
        found = _over_conditions(
            scaled, variable, by, varied, conditions, partial(_averaged, variable=variable, rate=False)
        )
        found = replace(found, rows=found.rows.assign(**{variable: back(found.rows[variable])}))
    for unit in ("block", "day") if blocks else ():
        found = _by_unit(found, variable, by, unit, average)
    settled = significant(_settled(found.rows, variable, by))
    return replace(found, rows=found.rows.assign(**{variable: settled}))


def rounds_of(rows: Rows, by: Sequence[str]) -> Floats:
    """Say which round each run is of, with whose runs it shares its set-up and its time; NaN where that is not known.

    The day, where its cell was measured on several; else the block, else the repeat.
    """
    within = np.where(np.isnan(rows["block"]), rows["repeat"], rows["block"])
    several = rows.cells(by).broadcast(rows.cells(by).distinct("day")) > 1
    return np.where(several & ~np.isnan(rows["day"]), rows["day"] + BETWEEN, within)


BETWEEN = 0.5
"""What tells the number of a day from that of a block: both are whole."""


def labelled_runs(runs: Runs, like: xr.Dataset) -> xr.Dataset:
    """Label runs as the dataset that `run_values` returns."""
    method = f"one value a {runs.unit}, what is inside averaged"
    return table.dataset(runs.rows, like, runs.keys, statistic=runs.statistic, method=method, unit=runs.unit)


Average = Callable[[Rows, Sequence[str]], Rows]


def _varied_between_runs(rows: Rows, by: Sequence[str], over: Sequence[str]) -> list[str]:
    """Keys of `over` in which the runs of a cell differ from each other, not what is inside a run."""
    told = [key for key in over if key not in {*by, *schema.REPLICATION} and rows.varies(key)]
    inside, between = rows.cells([*by, *UNIT]), rows.cells(by)
    return [key for key in told if not inside.differ(key).any() and between.differ(key).any()]


def _over_conditions(
    runs: Runs, variable: str, by: Sequence[str], varied: list[str], how: Conditions, average: Average
) -> Runs:
    """Average over the conditions of each cell: repeats of all of them, or the conditions themselves, are the unit."""
    rows = runs.rows
    count = int(rows.cells([*by, *varied]).results().cells(by).size.max())
    if how == "sampled":
        means = average(_unnamed(rows, by, "run_id", "repeat", "block"), [*runs.keys, *varied])
        return replace(runs, rows=means.only([name for name in means if name not in varied]), unit="condition")
    means = average(_unnamed(rows, by, "run_id", "block"), [*runs.keys, *varied])
    if np.isnan(means["repeat"]).any():
        means = average(_unnamed(means, by, "repeat"), [*runs.keys, *varied])
    return replace(runs, rows=_freed(means, variable, by, varied, runs.keys, average), unit="repeat", conditions=count)


def _unnamed(rows: Rows, by: Sequence[str], *names: str) -> Rows:
    """Leave out of the rows which run, repeat or block they are of, unless cells are made of it."""
    return rows.assign(**{name: "" if name == "run_id" else np.nan for name in names if name not in by})


def _freed(means: Rows, variable: str, by: Sequence[str], varied: list[str], keys: list[str], average: Average) -> Rows:
    """Average the repeats of each cell over its conditions; one that lacks some, by how it differs in the others.

    So a repeat is not high or low for the condition that it lacks. One with less than half of them is left out.
    """
    conditions = means.cells([*by, *varied])
    of_conditions = conditions.results(middle=conditions.mean(variable)).cells(by)
    whole = of_conditions.results(middle=of_conditions.mean("middle"), count=of_conditions.size.astype(float))
    apart = means[variable] - conditions.broadcast(conditions.mean(variable))
    repeats = average(means.assign(**{variable: apart}), keys)
    known = repeats.looked_up(whole, by, ["middle", "count"])
    there = means.cells(keys).size
    found = repeats.assign(**{variable: repeats[variable] + known["middle"]})
    return found.take(2 * there >= known["count"])


def _by_unit(runs: Runs, variable: str, by: Sequence[str], unit: str, average: Average) -> Runs:
    """Average the runs of each block, or day; those of a cell that has one day only stay runs."""
    rows = runs.rows
    cells, within = rows.cells(by), rows.cells(list(dict.fromkeys([*by, unit])))
    known = ~np.isnan(rows[unit])
    if unit == "day":
        known &= cells.broadcast(cells.distinct(unit)) > 1
    shared = known & (within.broadcast(within.size) > 1)
    if not shared.any():
        return runs
    several = shared & within.broadcast(within.differ("repeat"))
    names = {"run_id": np.where(shared, "", rows["run_id"]), "repeat": np.where(several, np.nan, rows["repeat"])}
    if unit == "day":
        names["block"] = np.where(shared, np.nan, rows["block"])
    apart = _units_of(rows.take(known), variable, by, unit)
    keys = list(dict.fromkeys([*runs.keys, unit]))
    units = average(rows.assign(**{name: column for name, column in names.items() if name not in by}), keys)
    return replace(runs, rows=units, unit=unit, units=apart)


def _units_of(rows: Rows, variable: str, by: Sequence[str], unit: str) -> list[list[Floats]]:
    """Deviations of the runs of each cell from its mean, relative to it, those of a block or day together."""
    cells = rows.cells(by)
    means = cells.broadcast(cells.mean(variable))
    relative = np.where(means == 0, 0.0, rows[variable] / np.where(means == 0, 1.0, means))
    units = rows.assign(relative=relative).cells(list(dict.fromkeys([*by, unit])))
    of_units, cell = units.slices("relative"), cells.of_row[units.order[units.starts]]
    firsts = [*np.flatnonzero(np.diff(cell, prepend=-1)).tolist(), len(of_units)]
    return [of_units[first:beyond] for first, beyond in pairwise(firsts)]


def _settled(runs: Rows, variable: str, by: Sequence[str]) -> Floats:
    """Make runs of a cell equal that differ by rounding alone, as averages of equal values do: that is no spread."""
    cells, values = runs.cells(by), runs[variable]
    first = cells.first(variable)
    equal = cells.max(variable) - cells.min(variable) <= ROUNDING * np.abs(first)
    return np.where(cells.broadcast(equal), cells.broadcast(first), values)


def _averaged(rows: Rows, keys: Sequence[str], variable: str, rate: bool) -> Rows:
    """Average what has the same keys; it rests on the weakest of what was averaged."""
    cells = rows.cells(keys)
    mean = cells.harmonic_mean(variable) if rate else cells.mean(variable)
    return Rows({**cells.keys(), variable: mean, **earliest(cells), **basis.of_cells(cells)}, len(cells))


def chosen_rows(ds: xr.Dataset, variable: str, statistic: str = "single") -> Rows:
    """Rows of one statistic in which the variable has a value.

    Raises
    ------
    AnalysisError
        If there are none; says which statistics there are.
    """
    table.unit(ds, variable)
    table.origin(ds)
    known = table.rows(ds)
    rows = known.take(~np.isnan(known[variable]))
    values = rows[variable]
    if not len(rows):
        raise AnalysisError(f"no row has a value of {variable}")
    if not np.isfinite(values).all():
        raise AnalysisError(f"{variable} is infinite in {int((~np.isfinite(values)).sum())} rows")
    if variable in schema.FIELDS and schema.FIELDS[variable].unit in RATES and (values < 0).any():
        raise AnalysisError(f"{variable} is {values.min():g} in a row: no rate is below zero")
    if "statistic" not in rows:
        return rows
    kept = rows.where("statistic", statistic)
    if not len(kept):
        present = ", ".join(rows.levels("statistic"))
        raise AnalysisError(f"no row of {variable} is a {statistic!r}, there are: {present}; choose a statistic")
    return kept


def rows_of_runs(ds: xr.Dataset, variable: str, statistic: str = "single") -> Rows:
    """Rows as `chosen_rows`, each with the run_id, repeat and block of its run, as far as they are known."""
    return name_runs(chosen_rows(ds, variable, statistic))


def direction_of(unit: str, variable: str) -> Best:
    """Say which end of a variable is best: rates when high, times when low.

    Raises
    ------
    AnalysisError
        For any other unit.
    """
    if unit in RATES:
        return "highest"
    if unit == "s":
        return "lowest"
    raise AnalysisError(f"whether a high or a low {variable} is best is not known: give best")


def differing_keys(rows: Rows, but: Collection[str] = ()) -> list[str]:
    """Keys that tell cells apart: those in which rows differ, but neither `but` nor what tells repetitions apart."""
    named = {*but} | schema.REPLICATION
    return [key for key in rows if key not in named and _is_key(key) and rows.varies(key)]


def refuse_hidden_keys(rows: Rows, by: Sequence[str], over: Sequence[str], parameters: str = "by or over") -> None:
    """Refuse to average over a difference that nobody asked to average over; `parameters` may name its key."""
    keys = differing_keys(rows, but=[*by, *over])
    if not keys:
        return
    cells = rows.cells(by)
    hidden = [key for key in keys if cells.differ(key).any()]
    if hidden:
        place = int(np.argmax(np.logical_or.reduce([cells.differ(key) for key in hidden])))
        part = cells.part(place)
        told = [f"{key} ({_some(part, key)})" for key in hidden if part.varies(key)]
        others = [key for key in hidden if not part.varies(key)]
        also = f"; rows of other cells differ in {', '.join(others)} too" if others else ""
        where = table.name_known(cells.names()[place]) or "the selection"
        named = "it" if len(hidden) == 1 else "each of them"
        raise AnalysisError(
            f"rows of {where} differ in {', '.join(told)}{also}: name {named} in {parameters}, or select one"
        )


def _some(part: Rows, key: str) -> str:
    return ", ".join(str(level) for level in part.levels(key)[:4])


def refuse_clients_as_runs(rows: Rows, over: Sequence[str]) -> None:
    """Refuse to take the clients of one run, each of which has a log of its own, for as many runs."""
    named = [key for key in SHARING if key in over and rows.varies(key)]
    if named and any(str(run).startswith(NAMELESS) for run in rows.levels("run_id")):
        raise AnalysisError(f"some rows do not say their run_id: each {named[0]} would count as a run")


_OF_A_LOG = frozenset(field.name for field in schema.LOG_FIELDS)


def _is_key(name: str) -> bool:
    return columns.known(name) and columns.field(name).kind == "key" and name not in _OF_A_LOG
