"""Which rows of logs a row of a result was computed from: its lineage, followed back to rows that stand in a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns
from storagelab.analysis.basis import KEY as BASIS
from storagelab.analysis.basis import OF_A_RUN
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import quotient
from storagelab.analysis.traces import QUOTED
from storagelab.lineage import rows_of, sources_of, variable_of


def stands_in_logs(ds: xr.Dataset) -> bool:
    """Whether each row of a dataset says its log and line, or is a log."""
    names = {*ds.variables}
    return "log" in names or {"log_id", "line"} <= names


def rows_behind(result: xr.Dataset, variable: str = "", of: Sequence[xr.Dataset] | None = None) -> list[xr.Dataset]:
    """Follow the rows of a result back to rows that stand in a log.

    Parameters
    ----------
    result : Dataset, dimension obs
    variable : str
        The column that is quoted: rows without a value of what was measured are not behind it.
    of : sequence of Dataset, optional
        What the result was computed from; by default what its lineage remembers.

    Returns
    -------
    list of Dataset, dimension obs
        Of each dataset at the start, the rows that have the keys of the result; none where nobody remembers. They
        say which column is quoted (`storagelab.analysis.traces.QUOTED`), whose lines are then those of the trace.
    """
    if of is None and stands_in_logs(result):
        return [result.assign_attrs({QUOTED: variable}) if variable else result]
    return list(_found(result, variable, sources_of(result) if of is None else of))


def _found(result: xr.Dataset, variable: str, sources: Sequence[xr.Dataset]) -> Iterator[xr.Dataset]:
    measured = str(result.attrs.get("made_of") or result.attrs.get("compared_variable", variable))
    for source in (source for source in sources if "obs" in source.sizes):
        rows = with_keys_of(result, source, measured)
        if rows.sizes["obs"]:
            yield from rows_behind(rows, measured)


def with_keys_of(result: xr.Dataset, source: xr.Dataset, variable: str = "") -> xr.Dataset:
    """Rows that have the keys of a row of the result, and a value of what was measured where that is known."""
    shared = [str(key) for key in result.coords if key in source.variables and key != BASIS]
    chosen = _alike(result, source, [key for key in shared if not _unnamed(result, key)])
    if (factor := result.attrs.get("compared_factor")) in source.variables and "compared" in result.coords:
        chosen &= _of_the_sides(source.variables[factor].to_numpy(), set(result["compared"].to_numpy().tolist()))
    measured = result.attrs.get("compared_variable", variable)
    if measured in source.variables and columns.field(measured).unit is not None:
        chosen &= np.isfinite(source.variables[measured].to_numpy())
        if "statistic" in source.variables and "statistic" in result.attrs:
            chosen &= source.variables["statistic"].to_numpy() == result.attrs["statistic"]
    return dataset.take(source, np.flatnonzero(chosen))


def _of_the_sides(levels: npt.NDArray[Any], compared: set[str]) -> npt.NDArray[np.bool_]:
    """Which rows are of a level that was compared: of a third level none entered."""
    known = [level for level in dict.fromkeys(levels.tolist()) if level == level]
    sides = {level for one in known for other in known if quotient(one, other) in compared for level in (one, other)}
    return np.isin(levels, list(sides))


def _unnamed(result: xr.Dataset, key: str) -> bool:
    """Whether a key names runs, and a mean over runs, of which each row is, has no name."""
    values = result.variables[key].to_numpy()
    return key in OF_A_RUN and bool(((values != values) | (values == "")).any())


def _alike(result: xr.Dataset, source: xr.Dataset, keys: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which rows of the source have the keys of one of the rows of the result; missing is a level like others."""
    if not keys or not result.sizes["obs"]:
        return np.full(source.sizes["obs"], not keys)
    if result.sizes["obs"] == 1:
        alike = (_equal(source.variables[key].to_numpy(), result.variables[key].to_numpy()[0]) for key in keys)
        return np.asarray(np.logical_and.reduce(list(alike)), dtype=bool)
    asked, known = (
        Rows({key: ds.variables[key].to_numpy() for key in keys}, ds.sizes["obs"]) for ds in (result, source)
    )
    return known.matching(asked, keys)


def _equal(levels: npt.NDArray[Any], level: object) -> npt.NDArray[np.bool_]:
    """Which levels equal one; missing equals missing."""
    return np.asarray(levels != levels if level != level else levels == level, dtype=bool)


def rows_behind_value(value: object) -> list[xr.Dataset]:
    """Follow a number or word that knows where it was taken from back to rows that stand in a log."""
    rows = rows_of(value)
    return [] if rows is None else rows_behind(rows, variable_of(value))
